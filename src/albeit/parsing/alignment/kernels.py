"""Compiled loops of the word aligner: pairs of words, IBM model 1, the HMM, and symmetrization.

A direction generates observed words (*steps*) from the words of the other side (*states*).
``cells`` has one entry per pair of words of a line, target by source; the direction that observes
the source reads it transposed (``flip``). A cell below 0 has no parameter: it is ``OTHER``,
``KIN``, or ``SAME``.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from albeit.arrays import FloatArray, Floats32, IntArray, Ints32
from albeit.jit import jit

OTHER, KIN, SAME = -1, -2, -3
"""The kinds of pairs without a parameter."""
JUMPS = 41
"""Jump widths from -20 to 20; longer jumps count as the longest."""
HALF = JUMPS // 2
FLOOR = 1e-9
UNSEEN = np.array([FLOOR, 1e-3, 1e-2])
"""The probability of a pair without a parameter: ``OTHER``, ``KIN``, ``SAME``."""


class Corpus(NamedTuple):
    """One side of the pairs: word numbers of all lines, and the start of each line."""

    words: Ints32
    starts: IntArray


class Parameters(NamedTuple):
    """Both directions of the model: a probability per word pair, null words, and jumps.

    ``forward`` generates the target from the source, ``backward`` the source from the target.
    """

    forward: Floats32
    backward: Floats32
    forward_null: Floats32
    backward_null: Floats32
    forward_jumps: FloatArray
    backward_jumps: FloatArray
    p_null: float


# Pairs of words: a hash table with open addressing.


@jit
def _slot(key, keys):
    mask = keys.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(20)) & np.uint64(mask))
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def fill_table(sources, targets, target_size, slots):
    """Return keys (source × target vocabulary + target) and values of a table of word pairs."""
    keys = np.full(slots, -1, np.int64)
    values = np.empty(slots, np.int32)
    for k in range(sources.size):
        key = np.int64(sources[k]) * target_size + targets[k]
        slot = _slot(key, keys)
        keys[slot] = key
        values[slot] = k
    return keys, values


@jit
def number_pairs(source, target, target_size, cells):
    """Set the parameter of every cell, in order of first appearance; return the words of each."""
    capacity = 1 << 16
    sources = np.empty(capacity, np.int32)
    targets = np.empty(capacity, np.int32)
    keys, values = fill_table(sources[:0], targets[:0], target_size, 2 * capacity)
    known = 0
    cell = 0
    for n in range(source.starts.size - 1):
        for j in range(target.starts[n], target.starts[n + 1]):
            for i in range(source.starts[n], source.starts[n + 1]):
                key = np.int64(source.words[i]) * target_size + target.words[j]
                slot = _slot(key, keys)
                if keys[slot] == -1:
                    keys[slot] = key
                    values[slot] = known
                    sources[known] = source.words[i]
                    targets[known] = target.words[j]
                    known += 1
                cells[cell] = values[slot]
                cell += 1
                if known == capacity:
                    capacity *= 2
                    keys, values = fill_table(sources, targets, target_size, 2 * capacity)
                    sources = np.concatenate((sources, sources))
                    targets = np.concatenate((targets, targets))
    return sources[:known].copy(), targets[:known].copy()


@jit
def look_up(source, target, target_size, keys, values, source_looks, target_looks, cells):
    """Set the parameter of every cell; without one, how similar the spelling of its words is.

    Looks have a number per word, and a number for its first letters (-1: too short).
    """
    cell = 0
    for n in range(source.starts.size - 1):
        for j in range(target.starts[n], target.starts[n + 1]):
            for i in range(source.starts[n], source.starts[n + 1]):
                cells[cell] = OTHER
                if source_looks[0, i] == target_looks[0, j]:
                    cells[cell] = SAME
                elif source_looks[1, i] >= 0 and source_looks[1, i] == target_looks[1, j]:
                    cells[cell] = KIN
                if source.words[i] >= 0 and target.words[j] >= 0:
                    key = np.int64(source.words[i]) * target_size + target.words[j]
                    slot = _slot(key, keys)
                    if keys[slot] == key:
                        cells[cell] = values[slot]
                cell += 1


# Training.


@jit
def _exp_digamma(x):
    """Return exp(digamma(x)), for the variational update of a sparse prior."""
    shift = 0.0
    while x < 6.0:
        shift -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    tail = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    return np.exp(shift + np.log(x) - 0.5 / x - tail)


@jit
def normalize(counts, given, size, prior, observed):
    """Return probabilities of parameters from counts, among those with the same given word."""
    totals = np.zeros(size)
    for k in range(counts.size):
        totals[given[k]] += counts[k]
    scale = np.empty(size)
    for word in range(size):
        whole = _exp_digamma(totals[word] + prior * observed)
        scale[word] = 1.0 / whole if whole > 0.0 else 0.0  # a word without a partner
    out = np.empty(counts.size, np.float32)
    for k in range(counts.size):
        out[k] = _exp_digamma(counts[k] + prior) * scale[given[k]]
    return out


@jit
def _emissions(cells, flip, observed, states, table, other_null):
    """Return the probability of each observed word from each state, (steps, states).

    A new word rather translates a word that is seldom without a partner (``other_null``).
    """
    out = np.empty((observed.size, states.size))
    for j in range(observed.size):
        for i in range(states.size):
            cell = cells[i * observed.size + j] if flip else cells[j * states.size + i]
            if cell == OTHER and observed[j] < 0 and states[i] >= 0:
                out[j, i] = FLOOR / (1.0 + other_null.size * other_null[states[i]])
            else:
                out[j, i] = UNSEEN[-1 - cell] if cell < 0 else max(FLOOR, table[cell])
    return out


@jit
def _ibm1(emit, null, p_null, out):
    """Set the posterior of each state for each observed word; the rest to 1 is the null word."""
    steps, states = emit.shape
    for j in range(steps):
        total = p_null * null[j]
        share = (1.0 - p_null) / states
        for i in range(states):
            total += share * emit[j, i]
        for i in range(states):
            out[j, i] = share * emit[j, i] / total


@jit
def _transitions(jumps, states, p_null):
    """Return the probability of each state after each state, without the null word."""
    move = np.empty((states, states))
    for a in range(states):
        total = 0.0
        for b in range(states):
            move[a, b] = jumps[min(HALF, max(-HALF, b - a)) + HALF]
            total += move[a, b]
        for b in range(states):
            move[a, b] *= (1.0 - p_null) / total
    return move


@jit
def _forward(emit, null, p_null, jumps, move):
    """Return the scaled forward probabilities of states and of their twins, and the scales.

    The null word keeps the position it was reached from, so each state has a twin.
    """
    steps, states = emit.shape
    forward = np.zeros((steps, states))
    twin = np.empty((steps, states))
    scales = np.empty(steps)
    total = 0.0
    for i in range(states):
        forward[0, i] = jumps[min(HALF, i + 1) + HALF]
        total += forward[0, i]
    for i in range(states):
        forward[0, i] = forward[0, i] / total * (1.0 - p_null) * emit[0, i]
        twin[0, i] = p_null / states * null[0]
    for j in range(steps):
        if j > 0:
            for a in range(states):
                before = forward[j - 1, a] + twin[j - 1, a]
                for b in range(states):
                    forward[j, b] += before * move[a, b]
                twin[j, a] = before * p_null * null[j]
            forward[j] *= emit[j]
        total = 0.0
        for i in range(states):
            total += forward[j, i] + twin[j, i]
        scales[j] = total
        forward[j] /= total
        twin[j] /= total
    return forward, twin, scales


@jit
def _hmm(emit, null, p_null, jumps, out, jump_counts):
    """Set the posteriors of the HMM, and add the expected jumps to the counts."""
    steps, states = emit.shape
    move = _transitions(jumps, states, p_null)
    forward, twin, scales = _forward(emit, null, p_null, jumps, move)
    back = np.ascontiguousarray(move.T)
    later = np.ones(states)
    earlier = np.empty(states)
    weighted = np.empty(states)
    for j in range(steps - 1, -1, -1):
        for i in range(states):
            out[j, i] = forward[j, i] * later[i]
        if j == 0:
            break
        for b in range(states):
            weighted[b] = emit[j, b] * later[b] / scales[j]
        for a in range(states):
            before = forward[j - 1, a] + twin[j - 1, a]
            if before > 1e-6:
                for b in range(max(0, a - HALF), min(states, a + HALF + 1)):
                    jump_counts[b - a + HALF] += before * move[a, b] * weighted[b]
            earlier[a] = later[a] * p_null * null[j] / scales[j]
        for b in range(states):  # state by state: sums in order, and vectorized
            for a in range(states):
                earlier[a] += back[b, a] * weighted[b]
        later, earlier = earlier, later


@jit
def _posteriors(cells, flip, seen, states, table, nulls, other_null, jumps, p_null, hmm, counts):
    """Return the posteriors of one direction of one pair, (steps, states)."""
    emit = _emissions(cells, flip, seen, states, table, other_null)
    null = np.empty(seen.size)
    for j in range(seen.size):
        null[j] = FLOOR if seen[j] < 0 else nulls[seen[j]]
    out = np.empty(emit.shape)
    if hmm:
        _hmm(emit, null, p_null, jumps, out, counts)
    else:
        _ibm1(emit, null, p_null, out)
    return out


@jit
def _both(cells, source, target, p, hmm, forward_jumps, backward_jumps):
    """Return the posteriors of both directions, as (target, source) and (source, target)."""
    one = _posteriors(
        *(cells, False, target, source, p.forward, p.forward_null, p.backward_null),
        *(p.forward_jumps, p.p_null, hmm, forward_jumps),
    )
    two = _posteriors(
        *(cells, True, source, target, p.backward, p.backward_null, p.forward_null),
        *(p.backward_jumps, p.p_null, hmm, backward_jumps),
    )
    return one, two


@jit
def _add_nulls(posteriors, words, nulls):
    for j in range(words.size):
        rest = 1.0
        for i in range(posteriors.shape[1]):
            rest -= posteriors[j, i]
        nulls[words[j]] += max(0.0, rest)


@jit
def expect(cells, source, target, p, hmm, first, step):
    """Return expected counts from every ``step``-th pair: words, null words, and jumps.

    In the HMM, the directions agree: the count of a link is the product of its two posteriors
    (Liang, Taskar, and Klein 2006). So rare words don't collect unrelated partners.
    """
    forward, backward = np.zeros_like(p.forward), np.zeros_like(p.forward)
    forward_null, backward_null = np.zeros(p.forward_null.size), np.zeros(p.backward_null.size)
    forward_jumps, backward_jumps = np.zeros(JUMPS), np.zeros(JUMPS)
    begin = 0
    for n in range(source.starts.size - 1):
        s_words = source.words[source.starts[n] : source.starts[n + 1]]
        t_words = target.words[target.starts[n] : target.starts[n + 1]]
        own = cells[begin : begin + s_words.size * t_words.size]
        begin += own.size
        if n % step != first or own.size == 0:
            continue
        one, two = _both(own, s_words, t_words, p, hmm, forward_jumps, backward_jumps)
        _add_nulls(one, t_words, forward_null)
        _add_nulls(two, s_words, backward_null)
        for j in range(t_words.size):
            for i in range(s_words.size):
                k = own[j * s_words.size + i]
                both = one[j, i] * two[i, j]
                forward[k] += np.float32(both if hmm else one[j, i])
                backward[k] += np.float32(both if hmm else two[i, j])
    return forward, backward, forward_null, backward_null, forward_jumps, backward_jumps


# Alignment.


@jit
def _best(posteriors):
    """Return the likeliest state of each row, where it is likelier than no link."""
    steps, states = posteriors.shape
    links = np.zeros((steps, states), np.bool_)
    for a in range(steps):
        best, top, rest = 0, -1.0, 1.0
        for b in range(states):
            rest -= posteriors[a, b]
            if posteriors[a, b] > top:
                best, top = b, posteriors[a, b]
        links[a, best] = top > rest
    return links


@jit
def _grow_at(links, one, two, rows, columns, j, i):
    """Add links next to a link that cover a new word; return whether there are any."""
    height, width = links.shape
    grown = False
    for y in range(max(0, j - 1), min(height, j + 2)):
        for x in range(max(0, i - 1), min(width, i + 2)):
            if links[y, x] or (rows[y] and columns[x]):
                continue
            if one[y, x] or two[y, x]:
                links[y, x] = rows[y] = columns[x] = grown = True
    return grown


@jit
def _grow(links, one, two, rows, columns):
    """Add links next to links until there are none to add."""
    grown = True
    while grown:
        grown = False
        for j in range(links.shape[0]):
            for i in range(links.shape[1]):
                if links[j, i] and _grow_at(links, one, two, rows, columns, j, i):
                    grown = True


@jit
def _add_free(links, direction, rows, columns):
    """Add links of one direction between two words without links."""
    for j in range(links.shape[0]):
        for i in range(links.shape[1]):
            if direction[j, i] and not rows[j] and not columns[i]:
                links[j, i] = rows[j] = columns[i] = True


@jit
def grow_diag_final_and(one, two):
    """Return links from two boolean matrices of one shape (Koehn et al. 2005).

    Start from the intersection. Add links of one direction next to links, while they cover a new
    word. Then add links of one direction between two words without links.
    """
    links = one & two
    rows = np.zeros(links.shape[0], np.bool_)
    columns = np.zeros(links.shape[1], np.bool_)
    for j in range(links.shape[0]):
        for i in range(links.shape[1]):
            if links[j, i]:
                rows[j] = columns[i] = True
    _grow(links, one, two, rows, columns)
    _add_free(links, one, rows, columns)
    _add_free(links, two, rows, columns)
    return links


@jit
def align_all(cells, source, target, p):
    """Return all links as rows (source word, target word), and the end of each line's rows."""
    lines = source.starts.size - 1
    links = np.empty((source.words.size + 2 * target.words.size + 16, 2), np.int32)
    stops = np.zeros(lines, np.int64)
    jumps = np.zeros(JUMPS)
    used = 0
    begin = 0
    for n in range(lines):
        s_words = source.words[source.starts[n] : source.starts[n + 1]]
        t_words = target.words[target.starts[n] : target.starts[n + 1]]
        own = cells[begin : begin + s_words.size * t_words.size]
        begin += own.size
        if own.size > 0:
            one, two = _both(own, s_words, t_words, p, True, jumps, jumps)
            merged = grow_diag_final_and(_best(one), _best(two).T)
            for j in range(t_words.size):
                for i in range(s_words.size):
                    if merged[j, i]:
                        links[used, 0] = i
                        links[used, 1] = j
                        used += 1
        stops[n] = used
    return links[:used], stops
