"""Agreement between paths: one question has one answer, whichever way it is asked.

Each test takes two ways to the same figures over the demonstration set and over odd sets, and
compares them to the last bit, where nothing is said to the contrary.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import albeit as api
from albeit.data.evalset import Document, EvalSet
from albeit.evaluation import Evaluation, Store, explain
from albeit.metrics import TEXT, FloatArray, MeanMetric, mean_statistics, read
from albeit.metrics.registry import metric
from albeit.metrics.table import ScoreTable
from albeit.report.page.build import make_report
from albeit.report.views import page_view
from albeit.serve.job import work
from tests.cli.conftest import DEMO, Run, albeit, own_cache
from tests.serve.demonstration import request as demonstration_request

__all__ = ["albeit", "own_cache"]

SYSTEMS = sorted((DEMO / "systems").glob("*.txt"))
REFERENCES = [DEMO / "ref.A.txt", DEMO / "ref.B.txt"]
LINES = ("bleu", "chrf", "ter", "nist", "dr", "sim", "act(target_sense=model)")
DOCUMENTS = ("cohesion", "rc", "terms", "pronouns", "hybrid(chrf)")
DEMONSTRATION = replace(
    api.build_evalset(REFERENCES, SYSTEMS, source=DEMO / "src.txt", docs=DEMO / "docids.txt"),
    source_lang="de",
    target_lang="en",
)
SETS = {
    "demonstration": DEMONSTRATION,
    "one segment": EvalSet({"r": ("It rained.",)}, {"a": ("It rained.",), "b": ("No.",)}),
    "empty lines": EvalSet(
        {"r": ("", "We left, because it rained.", "")},
        {"a": ("", "", "Yes"), "b": ("We left.", "We left, because it rained.", "")},
        documents=(Document("x", 0, 1), Document("y", 1, 3)),
    ),
    "one text throughout": EvalSet(
        {"r": ("The dog barked.",) * 3},
        {"a": ("The dog barked.",) * 3, "b": ("The dog barked.",) * 3},
    ),
}


def usable(evalset: EvalSet) -> list[str]:
    """The metrics that can score a set."""
    able, _ = Evaluation(evalset).usable([metric(name) for name in (*LINES, *DOCUMENTS)])
    return [str(each) for each in able]


def same(one: ScoreTable, other: ScoreTable) -> None:
    """Signatures and scores at every level, to the last bit."""
    assert one.metrics == other.metrics
    for name, column in one.columns.items():
        assert str(other[name].signature) == str(column.signature)
        for level in ("system", "document", "segment"):
            left, right = getattr(column, level), getattr(other[name], level)
            np.testing.assert_array_equal(left, right, err_msg=f"{name}, {level}")


@pytest.mark.parametrize("name", SETS)
def test_one_table_by_all_ways(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the store, with annotations from the cache, without a cache, or metric by metric."""
    evalset, store = SETS[name], Store(tmp_path)
    names = usable(evalset)
    table = api.score(evalset, names, store=store)
    same(table, api.score(evalset, names, store=store))
    same(table, api.score(evalset, names))
    for each in names:
        same(table.select([each]), api.score(evalset, [each]))
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    same(table, api.score(evalset, names))


@pytest.mark.parametrize("name", SETS)
def test_one_system_is_the_same_among_others(name: str) -> None:
    """Those that align words included: the aligner learns from source and references."""
    evalset = SETS[name]
    names = usable(evalset)
    among = api.score(evalset, names)
    for row, system in enumerate(evalset.systems):
        alone = api.score(evalset.select([system]), names)
        for each, column in alone.columns.items():
            for level in ("system", "document", "segment"):
                values = getattr(column, level)
                if values is not None:
                    np.testing.assert_array_equal(values[0], getattr(among[each], level)[row])


