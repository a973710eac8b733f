"""What characters say of a pair: three numbers that the judge reads beside its subwords."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.metrics.base import Batch
from albeit.metrics.lexical.chrf import Chrf

PART = 20000


def facts(translations: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float32]:
    """chrF, the mean precision and the mean recall of its six orders [pairs, 3], from 0 to 1.

    Orders for which one of both texts is too short do not count; without any, all are 0."""
    chrf = Chrf()
    found = [np.zeros((0, 3), np.float32)]
    for at in range(0, len(translations), PART):
        mine, other = translations[at : at + PART], references[at : at + PART]
        batch = Batch(mine, (other,), None, ())
        rows = chrf.statistics(batch, None)
        ours, theirs, shared = np.moveaxis(rows.reshape(len(rows), -1, 3), 2, 0)
        both = (ours > 0) & (theirs > 0)
        orders = np.maximum(both.sum(1), 1)
        precision = (shared / np.where(both, ours, 1.0) * both).sum(1) / orders
        recall = (shared / np.where(both, theirs, 1.0) * both).sum(1) / orders
        found.append(np.stack([chrf.score(rows) / 100, precision, recall], 1).astype(np.float32))
    return np.concatenate(found)
