"""A type that no analysis has would score 0 without a word; it is told of."""

from __future__ import annotations

import warnings

import pytest

from albeit.data.evalset import EvalSet
from albeit.errors import AlbeitWarning, MetricError
from albeit.metrics.registry import metric

SET = EvalSet({"ref": ("a b",)}, {"system": ("a c",)}, target_lang="en")
KNOWN = (
    "sr-or",
    "sr-or(*)",
    "sr-or(ARG0)",
    "sr-mr(ARGM-TMP)",
    "ne-oe(person)",
    "ne-oe(**)",
    "cp-oc(NP)",
    "cp-op(NN)",
    "dp-or(nsubj)",
    "dp-or(root)",
    "dp-oc(NOUN)",
    "dp-ol(3)",
    "drs-or(event)",
)


@pytest.mark.parametrize("spec", KNOWN)
def test_types_that_the_model_gives(spec: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric(spec).check(SET)


@pytest.mark.parametrize(
    "name",
    ["sr-or", "sr-mr", "ne-oe", "ne-me", "cp-oc", "cp-op", "dp-or", "dp-oc", "drs-or", "drs-orp"],
)
def test_a_type_that_it_does_not_give_is_told_of(name: str) -> None:
    with pytest.warns(AlbeitWarning, match="model gives no 'persn', only"):
        metric(f"{name}(persn)").check(SET)


def test_a_depth_is_a_number() -> None:
    with pytest.raises(MetricError, match="type is a depth"):
        metric("dp-ol(deep)")
