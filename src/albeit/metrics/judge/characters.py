"""What characters say of a pair: three numbers that the judge reads beside its subwords.

Subwords hide spelling: a name with one wrong letter is cut into other pieces altogether. What
chrF counts shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.metrics.base import Batch
from albeit.metrics.lexical.chrf import Chrf

__all__ = ["FACTS", "facts"]

FACTS = ("chrF", "precision", "recall")


def facts(translations: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float32]:
    """chrF, the mean precision and the mean recall of its six orders: (pairs, 3), from 0 to 1.

    Orders for which one of the two texts is too short do not count; without any, all are 0.
    """
    chrf = Chrf()
    rows = chrf.statistics(Batch(translations, [references], None, ()), None)
    ours, theirs, shared = np.moveaxis(rows.reshape(len(rows), -1, 3), 2, 0)
    both = (ours > 0) & (theirs > 0)
    orders = np.maximum(both.sum(axis=1), 1)
    precision, recall = (
        (shared / np.where(both, whole, 1.0) * both).sum(axis=1) / orders
        for whole in (ours, theirs)
    )
    return np.stack([chrf.score(rows) / 100, precision, recall], axis=1).astype(np.float32)
