"""Documents with what the shipped model says of their sentences, as they are kept on disk."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.corpora.documents import Document
from training.rows import Node

WEIGHTS = Path("src/albeit/parsing/weights")
"""The shipped model."""
Halves = npt.NDArray[np.float16]


@dataclass(slots=True)
class Sentence:
    """The states of one sentence.

    ``hidden`` is what the sentence heads read, a row a word; ``middle`` the middle layer, a row a
    subword; ``first`` each word's first subword; ``ids`` and ``cases`` what the encoder was given.
    EDUs, the tree over them, parts of speech and heads are the model's own.
    """

    hidden: Halves
    middle: Halves
    first: npt.NDArray[np.int32]
    ids: npt.NDArray[np.int32]
    cases: npt.NDArray[np.int8]
    edus: list[int]
    tree: list[Node]
    upos: list[str]
    heads: list[int]


@dataclass(slots=True)
class Kept:
    """A document with the states of its sentences."""

    document: Document
    sentences: list[Sentence]


def load(path: Path) -> list[Kept]:
    """What was kept of one part."""
    with path.open("rb") as file:
        found: list[Kept] = pickle.load(file)
    return found
