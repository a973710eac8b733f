"""Match, align and count: from numbered words to METEOR's counts, in machine code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.metrics.lexical.meteor.search import align, compiled

__all__ = ["COUNTS", "count_matches"]

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

MATCHERS = 4
COUNTS = 5 + 4 * MATCHERS
"""A row of counts: words and function words of the translation, the same of the reference,
chunks; then for each matcher the matched content and function words of the translation,
and of the reference."""


@compiled
def count_matches(
    hypotheses: Ints,
    hypothesis_ends: Ints,
    references: Ints,
    reference_ends: Ints,
    function: Flags,
    stem: Ints,
    synset_ends: Ints,
    synsets: Ints,
    phrase_word: Ints,
    child_starts: Ints,
    child_words: Ints,
    entry_starts: Ints,
    entries: Ints,
    use_stems: bool,
) -> npt.NDArray[np.int32]:
    """Counts of every pair of a translation and its reference, one row a pair.

    Synonyms are used where words have synsets, paraphrases where there is a table.
    """
    counts = np.zeros((len(hypothesis_ends), COUNTS), dtype=np.int32)
    heads = np.full(len(child_words), -1, dtype=np.int32)
    found = np.empty((256, 5), dtype=np.int32)
    for pair in range(len(hypothesis_ends)):
        hyp = hypotheses[hypothesis_ends[pair - 1] if pair else 0 : hypothesis_ends[pair]]
        ref = references[reference_ends[pair - 1] if pair else 0 : reference_ends[pair]]
        row = counts[pair]
        row[0], row[2] = len(hyp), len(ref)
        row[1], row[3] = function[hyp].sum(), function[ref].sum()
        if len(hyp) == 0 or len(ref) == 0:
            continue
        same = len(hyp) == len(ref) and np.all(hyp == ref)
        found, total = _match_words(
            hyp, ref, stem, synset_ends, synsets, found, use_stems and not same, not same
        )
        if len(entries) and not same:
            phrases = (child_starts, child_words, entry_starts, entries)
            found, total = _match_phrases(
                phrase_word[hyp], phrase_word[ref], phrases, heads, found, total
            )
        candidates, ends = _by_reference_word(found[:total], len(ref))
        chosen = align(candidates, ends, len(hyp), len(ref))
        _count(hyp, ref, candidates, chosen, function, row)
    return counts


@compiled
def _add(
    found: Ints, total: int, j: int, i: int, words: int, length: int, matcher: int
) -> tuple[Ints, int]:
    """Append a candidate, in more room where there is none left."""
    if total == len(found):
        room = np.empty((2 * total, 5), dtype=np.int32)
        room[:total] = found
        found = room
    found[total, 0] = i
    found[total, 1] = words
    found[total, 2] = length
    found[total, 3] = matcher
    found[total, 4] = j
    return found, total + 1


@compiled
def _match_words(
    hyp: Ints,
    ref: Ints,
    stem: Ints,
    synset_ends: Ints,
    synsets: Ints,
    found: Ints,
    use_stems: bool,
    use_synonyms: bool,
) -> tuple[Ints, int]:
    """Candidates of the matchers of single words: exact, then stem, then synonym."""
    total = 0
    for j in range(len(ref)):
        for i in range(len(hyp)):
            if hyp[i] == ref[j]:
                found, total = _add(found, total, j, i, 1, 1, 0)
    if use_stems:
        for j in range(len(ref)):
            for i in range(len(hyp)):
                if stem[hyp[i]] == stem[ref[j]] and hyp[i] != ref[j]:
                    found, total = _add(found, total, j, i, 1, 1, 1)
    if use_synonyms and len(synsets):
        for j in range(len(ref)):
            begin, end = synset_ends[ref[j] - 1] if ref[j] else 0, synset_ends[ref[j]]
            if begin == end:
                continue
            for i in range(len(hyp)):
                start, stop = synset_ends[hyp[i] - 1] if hyp[i] else 0, synset_ends[hyp[i]]
                if hyp[i] != ref[j] and _share(synsets[begin:end], synsets[start:stop]):
                    found, total = _add(found, total, j, i, 1, 1, 2)
    return found, total


@compiled
def _share(one: Ints, other: Ints) -> bool:
    """Whether two sorted lists have a member in common."""
    a = b = 0
    while a < len(one) and b < len(other):
        if one[a] == other[b]:
            return True
        if one[a] < other[b]:
            a += 1
        else:
            b += 1
    return False


@compiled
def _match_phrases(
    hyp: Ints,
    ref: Ints,
    phrases: tuple[Ints, Ints, Ints, Ints],
    heads: Ints,
    found: Ints,
    total: int,
) -> tuple[Ints, int]:
    """Candidates of the paraphrase matcher: table entries read both ways."""
    in_hyp = _occurrences(hyp, phrases)
    in_ref = _occurrences(ref, phrases)
    after = _chain(in_hyp, heads)
    for at in range(len(in_ref)):
        for e in range(phrases[2][in_ref[at, 0]], phrases[2][in_ref[at, 0] + 1]):
            to = heads[phrases[3][e]]
            while to >= 0:
                found, total = _add(
                    found, total, in_ref[at, 1], in_hyp[to, 1], in_hyp[to, 2], in_ref[at, 2], 3
                )
                to = after[to]
    heads[in_hyp[:, 0]] = -1
    after = _chain(in_ref, heads)
    for at in range(len(in_hyp)):
        for e in range(phrases[2][in_hyp[at, 0]], phrases[2][in_hyp[at, 0] + 1]):
            to = heads[phrases[3][e]]
            while to >= 0:
                found, total = _add(
                    found, total, in_ref[to, 1], in_hyp[at, 1], in_hyp[at, 2], in_ref[to, 2], 3
                )
                to = after[to]
    heads[in_ref[:, 0]] = -1
    return found, total


@compiled
def _occurrences(line: Ints, phrases: tuple[Ints, Ints, Ints, Ints]) -> Ints:
    """Every phrase of the table in a line: its node, first word and length."""
    child_starts, child_words = phrases[0], phrases[1]
    found = np.empty((64, 3), dtype=np.int32)
    total = 0
    for start in range(len(line)):
        node = 0
        for end in range(start, len(line)):
            low, high = child_starts[node], child_starts[node + 1]
            child = low + np.searchsorted(child_words[low:high], line[end])
            if child == high or child_words[child] != line[end]:
                break
            node = child
            if total == len(found):
                room = np.empty((2 * total, 3), dtype=np.int32)
                room[:total] = found
                found = room
            found[total, 0] = node
            found[total, 1] = start
            found[total, 2] = end - start + 1
            total += 1
    return found[:total]


@compiled
def _chain(occurrences: Ints, heads: Ints) -> Ints:
    """Link the occurrences of each phrase from left to right; ``heads`` gets the first."""
    after = np.empty(len(occurrences), dtype=np.int32)
    for at in range(len(occurrences) - 1, -1, -1):
        node = occurrences[at, 0]
        after[at] = heads[node]
        heads[node] = at
    return after


@compiled
def _by_reference_word(found: Ints, length: int) -> tuple[Ints, Ints]:
    """Candidates in the order of the reference, else as they were found; where each ends."""
    ends = np.zeros(length, dtype=np.int32)
    for row in found:
        ends[row[4]] += 1
    ends = np.cumsum(ends).astype(np.int32)
    places = np.zeros(length, dtype=np.int32)
    places[1:] = ends[:-1]
    candidates = np.empty((len(found), 4), dtype=np.int32)
    for row in found:
        candidates[places[row[4]]] = row[:4]
        places[row[4]] += 1
    return candidates, ends


@compiled
def _count(
    hyp: Ints, ref: Ints, candidates: Ints, chosen: Ints, function: Flags, row: Ints
) -> None:
    """Count matched words by matcher and kind, and chunks, of a finished alignment."""
    last = -1
    j = 0
    while j < len(ref):
        if chosen[j] < 0:
            last = -1
            j += 1
            continue
        i, words, length, matcher = candidates[chosen[j]]
        if last != i:
            row[4] += 1
        at = 5 + 4 * matcher
        for k in range(i, i + words):
            row[at + (1 if function[hyp[k]] else 0)] += 1
        for k in range(j, j + length):
            row[at + 2 + (1 if function[ref[k]] else 0)] += 1
        last = i + words
        j += length
