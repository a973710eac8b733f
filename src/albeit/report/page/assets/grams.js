// N-grams and runs that texts have in common, from their tokens alone (as metrics/lexical/grams.py has them).

/** How often each n-gram of an order comes, in the order in which they come first. */
function counted(words, order) {
  const found = new Map();
  for (let i = 0; i + order <= words.length; i++) {
    const key = words.slice(i, i + order).join("\u0000");
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

/** A table an order; of several references, the one that has an n-gram most counts. */
function ngramTables(of, [ours, ...theirs], longest) {
  return Array.from({ length: longest }, (_, n) => {
    const order = n + 1;
    const mine = counted(ours, order), wanted = new Map();
    for (const reference of theirs) {
      for (const [gram, times] of counted(reference, order)) wanted.set(gram, Math.max(times, wanted.get(gram) ?? 0));
    }
    const rows = [...new Set([...mine.keys(), ...wanted.keys()])].map((gram) => [
      gram.replaceAll("\u0000", of === "words" ? " " : ""), mine.get(gram) ?? 0, wanted.get(gram) ?? 0]);
    const sum = (count) => rows.reduce((total, row) => total + count(row), 0);
    return {
      of, order, rows, hypothesis: sum(([, a]) => a), reference: sum(([, , b]) => b), matched: sum(([, a, b]) => Math.min(a, b)),
    };
  });
}

/** Links between the first text and the others: the longest runs in common, no token in two of them. */
function commonRuns([ours, ...theirs], longest) {
  const starts = [], all = [];
  theirs.forEach((words) => {
    starts.push(all.length);
    all.push(...words, null); // no run goes from one text on to the next
  });
  const links = tiles(ours, all).map(([here, there, length]) => {
    const which = starts.findLastIndex((start) => start <= there);
    const run = (from) => Array.from({ length }, (_, n) => from + n);
    return {
      one: { text: 0, tokens: run(here) }, other: { text: which + 1, tokens: run(there - starts[which]) },
      strength: Math.min(length / longest, 1), kind: `${length}-gram`,
    };
  });
  return links.sort((a, b) => a.one.tokens[0] - b.one.tokens[0]);
}

/** Runs in common as [place, place, length]: the longest first, none overlapping. */
function tiles(ours, theirs) {
  const n = ours.length, m = theirs.length, wide = m + 1;
  const numbers = new Map();
  const number = (word) => numbers.get(word) ?? (numbers.set(word, numbers.size), numbers.size - 1);
  const left = Int32Array.from(ours, number), right = Int32Array.from(theirs, (word) => (word === null ? -1 : number(word)));
  const leftFree = new Uint8Array(n).fill(1), rightFree = new Uint8Array(m).fill(1);
  const runs = new Int32Array((n + 1) * wide);
  const found = [];
  for (;;) {
    let most = 0;
    for (let i = n - 1; i >= 0; i--) {
      for (let j = m - 1, at = i * wide + j; j >= 0; j--, at--) {
        runs[at] = leftFree[i] && rightFree[j] && left[i] === right[j] ? runs[at + wide + 1] + 1 : 0;
        if (runs[at] > most) most = runs[at];
      }
    }
    if (most === 0) return found;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < m; j++) {
        if (runs[i * wide + j] < most) continue;
        let free = true;
        for (let k = 0; k < most && free; k++) free = leftFree[i + k] && rightFree[j + k];
        if (!free) continue;
        leftFree.fill(0, i, i + most);
        rightFree.fill(0, j, j + most);
        found.push([i, j, most]);
      }
    }
  }
}
