// One explanation: what was compared, what matched, where the score was lost (docs/explain.md).

/** A whole view in JSON, with its tokens counted as a browser counts. */
function asView(view) {
  return { ...view, texts: view.texts.map((text) => {
    const points = offsets(text.text);
    return { ...text, tokens: text.tokens.map(([start, stop]) => [points(start), points(stop)]) };
  }) };
}

function View({ view }) {
  const [focus, setFocus] = useState(null);
  const [chain, setChain] = useState(null);
  const trees = view.trees.length > 0;
  const scored = view.score !== null;
  return html`${(scored || view.system) && html`<p><b>${view.metric}</b> = ${scored ? shown(view.score, view.decimals) : "no score"}
      ${scored && view.standard_error !== undefined && html` ± ${shown(view.standard_error, view.decimals)}`}
      ${scored && html`<span class="muted"> (${view.standard_error !== undefined && "standard error; "}perfect: ${shown(view.perfect, 0)})</span>`}</p>`}
    ${trees
      ? html`<div class="trees">${view.trees.map((tree) => html`<${Tree} tree=${tree} text=${view.texts[tree.text]} />`)}</div>`
      : view.texts.map((text, t) => html`<${Compared} key=${t} view=${view} text=${text} at=${t} focus=${focus} setFocus=${setFocus} chain=${chain} />`)}
    ${view.chains && html`<${ChainStrips} view=${view} chain=${chain} setChain=${setChain} />`}
    ${!trees && html`<${Missing} view=${view} />`}
    ${view.losses.length > 0 && html`<${Losses} view=${view} />`}
    ${view.ngrams.length > 0 && html`<${Ngrams} view=${view} />`}
    ${view.notes.map((note) => html`<p class="muted">${note}</p>`)}`;
}

/** What the colors and lines of views say, once for all of them. */
function Key({ views }) {
  if (views.some((view) => view.trees.length > 0)) {
    return html`<p class="muted key">Green: the other tree has the same node; ≠: it doesn't. Thick lines lead to nuclei, dashed lines to satellites.</p>`;
  }
  const blame = views.flatMap((view) => (blames(view) ? view.losses.filter((loss) => loss.places.length > 0 && loss.amount > 0) : []));
  const severe = ["major", "minor"].filter((severity) => blame.some((loss) => loss.severity === severity));
  const linked = views.some((view) => view.links.length > 0 && !blames(view));
  const near = views.some((view) => view.ngrams.length === 0 && view.links.some((link) => link.strength < 0.7));
  if (!linked && blame.length === 0) return null;
  return html`<p class="muted key">${blame.length > 0 && html`${(severe.length ? severe : [""]).map((severity) => html`<mark class=${`blamed ${severity}`}>word</mark>
      ${" "}${severity ? `a ${severity} error` : "an error"}, by ${views[0].metric}. `)}
      ${views.some((view) => view.links.length > 0) && html`<mark class="same">word</mark> no error.`}`}
    ${linked && html`<mark class="same">matched</mark> in the other text, ${near && html`<mark class="near">similar</mark>, `}<mark class="own">not matched</mark>. Point at a word to see its match.`}</p>`;
}

/** Whether a view's losses are errors that the metric found in words, and not words that merely met no other. */
function blames(view) {
  return view.partial || view.links.length === 0;
}

/** What became of each token of a text: how strongly it met others, which, and what was said of it. */
function fates(view, at) {
  const found = new Map();
  const note = (token, reason, strength, link) => {
    const fate = found.get(token) ?? { reasons: [], links: [] };
    fate.reasons.push(reason);
    if (strength !== undefined) fate.strength = Math.max(fate.strength ?? 0, strength);
    if (link !== undefined) fate.links.push(link);
    found.set(token, fate);
  };
  view.links.forEach((link, n) => {
    for (const here of [link.one, link.other]) {
      if (here.text === at) here.tokens.forEach((token) => note(token, `matched, ${shown(link.strength, 2)}`, link.strength, n));
    }
  });
  for (const loss of view.losses) {
    for (const place of loss.places ?? []) {
      if (place.text !== at) continue;
      for (const token of place.tokens) {
        note(token, loss.severity ? `${loss.severity}: ${shown(loss.amount, view.decimals)}` : loss.label);
        if (loss.amount > 0) found.get(token).blamed = `blamed ${loss.severity ?? ""}`;
      }
    }
  }
  for (const chain of view.chains?.rows ?? []) {
    chain.tokens[at].forEach((token) => note(token, `chain ${chain.word}: ${chain.kind}`, chain.kind === "matching" ? 1 : undefined));
  }
  return found;
}

