// One explanation: what was compared, what matched, where the score was lost (docs/explain.md).

function View({ view }) {
  const [focus, setFocus] = useState(null);
  const trees = view.trees.length > 0;
  return html`<p><b>${view.metric}</b> = ${view.score === null ? "no score" : shown(view.score, view.perfect > 1 ? 2 : 4)}
      ${view.score !== null && html`<span class="muted"> (perfect: ${shown(view.perfect, 0)})</span>`}</p>
    ${trees
      ? html`<div class="trees">${view.trees.map((tree) => html`<${Tree} tree=${tree} text=${view.texts[tree.text]} />`)}</div>`
      : view.texts.map((text, t) => html`<${Compared} key=${t} view=${view} text=${text} at=${t} focus=${focus} setFocus=${setFocus} />`)}
    ${view.losses.length > 0 && html`<${Losses} view=${view} />`}
    ${view.ngrams.length > 0 && html`<${Ngrams} view=${view} />`}
    ${view.notes.map((note) => html`<p class="muted">${note}</p>`)}`;
}

/** A text with its tokens; a token that met another shows its partner when it is pointed at. */
function Compared({ view, text, at, focus, setFocus }) {
  const strength = new Map(), partners = new Map();
  view.links.forEach((link, n) => {
    for (const [one, other] of [[link.one, link.other], [link.other, link.one]]) {
      if (one.text !== at) continue;
      for (const token of one.tokens) {
        strength.set(token, Math.max(strength.get(token) ?? 0, link.strength));
        partners.set(token, [...(partners.get(token) ?? []), n]);
      }
    }
  });
  const lit = new Set();
  for (const n of focus ?? []) {
    for (const place of [view.links[n].one, view.links[n].other]) {
      if (place.text === at) place.tokens.forEach((t) => lit.add(t));
    }
  }
  const pieces = [];
  let done = 0;
  text.tokens.forEach(([start, stop], t) => {
    if (start < done) return;
    pieces.push(text.text.slice(done, start));
    const met = strength.has(t);
    const kind = lit.has(t) ? "chain" : met ? "same" : "own";
    const word = text.text.slice(start, stop);
    pieces.push(view.links.length === 0 ? word : html`<mark class=${kind}
      title=${met ? `met, ${shown(strength.get(t), 2)}` : "met nothing"}
      onMouseEnter=${() => setFocus(partners.get(t) ?? null)} onMouseLeave=${() => setFocus(null)}>${word}</mark>`);
    done = stop;
  });
  pieces.push(text.text.slice(done));
  return html`<p dir="auto"><span class="muted">${text.name || text.side}: </span>${pieces}</p>`;
}

/** Where the score was lost, the most first; what won some back has a minus. */
function Losses({ view }) {
  const [all, setAll] = useState(false);
  const losses = [...view.losses].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const most = Math.max(...losses.map((l) => Math.abs(l.amount)), 1e-12);
  const digits = view.perfect > 1 ? 2 : 4;
  const few = losses.filter((l) => Math.abs(l.amount) > most * 1e-6).slice(0, all ? undefined : 8);
  if (few.length === 0) return html`<p class="muted">Nothing was lost.</p>`;
  return html`<table class="losses"><caption>Where the score was lost</caption><tbody>
    ${few.map((l) => html`<tr><td>${shown(l.amount, digits)}</td><td class="prose">
      <span class="bar" style=${{ width: `${(100 * Math.abs(l.amount)) / most}%` }} aria-hidden="true"></span>${l.label}</td></tr>`)}
    </tbody></table>
    ${losses.length > few.length && html`<button type="button" onClick=${() => setAll(true)}>All ${losses.length}</button>`}`;
}

/** How many n-grams matched, order by order, and some that did not. */
function Ngrams({ view }) {
  const words = view.ngrams.some((table) => table.of === "words");
  const differ = (rows, more) => rows.filter(([, ours, theirs]) => (ours - theirs) * more > 0).slice(0, 3).map(([gram]) => gram).join(" · ");
  return html`<details><summary>n-grams</summary><div class="wide"><table><thead><tr><th scope="col">order</th>
    <th scope="col">matched</th><th scope="col">in the translation</th><th scope="col">in the reference</th>
    ${words && html`<th scope="col" class="prose">missing, for instance</th><th scope="col" class="prose">too many, for instance</th>`}</tr></thead>
    <tbody>${view.ngrams.map((table) => html`<tr><th scope="row">${table.order} ${table.of}</th><td>${table.matched}</td>
      <td>${table.hypothesis}</td><td>${table.reference}</td>
      ${words && html`<td class="prose">${differ(table.rows, -1)}</td><td class="prose">${differ(table.rows, 1)}</td>`}</tr>`)}</tbody></table></div></details>`;
}
