"""Scores of a judge over pairs of the store, in PyTorch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from training.judge.batches import STEP
from training.judge.network import Judge
from training.judge.store import Ints, Store

TOKENS = 65536


def batches(store: Store, pairs: Ints, tokens: int) -> list[Ints]:
    """Pairs of similar length together, about `tokens` subwords a batch."""
    order = pairs[np.argsort(store.sizes[pairs], kind="stable")]
    found: list[Ints] = []
    at = 0
    while at < len(order):
        stop = at + max(1, tokens // int(store.sizes[order[at]]))
        width = int(store.sizes[order[min(stop, len(order)) - 1]])
        stop = at + max(1, tokens // width)
        found.append(order[at:stop])
        at = stop
    return found


@torch.no_grad()
def scores(
    judge: Judge, store: Store, pairs: Ints, device: str, tokens: int = TOKENS
) -> npt.NDArray[np.float32]:
    """One score a pair of the store, `nan` for those not asked for."""
    found = np.full(len(store.sizes), np.nan, np.float32)
    judge.eval()
    for chosen in batches(store, pairs, tokens):
        arrays = store.batch(chosen, STEP)
        inputs = [torch.from_numpy(arrays[n]).to(device) for n in ("ids", "mask", "cases")]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            out, _ = judge(*inputs)
        found[chosen] = out.float().cpu().numpy()
    return found
