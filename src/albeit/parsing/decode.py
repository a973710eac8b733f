"""Decode the output of heads: tag sequences, nested spans, and dependency trees.

Tags are decoded by Viterbi's algorithm. Tag 0 is O; label ``k`` has the tags ``1 + 2k`` (begin) and
``2 + 2k`` (inside). Inside can only follow begin or inside of the same label.

Constituents are found by CKY over span scores, the logits of being one. The tree with the highest
sum of scores is searched over binary trees in which a span can be unlabeled at no cost, so
constituents with many children need no binarized labels.

Dependency trees are maximum spanning trees with one root (Chu-Liu/Edmonds). Most sentences need no
search: if every word's best head gives a tree with one root, that tree is the optimum. Otherwise
all root scores are lowered by a constant larger than any tree's score range, so that the best
arborescence uses one root arc.

RST trees are found by CKY, sentence by sentence and then over the sentences of a text. A text's
EDUs are grouped into *blocks* of at most ``MAX_ATOMS`` neighboring atoms: the EDUs of a sentence
first, then the finished sentences (and, if there are very many, runs of them). Every block is
decoded exactly. So each sentence is a subtree, and the cost of a very long text is bounded. Many
texts are planned, scored, and decoded in one call each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from albeit.arrays import BoolArray, FloatArray, Floats32, IntArray, Ints32
from albeit.jit import jit


@jit
def _best_tags(scores: Floats32, tags: Ints32) -> None:
    """Set the best valid tag sequence of one sentence, [words, tags]."""
    length, count = scores.shape
    back = np.zeros((length, count), np.int32)
    best = np.zeros(count)
    step = np.zeros(count)
    for tag in range(count):
        inside = tag > 0 and tag % 2 == 0
        best[tag] = -1e30 if inside else scores[0, tag]
    for word in range(1, length):
        top = np.argmax(best)
        for tag in range(count):
            before = int(top)
            if tag > 0 and tag % 2 == 0:
                before = tag if best[tag] > best[tag - 1] else tag - 1
            back[word, tag] = before
            step[tag] = best[before] + scores[word, tag]
        best[:] = step
    top = np.argmax(best)
    for word in range(length - 1, -1, -1):
        tags[word] = top
        top = back[word, top]


@jit
def viterbi(scores: Floats32, lengths: IntArray) -> Ints32:
    """Return the best valid tag sequence of each row; scores are [rows, words, tags]."""
    result = np.zeros(scores.shape[:2], np.int32)
    for row in range(len(lengths)):
        if lengths[row] > 0:
            _best_tags(scores[row, : lengths[row]], result[row])
    return result


def tagged_spans(tags: Ints32, length: int) -> list[tuple[int, int, int]]:
    """Return the (start, stop, label number) spans of one row's tags."""
    spans: list[tuple[int, int, int]] = []
    start = label = -1
    for word, tag in enumerate([*tags[:length].tolist(), 0]):
        if start >= 0 and (tag == 0 or tag % 2 == 1):
            spans.append((start, word, label))
            start = -1
        if tag % 2 == 1:
            start, label = word, tag // 2
    return spans


@jit
def _split_spans(scores: Floats32, size: int) -> Ints32:
    """Return the best split of each span of one sentence, by CKY."""
    best = np.zeros((size + 1, size + 1))
    split = np.zeros((size + 1, size + 1), np.int32)
    for width in range(1, size + 1):
        for start in range(size - width + 1):
            stop = start + width
            value = -1e300 if width > 1 else 0.0
            for middle in range(start + 1, stop):
                total = best[start, middle] + best[middle, stop]
                if total > value:
                    value = total
                    split[start, stop] = middle
            own = scores[start, stop]
            best[start, stop] = value + (own if own > 0 else 0.0)
    return split


