"""Which references a network was trained on, so that it can say when it is tested on them.

A network that is scored on texts that it learnt from agrees with people better than it would on
new ones. Beside its weights stand digests of all references of its training (and of the sources, where it
reads those), four bytes each; a short line, which may stand anywhere, is never looked up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["FILE", "digests", "share_seen"]

FILE = "seen.npy"
"""Beside the weights: sorted digests of the references of the training."""
FEWEST_WORDS, FEWEST_CHARACTERS, UNSPACED = 5, 12, "\u2e80"
"""Lines of fewer words are shared by chance; in scripts without spaces, which begin at this
character, those of fewer characters."""


def digests(lines: Iterable[str]) -> npt.NDArray[np.uint32]:
    """Four bytes for each distinct line that is long enough; spaces and case do not count."""
    words = {tuple(line.casefold().split()) for line in lines}
    found = {
        hashlib.blake2b(" ".join(line).encode(), digest_size=4).digest()
        for line in words
        if len(line) >= FEWEST_WORDS
        or sum(mark >= UNSPACED for word in line for mark in word) >= FEWEST_CHARACTERS
    }
    return np.sort(np.frombuffer(b"".join(sorted(found)), dtype=np.uint32))


def share_seen(lines: Iterable[str], folder: Path) -> float:
    """Which part of these lines was in the training of the network in a folder."""
    own = digests(lines)
    known = _known(folder)
    return float(np.isin(own, known).mean()) if len(own) and len(known) else 0.0


@cache
def _known(folder: Path) -> npt.NDArray[np.uint32]:
    path = folder / FILE
    if not path.is_file():
        return np.empty(0, np.uint32)
    known: npt.NDArray[np.uint32] = np.load(path)
    return known
