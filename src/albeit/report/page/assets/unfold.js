// An explanation as the file keeps it, back to the view that docs/explain.md describes.

/** `lines` gives the text of a source, reference or system at the place that the view is of. */
function unfold(report, lines, system, metric, packed) {
  const texts = packed.texts.map(([side, number, numbers]) => unfoldText(report, lines, system, side, number, numbers));
  return {
    metric, system: report.systems[system], partial: Boolean(packed.partial), score: packed.score, perfect: packed.perfect, texts,
    links: (packed.links ?? []).flatMap(unfoldLinks),
    losses: (packed.losses ?? []).map(([label, amount, ...places]) => ({ label, amount, places: places.map(unfoldPlace) })),
    trees: (packed.trees ?? []).map(([text, root]) => ({ text, root: root && unfoldNode(root) })),
    chains: packed.chains && unfoldChains(packed.chains),
    ngrams: (packed.ngrams ?? []).map(unfoldNgrams),
    notes: packed.notes ?? [],
  };
}

/** The text itself stands in the report; tokens are the gap before each, and its length. */
function unfoldText(report, lines, system, side, number, numbers) {
  const [name, text] = {
    s: () => ["source", lines(report.source)],
    r: () => [report.references[number], lines(report.reference_texts[number])],
    h: () => [report.systems[system], lines(report.system_texts[system])],
  }[side]();
  const points = offsets(text);
  const tokens = [];
  for (let i = 0, end = 0; i < numbers.length; i += 2) {
    const start = end + numbers[i];
    end = start + numbers[i + 1];
    tokens.push([points(start), points(end)]);
  }
  return { side: { s: "source", r: "reference", h: "hypothesis" }[side], name, text, tokens };
}

/** Python counts characters, a browser counts halves of some: where the nth character begins. */
function offsets(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (n) => n;
  const starts = [0];
  for (const character of text) starts.push(starts[starts.length - 1] + character.length);
  return (n) => starts[n];
}

/** A whole view in JSON, with its tokens counted as a browser counts. */
function asView(view) {
  return { ...view, texts: view.texts.map((text) => {
    const points = offsets(text.text);
    return { ...text, tokens: text.tokens.map(([start, stop]) => [points(start), points(stop)]) };
  }) };
}

function unfoldPlace([text, from, to]) {
  return { text, tokens: Array.isArray(from) ? from : Array.from({ length: to - from }, (_, n) => from + n) };
}

/** Links come column by column; one between words that lie apart has no columns of lengths. */
function unfoldLinks([one, other, kind, ours, theirs, ...columns]) {
  if (columns.length === 1) return [{ one: { text: one, tokens: ours }, other: { text: other, tokens: theirs }, strength: columns[0] / 100, kind }];
  const at = (column, n) => (Array.isArray(column) ? column[n] : column);
  const [ourSizes, theirSizes, strengths] = columns;
  let ourEnd = 0, theirEnd = 0;
  return ours.map((gap, n) => {
    const ourStart = ourEnd + gap, theirStart = theirEnd + theirs[n];
    ourEnd = ourStart + at(ourSizes, n);
    theirEnd = theirStart + at(theirSizes, n);
    return { one: unfoldPlace([one, ourStart, ourEnd]), other: unfoldPlace([other, theirStart, theirEnd]), strength: at(strengths, n) / 100, kind };
  });
}

function unfoldChains([segments, positions, rows]) {
  return { segments, positions, rows: rows.map(([word, kind, places, tokens]) => ({ word, kind, positions: places, tokens })) };
}

function unfoldNode([role, relation, start, stop, shared, ...children]) {
  return { role, relation, start, stop, shared: shared === 1, children: children.map(unfoldNode) };
}

function unfoldNgrams([of, order, matched, hypothesis, reference, missing = [], extra = []]) {
  const rows = [...missing.map((gram) => [gram, 0, 1]), ...extra.map((gram) => [gram, 1, 0])];
  return { of, order, matched, hypothesis, reference, rows };
}
