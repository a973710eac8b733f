"""``albeit act`` and ``albeit lexicon``: connectives, their lexicons, and people's verdicts."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files
from tests.metrics.connectives.conftest import BAD, GOOD, REFERENCE, SOURCE

INPUTS = "ref.de -i good.de bad.de --source src.en --source-lang en --lang de"
SET = f"{INPUTS} --aligner no"


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"src.en": SOURCE, "ref.de": REFERENCE, "good.de": GOOD, "bad.de": BAD}
    write_files({name: "\n".join(lines) + "\n" for name, lines in texts.items()})


def read_decisions() -> list[dict[str, str]]:
    with Path("d.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_score_and_its_decisions(albeit: Run) -> None:
    text = albeit(f"act score {SET} --decisions d.tsv").text
    assert "good     1.000 [0.510, 1.000]     1.000      1.000" in text
    assert "act|preset:careful" in text
    rows = read_decisions()
    assert len(rows) == 2 * 4
    first = ["good", "1", "although", "2", "1.0"]
    assert [*rows[0].values()] == [
        *first,
        "obwohl",
        "only candidate",
        "auch wenn",
        "only candidate",
    ]
    found = albeit(f"act score {SET} -f json --preset classic").data
    assert '"ACTa"' in json.dumps(found)


def test_explain_shows_the_decisions(albeit: Run) -> None:
    views = albeit(f"explain {INPUTS} -m 'act(alignment=no)' -n 1 3 4 -f json").data
    assert albeit(f"act score {SET} --decisions d.tsv").status == 0
    shown = [
        {"system": view["system"], "line": view["place"], **loss["details"]}
        for view in views
        for loss in view["losses"]
    ]
    by_place = sorted(read_decisions(), key=lambda row: int(row["line"]))
    assert [{key: str(value) for key, value in row.items()} for row in shown] == by_place


def test_report(albeit: Run) -> None:
    text = albeit(f"act report {SET} --system bad --least 1 --resamples 50").text
    for part in ("bad: by connective", "bad: by sense", "Systems compared", "since        da"):
        assert part in text


def test_annotate_and_merge(albeit: Run) -> None:
    Path("ref.de").write_text("Es regnet.\nNichts.\nEr wartet.\nEs regnet.\n")
    sheet = albeit(f"act annotate {SET}").text
    assert sheet.count("\ngood:") == 4
    lines = sheet.splitlines()
    judged = "\n".join(line + "correct" * line.startswith("good:") for line in lines) + "\n"
    write_files({"anna.tsv": judged, "ben.tsv": judged})
    twice = albeit("act merge anna.tsv ./anna.tsv -f json").refused
    assert "anna.tsv: is given twice. Give each annotator's sheet once." in twice
    assert "kappa" in albeit("act merge anna.tsv ben.tsv -f json").text
    plain = albeit("act merge anna.tsv").text
    assert "good     0.000   1.000   1.000   1.000        4      0" in plain
    assert albeit(f"act annotate {SET} -o sheet.html").text == ""
    assert Path("sheet.html").read_text().startswith("<!doctype html>")


def test_an_aligner_trained_with_a_bitext_is_kept(albeit: Run) -> None:
    done = albeit(f"act score {INPUTS} --bitext src.en ref.de --save-aligner a.npz").text
    again = albeit(f"act score {INPUTS} --aligner a.npz").text
    numbers = [line for line in done.splitlines() if line.startswith(("good", "bad"))]
    assert all(line in again for line in numbers)
