"""A statistic over pairs: how often the metric does not say what people say."""

import numpy as np

from albeit.arrays import FloatArray
from albeit.stats.concordance import CONCORDANT


def doubt(counts: FloatArray) -> FloatArray:
    return np.asarray(1 - counts[..., CONCORDANT] / counts.sum(axis=-1))
