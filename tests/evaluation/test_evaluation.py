"""One evaluation of a set: whatever is asked of it, nothing is made twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data import read
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, LanguageError
from albeit.evaluation import Evaluation, Store, unusable_into
from albeit.metrics.base import Metric
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.connectives.act import Act
from albeit.metrics.lexical.chrf import Chrf
from albeit.metrics.registry import metric
from albeit.metrics.rst import Dr
from albeit.parsing.alignment import Aligner
from albeit.parsing.annotator import ENGLISH, ENGLISH_DOCUMENTS, Annotator
from albeit.report.page.build import make_report
from tests.conftest import ROOT
from tests.evaluation.toys import Counting, Reader, Shown

DEMO = ROOT / "examples" / "demo"
SET = EvalSet(
    {"ref": ("a b", "c", "d e")},
    {"one": ("a b", "x", "d e"), "two": ("a", "c", "d")},
    documents=(Document("first", 0, 2), Document("second", 2, 3)),
)


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    evalset = read(DEMO, source_lang="de", target_lang="en")
    return Evaluation(evalset, store=Store(tmp_path / "cache" / "runs"))


class Calls(Counter[str]):
    """How often methods are called, which work as ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._patch = monkeypatch

    def count(self, cls: type, name: str) -> None:
        made = getattr(cls, name)

        def counted(own: Any, *args: Any, **more: Any) -> Any:
            self[f"{own} {name}"] += 1
            return made(own, *args, **more)

        self._patch.setattr(cls, name, counted)


def test_a_report_prepares_scores_and_analyses_once(
    demo: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(monkeypatch)
    for cls in (Chrf, Dr, Act, Cohesion):
        calls.count(cls, "prepare")
        calls.count(cls, "statistics")
    analysed: Counter[object] = Counter()
    for annotator in (ENGLISH, ENGLISH_DOCUMENTS):
        made = type(annotator).records

        def records(
            own: Annotator, contents: Sequence[Any], *args: Any, made: Any = made
        ) -> Iterator[Any]:
            analysed.update(contents)
            return iter(made(own, contents, *args))

        monkeypatch.setattr(type(annotator), "records", records)
    report = make_report(demo, [metric("chrf"), metric("dr"), metric("act")])
    systems = len(demo.evalset.systems)
    for name in ("chrf", "dr", "act", "act(target_sense=model)", "cohesion"):
        assert calls[f"{name} prepare"] == 1, name
        assert calls[f"{name} statistics"] == systems, name
    assert max(analysed.values()) == 1, "each line and each document is analysed once"
    assert report.data["explanations"]
    assert report.data["documents"]


def test_metrics_of_a_set_share_its_aligner(
    demo: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[int] = []
    fit = Aligner.fit

    def counted(one: Sequence[Any], other: Sequence[Any]) -> Aligner:
        fitted.append(len(one))
        return fit(one, other)

    monkeypatch.setattr(Aligner, "fit", counted)
    demo.score(["act", "terms", "pronouns"])
    assert len(fitted) == 1, "one set, one pair of languages, one aligner"
    Evaluation(demo.evalset.select()).score(["terms"])
    assert len(fitted) == 2, "nothing is kept beyond the set"


def test_views_state_the_scores_of_statistics_that_are_there(demo: Evaluation) -> None:
    chosen = [metric("chrf"), metric("dr"), metric("cohesion")]
    table = demo.score(chosen)
    fresh = Evaluation(demo.evalset)
    for each in chosen:
        where: dict[str, Any] = {"segments": [3, 1]}
        if each.name == "cohesion":
            where = {"documents": [demo.evalset.documents[1].id]}
        stored, made = demo.explain(each, **where), fresh.explain(each, **where)
        assert [view.to_json() for view in stored] == [view.to_json() for view in made]
    (first, *_) = demo.explain(metric("chrf"), segments=[3])
    assert first.score == table["chrf"].at("segment")[0, 2]


def test_statistics_are_those_of_the_set_not_made_anew() -> None:
    Counting.calls.clear()
    evaluation = Evaluation(SET)
    evaluation.score([Counting(), Shown()])
    evaluation.score([Shown(), Counting()])
    evaluation.explain(Shown(), segments=[1, 2])
    assert Counting.calls == ["prepare", "statistics", "statistics"]


def test_a_table_of_another_run_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evaluation(SET).score([Shown()])
    monkeypatch.setattr(Shown, "statistics", lambda *_: pytest.fail("scored again"))
    evaluation = Evaluation(SET)
    evaluation.adopt(table)
    assert [view.score for view in evaluation.explain(Shown(), segments=[1])] == [1, 0]
    np.testing.assert_array_equal(
        evaluation.score([Shown()])["shown"].system, table["shown"].system
    )


def test_what_may_be_asked_and_why_the_rest_may_not() -> None:
    german = EvalSet({"r": ("ein Hund", "ja")}, {"s": ("der Hund", "ja")}, target_lang="de")
    metrics: list[Metric] = [metric("chrf"), metric("dr"), metric("cohesion"), metric("act")]
    able, reasons = Evaluation(german).usable(metrics)
    assert able == [metric("chrf")]
    told = {str(each): str(why) for each, why in reasons.items()}
    assert "rst, tokens for 'de'" in told["dr"]
    assert "Give --docs" in told["cohesion"]
    assert "source" in told["act"]


def test_a_need_that_nobody_meets_is_refused_before_any_work(tmp_path: Path) -> None:
    Counting.calls.clear()
    german = EvalSet({"r": ("ein Hund",)}, {"s": ("der Hund",)}, target_lang="de")
    evaluation = Evaluation(german, store=Store(tmp_path / "runs"))
    with pytest.raises(LanguageError, match="no rst"):
        evaluation.score([Counting(), Reader("rst")])
    assert not Counting.calls


def test_only_some_systems_of_a_passage_are_explained() -> None:
    evaluation = Evaluation(SET)
    first, second = evaluation.passages(Shown(), segments=[1, 3])
    views = evaluation.views([Shown()], [first, second], {first: ["two"], second: ["one", "two"]})
    assert [(v.place, v.system) for _, v in views] == [(1, "two"), (3, "one"), (3, "two")]


def test_which_metrics_the_languages_allow() -> None:
    none = unusable_into("hi")
    assert {"dr", "meteor-sy"} <= set(none)
    assert "chrf" not in none
    assert all(isinstance(why, AlbeitError) for why in none.values())
    assert "act" not in unusable_into("en", "de"), "there is a lexicon, whatever the lines say"