@jit
def nested_spans(scores: Floats32, lengths: IntArray) -> Ints32:
    """Return constituents as rows (sentence, start, stop), parents before children.

    Scores are [sentences, 1 + words, 1 + words] over word boundaries: ``scores[s, i, j]`` for the
    span of words ``i`` to ``j`` (half open). The whole sentence is always a constituent.
    """
    spans = np.zeros((2 * np.sum(lengths), 3), np.int32)
    count = 0
    for row in range(scores.shape[0]):
        size = lengths[row]
        split = _split_spans(scores[row], size)
        stack = np.zeros((2 * size + 2, 2), np.int32)
        stack[0, 1] = size
        top = 1 if size else 0
        while top > 0:
            top -= 1
            start, stop = stack[top, 0], stack[top, 1]
            if scores[row, start, stop] > 0 or stop - start == size:
                spans[count, 0], spans[count, 1], spans[count, 2] = row, start, stop
                count += 1
            if stop - start > 1:
                middle = split[start, stop]
                stack[top, 0], stack[top, 1] = middle, stop
                stack[top + 1, 0], stack[top + 1, 1] = start, middle
                top += 2
    return spans[:count]


@jit
def _find_cycle(heads: IntArray) -> int:
    """Return a node of a cycle; 0 if heads form a tree. The root is node 0."""
    state = np.zeros(heads.size, np.int64)
    state[0] = -1
    for node in range(1, heads.size):
        at = node
        while state[at] == 0:
            state[at] = node
            at = heads[at]
        if state[at] == node:
            return at
        at = node
        while state[at] == node:
            state[at] = -1
            at = heads[at]
    return 0


@jit
def _best_heads(scores: Floats32, lengths: IntArray) -> tuple[Ints32, BoolArray]:
    """Return the best head of each word, and whether they form a tree with one root."""
    rows, width, _ = scores.shape
    result = np.zeros((rows, width), np.int32)
    is_tree = np.ones(rows, np.bool_)
    for row in range(rows):
        size = lengths[row]
        heads = np.zeros(size + 1, np.int64)
        for d in range(1, size + 1):
            top = 0
            for h in range(1, size + 1):
                if h != d and scores[row, d - 1, h] > scores[row, d - 1, top]:
                    top = h
            heads[d] = top
            result[row, d - 1] = top
        is_tree[row] = size == 0 or (np.sum(heads[1:] == 0) == 1 and _find_cycle(heads) == 0)
    return result, is_tree


def _span_tree(weights: FloatArray) -> IntArray:
    """Return the best arborescence from node 0, from weights[dependent, head]."""
    heads: IntArray = weights.argmax(axis=1)
    entry = _find_cycle(heads)
    if not entry:
        return heads
    members = [entry]
    while heads[members[-1]] != entry:
        members.append(int(heads[members[-1]]))
    cycle = np.sort(members)
    rest = np.setdiff1d(np.arange(len(weights)), cycle)
    # contract the cycle to the last node of a smaller graph
    entering = weights[np.ix_(cycle, rest)] - weights[cycle, heads[cycle]][:, None]
    leaving = weights[np.ix_(rest, cycle)]
    smaller = np.full((len(rest) + 1, len(rest) + 1), -np.inf)
    smaller[:-1, :-1] = weights[np.ix_(rest, rest)]
    smaller[-1, :-1] = entering.max(axis=0)
    smaller[:-1, -1] = leaving.max(axis=1)
    found = _span_tree(smaller)
    outer = np.append(rest, 0)[found[:-1]]
    heads[rest] = np.where(found[:-1] == len(rest), cycle[leaving.argmax(axis=1)], outer)
    heads[cycle[entering[:, found[-1]].argmax()]] = rest[found[-1]]
    return heads


def best_trees(scores: Floats32, lengths: IntArray) -> Ints32:
    """Return the heads (0 is the root, words from 1) of the best single-root trees.

    Scores are [sentences, words, 1 + words]: ``scores[s, d, h]`` for word ``d`` (from 0) with
    head ``h`` (0 is the root, word ``h - 1`` otherwise). Padding beyond a length is ignored.
    """
    result, is_tree = _best_heads(scores, lengths)
    for row in np.flatnonzero(~is_tree):
        size = int(lengths[row])
        own = scores[row, :size, : size + 1].astype(np.float64)
        penalty = (max(own.max(), 0.0) - min(own.min(), 0.0) + 1.0) * (size + 1)
        weights = np.full((size + 1, size + 1), -np.inf)
        weights[1:] = own
        weights[1:, 0] -= penalty
        np.fill_diagonal(weights, -np.inf)
        result[row, :size] = _span_tree(weights)[1:]
    return result


