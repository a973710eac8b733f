"""The best spans of each sentence: those that tags begin and continue, and nested constituents.

Tags are decoded by Viterbi's algorithm. Tag 0 is O; label ``k`` has the tags ``1 + 2k`` (begin) and
``2 + 2k`` (inside). Inside may only follow begin or inside of the same label.

Constituents are found by CKY over span scores, the logits of being one. The tree that maximises the
sum of its spans' scores is searched over binary trees in which a span may also stay unlabelled at no
cost, so constituents with many children need no binarised labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["nested_spans", "tagged_spans", "viterbi"]


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
