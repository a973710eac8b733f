"""One evaluation of a set: what is computed once, refused, and explained."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data import read
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, LanguageError
from albeit.evaluation import Evaluation, Store, explain, score, scoring
from albeit.metrics.base import Metric
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.connectives.act import Act
from albeit.metrics.lexical.chrf import Chrf
from albeit.metrics.registry import metric
from albeit.metrics.rst import Dr
from albeit.parsing.alignment import Aligner
from albeit.parsing.annotator import ENGLISH, ENGLISH_DOCUMENTS
from albeit.parsing.layers import AnyLayer
from albeit.report.page.build import make_report
from tests.conftest import ROOT
from tests.evaluation.toys import (
    Counting,
    Exact,
    Failing,
    Opening,
    Reader,
    Shown,
    Sloppy,
    Twice,
    spy,
)

SET = EvalSet(
    {"ref": ("a b", "c", "d e")},
    {"one": ("a b", "x", "d e"), "two": ("a", "c", "d")},
    documents=(Document("first", 0, 2), Document("second", 2, 3)),
)
GERMAN = EvalSet({"r": ("ein Hund", "ja")}, {"s": ("der Hund", "ja")}, target_lang="de")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    evalset = read(ROOT / "examples" / "demo", source_lang="de", target_lang="en")
    return Evaluation(evalset, store=Store(tmp_path / "cache" / "runs"))


def test_a_report_does_all_work_once(demo: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    annotated: Counter[object] = Counter()

    for cls in (Chrf, Dr, Act, Cohesion):
        spy(monkeypatch, cls, "prepare", lambda own, *_: calls.update([f"{own} prepare"]))
        spy(monkeypatch, cls, "statistics", lambda own, *_: calls.update([f"{own} statistics"]))
    for annotator in (ENGLISH, ENGLISH_DOCUMENTS):
        spy(monkeypatch, type(annotator), "records", lambda _, texts, *__: annotated.update(texts))
    report = make_report(demo, [metric("chrf"), metric("dr"), metric("act")])
    systems = len(demo.evalset.systems)
    for name in ("chrf", "dr", "act", "act(target_sense=model)", "cohesion"):
        assert (calls[f"{name} prepare"], calls[f"{name} statistics"]) == (1, systems), name
    assert max(annotated.values()) == 1, "each line and each document is annotated once"
    assert report.data["explanations"]


def test_metrics_share_an_aligner(demo: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[int] = []
    spy(monkeypatch, Aligner, "fit", lambda one, _: fitted.append(len(one)))
    demo.score(["act", "terms", "pronouns"])
    assert len(fitted) == 1, "one set, one pair of languages, one aligner"
    Evaluation(demo.evalset.select()).score(["terms"])
    assert len(fitted) == 2, "nothing is kept beyond the set"


def test_metrics_and_their_parts_are_computed_once() -> None:
    Counting.calls.clear()
    evaluation = Evaluation(SET)
    table = evaluation.score([Twice(), Counting(), Twice(Twice())])
    evaluation.score([Shown(), Counting()])
    evaluation.explain(Shown(), segments=[1, 2])
    assert Counting.calls == ["prepare", "statistics", "statistics"]  # once per system
    np.testing.assert_array_equal(table["twice"].system, 2 * table["counting"].system)
    np.testing.assert_array_equal(table["twice(of=twice)"].system, 4 * table["counting"].system)


def test_exactly_what_is_needed_is_annotated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each side has the layers that some metric reads of it; a line of two sides has both."""
    asked: dict[tuple[str, str], set[str]] = {}

    def annotate(
        texts: list[str], layers: frozenset[AnyLayer], lang: str, **rest: object
    ) -> dict[str, str]:
        for text in texts:
            assert (lang, text) not in asked, "asked for twice"
            asked[lang, text] = {str(layer) for layer in layers}
        return {text: f"analysis of {text}" for text in texts}

    monkeypatch.setattr("albeit.parsing.annotation.annotate", annotate)
    evalset = EvalSet(
        {"r": ("one", "same")}, {"a": ("two", "same")}, ("eins", "gleich"), source_lang="de"
    )
    reader = Reader("tokens", "hypothesis"), Reader("edus", "reference"), Reader("rst", "source")
    (batch,) = scoring.make_batches(scoring.prepare_job(evalset, reader), evalset)
    assert asked == {
        ("en", "one"): {"edus"},
        ("en", "two"): {"tokens"},
        ("en", "same"): {"tokens", "edus"},
        ("de", "eins"): {"rst"},
        ("de", "gleich"): {"rst"},
    }
    for line in ("one", "two", "same"):
        assert batch.analyses[line] == f"analysis of {line}"
    assert list(batch.source_analyses) == ["eins", "gleich"]
    asked.clear()
    scoring.make_batches(scoring.prepare_job(evalset, [Exact()]), evalset)
    assert not asked


TEXTS: dict[str, Any] = {"references": {"r": ("a",)}, "systems": {"s": ("a",)}}
BARE = EvalSet({}, {"s": ("x",)})
SOURCE = EvalSet(**TEXTS, source=("ein Text",))
WITH_LANG = EvalSet(**TEXTS, source=("ein Text",), source_lang="de")


@pytest.mark.parametrize(
    ("evalset", "metrics", "workers", "message"),
    [
        (SET, [Exact()], -1, "workers must be 0"),
        (SET, [Sloppy()], 1, r"sloppy returned .* shape \(2, 2\) for 3 seg"),
        (BARE, [Exact(), Opening()], 1, r"(?s)exact needs at least one.*opening needs at least"),
        (BARE, [Failing()], 1, "needs at least one reference"),
        (SOURCE, [Reader("rst", "source")], 1, "the source language must be known"),
        (WITH_LANG, [Reader("rst", "source")], 1, r"reader.*'de'"),
    ],
)
def test_wrong_calls(evalset: EvalSet, metrics: list[Metric], workers: int, message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        score(evalset, metrics, workers=workers)


def test_which_metrics_are_usable_and_why_others_are_not() -> None:
    metrics: list[Metric] = [metric("chrf"), metric("dr"), metric("cohesion"), metric("act")]
    able, reasons = Evaluation(GERMAN).usable(metrics)
    assert able == [metric("chrf")]
    told = {str(each): str(why) for each, why in reasons.items()}
    assert "rst, tokens for 'de'" in told["dr"]
    assert "Give --docs" in told["cohesion"]
    assert "source" in told["act"]


def test_a_layer_without_annotator_is_an_error_before_any_work(tmp_path: Path) -> None:
    Counting.calls.clear()
    evaluation = Evaluation(GERMAN, store=Store(tmp_path / "runs"))
    with pytest.raises(LanguageError, match="no rst"):
        evaluation.score([Counting(), Reader("rst")])
    assert not Counting.calls


def test_explanations_of_segments_documents_and_systems_are_in_order() -> None:
    views = explain(SET, Shown(), segments=[3], documents=["first"])
    found = [(view.place, view.system, view.score) for view in views]
    assert found == [
        *((3, "one", 1), (3, "two", 0)),
        *((1, "one", 1), (1, "two", 0)),
        *((2, "one", 0), (2, "two", 1)),
    ]
    assert [text.name for text in views[0].texts] == ["one", "ref"]
    evaluation = Evaluation(SET)
    first, second = evaluation.passages(Shown(), segments=[1, 3])
    some = evaluation.views([Shown()], [first, second], {first: ["two"], second: ["one", "two"]})
    assert [(v.place, v.system) for _, v in some] == [(1, "two"), (3, "one"), (3, "two")]
