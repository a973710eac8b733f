from __future__ import annotations

import numpy as np
import pytest

from albeit.combine.uniform import group, groups, min_max, share_of_maximum, uniform
from albeit.errors import MetricError
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from tests.combine.conftest import build as make_task


def test_groups_are_the_papers() -> None:
    sizes = {name: len(g.members) for name, g in groups().items()}
    assert list(sizes.values()) == [5, 4, 3, 2, 12, 19]
    lex = group("Asiya-LEX")
    assert lex.members == ("bleu", "nist", "meteor-ex", "rouge-w", "terp-a")
    with pytest.raises(MetricError, match="unknown group"):
        group("asiya-x")


def test_scalings() -> None:
    assert min_max(np.array([2.0, 4.0, 3.0])).tolist() == [0.0, 1.0, 0.5]
    assert share_of_maximum(np.array([1.0, 4.0])).tolist() == [0.25, 1.0]
    assert share_of_maximum(np.array([-1.0, 1.0, 3.0])).tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(MetricError, match="m is constant"):
        min_max(np.ones(3), "m")
    with pytest.raises(MetricError, match="zero everywhere"):
        share_of_maximum(np.zeros(3))


def test_uniform_is_the_mean_of_scaled_columns() -> None:
    table = make_task(0).table
    column = uniform(table, ["m0", "m1", "m1"], name="both")
    m0, m1 = table["m0"].at("system"), -table["m1"].at("system")
    assert column.system == pytest.approx((min_max(m0) + 2 * min_max(m1)) / 3)
    assert column.segment is not None
    assert column.segment.min() >= 0
    assert column.segment.max() <= 1
    coarse = Column("sys", Signature("sys"), True, m0)
    assert uniform(table.with_columns([coarse]), ["m0", "sys"]).segment is None
    with pytest.raises(MetricError, match="at least one"):
        uniform(table, [])
    with pytest.raises(MetricError, match="unknown scaling"):
        uniform(table, ["m0"], scaling="rank")
