"""Match words and phrases, align, and count, for METEOR, in machine code.

Plain loops compile several times faster than array expressions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.lexical.meteor_search import Ints, align
from albeit.resources import ParaphraseTable

__all__ = [
    "COUNTS",
    "MATCHERS",
    "Ints",
    "ParaphraseTree",
    "WordTable",
    "count_matches",
    "find_phrases",
    "match_phrases",
]

Flags = npt.NDArray[np.bool_]

MATCHERS = 4
COUNTS = 5 + 4 * MATCHERS
"""A row of counts: words and function words of the translation, the same of the reference, chunks;
then for each matcher the matched content and function words of the translation, and of the
reference."""


class WordTable(NamedTuple):
    """The words of a lexicon as arrays, by the word's number.

    ``word`` and ``stem`` are keys: two words are the same, or have the same stem, if their keys are
    equal. Synsets are numbered in the order of their first word.
    """

    function: Flags
    word: Ints
    stem: Ints
    synset_ends: Ints
    synsets: Ints
    phrase_word: Ints


class ParaphraseTree(NamedTuple):
    """A table of paraphrases as a tree of words: see :class:`albeit.resources.ParaphraseTable`."""

    child_starts: Ints
    child_words: Ints
    entry_starts: Ints
    entries: Ints

    @classmethod
    def of(cls, table: ParaphraseTable | None) -> ParaphraseTree:
        """Return the arrays of a table, or empty ones."""
        if table is not None:
            return cls(table.child_starts, table.child_words, table.entry_starts, table.entries)
        empty: Ints = np.zeros(0, dtype=np.int32)
        empty.flags.writeable = False  # as in a mapped table: the same compiled code reads both
        return cls(empty, empty, empty, empty)


@jit
def count_matches(
    hypotheses: Ints,
    hypothesis_ends: Ints,
    references: Ints,
    reference_ends: Ints,
    words: WordTable,
    phrases: ParaphraseTree,
    use_stems: bool,
) -> Ints:
    """Count the matches of every pair of a translation and its reference, one row per pair.

    Synonyms are used if words have synsets, paraphrases if there is a table.
    """
    counts = np.zeros((len(hypothesis_ends), COUNTS), dtype=np.int32)
    heads = np.zeros(len(phrases.child_words), dtype=np.int32)
    first_places = np.zeros(words.synsets.max() + 1 if len(words.synsets) else 1, dtype=np.int32)
    found = np.zeros((256, 6), dtype=np.int32)
    for pair in range(len(hypothesis_ends)):
        hyp = hypotheses[hypothesis_ends[pair - 1] if pair else 0 : hypothesis_ends[pair]]
        ref = references[reference_ends[pair - 1] if pair else 0 : reference_ends[pair]]
        row = counts[pair]
        row[0], row[2] = len(hyp), len(ref)
        for number in hyp:
            row[1] += words.function[number]
        for number in ref:
            row[3] += words.function[number]
        if len(hyp) == 0 or len(ref) == 0:
            continue
        same = _same(hyp, ref, words.word)
        found, total = _match_words(hyp, ref, words.word, words.word, 0, found, 0)
        if use_stems and not same:
            found, total = _match_words(hyp, ref, words.stem, words.word, 1, found, total)
        if len(words.synsets) and not same:
            found, total = _match_synonyms(hyp, ref, words, first_places, found, total)
        if len(phrases.entries) and not same:
            in_hyp = find_phrases(hyp, words.phrase_word, phrases)
            in_ref = find_phrases(ref, words.phrase_word, phrases)
            found, total = match_phrases(in_hyp, in_ref, phrases, heads, found, total)
        candidates, ends = _by_reference_word(found, total, len(ref))
        chosen = align(candidates, ends, len(hyp), len(ref))
        _count(hyp, ref, candidates, chosen, words.function, row)
    return counts


@jit
def _same(one: Ints, other: Ints, word: Ints) -> bool:
    """Return whether two lines have the same words."""
    same = len(one) == len(other)
    for k in range(len(one)):
        same = same and word[one[k]] == word[other[k]]
    return bool(same)


@jit
def _make_room(table: Ints, needed: int) -> Ints:
    """Return the table with room for at least so many rows."""
    if needed <= len(table):
        return table
    room = np.zeros((2 * needed, table.shape[1]), dtype=np.int32)
    for at in range(len(table)):
        for k in range(table.shape[1]):
            room[at, k] = table[at, k]
    return room


@jit
def _match_words(
    hyp: Ints, ref: Ints, key: Ints, word: Ints, matcher: int, found: Ints, total: int
) -> tuple[Ints, int]:
    """Add candidates of the exact matcher (same word), or the stem matcher (same key only)."""
    for j in range(len(ref)):
        found = _make_room(found, total + len(hyp))
        for i in range(len(hyp)):
            if key[hyp[i]] == key[ref[j]] and (matcher == 0 or word[hyp[i]] != word[ref[j]]):
                _put(found, total, i, j, matcher)
                total += 1
    return found, total


@jit
def _put(found: Ints, at: int, i: int, j: int, matcher: int) -> None:
    """Write a candidate of single words."""
    found[at, 0] = i
    found[at, 1] = 1
    found[at, 2] = 1
    found[at, 3] = matcher
    found[at, 4] = j


@jit
def _match_synonyms(
    hyp: Ints, ref: Ints, words: WordTable, heads: Ints, found: Ints, total: int
) -> tuple[Ints, int]:
    """Add candidates of the synonym matcher: other words with a synset in common.

    ``heads`` is scratch, all zero between calls: the first place of each synset in the
    translation, counted from 1; ``after`` leads from there to the next.
    """
    word, synset_ends, synsets = words.word, words.synset_ends, words.synsets
    size = 0
    for number in hyp:
        size += synset_ends[number] - (synset_ends[number - 1] if number else 0)
    after = np.zeros(size + 1, dtype=np.int32)
    places = np.zeros(size + 1, dtype=np.int32)
    last = 0
    for i in range(len(hyp)):
        for s in range(synset_ends[hyp[i] - 1] if hyp[i] else 0, synset_ends[hyp[i]]):
            last += 1
            places[last] = i
            after[last] = heads[synsets[s]]
            heads[synsets[s]] = last
    shared = np.zeros(len(hyp), dtype=np.bool_)
    for j in range(len(ref)):
        any_shared = False
        for s in range(synset_ends[ref[j] - 1] if ref[j] else 0, synset_ends[ref[j]]):
            at = heads[synsets[s]]
            while at > 0:
                shared[places[at]] = any_shared = True
                at = after[at]
        if not any_shared:
            continue
        found = _make_room(found, total + len(hyp))
        for i in range(len(hyp)):
            if shared[i]:
                shared[i] = False
                if word[hyp[i]] != word[ref[j]]:
                    _put(found, total, i, j, 2)
                    total += 1
    for number in hyp:
        for s in range(synset_ends[number - 1] if number else 0, synset_ends[number]):
            heads[synsets[s]] = 0
    return found, total


@jit
def find_phrases(
    line: Ints | IntArray, phrase_word: Ints | IntArray, phrases: ParaphraseTree
) -> Ints:
    """Find every phrase of the table in a line: its node, first word, and length."""
    child_starts, child_words = phrases.child_starts, phrases.child_words
    found = np.zeros((4 * len(line), 3), dtype=np.int32)
    total = 0
    for start in range(len(line)):
        node = 0
        for end in range(start, len(line)):
            word = phrase_word[line[end]]
            low, high = child_starts[node], child_starts[node + 1]
            stop = high
            while low < high:
                middle = (low + high) // 2
                if child_words[middle] < word:
                    low = middle + 1
                else:
                    high = middle
            if low == stop or child_words[low] != word:
                break
            node = low
            found = _make_room(found, total + 1)
            found[total, 0] = node
            found[total, 1] = start
            found[total, 2] = end - start + 1
            total += 1
    return found[:total]


@jit
def match_phrases(
    in_hyp: Ints, in_ref: Ints, phrases: ParaphraseTree, heads: Ints, found: Ints, total: int
) -> tuple[Ints, int]:
    """Add candidates of the paraphrase matcher: entries of the reference, then of the translation.

    ``heads`` is scratch, all zero between calls.
    """
    entry_starts, entries = phrases.entry_starts, phrases.entries
    for way in range(2):
        source, target = (in_ref, in_hyp) if way == 0 else (in_hyp, in_ref)
        after = _chain(target, heads)
        for at in range(len(source)):
            for e in range(entry_starts[source[at, 0]], entry_starts[source[at, 0] + 1]):
                to = heads[entries[e]]
                while to > 0:
                    found = _make_room(found, total + 1)
                    h, r = (to - 1, at) if way == 0 else (at, to - 1)
                    found[total, 0] = in_hyp[h, 1]
                    found[total, 1] = in_hyp[h, 2]
                    found[total, 2] = in_ref[r, 2]
                    found[total, 3] = 3
                    found[total, 4] = in_ref[r, 1]
                    found[total, 5] = e
                    total += 1
                    to = after[to - 1]
        for at in range(len(target)):
            heads[target[at, 0]] = 0
    return found, total


@jit
def _chain(occurrences: Ints, heads: Ints) -> Ints:
    """Link the occurrences of each phrase from left to right, counted from 1; 0 ends a chain.

    ``heads`` gets the first of each phrase.
    """
    after = np.zeros(len(occurrences), dtype=np.int32)
    for at in range(len(occurrences) - 1, -1, -1):
        node = occurrences[at, 0]
        after[at] = heads[node]
        heads[node] = at + 1
    return after


@jit
def _by_reference_word(found: Ints, total: int, length: int) -> tuple[Ints, Ints]:
    """Order candidates by reference word; return them, and where those of each word end."""
    ends = np.zeros(length, dtype=np.int32)
    for at in range(total):
        ends[found[at, 4]] += 1
    places = np.zeros(length, dtype=np.int32)
    for j in range(1, length):
        places[j] = ends[j - 1]
        ends[j] += ends[j - 1]
    candidates = np.zeros((total, 4), dtype=np.int32)
    for at in range(total):
        j = found[at, 4]
        for k in range(4):
            candidates[places[j], k] = found[at, k]
        places[j] += 1
    return candidates, ends


@jit
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
        match = candidates[chosen[j]]
        if last != match[0]:
            row[4] += 1
        at = 5 + 4 * match[3]
        last = match[0] + match[1]
        for k in range(match[0], last):
            row[at + function[hyp[k]]] += 1
        for k in range(j, j + match[2]):
            row[at + 2 + function[ref[k]]] += 1
        j += match[2]
