// Where the tokens of a text stand: a rule and what differs from it (report/page/cuts.py has the same rules).

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const MARK = "!-&(-,./:-@\\[-`{-~";
const RULES = [`[^${SPACE}]+`, `[^${SPACE}${MARK}]+|[${MARK}]`, `[^${SPACE}]`].map((rule) => new RegExp(rule, "gu"));

/** Python counts characters, a browser counts halves of some: where the nth character begins. */
function offsets(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (n) => n;
  const starts = [0];
  for (const character of text) starts.push(starts[starts.length - 1] + character.length);
  return (n) => starts[n];
}

/** [start, stop] of each token, as a browser counts. */
function tokensOf(text, packed) {
  const [rule, ...numbers] = [packed].flat();
  const points = offsets(text);
  if (rule === RULES.length) return tokensByGaps(points, numbers);
  const begins = new Set(Array.from(text.matchAll(RULES[rule]), (match) => match.index));
  let place = 0;
  for (const step of numbers) {
    const at = points((place += step));
    if (!begins.delete(at)) begins.add(at);
  }
  const tokens = [];
  for (const { 0: word, index } of text.matchAll(RULES[0])) {
    let start = index;
    const end = index + word.length;
    for (let at = start + 1; at < end; at++) {
      if (!begins.has(at)) continue;
      tokens.push([start, at]);
      start = at;
    }
    tokens.push([start, end]);
  }
  return tokens;
}

/** The gap before each token, and its length. */
function tokensByGaps(points, numbers) {
  const tokens = [];
  for (let i = 0, end = 0; i < numbers.length; i += 2) {
    const start = end + numbers[i];
    end = start + numbers[i + 1];
    tokens.push([points(start), points(end)]);
  }
  return tokens;
}
