"""Viterbi decoding of B-I-O tags.

Tag 0 is O; label ``k`` has the tags ``1 + 2k`` (begin) and ``2 + 2k`` (inside). Inside may only
follow begin or inside of the same label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["spans", "viterbi"]


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


def spans(tags: npt.NDArray[np.int32], length: int) -> list[tuple[int, int, int]]:
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
