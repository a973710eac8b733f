"""``albeit explain`` with the shipped model: every format, metrics of every kind, errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from albeit.metrics import registry
from tests.cli.conftest import Run
from tests.report.page.conftest import data_of

REFERENCE = "Analysts suggest the bank should lend, because markets would welcome it."
GOOD = "Analysts suggest that the bank should lend, because markets would like it."
BAD = "The bank analysts lend."


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of two lines; nothing is kept in the user's cache."""
    for name, line in {"ref": REFERENCE, "good": GOOD, "bad": BAD}.items():
        (tmp_path / f"{name}.txt").write_text(f"It rained.\n{line}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    return tmp_path


def losses(text: str) -> list[float]:
    """What the text says was lost, node by node."""
    return [float(n) for n in re.findall(r"^ +(-?\d\.\d{4})  ", text, re.MULTILINE)]


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("metric", ["dr", "dr-lex"])
def test_trees_side_by_side_and_where_the_score_was_lost(albeit: Run, metric: str) -> None:
    done = albeit("explain", "ref.txt", "-i", "good.txt", "bad.txt", "-n", "2", "-m", metric)
    assert done.status == 0
    good, bad = done.out.split("== bad")
    assert good.startswith("== good, segment 2")
    scores = [float(n) for n in re.findall(rf"^{metric} = (\S+)", done.out, re.MULTILINE)]
    assert scores[0] > scores[1]
    for part, score in zip((good, bad), scores, strict=True):
        assert sum(losses(part)) == pytest.approx(1 - score, abs=5e-3)
    assert "The bank analysts lend ." in bad


@pytest.mark.usefixtures("texts")
def test_several_metrics_stand_together_by_text(albeit: Run) -> None:
    Path("why.toml").write_text('[explain]\nmetrics = ["chrf", "ter"]\nsegment = [2]\n')
    texts = ("ref.txt", "-i", "good.txt", "bad.txt")
    done = albeit("explain", *texts, "-n", "2", "-m", "chrf", "ter", "-f", "json")
    assert done.status == 0, done.err
    views = json.loads(done.out)
    named = [(view["system"], view["metric"]) for view in views]
    assert named == [(s, m) for s in ("good", "bad") for m in ("chrf", "ter")]
    assert albeit("explain", *texts, "--config", "why.toml", "-f", "json").out == done.out
    assert albeit("explain", *texts, "-n", "2", "--metric", "ter").status == 0
    alone = [
        json.loads(albeit("explain", *texts, "-n", "2", "-m", m, "-f", "json").out)
        for m in ("chrf", "ter")
    ]
    assert [each[system] for system in (0, 1) for each in alone] == views


@pytest.mark.usefixtures("texts")
def test_what_one_of_several_metrics_cannot_is_refused(albeit: Run) -> None:
    texts = ("ref.txt", "-i", "good.txt", "-n", "2")
    done = albeit("explain", *texts, "-m", "ter", "dr", "--lang", "de")
    assert (done.status, done.out) == (2, "")
    assert "dr" in done.err
    done = albeit("explain", *texts, "-m", "ter", "dr", "--lang", "de", "--skip-unusable")
    assert done.status == 0
    assert "left out 1 of 2 metrics" in done.err


@pytest.mark.usefixtures("texts")
def test_the_same_text_loses_nothing(albeit: Run) -> None:
    done = albeit("explain", "ref.txt", "-i", "ref.txt", "-n", "2")
    assert "dr = 1.0000" in done.out
    assert "≠" not in done.out


@pytest.mark.usefixtures("texts")
def test_html_page(albeit: Run) -> None:
    command = ("explain", "ref.txt", "-i", "good.txt", "bad.txt", "-n", "2", "-f")
    page = albeit(*command, "html").out
    assert page.lower().startswith("<!doctype html>")
    assert "albeit views" in page


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "sim", "dr-lex"])
def test_json_states_the_score_of_albeit_score(albeit: Run, metric: str) -> None:
    inputs = ("ref.txt", "good.txt", "-i", "good.txt", "bad.txt")
    done = albeit("explain", *inputs, "-n", "1", "-n", "2", "-m", metric, "-f", "json")
    table = albeit("score", *inputs, "-m", metric, "--level", "segment", "-f", "tsv").out
    assert done.status == 0
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")][1:]
    scores = {(row[0], row[-2]): float(row[-1]) for row in rows}
    for view in json.loads(done.out):
        assert view["score"] == pytest.approx(scores[view["system"], str(view["place"])], abs=1e-9)


