"""The inner loops of the aligner: IBM model 1 and the HMM, forward and backward.

A direction generates ``steps`` observed words from ``states`` state words. ``cells`` holds target
by source; a direction that observes the source reads it transposed (``flip``).

What both say becomes one set of links by grow-diag-final-and (Koehn et al., 2005).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"

from __future__ import annotations

import numpy as np

from albeit.jit import jit
from albeit.parsing.alignment.pairs import OTHER

__all__ = [
    "FLOOR",
    "JUMPS",
    "UNSEEN",
    "emissions",
    "grow_diag_final_and",
    "hmm_posteriors",
    "ibm1_posteriors",
    "new_words",
    "normalise",
]


JUMPS = 41
"""Jump widths from -20 to 20; longer jumps share the outermost values."""
FLOOR = 1e-9
UNSEEN = np.array([FLOOR, 1e-3, 1e-2])
"""The probability of a pair without a parameter: of words that are other, kin, the same."""


@jit
def _psi(x):
    """exp(digamma(x)), for the variational update of a sparse prior."""
    shift = 0.0
    while x < 6.0:
        shift -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    tail = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    return np.exp(shift + np.log(x) - 0.5 / x - tail)


@jit
def normalise(counts, given, size, prior, observed):
    """Probabilities of parameters from counts, each among those with the same given word."""
    totals = np.zeros(size)
    for k in range(counts.size):
        totals[given[k]] += counts[k]
    scale = np.empty(size)
    for word in range(size):
        whole = _psi(totals[word] + prior * observed)
        scale[word] = 1.0 / whole if whole > 0.0 else 0.0  # a word that stands beside nothing
    out = np.empty(counts.size, np.float32)
    for k in range(counts.size):
        out[k] = _psi(counts[k] + prior) * scale[given[k]]
    return out


@jit
def emissions(cells, table, flip, states, steps, out):
    """The probability of each observed word from each state word, (steps, states).

    A cell below 0 has no parameter: it says how alike its words look (``likeness``).
    """
    for j in range(steps):
        for i in range(states):
            cell = cells[i * steps + j] if flip else cells[j * states + i]
            out[j, i] = UNSEEN[-1 - cell] if cell < 0 else max(FLOOR, table[cell])


@jit
def new_words(cells, flip, words, others, nulls, out):
    """A word never seen before stands rather for one that seldom stands alone (``nulls``)."""
    states = others.size
    for j in range(words.size):
        if words[j] >= 0:
            continue
        for i in range(states):
            cell = cells[i * words.size + j] if flip else cells[j * states + i]
            if cell == OTHER and others[i] >= 0:
                out[j, i] = FLOOR / (1.0 + nulls.size * nulls[others[i]])


@jit
def ibm1_posteriors(emit, null, states, steps, p_null, out):
    """Posterior of each state for each observed word; what is missing to 1 is the null word."""
    for j in range(steps):
        total = p_null * null[j]
        share = (1.0 - p_null) / states
        for i in range(states):
            total += share * emit[j, i]
        for i in range(states):
            out[j, i] = share * emit[j, i] / total


@jit(fastmath=True)
def hmm_posteriors(emit, null, states, steps, p_null, jumps, out, jump_counts):
    """Posteriors of the HMM; adds expected jumps. Returns the log likelihood.

    The null word keeps the position it was reached from, so each state has a twin.
    """
    half = JUMPS // 2
    move = np.empty((states, states))
    for a in range(states):
        total = 0.0
        for b in range(states):
            d = min(half, max(-half, b - a))
            move[a, b] = jumps[d + half]
            total += move[a, b]
        for b in range(states):
            move[a, b] *= (1.0 - p_null) / total
    forward = np.empty((steps, states))
    twin = np.empty((steps, states))
    scales = np.empty(steps)
    total = 0.0
    for i in range(states):
        d = min(half, i + 1)
        forward[0, i] = jumps[d + half]
        total += forward[0, i]
    for i in range(states):
        forward[0, i] = forward[0, i] / total * (1.0 - p_null) * emit[0, i]
        twin[0, i] = p_null / states * null[0]
    for j in range(steps):
        if j > 0:
            for b in range(states):
                forward[j, b] = 0.0
            for a in range(states):
                before = forward[j - 1, a] + twin[j - 1, a]
                for b in range(states):
                    forward[j, b] += before * move[a, b]
                twin[j, a] = before * p_null * null[j]
            for b in range(states):
                forward[j, b] *= emit[j, b]
        total = 0.0
        for i in range(states):
            total += forward[j, i] + twin[j, i]
        scales[j] = total
        for i in range(states):
            forward[j, i] /= total
            twin[j, i] /= total
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
            total = later[a] * p_null * null[j] / scales[j]
            for b in range(states):
                total += move[a, b] * weighted[b]
            if before > 1e-6:
                for b in range(max(0, a - half), min(states, a + half + 1)):
                    jump_counts[b - a + half] += before * move[a, b] * weighted[b]
            earlier[a] = total
        later, earlier = earlier, later
    likelihood = 0.0
    for j in range(steps):
        likelihood += np.log(scales[j])
    return likelihood


@jit
def grow_diag_final_and(one, two):
    """Links from two boolean matrices of one shape, as a boolean matrix.

    Start from what both say; add what one says beside a link already there while it
    covers a new word; last, what one says where both words are still free.
    """
    height, width = one.shape
    links = one & two
    rows = np.zeros(height, np.bool_)
    columns = np.zeros(width, np.bool_)
    for j in range(height):
        for i in range(width):
            if links[j, i]:
                rows[j] = True
                columns[i] = True
    grown = True
    while grown:
        grown = False
        for j in range(height):
            for i in range(width):
                if not links[j, i]:
                    continue
                for dj in range(-1, 2):
                    for di in range(-1, 2):
                        y, x = j + dj, i + di
                        if y < 0 or x < 0 or y >= height or x >= width or links[y, x]:
                            continue
                        if (one[y, x] or two[y, x]) and not (rows[y] and columns[x]):
                            links[y, x] = True
                            rows[y] = True
                            columns[x] = True
                            grown = True
    for direction in range(2):
        for j in range(height):
            for i in range(width):
                said = one[j, i] if direction == 0 else two[j, i]
                if said and not rows[j] and not columns[i]:
                    links[j, i] = True
                    rows[j] = True
                    columns[i] = True
    return links