MAX_ATOMS = 40
FEATURES = 6
"""Numbers that describe a candidate in addition to its EDUs: see `_candidates`."""


class Plan(NamedTuple):
    """The candidates to score for a batch of texts.

    ``candidates`` are rows (first EDU, last EDU of the left part, first EDU of the right part,
    last EDU), with EDUs numbered over the whole batch; ``features`` has one row each.
    """

    candidates: Ints32
    features: Floats32
    blocks: Ints32
    atoms: Ints32
    texts: Ints32


@jit
def _blocks(sentences: Ints32, offsets: Ints32, limit: int) -> tuple[Ints32, Ints32, Ints32]:
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
                while end < min(n, at + limit):
                    if level == 0 and sentences[first[end]] != sentences[first[at]]:
                        break
                    end += 1
                if end - at > 1:
                    k = end - at
                    blocks[made, 0], blocks[made, 1] = used, used + k
                    blocks[made, 2], blocks[made, 3] = candidates, level
                    made += 1
                    candidates += (k * k * k - k) // 6
                    atoms[used : used + k, 0] = first[at:end]
                    atoms[used : used + k, 1] = last[at:end]
                    used += k
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
def _candidates(blocks: Ints32, atoms: Ints32) -> tuple[Ints32, Floats32]:
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
                    rows[at, 0], rows[at, 1] = atoms[base + i, 0], atoms[base + m, 1]
                    rows[at, 2], rows[at, 3] = atoms[base + m + 1, 0], atoms[base + j, 1]
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


def plan_trees(sentences: Ints32, offsets: Ints32) -> Plan:
    """Plan the decoding of texts whose EDUs are ``offsets[t]`` to ``offsets[t + 1]``.

    ``sentences`` gives each EDU's sentence number, which need only differ between neighbours.
    """
    numbers = np.ascontiguousarray(sentences, np.int32)
    blocks, atoms, texts = _blocks(numbers, np.ascontiguousarray(offsets, np.int32), MAX_ATOMS)
    candidates, features = _candidates(blocks, atoms)
    return Plan(candidates, features, blocks, atoms, texts)


@jit
def _normalizer(splits: Floats32) -> float:
    """Return the logarithm of the sum of exponentials."""
    high = -1e30
    for score in splits:
        high = max(high, score)
    total = 0.0
    for score in splits:
        total += np.exp(score - high)
    return float(np.log(total) + high)


@jit
def _chart(splits: Floats32, labels: Floats32, k: int, weight: float) -> tuple[Ints32, Ints32]:
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
                if weight > 0.0:
                    mass = 0.0
                    for label in labels[at + m]:
                        mass += np.exp(label - labels[at + m, top])
                    here -= weight * np.log(mass)
                total = here + best[i, i + m] + best[i + m + 1, j]
                if total > value:
                    value = total
                    choice[i, j] = i + m
                    label_of[i, j] = top
            best[i, j] = value
            at += width - 1
    return choice, label_of


@jit
def _decode(
    blocks: Ints32, atoms: Ints32, splits: Floats32, labels: Floats32, label_weight: float
) -> Ints32:
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


def rst_trees(
    planned: Plan, splits: Floats32, labels: Floats32, label_weight: float = 0.0
) -> tuple[Ints32, Ints32]:
    """Return the best trees as nodes, and the range of rows of each text.

    A node is first EDU, last EDU, last EDU of the left part, and label. Text ``t`` has the rows
    ``offsets[t]`` to ``offsets[t + 1]``. ``splits`` (one score per candidate) are normalized over
    the candidates of a span. The score of a tree is the sum over its nodes, plus
    ``label_weight`` times the log probability of each best label.
    """
    nodes = _decode(planned.blocks, planned.atoms, splits, labels, label_weight)
    sizes = np.concatenate([[0], np.cumsum(planned.blocks[:, 1] - planned.blocks[:, 0] - 1)])
    return nodes, sizes[planned.texts].astype(np.int32)
