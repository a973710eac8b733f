"""Cohesion on real documents in several languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from albeit.data import read
from albeit.evaluation import score
from albeit.metrics.registry import metric


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["wmt21/is-en", "wmt13/en-de", "wmt13/en-fr", "ted-mqm/zh-en"])
def test_a_reference_scores_1_and_systems_less(shared_data: Path, folder: str) -> None:
    whole = read(shared_data / folder)
    name, reference = next(iter(whole.references.items()))
    system, lines = next(iter(whole.systems.items()))
    evalset = whole.select(references=[name]).with_systems({"people": reference, system: lines})
    specs = ["cohesion", "cohesion(average=recall)", "cohesion(average=f)"]
    table = score(evalset, [metric(spec) for spec in specs])
    for column in table.columns.values():
        people, machine = column.at("document")
        assert people == pytest.approx(1.0)
        assert ((machine >= 0) & (machine <= 1)).all()
        assert 0.3 < np.mean(machine) < 0.95
