// An explanation as the file keeps it (report/page/folded.py), back to the view that docs/explain.md describes.

/** `lines` gives the text of a source, reference or system at the place that the view is of, `score` the report's own score. */
function unfold(report, lines, score, system, metric, packed) {
  const texts = packed.texts.map(([side, number, tokens]) => unfoldText(report, lines, system, side, number, tokens));
  const words = texts.map(({ text, tokens }) => tokens.map(([start, stop]) => text.slice(start, stop)));
  const decimals = packed.perfect > 1 || packed.perfect === 0 ? 2 : 4;
  return {
    metric, system: report.systems[system], partial: Boolean(packed.partial), perfect: packed.perfect, decimals, texts,
    score: packed.score === undefined ? score : packed.score, standard_error: packed.sure,
    ...(packed.grams ? unfoldGrams(words, ...packed.grams) : {
      links: (packed.links ?? []).flatMap(unfoldLinks), ngrams: (packed.ngrams ?? []).map(unfoldNgrams),
    }),
    losses: (packed.losses ?? []).map((loss) => unfoldLoss(report.labels, words, 10 ** decimals, loss)),
    rest: packed.rest && { count: packed.rest[0], amount: packed.rest[1] / 10 ** decimals },
    trees: (packed.trees ?? []).map(([text, ...parts]) => ({ text, root: unfoldTree(report.labels, parts) })),
    chains: packed.chains && unfoldChains(packed.chains),
    notes: packed.notes ?? [],
  };
}

/** The text itself stands in the report. */
function unfoldText(report, lines, system, side, number, tokens) {
  const [name, text] = {
    s: () => ["source", lines(report.source)],
    r: () => [report.references[number], lines(report.reference_texts[number])],
    h: () => [report.systems[system], lines(report.system_texts[system])],
  }[side]();
  return { side: { s: "source", r: "reference", h: "hypothesis" }[side], name, text, tokens: tokensOf(text, tokens) };
}

/** A whole view in JSON, with its tokens counted as a browser counts. */
function asView(view) {
  return { ...view, texts: view.texts.map((text) => {
    const points = offsets(text.text);
    return { ...text, tokens: text.tokens.map(([start, stop]) => [points(start), points(stop)]) };
  }) };
}

/** What follows from the tokens. Runs of one or two letters are mostly chance: they go, where there are longer ones. */
function unfoldGrams(words, of, longest) {
  const links = commonRuns(words, longest);
  const telling = of === "characters" ? links.filter((link) => link.one.tokens.length > 2) : links;
  return { links: telling.length ? telling : links, ngrams: ngramTables(of, words, longest) };
}

function unfoldPlace([text, from, to = from + 1]) {
  return { text, tokens: Array.isArray(from) ? from : Array.from({ length: to - from }, (_, n) => from + n) };
}

/** A label's pieces: text, the number of a place whose words stand here, or null for the next number. */
function unfoldLoss(labels, words, scale, [label, amount, ...rest]) {
  const numbers = rest.filter((part) => typeof part === "number");
  const severity = rest.find((part) => typeof part === "string");
  const places = rest.filter(Array.isArray).map(unfoldPlace);
  const said = (piece) => {
    if (piece === null) return numbers.shift();
    return typeof piece === "string" ? piece : places[piece].tokens.map((token) => words[places[piece].text][token]).join(" ");
  };
  return { label: labels[label].map(said).join(""), amount: amount / scale, places, severity };
}

/** Links come column by column; one between words that lie apart has no columns of lengths. */
function unfoldLinks([one, other, kind, ours, theirs, ...columns]) {
  if (columns.length === 1) return [{ one: { text: one, tokens: ours }, other: { text: other, tokens: theirs }, strength: columns[0] / 100, kind }];
  const at = (column, n) => (Array.isArray(column) ? column[n] : column);
  const [ourSizes, theirSizes, strengths] = columns;
  let ourEnd = 0, theirEnd = 0;
  return ours.map((gap, n) => {
    const ourStart = ourEnd + gap, theirStart = theirEnd + at(theirs, n);
    ourEnd = ourStart + at(ourSizes, n);
    theirEnd = theirStart + at(theirSizes, n);
    return { one: unfoldPlace([one, ourStart, ourEnd]), other: unfoldPlace([other, theirStart, theirEnd]), strength: at(strengths, n) / 100, kind };
  });
}

/** Parents first: leaves are twice their length, one more where the other tree has the same; a gap is in a list; others are below zero. */
function unfoldTree(labels, parts) {
  let end = 0, at = 0;
  const grown = (role) => {
    if (Array.isArray(parts[at])) end += parts[at++][0];
    const number = parts[at++], start = end;
    if (number >= 0) {
      end += number >> 1;
      return { role, relation: "", start, stop: end, shared: number % 2 === 1, children: [] };
    }
    const [relation, ...roles] = labels[(-1 - number) >> 1];
    const children = roles.map((each) => grown(each));
    return { role, relation, start: children[0].start, stop: end, shared: (-1 - number) % 2 === 1, children };
  };
  return parts.length ? grown("") : null;
}

function unfoldChains([segments, positions, rows]) {
  return { segments, positions, rows: rows.map(([word, kind, places, tokens]) => ({ word, kind, positions: places, tokens })) };
}

function unfoldNgrams([of, order, matched, hypothesis, reference, missing = [], extra = []]) {
  const rows = [...missing.map((gram) => [gram, 0, 1]), ...extra.map((gram) => [gram, 1, 0])];
  return { of, order, matched, hypothesis, reference, rows };
}
