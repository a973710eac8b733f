"""The demonstration set's scores, every metric at every level, as they were recorded.

Golden values are written by ``PYTHONPATH=src python -m tests.metrics.test_golden``. Words are
counted alike everywhere; what a network reads goes through 8-bit products that processors round
differently, so those scores may move a little from machine to machine. A metric says by
itself whether a network is behind it (``Metric.exact``).
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from albeit import Metric, Unit, metric
from albeit.parsing.layers import TEXT
from tests.conftest import ROOT
from tools.baseline import Removed
from tools.record_scores import demonstration, scores

GOLDEN: dict[str, Any] = json.loads((ROOT / "tests/golden/demo-scores.json").read_text())
METRICS = sorted({key.split(" ")[1] for key in GOLDEN})
EXACT = 1e-8
"""Golden values have nine digits after the point."""
READ = {"system": 0.02, "document": 0.05, "segment": 0.3}
"""How far apart, in shares of a perfect score, scores of analysed text may be; a
combination has no perfect score, so the spread of its scores stands in for that. An analysis
is a choice between trees or labels: where two are about as likely, a last digit decides, and
the score of that segment is another one."""
JUDGED = {"system": 0.002, "document": 0.005, "segment": 0.02}
"""The same where a network gives the score itself: nothing is chosen, so it moves by as much as
its sums are rounded. Between two processors system scores moved by .00006 (.0057 of 100); these
bounds allow thirty times that, and fail for other weights, which move system scores by .01."""


def tolerances(scored: Metric) -> dict[str, float]:
    """How far scores of this metric may be from those of another processor, level by level."""
    if scored.exact:
        return dict.fromkeys(READ, EXACT)
    analysed = any(need.layer is not TEXT for need in scored.needs)
    few = scored.unit is Unit.DOCUMENT  # a handful of words each, by probabilities of single ones
    return READ if analysed or few else JUDGED


@cache
def recorded() -> Any:
    return scores([demonstration()])


def test_every_metric_has_golden_values() -> None:
    removed = Removed.read()
    kept = {name for name in demonstration().metrics if not removed.covers(name, [name])}
    assert set(METRICS) == kept
    assert set(GOLDEN) == set(recorded())


@pytest.mark.parametrize("name", METRICS)
def test_scores_are_the_recorded_ones(name: str) -> None:
    for key in (key for key in GOLDEN if key.split(" ")[1] == name):
        golden = np.array(GOLDEN[key])
        scale = max(metric(name).scale, np.ptp(golden))
        tolerance = tolerances(metric(name))[key.split(" ")[2]]
        np.testing.assert_allclose(
            recorded()[key], golden, rtol=0, atol=scale * tolerance, err_msg=key
        )


def record() -> None:
    """Write the golden values, one column per line."""
    lines = [
        f"{json.dumps(key)}: {json.dumps(values.round(9).tolist())}"
        for key, values in scores([demonstration()]).items()
    ]
    (ROOT / "tests/golden/demo-scores.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    record()
