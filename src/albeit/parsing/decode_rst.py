"""RST trees by CKY, sentence by sentence and then over the sentences of a text.

A text's EDUs are grouped into *blocks* of at most ``MAX_ATOMS`` neighbouring atoms: the EDUs of a
sentence first, then the finished sentences (and, where there are very many, runs of them). Every
block is decoded exactly; so each sentence is a subtree, and the cost of a very long text stays
bounded. Many texts are planned, scored and decoded in one call each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

MAX_ATOMS = 40
FEATURES = 6
"""Numbers that describe a candidate in addition to its EDUs: see `_candidates`."""

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Plan:
    """The candidates to score for a batch of texts.

    ``candidates`` are rows (first EDU, last EDU of the left part, first EDU of the right part,
    last EDU), with EDUs numbered over the whole batch; ``features`` has one row each.
    """

    candidates: Ints
    features: Floats
    blocks: Ints
    atoms: Ints
    texts: Ints


@jit
def _blocks(sentences: Ints, offsets: Ints, limit: int) -> tuple[Ints, Ints, Ints]:
    """Return blocks (first atom, end atom, candidates before, level), atoms (first, last EDU)."""
    edus = sentences.shape[0]
    atoms = np.zeros((4 * edus + 4, 2), np.int32)
    blocks = np.zeros((2 * edus + 2, 4), np.int32)
    texts = np.zeros(offsets.shape[0], np.int32)
    used = made = 0
    candidates = 0
    for text in range(offsets.shape[0] - 1):
        start, stop = offsets[text], offsets[text + 1]
        # the current level's atoms, and whether an atom starts a new sentence
        first = np.arange(start, stop).astype(np.int32)
        last = first.copy()
        level = 0
        while first.shape[0] > 1 or level == 0:
            n = first.shape[0]
            next_first = np.zeros(n, np.int32)
            next_last = np.zeros(n, np.int32)
            grouped = 0
            at = 0
            while at < n:
                end = at + 1
                while (
                    end < n
                    and end - at < limit
                    and (level > 0 or sentences[first[end]] == sentences[first[at]])
                ):
                    end += 1
                if end - at > 1:
                    k = end - at
                    blocks[made, 0] = used
                    blocks[made, 1] = used + k
                    blocks[made, 2] = candidates
                    blocks[made, 3] = level
                    made += 1
                    candidates += (k * k * k - k) // 6
                    for atom in range(at, end):
                        atoms[used, 0] = first[atom]
                        atoms[used, 1] = last[atom]
                        used += 1
                next_first[grouped] = first[at]
                next_last[grouped] = last[end - 1]
                grouped += 1
                at = end
            first = next_first[:grouped].copy()
            last = next_last[:grouped].copy()
            level += 1
        texts[text + 1] = made
    return blocks[:made], atoms[:used], texts


@jit
def _candidates(blocks: Ints, atoms: Ints) -> tuple[Ints, Floats]:
    total = 0
    for block in range(blocks.shape[0]):
        k = blocks[block, 1] - blocks[block, 0]
        total += (k * k * k - k) // 6
    rows = np.zeros((total, 4), np.int32)
    features = np.zeros((total, 6), np.float32)
    at = 0
    for block in range(blocks.shape[0]):
        base = blocks[block, 0]
        k = blocks[block, 1] - base
        for width in range(2, k + 1):
            for i in range(k - width + 1):
                j = i + width - 1
                for m in range(i, j):
                    rows[at, 0] = atoms[base + i, 0]
                    rows[at, 1] = atoms[base + m, 1]
                    rows[at, 2] = atoms[base + m + 1, 0]
                    rows[at, 3] = atoms[base + j, 1]
                    left = rows[at, 1] - rows[at, 0] + 1
                    right = rows[at, 3] - rows[at, 2] + 1
                    features[at, 0] = 1.0 if blocks[block, 3] > 0 else 0.0
                    features[at, 1] = 1.0 if left == 1 else 0.0
                    features[at, 2] = 1.0 if right == 1 else 0.0
                    features[at, 3] = 1.0 if width == k else 0.0
                    features[at, 4] = np.log(np.float32(left))
                    features[at, 5] = np.log(np.float32(right))
                    at += 1
    return rows, features


def plan(sentences: Ints, offsets: Ints) -> Plan:
    """Plan the decoding of texts whose EDUs are ``offsets[t]`` to ``offsets[t + 1]``.

    ``sentences`` gives each EDU's sentence number, which need only differ between neighbours.
    """
    blocks, atoms, texts = _blocks(
        np.ascontiguousarray(sentences, np.int32),
        np.ascontiguousarray(offsets, np.int32),
        MAX_ATOMS,
    )
    candidates, features = _candidates(blocks, atoms)
    return Plan(candidates, features, blocks, atoms, texts)


@jit
def _normalizer(splits: Floats) -> float:
    """Return the logarithm of the sum of exponentials."""
    high = -1e30
    for score in splits:
        high = max(high, score)
    total = 0.0
    for score in splits:
        total += np.exp(score - high)
    return float(np.log(total) + high)


@jit
def _chart(splits: Floats, labels: Floats, k: int, label_weight: float) -> tuple[Ints, Ints]:
    """Return the best split and label of each span of a block of ``k`` atoms."""
    best = np.zeros((k, k))
    choice = np.zeros((k, k), np.int32)
    label_of = np.zeros((k, k), np.int32)
    at = 0
    for width in range(2, k + 1):
        for i in range(k - width + 1):
            j = i + width - 1
            norm = _normalizer(splits[at : at + width - 1])
            value = -1e300
            for m in range(width - 1):
                top = np.argmax(labels[at + m])
                here = splits[at + m] - norm
                if label_weight > 0.0:
                    mass = 0.0
                    for label in labels[at + m]:
                        mass += np.exp(label - labels[at + m, top])
                    here -= label_weight * np.log(mass)
                total = here + best[i, i + m] + best[i + m + 1, j]
                if total > value:
                    value = total
                    choice[i, j] = i + m
                    label_of[i, j] = top
            best[i, j] = value
            at += width - 1
    return choice, label_of


@jit
def _decode(blocks: Ints, atoms: Ints, splits: Floats, labels: Floats, label_weight: float) -> Ints:
    nodes = np.zeros((np.sum(blocks[:, 1] - blocks[:, 0] - 1), 4), np.int32)
    count = 0
    for block in range(blocks.shape[0]):
        base, at = blocks[block, 0], blocks[block, 2]
        k = blocks[block, 1] - base
        choice, label_of = _chart(splits[at:], labels[at:], k, label_weight)
        stack = np.zeros((2 * k, 2), np.int32)
        stack[0, 1] = k - 1
        size = 1
        while size > 0:
            size -= 1
            i, j = stack[size, 0], stack[size, 1]
            m = choice[i, j]
            nodes[count, 0], nodes[count, 1] = atoms[base + i, 0], atoms[base + j, 1]
            nodes[count, 2], nodes[count, 3] = atoms[base + m, 1], label_of[i, j]
            count += 1
            if j > m + 1:
                stack[size, 0], stack[size, 1] = m + 1, j
                size += 1
            if m > i:
                stack[size, 0], stack[size, 1] = i, m
                size += 1
    return nodes


def trees(
    planned: Plan, splits: Floats, labels: Floats, label_weight: float = 0.0
) -> tuple[Ints, Ints]:
    """Return the best trees as nodes, and the range of rows of each text.

    A node is first EDU, last EDU, last EDU of the left part, and label. Text ``t`` has the rows
    ``offsets[t]`` to ``offsets[t + 1]``. ``splits`` (one score per candidate) are normalized over
    the candidates of a span. The score of a tree is the sum over its nodes, plus
    ``label_weight`` times the log probability of each best label.
    """
    nodes = _decode(planned.blocks, planned.atoms, splits, labels, label_weight)
    sizes = np.concatenate([[0], np.cumsum(planned.blocks[:, 1] - planned.blocks[:, 0] - 1)])
    return nodes, sizes[planned.texts].astype(np.int32)
