"""One system alone has the score that it has among others: to the last bit, by every metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from albeit import read
from albeit.data.evalset import EvalSet
from albeit.evaluation import Evaluation, score
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric, names

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
ALIGNED = (
    "act",
    "act(target_sense=model)",
    "act(preset=classic)",
    "act-free",
    "terms",
    "terms(by=reference)",
    "pronouns",
    "pronouns(by=reference)",
)


LEFT_OUT = ("hybrid", "meteor-pa", "program", "function", "comet", "comet-qe")
"""Metrics that must be given a part, a table that does not ship, or what another package has."""


@pytest.fixture(scope="module")
def five() -> EvalSet:
    """The four systems of the demonstration and one that says nothing."""
    made = read(DEMO, source_lang="de", target_lang="en")
    return replace(made, systems={**made.systems, "silent": ("",) * len(made)})


def usable(evalset: EvalSet, wanted: list[Metric]) -> list[Metric]:
    return Evaluation(evalset).usable(wanted)[0]


def check(evalset: EvalSet, metrics: list[Metric]) -> None:
    together = score(evalset, metrics)
    for place, name in enumerate(evalset.systems):
        alone = score(evalset.select([name]), metrics)
        for one in metrics:
            ours, theirs = alone[one], together[one]
            assert ours.statistics is not None
            assert theirs.statistics is not None
            assert np.array_equal(ours.statistics[0], theirs.statistics[place], equal_nan=True), (
                f"{one}, {name}"
            )
            assert ours.signature == theirs.signature, f"{one}, {name}"


@pytest.mark.slow
def test_every_metric(five: EvalSet) -> None:
    wanted = [metric(name) for name in names() if name not in LEFT_OUT]
    chosen = usable(five, [*wanted, *map(metric, ALIGNED[1:]), metric("hybrid(chrf)")])
    assert len(chosen) >= 50
    check(five, list(dict.fromkeys(chosen)))


def test_without_references_each_learns_from_its_own(five: EvalSet) -> None:
    bare = replace(five.select([*five.systems][:2]), references={})
    chosen = [metric("terms"), metric("pronouns-free")]
    check(bare, chosen)
    assert "aligner:source+own" in str(score(bare, chosen)["terms"].signature)
    turned = replace(
        bare,
        systems=dict.fromkeys(("one", "two"), five.source or ()),
        source=five.systems[next(iter(five.systems))],
        source_lang="en",
        target_lang="de",
    )
    check(turned, [metric("act-free")])
