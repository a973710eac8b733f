from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest

from albeit.errors import AlbeitError
from albeit.metrics import registry
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from tests.evaluation.toys import Exact


@dataclass(frozen=True)
class Choosy(Metric):
    name: ClassVar[str] = "choosy"
    summary: ClassVar[str] = "has a parameter of every kind"

    inner: Metric
    size: int = 1
    share: float = 0.5
    mode: Literal["fast", "slow"] = "fast"
    words: tuple[str, ...] = ("a",)
    lambda_: float | None = None

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        raise NotImplementedError

    def score(self, sums: FloatArray) -> FloatArray:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {
        "exact": "tests.evaluation.toys:Exact",
        "choosy": f"{__name__}:Choosy",
        "odd": "json:dumps",
        "gone": "json:nothing",
    }
    for name, target in here.items():
        monkeypatch.setitem(registry.BUILTIN, name, target)


@pytest.mark.parametrize(
    "text",
    [
        "choosy(inner=exact)",
        "choosy(inner=exact(lowercase=yes),size=3)",
        "choosy(inner=exact,share=0.25,mode=slow,words=a+b,lambda=0.2)",
    ],
)
def test_a_metric_prints_as_it_is_written(text: str) -> None:
    made = registry.metric(text)
    assert str(made) == text
    assert registry.metric(str(made)) == made
    assert registry.metric(made) is made


def test_names_are_case_blind_and_arguments_may_be_positional() -> None:
    assert registry.metric("EXACT(yes, 2)") == Exact(lowercase=True, weight=2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exct", "unknown metric 'exct'. Did you mean exact"),
        ("exact(lower=yes)", "exact has no parameter 'lower'; it has lowercase, weight."),
        ("exact(weight=much)", "exact: weight takes float, not 'much'."),
        ("exact(yes,lowercase=no)", "exact: lowercase is given twice."),
        ("exact(1,2,3)", "exact takes at most 2 arguments."),
        ("choosy", "choosy needs inner: choosy(inner=...)."),
        ("choosy(exact,mode=medium)", "choosy: mode takes fast or slow, not 'medium'."),
        ("choosy(exact,size=1.5)", "choosy: size takes int, not 1.5."),
        ("choosy(nothing)", "unknown metric 'nothing'."),
        ("gone", "metric 'gone' cannot be loaded from json:nothing: module 'json' has no"),
        ("odd", "the plug-in 'json:dumps' for metric 'odd' is not an albeit Metric."),
    ],
)
def test_a_wrong_expression_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(AlbeitError) as caught:
        registry.metric(text)
    assert message in str(caught.value)


def test_the_table_of_metrics_names_nothing_built_on_metrics() -> None:
    """import-linter sees imports, not the strings of this table."""
    ours = [target for target in registry.BUILTIN.values() if target.startswith("albeit.")]
    assert all(target.startswith("albeit.metrics.") for target in ours)
