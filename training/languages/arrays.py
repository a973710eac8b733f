"""The packed discourse corpora, with ids as places in the vocabulary of the encoder at hand."""

from __future__ import annotations

import io
import json
import lzma
from pathlib import Path

import numpy as np

from training.judge.store import Array, Ints

BEGIN, END = 1, 2


def read(path: Path, vocabulary: Ints) -> tuple[dict[str, Array], list[str]]:
    """The arrays, and the names of the corpora."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as file:
        arrays: dict[str, Array] = {name: file[name] for name in file.files}
    for name in ("ids", "tree_ids"):
        arrays[name] = np.searchsorted(vocabulary, arrays[name])
    return arrays, json.loads(arrays.pop("labels").tobytes())
