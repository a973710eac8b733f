"""The demonstration set's scores, every metric at every level, as they were recorded.

Golden values are written by ``tools/record_scores.py golden``. Words are counted alike
everywhere; what the model reads goes through 8-bit products that processors round
differently, so those scores may move a little from machine to machine.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from albeit.metrics.documents import DocumentMetric
from albeit.metrics.judge.metric import Judge
from albeit.metrics.judge.weighed import Weighed
from albeit.metrics.registry import metric
from tests.conftest import ROOT
from tools.record_scores import demonstration, scores

GOLDEN: dict[str, Any] = json.loads((ROOT / "tests/golden/demo-scores.json").read_text())
METRICS = sorted({key.split(" ")[1] for key in GOLDEN})
EXACT = 1e-8
"""Golden values have nine digits after the point."""
READ = {"system": 0.02, "document": 0.05, "segment": 0.3}
"""How far apart, in shares of a perfect score, scores of analysed text may be; a
combination has no perfect score, so the spread of its scores stands in for that."""


@cache
def recorded() -> Any:
    return scores([demonstration()])


def test_every_metric_has_golden_values() -> None:
    assert set(METRICS) == set(demonstration().metrics)
    assert set(GOLDEN) == set(recorded())


@pytest.mark.parametrize("name", METRICS)
def test_scores_are_the_recorded_ones(name: str) -> None:
    for key in (key for key in GOLDEN if key.split(" ")[1] == name):
        golden = np.array(GOLDEN[key])
        scale = max(metric(name).scale, np.ptp(golden))
        own = metric(name)
        networks = isinstance(own, Judge | Weighed)
        analysed = own.annotated or isinstance(own, DocumentMetric) or networks
        tolerance = READ[key.split(" ")[2]] if analysed else EXACT
        np.testing.assert_allclose(
            recorded()[key], golden, rtol=0, atol=scale * tolerance, err_msg=key
        )
