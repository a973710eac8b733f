"""Make the vectors of kept sentences with a folder's encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from training.batch import CLS, SEP
from training.documents.kept import Kept
from training.shipped import encode


def fill(kept: Sequence[Kept], folder: Path, device: str, *, again: bool = False) -> None:
    """Make the vectors of kept sentences that lack them, or ``again`` of all of them, with a
    folder's encoder."""
    run = encode(folder, device)
    tokens = 1000 if device == "cpu" else 20000
    lacking = [s for each in kept for s in each.sentences if again or not s.hidden.size]
    lacking.sort(key=lambda s: len(s.ids))
    while lacking:
        size = max(1, tokens // (len(lacking[-1].ids) + 2))
        batch, lacking = lacking[-size:], lacking[:-size]
        length = len(batch[-1].ids) + 2
        ids = np.zeros((len(batch), length), np.int64)
        cases, mask = np.zeros_like(ids), np.zeros_like(ids)
        for r, s in enumerate(batch):
            ids[r, : len(s.ids) + 2] = [CLS, *s.ids.tolist(), SEP]
            cases[r, 1 : len(s.ids) + 1] = s.cases
            mask[r, : len(s.ids) + 2] = 1
        hidden, middle = run(ids, mask, cases)
        for r, s in enumerate(batch):
            s.middle = middle[r, 1 : len(s.ids) + 1].astype(np.float16)
            s.hidden = hidden[r, s.first + 1].astype(np.float16)
