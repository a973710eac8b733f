"""Expectation and maximisation over a corpus, both directions at once.

The directions may train on their agreement: the expected count of a link is the product
of its two posteriors (Liang, Taskar and Klein, 2006), which keeps rare words from
collecting whatever stands near them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import numpy.typing as npt
from numba import prange

from albeit.jit import jit
from albeit.parsing.alignment import kernels
from albeit.parsing.alignment.pairs import Corpus, PairIndex

__all__ = ["Parameters", "Schedule", "posteriors", "train"]

Floats = npt.NDArray[np.float32]
_CHUNKS = 2
"""Parts that are counted apart; fixed, so that the sums do not depend on the machine."""
_one_at_a_time = Lock()
"""Numba's own thread pool must not be entered by two threads of a program at once."""


@dataclass(frozen=True)
class Schedule:
    """How to train: iterations of each model, the null word, the sparse prior, and the letters."""

    ibm1: int = 5
    hmm: int = 5
    p_null: float = 0.2
    prior: float = 0.001
    agree: bool = True
    alike: float = 1.0
    """As how many links, seen before, it counts that two words look alike."""


@dataclass(frozen=True)
class Parameters:
    """Both directions of the model: a probability a word pair, null words, jumps.

    ``forward`` generates the target from the source, ``backward`` the source from it.
    """

    forward: Floats
    backward: Floats
    forward_null: Floats
    backward_null: Floats
    forward_jumps: npt.NDArray[np.float64]
    backward_jumps: npt.NDArray[np.float64]
    p_null: float

    @classmethod
    def start(cls, index: PairIndex, sizes: tuple[int, int], p_null: float) -> Parameters:
        """Uniform translations; jumps that prefer the next word."""
        width = np.arange(kernels.JUMPS) - kernels.JUMPS // 2
        jumps = np.exp(-0.5 * np.abs(width - 1.0))
        known = index.sources.size
        return cls(
            np.full(known, 1.0 / sizes[1], np.float32),
            np.full(known, 1.0 / sizes[0], np.float32),
            np.full(sizes[1], 1.0 / sizes[1], np.float32),
            np.full(sizes[0], 1.0 / sizes[0], np.float32),
            jumps / jumps.sum(),
            jumps / jumps.sum(),
            p_null,
        )


def train(
    index: PairIndex,
    cells: npt.NDArray[np.int32],
    alike: Floats,
    source: Corpus,
    target: Corpus,
    sizes: tuple[int, int],
    schedule: Schedule,
) -> Parameters:
    """Train IBM 1, then the HMM, on these pairs.

    ``alike`` is added to the counts of each word pair, for what its letters say.
    """
    now = Parameters.start(index, sizes, schedule.p_null)
    for step in range(schedule.ibm1 + schedule.hmm):
        hmm = step >= schedule.ibm1
        with _one_at_a_time:
            counts = _expect(
                cells,
                source.words,
                source.starts,
                target.words,
                target.starts,
                now.forward,
                now.backward,
                now.forward_null,
                now.backward_null,
                now.forward_jumps,
                now.backward_jumps,
                schedule.p_null,
                hmm,
                hmm and schedule.agree,
                _CHUNKS,
            )
        forward, backward, *others = counts
        with_looks = (forward + alike, backward + alike, *others)
        now = _maximise(index, with_looks, sizes, schedule, now, hmm)
    return now


def _maximise(index, counts, sizes, schedule, before: Parameters, hmm: bool) -> Parameters:
    forward, backward, forward_null, backward_null, forward_jumps, backward_jumps = counts
    prior = schedule.prior
    now = replace(
        before,
        forward=kernels.normalise(forward, index.sources, sizes[0], prior, sizes[1]),
        backward=kernels.normalise(backward, index.targets, sizes[1], prior, sizes[0]),
        forward_null=_null(forward_null),
        backward_null=_null(backward_null),
    )
    if not hmm:
        return now
    return replace(
        now, forward_jumps=_smooth(forward_jumps), backward_jumps=_smooth(backward_jumps)
    )


def _null(counts: npt.NDArray[np.float64]) -> Floats:
    smoothed = counts + 0.01
    return np.asarray(smoothed / smoothed.sum(), np.float32)


