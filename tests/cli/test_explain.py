"""``albeit explain`` and ``albeit chains`` with the shipped model, in every format."""

from __future__ import annotations

import json
from itertools import product

import pytest

from tests.cli.conftest import Run, scores_of, write_files
from tests.report.page.conftest import data_of

REFERENCE = "Analysts suggest the bank should lend, because markets would welcome it."
GOOD = "Analysts suggest that the bank should lend, because markets would like it."
BAD = "The bank analysts lend."
EXPLAIN = "explain ref.txt -i good.txt bad.txt"


@pytest.fixture
def texts(files: object) -> None:
    """Three files of two lines."""
    lines = {"ref": REFERENCE, "good": GOOD, "bad": BAD}
    write_files({f"{name}.txt": f"It rained.\n{line}\n" for name, line in lines.items()})


@pytest.mark.usefixtures("texts")
def test_several_metrics_by_text(albeit: Run) -> None:
    write_files({"why.toml": '[explain]\nmetrics = ["chrf", "ter"]\nsegment = [2]\n'})
    views = albeit(f"{EXPLAIN} -n 2 -m chrf ter -f json").data
    named = [(view["system"], view["metric"]) for view in views]
    assert named == [*product(("good", "bad"), ("chrf", "ter"))]
    assert albeit(f"{EXPLAIN} --config why.toml -f json").data == views
    alone = [albeit(f"{EXPLAIN} -n 2 --metric {m} -f json").data for m in ("chrf", "ter")]
    assert [each[system] for system in (0, 1) for each in alone] == views
    done = albeit(f"{EXPLAIN} -n 2 -m ter dr --lang de --skip-unusable")
    assert done.status == 0
    assert "skipped 1 of 2 metrics" in done.err


@pytest.mark.usefixtures("files")
def test_scores_of_other_tools_are_in_the_notes(albeit: Run) -> None:
    scores = scores_of(bad=[n + 0.125 for n in range(4)], x=[0, 1, 2, 3])
    write_files({"COMET.seg.score": scores})
    command = "explain ref.txt -i bad.txt --docs docs.txt --scores COMET.seg.score"
    done = albeit(f"{command} -n 3 -m chrf")
    assert done.text.endswith("COMET: 2.1250 (read from a file)\n")
    assert "'x'; ignored" in done.err
    found = albeit(f"{command} -d two -m chrf -f json").data
    notes = [view["notes"][-1] for view in found]
    assert notes == [f"COMET: {n}.1250 (read from a file)" for n in (2, 3)]
    assert "COMET: 2.6250 (read from a file)" in albeit(f"{command} -d two -m cohesion").text
    page = albeit(f"{command} -n 3 -m chrf -f html").text
    assert "COMET: 2.1250 (read from a file)" in json.dumps(data_of(page))