def test_a_document(files: Path, albeit: Run) -> None:
    (files / "r.txt").write_text("A dog came.\nThe dog left.\nA cat.\nThe cat.\n", encoding="utf-8")
    (files / "s.txt").write_text("A dog came.\nIt left.\nA cat.\nThe cat.\n", encoding="utf-8")
    command = ("explain", "r.txt", "-i", "s.txt", "--docs", "docs.txt", "-m")
    done = albeit(*command, "cohesion(average=recall)", "-d", "one", "two")
    assert "== s, document one\ncohesion(average=recall) = 0.0000" in done.out
    assert "1.0000  only one of the texts has chains" in done.out
    assert "document two\ncohesion(average=recall) = 1.0000" in done.out
    assert albeit(*command, "ter", "-d", "two").out.count("ter = 0.0000") == 2


def test_a_metric_of_ones_own(files: Path, albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILTIN, "shown", "tests.evaluation.toys:Shown")
    command = ("explain", "ref.txt", "-i", "bad.txt", "good.txt", "-n", "1", "-m", "shown")
    bad, good = albeit(*command).out.split("== good")
    assert "shown = 0.0000" in bad
    assert "1.0000  not the same" in bad
    assert "shown = 1.0000" in good
    assert "lost" not in good
    assert "albeit views" in albeit(*command, "-f", "html").out
    assert "shown" in albeit("metrics").out.splitlines()[-1]


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "specify what to explain"),
        (("-n", "3"), "there is no segment 3"),
        (("-n", "2", "-m", "meteor"), "has no explanations"),
        (("-n", "2", "-m", "cohesion"), "--document"),
        (("-n", "2", "-m", "ter", "--annotations", "a.rs3"), "--annotations has no effect"),
        (("-n", "2", "--lang", "de"), "de"),
    ],
)
def test_mistakes_are_reported(albeit: Run, arguments: tuple[str, ...], message: str) -> None:
    done = albeit("explain", "ref.txt", "-i", "good.txt", *arguments)
    assert done.status != 0
    assert done.out == ""
    assert message in done.err


def test_scores_of_other_tools_stand_in_the_notes(files: Path, albeit: Run) -> None:
    lines = [f"{name}\t{n + at}\n" for name, at in (("bad", 0.125), ("x", 0)) for n in range(4)]
    (files / "COMET.seg.score").write_text("".join(lines))
    (files / "TER.sys.score").write_text("bad\t0.5\n")
    command = ("explain", "ref.txt", "-i", "bad.txt", "--docs", "docs.txt")
    scores = ("--scores", "COMET.seg.score")
    done = albeit(*command, "-n", "3", "-m", "chrf", *scores)
    assert done.status == 0, done.err
    assert done.out.endswith("COMET: 2.1250 (read from a file)\n")
    assert "'x'; left out" in done.err
    found = json.loads(albeit(*command, "-d", "two", "-m", "chrf", *scores, "-f", "json").out)
    assert [view["notes"][-1] for view in found] == [
        "COMET: 2.1250 (read from a file)",
        "COMET: 3.1250 (read from a file)",
    ]
    whole = albeit(*command, "-d", "two", "-m", "cohesion", *scores)
    assert "COMET: 2.6250 (read from a file)" in whole.out
    page = albeit(*command, "-n", "3", "-m", "chrf", *scores, "-f", "html").out
    assert "COMET: 2.1250 (read from a file)" in json.dumps(data_of(page))
    none = albeit(*command, "-n", "3", "-m", "chrf", "--scores", "TER.sys.score")
    assert (none.status, none.out) == (2, "")
    assert "TER has no segment scores" in none.err
