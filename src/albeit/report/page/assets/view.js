// One explanation: what was compared, what matched, where the score was lost (docs/explain.md).

function View({ view }) {
  const [focus, setFocus] = useState(null);
  const trees = view.trees.length > 0;
  return html`<p><b>${view.metric}</b> = ${view.score === null ? "no score" : shown(view.score, view.perfect > 1 ? 2 : 4)}
      ${view.score !== null && html`<span class="muted"> of ${shown(view.perfect, 0)}</span>`}</p>
    ${trees
      ? html`<div class="trees">${view.trees.map((tree) => html`<${Tree} tree=${tree} text=${view.texts[tree.text]} />`)}</div>`
      : view.texts.map((text, t) => html`<${Compared} key=${t} view=${view} text=${text} at=${t} focus=${focus} setFocus=${setFocus} />`)}
    ${view.chains && html`<${ChainStrips} view=${view} />`}
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

/** A discourse tree: nucleus by a thick line, what the other tree has in one colour and mark. */
function Tree({ tree, text }) {
  if (!tree.root) return html`<p class="muted">${text.name || text.side}: (empty)</p>`;
  const WIDE = 150, STEP = 66, LINE = 15, MOST = 22;
  const shapes = [];
  let leaves = 0, bottom = 0;
  const draw = (node, depth) => {
    const y = 34 + depth * STEP;
    if (node.children.length === 0) {
      const x = (leaves++ + 0.5) * WIDE;
      const words = text.tokens.slice(node.start, node.stop).map(([a, b]) => text.text.slice(a, b));
      const lines = [];
      for (const word of words) {
        const last = lines[lines.length - 1];
        if (last !== undefined && last.length + word.length < MOST) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      shapes.push(html`<text class=${node.shared ? "shared" : "lost"} x=${x} y=${y} text-anchor="middle">
        ${lines.map((line, n) => html`<tspan x=${x} dy=${n ? LINE : 0}>${n === 0 && !node.shared ? "≠ " : ""}${line}</tspan>`)}</text>`);
      bottom = Math.max(bottom, y + lines.length * LINE);
      return [x, y];
    }
    const ends = node.children.map((child) => draw(child, depth + 1));
    const x = ends.reduce((sum, [cx]) => sum + cx, 0) / ends.length;
    node.children.forEach((child, n) => shapes.push(html`<line class=${child.role === "N" ? "nucleus" : "satellite"}
      x1=${x} y1=${y + 6} x2=${ends[n][0]} y2=${ends[n][1] - 15} />`));
    shapes.push(html`<text class=${`relation ${node.shared ? "shared" : "lost"}`} x=${x} y=${y} text-anchor="middle">
      ${node.shared ? "" : "≠ "}${node.relation}</text>`);
    return [x, y];
  };
  draw(tree.root, 0);
  const width = Math.max(1, leaves) * WIDE;
  return html`<figure><figcaption class="muted">${text.name || text.side}</figcaption><div class="wide">
    <svg class="tree" width=${width} height=${bottom + 8} viewBox=${`0 0 ${width} ${bottom + 8}`} role="img"
      aria-label=${`discourse tree of ${text.name || text.side}: ${text.text}`}>${shapes}</svg></div></figure>`;
}

/** Each chain as a strip of positions for every text. */
function ChainStrips({ view }) {
  const { rows, positions } = view.chains;
  return html`<div class="wide"><table class="strips"><caption>Words that come again, by position</caption><thead><tr><th scope="col">word</th>
    ${view.texts.map((t) => html`<th scope="col">${t.name || t.side}</th>`)}</tr></thead><tbody>
    ${rows.map((row) => html`<tr><th scope="row">${row.word} <span class="muted">${row.kind}</span></th>
      ${row.positions.map((places) => html`<td>${places.length ? places.join(" ") : "–"}</td>`)}</tr>`)}</tbody></table></div>
    <p class="muted">${positions} positions.</p>`;
}

/** How many n-grams matched, order by order, and which did not. */
function Ngrams({ view }) {
  return html`<details><summary>n-grams</summary><div class="wide"><table><thead><tr><th scope="col">order</th>
    <th scope="col">matched</th><th scope="col">in the translation</th><th scope="col">in the reference</th><th scope="col">not matched</th></tr></thead>
    <tbody>${view.ngrams.map((table) => html`<tr><th scope="row">${table.order} ${table.of}</th><td>${table.matched}</td>
      <td>${table.hypothesis}</td><td>${table.reference}</td><td class="prose">
      ${table.rows.filter(([, ours, theirs]) => ours > theirs).slice(0, 12).map(([n]) => n).join(" · ")}</td></tr>`)}</tbody></table></div></details>`;
}
