"""METEOR's matching and alignment of words and phrases, compiled.

Candidate matches link a span of the reference to a span of the translation. Matches without a
conflict are taken at once. Among the rest, a beam over the words of the reference keeps the partial
alignments that cover most, then those in fewest chunks, then those whose matches are nearest. Ties
keep their order, and the figures are METEOR 1.5's, so that both find the same alignment:

* a match that isn't exact covers half its words, rounded down;
* the distance of a chosen match is charged to the alternatives tried after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from albeit.arrays import BoolArray, IntArray, Ints32
from albeit.jit import jit
from albeit.metrics.lexical.ngrams import Texts, intersect, nth
from albeit.resources.paraphrase import ParaphraseTable

Candidates = list[tuple[int, int, int, int, int, int]]
"""First word in the translation, words there, words in the reference, matcher, first word in the
reference, entry of the paraphrase table."""
Phrases = list[tuple[int, int, int]]
"""Node in the tree, first word, and length of each phrase of a line."""

MATCHERS = 4
COUNTS = 5 + 4 * MATCHERS
"""A row of counts: words and function words of the translation, the same of the reference, chunks;
then for each matcher the matched content and function words of the translation, and of the
reference."""
BEAM = 40


class WordTable(NamedTuple):
    """The words of a lexicon as arrays, by the word's number.

    ``word`` and ``stem`` are keys: two words are the same, or have the same stem, if their keys are
    equal. The synsets of a word are sorted.
    """

    function: BoolArray
    word: Ints32
    stem: Ints32
    phrase_word: Ints32
    synsets: Texts


class ParaphraseTree(NamedTuple):
    """A table of paraphrases as a tree of words: see :class:`ParaphraseTable`."""

    child_starts: Ints32
    child_words: Ints32
    entry_starts: Ints32
    entries: Ints32

    @classmethod
    def of(cls, table: ParaphraseTable | None) -> ParaphraseTree:
        """Return the arrays of a table, or empty ones."""
        if table is not None:
            return cls(table.child_starts, table.child_words, table.entry_starts, table.entries)
        empty: Ints32 = np.zeros(0, dtype=np.int32)
        empty.flags.writeable = False  # as in a mapped table: the same compiled code reads both
        return cls(empty, empty, empty, empty)


@jit
def count_matches(
    hypotheses: Texts, references: Texts, words: WordTable, tree: ParaphraseTree, use_stems: bool
) -> Ints32:
    """Count the matches of every pair of a translation and its reference, one row per pair.

    Synonyms are used if words have synsets, paraphrases if there is a table.
    """
    pairs = len(hypotheses.starts) - 1
    counts = np.zeros((pairs, COUNTS), dtype=np.int32)
    heads = np.zeros(len(tree.child_words), dtype=np.int32)
    for pair in range(pairs):
        hyp, ref = nth(hypotheses, pair), nth(references, pair)
        row = counts[pair]
        row[0], row[2] = len(hyp), len(ref)
        row[1], row[3] = words.function[hyp].sum(), words.function[ref].sum()
        if len(hyp) == 0 or len(ref) == 0:
            continue
        found = no_candidates()
        _match_words(hyp, ref, words.word, words.word, 0, found)
        if len(hyp) != len(ref) or (words.word[hyp] != words.word[ref]).any():
            if use_stems:
                _match_words(hyp, ref, words.stem, words.word, 1, found)
            if len(words.synsets.symbols):
                _match_synonyms(hyp, ref, words, found)
            if len(tree.entries):
                in_hyp = find_phrases(hyp, words.phrase_word, tree)
                in_ref = find_phrases(ref, words.phrase_word, tree)
                match_phrases(in_hyp, in_ref, tree, heads, found)
        candidates, ends = _by_reference_word(found, len(ref))
        chosen = align(candidates, ends, len(hyp), len(ref))
        _count(hyp, ref, candidates, chosen, words.function, row)
    return counts


@jit
def no_candidates() -> Candidates:
    """Return an empty list of candidates, whose type the compiler can infer."""
    return [(0, 0, 0, 0, 0, 0) for _ in range(0)]


@jit
def _match_words(
    hyp: IntArray, ref: IntArray, key: Ints32, word: Ints32, matcher: int, found: Candidates
) -> None:
    """Add candidates of the exact matcher (same word), or the stem matcher (same key only)."""
    for j in range(len(ref)):
        for i in range(len(hyp)):
            if key[hyp[i]] == key[ref[j]] and (matcher == 0 or word[hyp[i]] != word[ref[j]]):
                found.append((i, 1, 1, matcher, j, 0))


@jit
def _match_synonyms(hyp: IntArray, ref: IntArray, words: WordTable, found: Candidates) -> None:
    """Add candidates of the synonym matcher: other words with a synset in common."""
    starts = words.synsets.starts
    for j in range(len(ref)):
        for i in range(len(hyp) if starts[ref[j]] < starts[ref[j] + 1] else 0):
            other = starts[hyp[i]] < starts[hyp[i] + 1] and words.word[hyp[i]] != words.word[ref[j]]
            if other and intersect(words.synsets, hyp[i], ref[j]):
                found.append((i, 1, 1, 2, j, 0))


@jit
def find_phrases(line: IntArray, phrase_word: Ints32 | IntArray, tree: ParaphraseTree) -> Phrases:
    """Find every phrase of the table in a line."""
    child_starts, child_words = tree.child_starts, tree.child_words
    found = [(0, 0, 0) for _ in range(0)]
    for start in range(len(line)):
        node = 0
        for end in range(start, len(line)):
            word = phrase_word[line[end]]
            first, stop = child_starts[node], child_starts[node + 1]
            node = first + np.searchsorted(child_words[first:stop], word)
            if node == stop or child_words[node] != word:
                break
            found.append((node, start, end - start + 1))
    return found


@jit
def match_phrases(
    in_hyp: Phrases, in_ref: Phrases, tree: ParaphraseTree, heads: Ints32, found: Candidates
) -> None:
    """Add candidates of the paraphrase matcher: entries of the reference, then of the translation.

    ``heads`` is scratch, all zero between calls: the first occurrence of each phrase, counted from
    1; ``after`` leads from there to the next on its right.
    """
    entry_starts, entries = tree.entry_starts, tree.entries
    for way in range(2):
        source, target = (in_ref, in_hyp) if way == 0 else (in_hyp, in_ref)
        after = np.zeros(len(target), dtype=np.int32)
        for at in range(len(target) - 1, -1, -1):
            after[at] = heads[target[at][0]]
            heads[target[at][0]] = at + 1
        for at in range(len(source)):
            for e in range(entry_starts[source[at][0]], entry_starts[source[at][0] + 1]):
                to = heads[entries[e]]
                while to > 0:
                    h, r = (to - 1, at) if way == 0 else (at, to - 1)
                    _, first, length = in_hyp[h]
                    found.append((first, length, in_ref[r][2], 3, in_ref[r][1], e))
                    to = after[to - 1]
        for at in range(len(target)):
            heads[target[at][0]] = 0


@jit
def _by_reference_word(found: Candidates, length: int) -> tuple[Ints32, Ints32]:
    """Order candidates by reference word; return them, and where those of each word end."""
    sizes = np.zeros(length, dtype=np.int32)
    for candidate in found:
        sizes[candidate[4]] += 1
    ends = np.cumsum(sizes).astype(np.int32)
    places = ends - sizes
    candidates = np.zeros((len(found), 4), dtype=np.int32)
    for candidate in found:
        row = candidates[places[candidate[4]]]
        row[0], row[1], row[2], row[3] = candidate[:4]
        places[candidate[4]] += 1
    return candidates, ends


@jit
def _count(
    hyp: IntArray, ref: IntArray, found: Ints32, chosen: Ints32, function: BoolArray, row: Ints32
) -> None:
    """Count matched words by matcher and kind, and chunks, of a finished alignment."""
    last, j = -1, 0
    while j < len(ref):
        if chosen[j] < 0:
            last = -1
            j += 1
            continue
        match = found[chosen[j]]
        if last != match[0]:
            row[4] += 1
        at = 5 + 4 * match[3]
        last = match[0] + match[1]
        for k in range(match[0], last):
            row[at + function[hyp[k]]] += 1
        for k in range(j, j + match[2]):
            row[at + 2 + function[ref[k]]] += 1
        j += match[2]


class Paths(NamedTuple):
    """The live paths of the beam, one slot each; ``order`` ranks the slots.

    A row of ``state`` has the covered words, chunks, distance, next free reference word, and the
    end of the last match in the translation (-1: no chunk is open). ``used`` has a bit for each
    word of the translation.
    """

    state: IntArray
    used: IntArray
    order: IntArray


@jit
def _no_paths(words: int) -> Paths:
    state = np.zeros((BEAM, 5), dtype=np.int64)
    used = np.zeros((BEAM, words // 64 + 1), dtype=np.int64)
    return Paths(state, used, np.zeros(BEAM, dtype=np.int64))


@jit
def align(candidates: Ints32, ends: Ints32, words: int, length: int) -> Ints32:
    """Return the chosen candidate at each word of the reference, or -1.

    ``candidates`` has one row per match: first word in the translation, words there, words in
    the reference, matcher; those of reference word ``j`` end before row ``ends[j]``.
    """
    chosen = np.zeros(length, dtype=np.int32)
    if _take_certain(candidates, ends, words, chosen) == 0:
        return chosen

    now, then = _no_paths(words), _no_paths(words)
    now.state[0, 4] = -1
    came_from = np.zeros((length, BEAM), dtype=np.int32)
    match_at = np.full((length, BEAM), -1, dtype=np.int32)
    taken = np.zeros(length, dtype=np.bool_)
    for j in range(length):
        if chosen[j] >= 0:
            taken[j : j + candidates[chosen[j], 2]] = True
            _use(now.used[0], candidates[chosen[j]])
    count = 1
    for j in range(length):
        begin = ends[j - 1] if j else 0
        if taken[j] or begin == ends[j]:
            _follow(now, count, candidates, j, chosen[j])
            came_from[j] = np.arange(BEAM)
        else:
            matches = begin, ends[j]
            count = _branch(now, count, candidates, j, matches, taken, then, came_from, match_at)
            now, then = then, now
    best = _best_path(now, count)
    for j in range(length - 1, -1, -1):
        if match_at[j, best] >= 0:
            chosen[j] = match_at[j, best]
        best = came_from[j, best]
    return chosen


@jit
def _follow(paths: Paths, count: int, candidates: Ints32, j: int, certain: int) -> None:
    """Extend all paths by the certain match at reference word ``j``, or skip it if that is -1."""
    for rank in range(count):
        slot = paths.order[rank]
        path = paths.state[slot]
        if j >= path[3] and certain >= 0:
            _extend(path, candidates[certain], j, path)
        elif j >= path[3]:
            _skip(path)
        _settle(paths, rank, slot)


@jit
def _branch(
    now: Paths,
    count: int,
    candidates: Ints32,
    j: int,
    matches: tuple[int, int],
    taken: BoolArray,
    then: Paths,
    came_from: Ints32,
    match_at: Ints32,
) -> int:
    """Try the matches of reference word ``j``, or none, on every path; return how many remain."""
    live = 0
    fresh = np.zeros(5, dtype=np.int64)
    for rank in range(count):
        slot = now.order[rank]
        path = now.state[slot]
        if j >= path[3]:
            for c in range(matches[0], matches[1]):
                if _blocked(candidates[c], j, now.used[slot], taken):
                    continue
                _extend(path, candidates[c], j, fresh)
                live, at = _insert(then, live, fresh)
                if at >= 0:
                    then.used[at] = now.used[slot]
                    _use(then.used[at], candidates[c])
                    came_from[j, at], match_at[j, at] = slot, c
            _skip(path)
        live, at = _insert(then, live, path)
        if at >= 0:
            then.used[at] = now.used[slot]
            came_from[j, at], match_at[j, at] = slot, -1
    return live


@jit
def _best_path(paths: Paths, count: int) -> int:
    """Close open chunks, and return the slot of the best path."""
    best = paths.order[0]
    for slot in paths.order[:count]:
        path = paths.state[slot]
        if path[4] != -1:
            path[1] += 1
        if _better(path, paths.state[best]):
            best = slot
    return int(best)


@jit
def _take_certain(candidates: Ints32, ends: Ints32, words: int, chosen: Ints32) -> int:
    """Choose every match whose words appear in no other; count the matches left."""
    length = len(ends)
    cover = np.zeros(words, dtype=np.int32)
    cover_reference = np.zeros(length, dtype=np.int32)
    for j in range(length):
        for c in range(ends[j - 1] if j else 0, ends[j]):
            for i in range(candidates[c, 0], candidates[c, 0] + candidates[c, 1]):
                cover[i] += 1
            for k in range(j, j + candidates[c, 2]):
                cover_reference[k] += 1
    left = len(candidates)
    for j in range(length):
        chosen[j] = -1
        begin = ends[j - 1] if j else 0
        if ends[j] - begin != 1:
            continue
        alone = True
        for k in range(j, j + candidates[begin, 2]):
            alone = alone and cover_reference[k] == 1
        for i in range(candidates[begin, 0], candidates[begin, 0] + candidates[begin, 1]):
            alone = alone and cover[i] == 1
        if alone:
            chosen[j] = begin
            left -= 1
    return left


@jit
def _extend(path: IntArray, row: Ints32, j: int, to: IntArray) -> None:
    """Add a match at reference word ``j`` to a path; its distance counts from then on."""
    exact = row[3] == 0
    to[0] = path[0] + (row[1] if exact else row[1] // 2) + (row[2] if exact else row[2] // 2)
    to[1] = path[1] + (1 if path[4] != -1 and path[4] != row[0] else 0)
    to[2] = path[2]
    to[3] = j + row[2]
    to[4] = row[0] + row[1]
    path[2] += abs(j - row[0])


@jit
def _skip(path: IntArray) -> None:
    """Skip a word of the reference, which ends an open chunk."""
    if path[4] != -1:
        path[1] += 1
        path[4] = -1
    path[3] += 1


@jit
def _use(used: IntArray, row: Ints32) -> None:
    """Mark the words of the translation in a match as in use, one bit per word."""
    for i in range(row[0], row[0] + row[1]):
        used[i >> 6] |= 1 << (i & 63)


@jit
def _blocked(row: Ints32, j: int, used: IntArray, taken: BoolArray) -> bool:
    """Return whether a match needs a word that is in use."""
    bits = 0
    for k in range(j, j + row[2]):
        bits |= taken[k]
    for i in range(row[0], row[0] + row[1]):
        bits |= (used[i >> 6] >> (i & 63)) & 1
    return bits != 0


@jit
def _better(path: IntArray, other: IntArray) -> bool:
    """Compare covered words, then chunks, then distance."""
    return (path[0], -path[1], -path[2]) > (other[0], -other[1], -other[2])


@jit
def _insert(paths: Paths, live: int, path: IntArray) -> tuple[int, int]:
    """Insert a path after its equals; return the number of paths, and its slot or -1."""
    if live == BEAM:
        slot = paths.order[live - 1]
        if not _better(path, paths.state[slot]):
            return live, -1
    else:
        slot = live
        live += 1
    paths.state[slot] = path
    _settle(paths, live - 1, slot)
    return live, slot


@jit
def _settle(paths: Paths, place: int, slot: int) -> None:
    """Move the path in a slot up to its rank, behind its equals."""
    state, order = paths.state, paths.order
    while place > 0 and _better(state[slot], state[order[place - 1]]):
        order[place] = order[place - 1]
        place -= 1
    order[place] = slot


@jit
def find_all(hypotheses, references, numbers, tree):  # type: ignore[no-untyped-def]
    """Find the paraphrases of all segments, and where those of each segment end."""
    heads = np.zeros(len(tree.child_words), dtype=np.int32)
    found = no_candidates()
    ends = np.zeros(len(hypotheses.starts) - 1, dtype=np.int64)
    for s in range(len(ends)):
        in_hypothesis = find_phrases(nth(hypotheses, s), numbers, tree)
        in_reference = find_phrases(nth(references, s), numbers, tree)
        match_phrases(in_hypothesis, in_reference, tree, heads, found)
        ends[s] = len(found)
    rows = np.zeros((len(found), 6), dtype=np.int64)
    for at in range(len(found)):
        for k in range(6):
            rows[at, k] = found[at][k]
    return rows, ends
