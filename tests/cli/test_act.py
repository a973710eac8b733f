from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.metrics.connectives.conftest import BAD, GOOD, REFERENCE, SOURCE

SET = (
    "ref.de",
    "-i",
    "good.de",
    "bad.de",
    "--source",
    "src.en",
    "--source-lang",
    "en",
    "--lang",
    "de",
    "--aligner",
    "no",
)


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, lines in (
        ("src.en", SOURCE),
        ("ref.de", REFERENCE),
        ("good.de", GOOD),
        ("bad.de", BAD),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_score(albeit: Run) -> None:
    done = albeit("act", "score", *SET)
    assert done.status == 0
    assert "good     1.000 [0.510, 1.000]     1.000      1.000" in done.out
    assert "act|preset:careful" in done.out


def test_decisions_say_why(albeit: Run, tmp_path: Path) -> None:
    assert albeit("act", "score", *SET, "--decisions", "d.tsv").status == 0
    rows = [line.split("\t") for line in (tmp_path / "d.tsv").read_text().splitlines()]
    assert rows[0][:5] == ["system", "line", "connective", "case", "credit"]
    assert len(rows) == 1 + 2 * 4
    assert rows[1] == [
        "good",
        "1",
        "although",
        "2",
        "1.0",
        "obwohl",
        "only candidate",
        "auch wenn",
        "only candidate",
    ]


def test_score_as_json(albeit: Run) -> None:
    done = albeit("act", "score", *SET, "-f", "json", "--preset", "classic")
    assert done.status == 0
    assert '"ACTa"' in json.dumps(json.loads(done.out))


def test_report(albeit: Run) -> None:
    done = albeit("act", "report", *SET, "--system", "bad", "--least", "1", "--resamples", "50")
    assert done.status == 0
    for part in ("bad: by connective", "bad: by sense", "Systems compared", "since        da"):
        assert part in done.out
    assert albeit("act", "report", *SET, "--system", "ugly").status == 2


def test_annotate_and_merge(albeit: Run, tmp_path: Path) -> None:
    (tmp_path / "ref.de").write_text("Es regnet.\nNichts.\nEr wartet.\nEs regnet.\n")
    sheet = albeit("act", "annotate", *SET).out
    assert sheet.count("\ngood:") == 4
    judged = "\n".join(
        line + "correct" if line.startswith("good:") else line for line in sheet.splitlines()
    )
    (tmp_path / "anna.tsv").write_text(judged + "\n")
    twice = albeit("act", "merge", "anna.tsv", "./anna.tsv", "-f", "json")
    assert (twice.status, twice.out) == (2, "")
    assert "anna.tsv: is given twice. Give each annotator's sheet once." in twice.err
    (tmp_path / "ben.tsv").write_text(judged + "\n")
    merged = albeit("act", "merge", "anna.tsv", "ben.tsv", "-f", "json")
    assert merged.status == 0
    assert "kappa" in merged.out
    plain = albeit("act", "merge", "anna.tsv")
    assert "good     0.000   1.000   1.000   1.000        4      0" in plain.out
    assert albeit("act", "annotate", *SET, "-o", "sheet.html").out == ""
    assert (tmp_path / "sheet.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("act",), "the following arguments are required: ACTION"),
        (("act", "score", *SET[:-4], "--lang", "ja"), "no connective lexicon for en-ja"),
        (("act", "score", *SET, "--alignments", "x"), "alignments are given as NAME=FILE"),
        (("act", "score", "ref.de", "-i", "good.de", "--lang", "de"), "needs the source text"),
        (("act", "merge", "none.tsv"), "none.tsv"),
    ],
)
def test_mistakes(albeit: Run, arguments: tuple[str, ...], message: str) -> None:
    done = albeit(*arguments)
    assert done.status == 2
    assert message in done.err
    assert done.out == ""


def test_an_aligner_trained_with_a_bitext_is_kept(albeit: Run, tmp_path: Path) -> None:
    own = SET[:-2]
    done = albeit("act", "score", *own, "--bitext", "src.en", "ref.de", "--save-aligner", "a.npz")
    assert done.status == 0
    again = albeit("act", "score", *own, "--aligner", "a.npz")
    numbers = [line for line in done.out.splitlines() if line.startswith(("good", "bad"))]
    assert all(line in again.out for line in numbers)
    wrong = albeit("act", "score", *SET, "--bitext", "src.en", "ref.de")
    assert wrong.status == 2
    assert "use --aligner yes" in wrong.err


def test_unequal_lengths(albeit: Run, tmp_path: Path) -> None:
    (tmp_path / "good.de").write_text("Eins.\n")
    done = albeit("act", "score", *SET)
    assert done.status == 2
    assert "good" in done.err


def test_explain_shows_what_decisions_say(albeit: Run, tmp_path: Path) -> None:
    inputs = SET[:-2]
    command = ("explain", *inputs, "-m", "act(alignment=no)", "-n", "1", "3", "4", "-f", "json")
    views = json.loads(albeit(*command).out)
    assert albeit("act", "score", *SET, "--decisions", "d.tsv").status == 0
    head, *rows = [line.split("\t") for line in (tmp_path / "d.tsv").read_text().splitlines()]
    written = [dict(zip(head, row, strict=True)) for row in rows]
    shown = [
        {"system": view["system"], "line": view["place"], **loss["details"]}
        for view in views
        for loss in view["losses"]
    ]
    by_place = sorted(written, key=lambda row: int(row["line"]))
    assert [{key: str(value) for key, value in row.items()} for row in shown] == by_place