def _smooth(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Relative frequencies, with a little left for every jump."""
    total = counts.sum()
    smoothed = counts + 1e-4 * total + 1e-6
    return np.asarray(smoothed / smoothed.sum())


@jit
def _sentence(
    cells,
    s_words,
    t_words,
    forward,
    backward,
    forward_null,
    backward_null,
    forward_jumps,
    backward_jumps,
    p_null,
    hmm,
    one,
    two,
    jumps_one,
    jumps_two,
):
    """Posteriors of one pair in both directions, as (target, source) and (source, target)."""
    n_source, n_target = s_words.size, t_words.size
    emit = np.empty((n_target, n_source))
    null = np.empty(n_target)
    kernels.emissions(cells, forward, False, n_source, n_target, emit)
    kernels.new_words(cells, False, t_words, s_words, backward_null, emit)
    for j in range(n_target):
        null[j] = kernels.FLOOR if t_words[j] < 0 else forward_null[t_words[j]]
    if hmm:
        kernels.hmm_posteriors(
            emit, null, n_source, n_target, p_null, forward_jumps, one, jumps_one
        )
    else:
        kernels.ibm1_posteriors(emit, null, n_source, n_target, p_null, one)
    emit = np.empty((n_source, n_target))
    null = np.empty(n_source)
    kernels.emissions(cells, backward, True, n_target, n_source, emit)
    kernels.new_words(cells, True, s_words, t_words, forward_null, emit)
    for i in range(n_source):
        null[i] = kernels.FLOOR if s_words[i] < 0 else backward_null[s_words[i]]
    if hmm:
        kernels.hmm_posteriors(
            emit, null, n_target, n_source, p_null, backward_jumps, two, jumps_two
        )
    else:
        kernels.ibm1_posteriors(emit, null, n_target, n_source, p_null, two)


@jit(parallel=True)
def _expect(
    cells,
    s_flat,
    s_starts,
    t_flat,
    t_starts,
    forward,
    backward,
    forward_null,
    backward_null,
    forward_jumps,
    backward_jumps,
    p_null,
    hmm,
    agree,
    chunks,
):
    lines = s_starts.size - 1
    begins = np.zeros(lines + 1, np.int64)
    for n in range(lines):
        area = (s_starts[n + 1] - s_starts[n]) * (t_starts[n + 1] - t_starts[n])
        begins[n + 1] = begins[n] + area
    count_one = np.zeros((chunks, forward.size), np.float32)
    count_two = np.zeros((chunks, forward.size), np.float32)
    null_one = np.zeros((chunks, forward_null.size))
    null_two = np.zeros((chunks, backward_null.size))
    jump_one = np.zeros((chunks, kernels.JUMPS))
    jump_two = np.zeros((chunks, kernels.JUMPS))
    for chunk in prange(chunks):
        for n in range(chunk, lines, chunks):
            s_words = s_flat[s_starts[n] : s_starts[n + 1]]
            t_words = t_flat[t_starts[n] : t_starts[n + 1]]
            n_source, n_target = s_words.size, t_words.size
            if n_source == 0 or n_target == 0:
                continue
            own = cells[begins[n] : begins[n + 1]]
            one = np.empty((n_target, n_source))
            two = np.empty((n_source, n_target))
            _sentence(
                own,
                s_words,
                t_words,
                forward,
                backward,
                forward_null,
                backward_null,
                forward_jumps,
                backward_jumps,
                p_null,
                hmm,
                one,
                two,
                jump_one[chunk],
                jump_two[chunk],
            )
            for j in range(n_target):
                rest = 1.0
                for i in range(n_source):
                    rest -= one[j, i]
                null_one[chunk, t_words[j]] += max(0.0, rest)
            for i in range(n_source):
                rest = 1.0
                for j in range(n_target):
                    rest -= two[i, j]
                null_two[chunk, s_words[i]] += max(0.0, rest)
            for j in range(n_target):
                for i in range(n_source):
                    k = own[j * n_source + i]
                    if agree:
                        both = np.float32(one[j, i] * two[i, j])
                        count_one[chunk, k] += both
                        count_two[chunk, k] += both
                    else:
                        count_one[chunk, k] += np.float32(one[j, i])
                        count_two[chunk, k] += np.float32(two[i, j])
    return (
        count_one.sum(axis=0),
        count_two.sum(axis=0),
        null_one.sum(axis=0),
        null_two.sum(axis=0),
        jump_one.sum(axis=0),
        jump_two.sum(axis=0),
    )


@jit
def posteriors(
    cells,
    s_words,
    t_words,
    forward,
    backward,
    forward_null,
    backward_null,
    forward_jumps,
    backward_jumps,
    p_null,
):
    """The HMM posteriors of one pair, both as (target, source)."""
    n_source, n_target = s_words.size, t_words.size
    one = np.empty((n_target, n_source))
    two = np.empty((n_source, n_target))
    waste = np.zeros(kernels.JUMPS)
    _sentence(
        cells,
        s_words,
        t_words,
        forward,
        backward,
        forward_null,
        backward_null,
        forward_jumps,
        backward_jumps,
        p_null,
        True,
        one,
        two,
        waste,
        waste,
    )
    return one, two.T
