"""What a report has: explanations that add up, chains, a profile, and no keys for absent data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from albeit import Document, EvalSet, score
from albeit.evaluation import Evaluation
from albeit.metrics import Signature
from albeit.metrics.table import ScoreTable
from albeit.report.page import render_page
from albeit.report.page.build import most_different, report_data
from albeit.report.profile import document_readers, profile_metrics
from albeit.report.scores import score_table
from tests.report.page.conftest import data_of


def test_the_segments_explained_are_those_on_which_systems_differ_most(table: ScoreTable) -> None:
    apart = abs(table["chrf"].at("segment")[0] - table["chrf"].at("segment")[1])
    only = table.select(["chrf"])
    assert most_different(only, 1) == [int(apart.argmax())]
    assert most_different(only, 0) == []
    assert most_different(only, None) == [0, 1, 2, 3]
    segment = only["chrf"].at("segment")[1:]
    columns = {"chrf": only["chrf"]._replace(segment=segment)}
    alone = replace(only, systems=("bad",), columns=columns)
    assert most_different(alone, 1) == [int(segment.argmin())]


def test_a_report_says_only_what_there_is(evalset: EvalSet) -> None:
    bare = EvalSet(references={}, systems={"a": evalset.systems["good"]}, source=("x",) * 4)
    empty = ScoreTable.build(bare, ())
    data = report_data(Evaluation(bare), empty)
    for key in ("explanations", "chains", "profile", "agreement", "tests", "buckets", "explain_at"):
        assert key not in data
    assert "documents" not in data["set"]


def test_profile_has_scores_tests_coverage_and_the_worst_places(evalset: EvalSet) -> None:
    names = ["pronouns", "pronouns-free", "terms", "coref", "cohesion", "dr", "on-target"]
    assert [str(m) for m in profile_metrics(Evaluation(evalset), extent="all")] == names
    usual = ["pronouns", "terms", "cohesion", "dr", "on-target"]
    assert [str(m) for m in profile_metrics(Evaluation(evalset))] == usual
    assert [str(m) for m in document_readers(Evaluation(evalset))] == ["pronouns-free", "coref"]
    assert profile_metrics(Evaluation(evalset), extent="none") == []
    profile = score(evalset, ["cohesion"])
    data = report_data(Evaluation(evalset), score(evalset, ["chrf"]), profile, explain=0)
    unscored, row = data["profile"]
    assert unscored["name"] == "pronouns in context"
    assert [one["score"] for one in unscored["systems"]] == [None, None]
    assert [one["likely_faults"]["count"] for one in unscored["systems"]] == [0, 0]
    assert row["coverage"] == "2 documents"
    assert len(row["systems"]) == 2
    assert {"score", "interval", "p"} <= row["systems"][1].keys()
    assert row["worst"]
    assert all(one["score"] < 1 and one["segment"] in range(1, 5) for one in row["worst"])
    assert [set(data["chains"])] == [{"one", "two"}]
    assert "--profile all" in data["left_out"]["coreference"]
    assert "needs the source" in data["left_out"]["connectives"]


def test_connectives_are_in_the_profile_where_the_direction_has_a_lexicon() -> None:
    evalset = EvalSet(
        references={"ref": ("Obwohl es regnete, ging sie.", "Er blieb.")},
        systems={"a": ("Seit es regnete, ging sie.", "Er blieb.")},
        source=("Although it rained, she went.", "He stayed."),
        source_lang="en",
        target_lang="de",
    )
    assert [str(m) for m in profile_metrics(Evaluation(evalset))] == ["act", "on-target"]
    table, profile = score(evalset, ["chrf"]), score(evalset, ["act"])
    data = report_data(Evaluation(evalset), table, profile, explain=0)
    (row,) = data["profile"]
    assert row["coverage"] == "1 connectives"
    (worst,) = row["worst"]
    assert worst["segment"] == 1
    assert "although" in worst["what"]
    assert worst["marks"] == {"reference": [[0, 6]], "source": [[0, 8]]}


def test_buckets_by_domain_and_connective() -> None:
    lines = tuple(f"It rained although {n} left." if n % 2 else "He left." for n in range(20))
    documents = (Document("x", 0, 10, "news"), Document("y", 10, 20, "speech"))
    evalset = EvalSet({"ref": lines}, {"a": lines}, documents=documents)
    data = report_data(Evaluation(evalset), score(evalset, ["chrf"]), explain=0)
    by = {bucket["by"]: bucket["groups"] for bucket in data["buckets"]}
    assert [(g["label"], g["count"]) for g in by["domain"]] == [("news", 10), ("speech", 10)]
    assert "connective in the reference" not in by  # one connective alone is no comparison
    some = tuple(line.replace("although", "because") for line in lines[:10]) + lines[10:]
    both = EvalSet({"ref": some}, {"a": some})
    data = report_data(Evaluation(both), score(both, ["chrf"]), explain=0)
    by = {bucket["by"]: bucket["groups"] for bucket in data["buckets"]}
    groups = {group["label"]: group["count"] for group in by["connective in the reference"]}
    assert groups == {"although": 5, "because": 5}


def test_scores_come_back_from_the_page(evalset: EvalSet, table: ScoreTable) -> None:
    data = data_of(render_page(report_data(Evaluation(evalset), table, explain=0)))
    by = {bucket["by"]: bucket["groups"] for bucket in data["buckets"]}
    assert [group["label"] for group in by["document"]] == ["one", "two"]
    (negation,) = (group for group in by["phenomenon"] if group["label"] == "negation")
    assert (negation["count"], len(negation["scores"]["chrf"][0])) == (1, 1)  # no interval
    assert "cohesion" not in negation["scores"]
    chrf = next(metric for metric in data["metrics"] if metric["name"] == "chrf")
    for row, scores in zip(chrf["segment"], table["chrf"].at("segment"), strict=True):
        assert row == pytest.approx(scores.tolist(), abs=0.01)
    texts = evalset.references["ref"], *evalset.systems.values()
    assert data["lines"][3] == [text[3] for text in texts]


@pytest.mark.parametrize(("reads", "count"), [("source", 1), ("source+reference", 0)])
def test_metrics_that_systems_are_not_ranked_by_are_named(
    reads: str, count: int, table: ScoreTable
) -> None:
    signature = Signature("judge-many", (("reads", reads),))
    column = table["chrf"]._replace(
        name="judge-many", signature=signature, metric=None, statistics=None
    )
    both = table.select(["chrf"]).with_columns([column])
    caveats = report_data(None, both).get("warnings", [])
    assert [each[:35] for each in caveats] == ["Don't rank systems by judge-many: w"] * count
    assert score_table(both).notes[:count] == tuple(caveats)
