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
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit


@jit
def viterbi(
    scores: npt.NDArray[np.float32], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """The best valid tag sequence of each row; scores are [rows, words, tags]."""
    rows, width, tags = scores.shape
    result = np.zeros((rows, width), np.int32)
    back = np.zeros((width, tags), np.int32)
    best = np.zeros(tags)
    step = np.zeros(tags)
    for row in range(rows):
        length = lengths[row]
        if length == 0:
            continue
        for tag in range(tags):
            inside = tag > 0 and tag % 2 == 0
            best[tag] = -1e30 if inside else scores[row, 0, tag]
        for word in range(1, length):
            top = 0
            for tag in range(1, tags):
                if best[tag] > best[top]:
                    top = tag
            for tag in range(tags):
                before = top
                if tag > 0 and tag % 2 == 0:
                    before = tag if best[tag] > best[tag - 1] else tag - 1
                back[word, tag] = before
                step[tag] = best[before] + scores[row, word, tag]
            for tag in range(tags):
                best[tag] = step[tag]
        top = 0
        for tag in range(1, tags):
            if best[tag] > best[top]:
                top = tag
        for word in range(length - 1, -1, -1):
            result[row, word] = top
            top = back[word, top]
    return result


def tagged_spans(tags: npt.NDArray[np.int32], length: int) -> list[tuple[int, int, int]]:
    """The (start, stop, label number) spans of one row's tags."""
    found: list[tuple[int, int, int]] = []
    start = label = -1
    for word, tag in enumerate([*tags[:length].tolist(), 0]):
        if start >= 0 and (tag == 0 or tag % 2 == 1):
            found.append((start, word, label))
            start = -1
        if tag % 2 == 1:
            start, label = word, tag // 2
    return found


@jit
def nested_spans(
    scores: npt.NDArray[np.float32], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Constituents as rows (sentence, start, stop), parents before children, left to right.

    Scores are [sentences, 1 + words, 1 + words] over word boundaries: ``scores[s, i, j]`` for the
    span of words ``i`` to ``j`` (half open). The whole sentence is always a constituent.
    """
    total = 0
    for length in lengths:
        total += max(0, 2 * length - 1)
    found = np.zeros((total, 3), np.int32)
    count = 0
    for row in range(scores.shape[0]):
        size = lengths[row]
        if size == 0:
            continue
        best = np.zeros((size + 1, size + 1))
        split = np.zeros((size + 1, size + 1), np.int32)
        for width in range(1, size + 1):
            for start in range(size - width + 1):
                stop = start + width
                value = 0.0
                if width > 1:
                    value = -1e300
                    for middle in range(start + 1, stop):
                        joined = best[start, middle] + best[middle, stop]
                        if joined > value:
                            value = joined
                            split[start, stop] = middle
                own = scores[row, start, stop]
                best[start, stop] = value + (own if own > 0 else 0.0)
        stack = np.zeros((2 * size + 2, 2), np.int32)
        stack[0, 1] = size
        top = 1
        while top > 0:
            top -= 1
            start, stop = stack[top, 0], stack[top, 1]
            if scores[row, start, stop] > 0 or stop - start == size:
                found[count, 0] = row
                found[count, 1] = start
                found[count, 2] = stop
                count += 1
            if stop - start > 1:
                middle = split[start, stop]
                stack[top, 0] = middle
                stack[top, 1] = stop
                stack[top + 1, 0] = start
                stack[top + 1, 1] = middle
                top += 2
    return found[:count]


@jit
def _is_tree(heads: npt.NDArray[np.int64], size: int) -> bool:
    """Whether heads (1-based, over nodes 0..size) form a tree with exactly one root."""
    roots = 0
    for node in range(1, size + 1):
        if heads[node] == 0:
            roots += 1
    if roots != 1:
        return False
    state = np.zeros(size + 1, np.int64)
    state[0] = -1
    for node in range(1, size + 1):
        at = node
        while state[at] == 0:
            state[at] = node
            at = heads[at]
        if state[at] == node:
            return False
        at = node
        while state[at] == node:
            state[at] = -1
            at = heads[at]
    return True


@jit
def _edmonds(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Best arborescence from node 0; weights[dependent, head], contracted cycle by cycle."""
    size = weights.shape[0]
    score = weights.copy()
    # origin[d, h]: the arc of the original graph that stands for d ← h in the contracted one
    origin_dep = np.zeros((size, size), np.int64)
    origin_head = np.zeros((size, size), np.int64)
    for d in range(size):
        for h in range(size):
            origin_dep[d, h] = d
            origin_head[d, h] = h
    alive = np.ones(size, np.bool_)
    inside = np.arange(size)  # the contracted node that an original node now belongs to
    history_inside = np.zeros((size, size), np.int64)
    parents_of = np.zeros(size, np.int64)
    history_start = np.zeros(size + 1, np.int64)
    history_nodes = np.zeros(size * size, np.int64)
    history_dep = np.zeros(size * size, np.int64)
    history_head = np.zeros(size * size, np.int64)
    steps = 0
    while True:
        for d in range(1, size):
            if not alive[d]:
                continue
            top = -1
            for h in range(size):
                if h != d and alive[h] and (top < 0 or score[d, h] > score[d, top]):
                    top = h
            parents_of[d] = top
        state = np.zeros(size, np.int64)
        state[0] = -1
        entry = -1
        for d in range(1, size):
            if not alive[d]:
                continue
            at = d
            while state[at] == 0:
                state[at] = d
                at = parents_of[at]
            if state[at] == d:
                entry = at
                break
            at = d
            while state[at] == d:
                state[at] = -1
                at = parents_of[at]
        if entry < 0:
            break
        in_cycle = np.zeros(size, np.bool_)
        first = history_start[steps]
        count = 0
        at = entry
        while not in_cycle[at]:
            in_cycle[at] = True
            history_nodes[first + count] = at
            history_dep[first + count] = origin_dep[at, parents_of[at]]
            history_head[first + count] = origin_head[at, parents_of[at]]
            count += 1
            at = parents_of[at]
        history_inside[steps] = inside
        history_start[steps + 1] = first + count
        steps += 1
        for other in range(size):
            if not alive[other] or in_cycle[other]:
                continue
            best_in = -1
            best_in_score = -1e300
            best_out = -1
            best_out_score = -1e300
            for node in range(1, size):
                if not in_cycle[node]:
                    continue
                gain = score[node, other] - score[node, parents_of[node]]
                if gain > best_in_score:
                    best_in_score = gain
                    best_in = node
                if score[other, node] > best_out_score:
                    best_out_score = score[other, node]
                    best_out = node
            dep_in, head_in = origin_dep[best_in, other], origin_head[best_in, other]
            dep_out, head_out = origin_dep[other, best_out], origin_head[other, best_out]
            score[entry, other] = best_in_score
            origin_dep[entry, other] = dep_in
            origin_head[entry, other] = head_in
            score[other, entry] = best_out_score
            origin_dep[other, entry] = dep_out
            origin_head[other, entry] = head_out
        for node in range(1, size):
            if in_cycle[inside[node]]:
                inside[node] = entry
            if in_cycle[node] and node != entry:
                alive[node] = False
    heads = np.full(size, -1, np.int64)
    for d in range(1, size):
        if alive[d]:
            heads[origin_dep[d, parents_of[d]]] = origin_head[d, parents_of[d]]
    for step in range(steps - 1, -1, -1):
        # the arc that enters the cycle took the place of one member's arc: all others stay
        entered = -1
        for k in range(history_start[step], history_start[step + 1]):
            for node in range(1, size):
                if heads[node] >= 0 and history_inside[step, node] == history_nodes[k]:
                    entered = k
        for k in range(history_start[step], history_start[step + 1]):
            if k != entered:
                heads[history_dep[k]] = history_head[k]
    return heads


@jit
def best_trees(
    scores: npt.NDArray[np.float32], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Heads (0 is the root, words count from 1) of the best single-root tree of each sentence.

    Scores are [sentences, words, 1 + words]: ``scores[s, d, h]`` for word ``d`` (from 0) hanging
    on head ``h`` (0 is the root, word ``h - 1`` otherwise). Padding beyond a length is ignored.
    """
    rows, width, _ = scores.shape
    result = np.zeros((rows, width), np.int32)
    for row in range(rows):
        size = lengths[row]
        heads = np.full(size + 1, -1, np.int64)
        low = high = 0.0
        for d in range(1, size + 1):
            top = -1
            for h in range(size + 1):
                value = scores[row, d - 1, h]
                low = min(low, value)
                high = max(high, value)
                if h != d and (top < 0 or value > scores[row, d - 1, top]):
                    top = h
            heads[d] = top
        if size > 0 and not _is_tree(heads, size):
            weights = np.full((size + 1, size + 1), -1e290)
            penalty = (high - low + 1.0) * (size + 1)
            for d in range(1, size + 1):
                for h in range(size + 1):
                    if h != d:
                        weights[d, h] = scores[row, d - 1, h] - (penalty if h == 0 else 0.0)
            heads = _edmonds(weights)
        for d in range(1, size + 1):
            result[row, d - 1] = heads[d]
    return result
