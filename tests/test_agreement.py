"""Agreement between paths: one question has one answer, whichever way it is asked.

Each test takes two ways to the same figures over the demonstration set and over odd sets, and
compares them to the last bit, where nothing is said to the contrary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import albeit as api
from albeit.cli import main
from albeit.data.evalset import Document, EvalSet
from albeit.evaluation import Evaluation, Store, explain
from albeit.metrics.registry import metric
from albeit.metrics.table import ScoreTable
from albeit.report.page.build import make_report
from albeit.report.views import page_view
from albeit.serve.job import work
from tests.conftest import ROOT

Command = Callable[..., Any]
FOLDER = ROOT / "examples" / "demo"
SYSTEMS = ("careful", "scattered", "blunt", "shuffled")
REFERENCES = ("ref.A.txt", "ref.B.txt")
TEXTS = (
    *(str(FOLDER / name) for name in REFERENCES),
    "-i",
    *(str(FOLDER / f"systems/{name}.txt") for name in SYSTEMS),
    "--source",
    str(FOLDER / "src.txt"),
    "--docs",
    str(FOLDER / "docids.txt"),
    "--source-lang",
    "de",
    "--lang",
    "en",
)
LINES = ("bleu", "chrf", "ter", "nist", "dr", "sim", "act(target_sense=model)")
DOCUMENTS = ("cohesion", "rc", "terms", "pronouns", "hybrid(chrf)")
ODD = {
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


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def demo() -> EvalSet:
    return api.build_evalset(
        [FOLDER / name for name in REFERENCES],
        [FOLDER / f"systems/{name}.txt" for name in SYSTEMS],
        source=FOLDER / "src.txt",
        docs=FOLDER / "docids.txt",
        source_lang="de",
        target_lang="en",
    )


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """What a command prints, as JSON."""

    def run(*arguments: str) -> Any:
        status = main([*arguments, "-f", "json"])
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return json.loads(captured.out)

    return run


def of(evalset: EvalSet, names: Sequence[str] = (*LINES, *DOCUMENTS)) -> list[str]:
    """The metrics that can score a set."""
    able, _ = Evaluation(evalset).usable([metric(name) for name in names])
    return [str(each) for each in able]


def sets(demo: EvalSet) -> dict[str, EvalSet]:
    return {"demonstration": demo, **ODD}


def same(one: ScoreTable, other: ScoreTable) -> None:
    """Signatures and scores at every level, to the last bit."""
    assert one.metrics == other.metrics
    for name, column in one.columns.items():
        assert str(other[name].signature) == str(column.signature)
        for level in ("system", "document", "segment"):
            left, right = getattr(column, level), getattr(other[name], level)
            np.testing.assert_array_equal(left, right, err_msg=f"{name}, {level}")


def test_together_is_alone(demo: EvalSet) -> None:
    for evalset in sets(demo).values():
        names = of(evalset)
        together = api.score(evalset, names)
        for name in names:
            same(api.score(evalset, [name]), together.select([name]))


def test_cold_is_warm(demo: EvalSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, evalset in enumerate(sets(demo).values()):
        names, store = of(evalset), Store(tmp_path / str(number))
        cold = api.score(evalset, names, store=store)
        same(cold, api.score(evalset, names, store=store))
        same(cold, api.score(evalset, names))  # analyses from the cache, statistics made anew
        with monkeypatch.context() as patch:
            patch.setenv("ALBEIT_CACHE", "off")
            same(cold, api.score(evalset, names))


def test_one_system_is_the_same_among_others(demo: EvalSet) -> None:
    """Those that align words included: the aligner learns from source and references."""
    for evalset in sets(demo).values():
        names = of(evalset)
        among = api.score(evalset, names)
        for row, system in enumerate(evalset.systems):
            alone = api.score(evalset.select([system]), names)
            for name, column in alone.columns.items():
                for level in ("system", "document", "segment"):
                    values = getattr(column, level)
                    if values is not None:
                        np.testing.assert_array_equal(values[0], getattr(among[name], level)[row])


def test_shuffled_documents_are_ordered_ones(demo: EvalSet) -> None:
    """Documents score the same, to the last bit; sums over them are taken in another order.

    NIST adds up the weights of a segment's n-grams in the order in which the set has them.
    """
    order = [2, 0, 3, 1]
    rows = [n for d in order for n in range(demo.documents[d].start, demo.documents[d].stop)]
    names = of(demo)
    ordered, shuffled = api.score(demo, names), api.score(demo.take(rows), names)
    for name, column in ordered.columns.items():
        other = shuffled[name]
        np.testing.assert_allclose(other.system, column.system, rtol=1e-12, err_msg=name)
        near = 1e-12 if name == "nist" else 0.0
        documents = column.at("document")[:, order]
        np.testing.assert_allclose(other.at("document"), documents, rtol=near, err_msg=name)
        if column.segment is not None:
            segments = column.segment[:, rows]
            np.testing.assert_allclose(other.at("segment"), segments, rtol=near, err_msg=name)


def test_streamed_is_whole(command: Command, tmp_path: Path) -> None:
    metrics = ("-m", "bleu", "chrf", "dr", "cohesion")
    whole = command("score", *TEXTS, *metrics)
    for size in ("1", "5", "1000"):
        run = ("--out", str(tmp_path / size), "--batch-size", size)
        streamed = command("score", *TEXTS, *metrics, *run)
        assert streamed["rows"] == whole["rows"], size


def test_command_python_and_server(
    demo: EvalSet,
    command: Command,
    tmp_path: Path,
) -> None:
    names = ["chrf", "dr", "cohesion", "act(target_sense=model)"]
    table = api.score(demo, names)
    done = command("score", *TEXTS, "-m", *names)
    printed = {row["system"]: row for row in done["rows"]}
    run = tmp_path / "20260101-000000-00000000"
    run.mkdir()
    (run / "request.json").write_text(json.dumps(_request(demo, names)))
    work(run)
    served = json.loads((run / "scores.json").read_text())
    for name in names:
        expected = table[name].system.tolist()
        assert served[name] == expected, name
        assert [printed[system][name] for system in demo.systems] == expected, name


def _request(evalset: EvalSet, metrics: Sequence[str]) -> dict[str, object]:
    def texts(named: object) -> list[dict[str, str]]:
        assert hasattr(named, "items")
        return [{"name": n, "text": "\n".join(lines)} for n, lines in named.items()]

    return {
        "references": texts(evalset.references),
        "systems": texts(evalset.systems),
        "source": "\n".join(evalset.source or ()),
        "documents": "\n".join(evalset.document_ids()),
        "source_lang": "de",
        "lang": "en",
        "metrics": list(metrics),
        "profile": "none",
    }


def test_a_report_shows_the_scores_that_are_compared(
    demo: EvalSet,
    command: Command,
) -> None:
    report = make_report(Evaluation(demo), [metric("chrf"), metric("dr")], explain=0)
    done = command("compare", *TEXTS, "-m", "chrf", "dr")
    compared = {row["system"]: row for row in done["rows"]}
    for column in report.data["metrics"]:
        shown = dict(zip(report.data["systems"], column["system"], strict=True))
        for system, row in compared.items():
            assert shown[system] == row[f"{column['name']}.score"]


@pytest.mark.parametrize("name", ["chrf", "ter", "dr"])
def test_a_report_holds_the_views_of_explain(demo: EvalSet, name: str) -> None:
    chosen = metric(name)
    report = make_report(Evaluation(demo), [chosen], profile="none", explain=None)
    for number in range(len(demo)):
        views = explain(demo, chosen, segments=[number + 1])
        shown = [page_view(view, brief=True) for view in views]
        assert report.data["explanations"][str(number)][name] == shown
        scores = report.table[name].at("segment")[:, number]
        assert [view.score for view in views] == scores.tolist()


def test_one_and_several_processes(demo: EvalSet) -> None:
    names = ["chrf", "dr", "cohesion"]
    same(api.score(demo, names), api.score(demo, names, workers=2))


def test_act_is_one_number(demo: EvalSet, command: Command) -> None:
    own = "target_sense=model"
    names = {"ACTa": f"act(variant=a,{own})", "ACTa5+6": f"act(variant=a56,{own})"}
    table = api.score(replace(demo, documents=()), list(names.values()))
    texts = [text for text in TEXTS if not text.endswith("docids.txt") and text != "--docs"]
    done = command("act", "score", *texts)
    rows = {row["system"]: row for row in done["rows"]}
    for column, name in names.items():
        for system, value in zip(table.systems, table[name].system, strict=True):
            said = rows[system][column]
            figure = said["value"] if isinstance(said, dict) else said
            assert figure == pytest.approx(value)