def test_shuffled_documents_are_ordered_ones() -> None:
    """Documents score the same, to the last bit; sums over them are taken in another order.

    NIST adds up the weights of a segment's n-grams in the order in which the set has them.
    """
    order, names = [2, 0, 3, 1], usable(DEMONSTRATION)
    documents = [DEMONSTRATION.documents[d] for d in order]
    rows = [n for d in documents for n in range(d.start, d.stop)]
    ordered, shuffled = (
        api.score(each, names) for each in (DEMONSTRATION, DEMONSTRATION.take(rows))
    )
    for name, column in ordered.columns.items():
        other = shuffled[name]
        np.testing.assert_allclose(other.system, column.system, rtol=1e-12, err_msg=name)
        near = 1e-12 if name == "nist" else 0.0
        expected = column.at("document")[:, order]
        np.testing.assert_allclose(other.at("document"), expected, rtol=near, err_msg=name)
        if column.segment is not None:
            expected = column.segment[:, rows]
            np.testing.assert_allclose(other.at("segment"), expected, rtol=near, err_msg=name)


TEXTS = " ".join(map(str, (*REFERENCES, "-i", *SYSTEMS, "--source", DEMO / "src.txt")))
LANGUAGES = "--source-lang de --lang en"


def test_command_python_and_server(albeit: Run, tmp_path: Path) -> None:
    names = ["chrf", "dr", "cohesion", "act(target_sense=model)"]
    table = api.score(DEMONSTRATION, names)
    words = f"score {TEXTS} {LANGUAGES} --docs {DEMO / 'docids.txt'} -f json -m"
    printed = albeit(words, *(f"'{name}'" for name in names)).data["rows"]
    run = tmp_path / "20260101-000000-00000000"
    run.mkdir()
    asked = demonstration_request() | {"metrics": names, "profile": "none"}
    (run / "request.json").write_text(json.dumps(asked))
    work(run)
    served = json.loads((run / "scores.json").read_text())
    for name in names:
        expected = table[name].system.tolist()
        assert served[name] == expected, name
        assert [row[name] for row in printed] == expected, name


@pytest.mark.parametrize("name", ["chrf", "ter", "dr"])
def test_a_report_holds_the_views_of_explain(name: str) -> None:
    chosen = metric(name)
    report = make_report(Evaluation(DEMONSTRATION), [chosen], profile="none", explain=None)
    for number in range(len(DEMONSTRATION)):
        views = explain(DEMONSTRATION, chosen, segments=[number + 1])
        shown = [page_view(view, brief=True) for view in views]
        assert report.data["explanations"][str(number)][name] == shown
        scores = report.table[name].at("segment")[:, number]
        assert [view.score for view in views] == scores.tolist()


def test_act_is_one_number(albeit: Run) -> None:
    own = "target_sense=model"
    names = {"ACTa": f"act(variant=a,{own})", "ACTa5+6": f"act(variant=a56,{own})"}
    table = api.score(replace(DEMONSTRATION, documents=()), list(names.values()))
    rows = albeit(f"act score {TEXTS} {LANGUAGES} -f json").data["rows"]
    for column, name in names.items():
        said = [row[column] for row in rows]
        figures = [each["value"] if isinstance(each, dict) else each for each in said]
        assert figures == pytest.approx(table[name].system)


@dataclass(frozen=True)
class Peeping(MeanMetric):
    """Counts the references that it receives, and needs none."""

    name: ClassVar[str] = "peeping"
    summary: ClassVar[str] = "references that aren't in the needs"

    @property
    def needs(self) -> frozenset[api.Need]:
        return read(TEXT, side=api.Side.HYPOTHESIS)

    def statistics(self, batch: api.Batch, context: Any) -> FloatArray:
        return mean_statistics([float(len(batch.references))] * len(batch))


def test_a_metric_sees_what_it_asked_for() -> None:
    assert not api.score(DEMONSTRATION, [Peeping()])["peeping"].system.any()
    without = replace(DEMONSTRATION, references={})
    said = {str(api.score(each, ["terms"])["terms"].signature) for each in (DEMONSTRATION, without)}
    assert len(said) == 2