/** How a token is drawn: one that costs score is blamed; of words that met by meaning, some are near and some far; a run in common is the same. */
function likeness(view, { strength, blamed }) {
  if (blames(view)) return blamed ?? (strength === undefined ? "noted" : "same");
  if (strength === undefined) return "own";
  if (view.ngrams.length > 0 || strength >= 0.7) return "same";
  return strength >= 0.45 ? "near" : "own";
}

/** A text with its tokens; a token that met another shows its partner when it is pointed at. */
function Compared({ view, text, at, focus, setFocus, chain }) {
  const fate = useMemo(() => fates(view, at), [view, at]);
  const lit = new Set(chain?.tokens[at]);
  for (const n of focus ?? []) {
    for (const place of [view.links[n].one, view.links[n].other]) {
      if (place.text === at) place.tokens.forEach((t) => lit.add(t));
    }
  }
  const pieces = [];
  let done = 0;
  text.tokens.forEach(([start, stop], t) => {
    if (start < done || start === stop) return;
    pieces.push(text.text.slice(done, start));
    const { reasons = ["not matched"], links = null } = fate.get(t) ?? {};
    const kind = lit.has(t) ? "chain" : likeness(view, fate.get(t) ?? {});
    const word = text.text.slice(start, stop);
    pieces.push(!fate.has(t) && (view.partial || view.links.length === 0) ? word : html`<mark class=${kind} title=${reasons.join("; ")}
      onMouseEnter=${() => setFocus(links)} onMouseLeave=${() => setFocus(null)}>${word}</mark>`);
    done = stop;
  });
  pieces.push(text.text.slice(done));
  return html`<p class="compared" dir="auto"><span class="muted">${text.name || text.side}: </span>${pieces}</p>`;
}

const NOWHERE = "no single word"; // what 'judge' says of the loss that it finds in no word of the translation

/** Where some of the score was lost in no word of the translation: what the reference has, and it has not. */
function Missing({ view }) {
  const ours = view.texts.find((text) => text.side === "hypothesis"), theirs = view.texts.find((text) => text.side === "reference");
  if (!ours || !theirs || !view.losses.some((loss) => loss.label === NOWHERE)) return null;
  const lacking = runsOf(theirs.text, ours.text, theirs.text.includes(" ")).filter(([, kept]) => !kept);
  if (lacking.length === 0) return null;
  return html`<p class="compared"><span class="muted">in the reference, not here: </span>${lacking.map(([run], n) => html`${n ? " · " : ""}<mark class="own">${run}</mark>`)}</p>`;
}

/** Where the score was lost, the most first; what won some back has a minus. */
function Losses({ view }) {
  const [all, setAll] = useState(false);
  const losses = [...view.losses].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const most = Math.max(...losses.map((l) => Math.abs(l.amount)), 1e-12);
  const few = losses.filter((l) => Math.abs(l.amount) > most * 1e-6).slice(0, all ? undefined : 8);
  if (few.length === 0) return html`<p class="muted">Nothing was lost.</p>`;
  return html`<table class="losses"><caption>Where the score was lost</caption><tbody>
    ${few.map((l) => html`<tr><td>${shown(l.amount, view.decimals)}</td><td class="prose">
      <span class="bar" style=${{ width: `${(100 * Math.abs(l.amount)) / most}%` }} aria-hidden="true"></span>${l.label === NOWHERE ? "no single word: missing text, or the whole" : l.label}${l.severity && html` <span class="muted">(${l.severity})</span>`}</td></tr>`)}
    ${view.rest && html`<tr><td>${shown(view.rest.amount, view.decimals)}</td><td class="prose muted">${view.rest.count} more, none larger</td></tr>`}
    </tbody></table>
    ${losses.length > few.length && html`<button type="button" onClick=${() => setAll(true)}>All ${losses.length}</button>`}`;
}

/** How many n-grams matched, order by order, and some that did not. */
function Ngrams({ view }) {
  const words = view.ngrams.some((table) => table.of === "words");
  const differ = (rows, more) => rows.filter(([, ours, theirs]) => (ours - theirs) * more > 0).slice(0, 3).map(([gram]) => gram).join(" · ");
  return html`<details><summary>n-grams</summary><${Wide} label="n-grams"><table><thead><tr><th scope="col">order</th>
    <th scope="col">matched</th><th scope="col">in the translation</th><th scope="col">in the reference</th>
    ${words && html`<th scope="col" class="prose">missing, for instance</th><th scope="col" class="prose">too many, for instance</th>`}</tr></thead>
    <tbody>${view.ngrams.map((table) => html`<tr><th scope="row">${table.order} ${table.of}</th><td>${table.matched}</td>
      <td>${table.hypothesis}</td><td>${table.reference}</td>
      ${words && html`<td class="prose">${differ(table.rows, -1)}</td><td class="prose">${differ(table.rows, 1)}</td>`}</tr>`)}</tbody></table><//></details>`;
}
