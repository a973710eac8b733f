// Which words of two texts differ: the longest common subsequence, word by word.

const SPACED = /\s+/u;

function cut(text, spaced) {
  return spaced ? text.split(SPACED).filter(Boolean) : [...text];
}

/** Whether words are parted by spaces; Chinese, Japanese and Thai are compared by character. */
function isSpaced(lang) {
  return !["zh", "ja", "th", "lo", "km", "my"].includes((lang || "").split("-")[0]);
}

/** For each word of `left`, whether the longest common subsequence with `right` holds it. */
function common(left, right) {
  const n = left.length, m = right.length;
  const kept = new Array(n).fill(false);
  if (n * m > 4e6) return kept.fill(true); // too long to compare in a moment: mark nothing
  const wide = m + 1;
  const best = new Uint16Array((n + 1) * wide); // best[i * wide + j]: of left from i and right from j
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1, at = i * wide + j; j >= 0; j--, at--) {
      if (left[i] === right[j]) best[at] = best[at + wide + 1] + 1;
      else best[at] = best[at + wide] > best[at + 1] ? best[at + wide] : best[at + 1];
    }
  }
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (left[i] === right[j]) {
      kept[i] = true;
      i++, j++;
    } else if (best[(i + 1) * wide + j] >= best[i * wide + j + 1]) i++;
    else j++;
  }
  return kept;
}

/** A text as runs of words, each with whether `other` has it in that order. */
function runsOf(text, other, spaced) {
  const words = cut(text, spaced);
  const kept = common(words, cut(other, spaced));
  const runs = [];
  words.forEach((word, i) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === kept[i]) last[0] += (spaced ? " " : "") + word;
    else runs.push([word, kept[i]]);
  });
  return runs;
}

/** A text with the words marked that `other` does not have in that order. */
function Differing({ text, other, lang }) {
  const spaced = isSpaced(lang);
  const pieces = useMemo(() => (other === undefined || other === null ? [[text, true]] : runsOf(text, other, spaced)), [text, other, spaced]);
  if (!text.trim()) return html`<span class="empty">(empty)</span>`;
  return pieces.map(([run, same], i) => html`${i && spaced ? " " : ""}${
    same ? run : html`<mark class="own">${run}</mark>`}`);
}
