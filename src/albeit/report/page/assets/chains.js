// Lexical chains side by side: where each text comes back to a word.

const CHAIN_KINDS = { matching: "in a reference and in a system", missed: "in references only", false: "in systems only" };

/** Each chain as a row; the one that is chosen is marked in the texts. */
function ChainStrips({ view, chain, setChain }) {
  const { rows, segments, positions } = view.chains;
  if (rows.length === 0) return html`<p class="muted">No text has a content word in two sentences.</p>`;
  const where = positions === segments
    ? `Positions are segments, 1 to ${segments}.`
    : `Positions are sentences, 1 to ${positions}, in ${segments} segments; sentences of a segment were matched in order with those of the first reference.`;
  return html`<${Wide} label="chains"><table class="strips"><caption>${where}</caption>
    <thead><tr><th scope="col">Chain</th>${view.texts.map((text) => html`<th scope="col">${text.name || text.side}</th>`)}</tr></thead>
    ${Object.keys(CHAIN_KINDS).filter((kind) => rows.some((row) => row.kind === kind)).map((kind) => html`<tbody>
      <tr><th scope="rowgroup" colspan=${view.texts.length + 1}>${kind}: ${CHAIN_KINDS[kind]}</th></tr>
      ${rows.filter((row) => row.kind === kind).map((row) => html`<tr><th scope="row"><button type="button" aria-pressed=${chain === row}
          onClick=${() => setChain(chain === row ? null : row)}>${row.word}</button></th>
        ${view.texts.map((_, t) => html`<td><${Strip} view=${view} row=${row} at=${t} /></td>`)}</tr>`)}</tbody>`)}</table><//>
    <p class="muted"><i class="held"></i> same position as in a reference · <i class="astray"></i> another position · <i class="gone"></i> a reference has it, this text does not</p>`;
}

/** One text's places of a chain, each a small box. */
function Strip({ view, row, at }) {
  const references = view.texts.map((text, t) => (text.side === "reference" ? t : -1)).filter((t) => t >= 0);
  const wanted = new Set(references.flatMap((t) => row.positions[t]));
  const mine = new Set(row.positions[at]);
  const system = view.texts[at].side === "hypothesis";
  const boxes = Array.from({ length: view.chains.positions }, (_, n) => {
    const place = n + 1;
    if (mine.has(place)) return wanted.has(place) || references.length === 0 ? "held" : "astray";
    return wanted.has(place) && system ? "gone" : "none";
  });
  return html`<span role="img" aria-label=${row.positions[at].join(", ") || "nowhere"}>${boxes.map((kind, n) => html`<i
    class=${kind} title=${`${row.word}, ${n + 1}`}></i>`)}</span>`;
}
