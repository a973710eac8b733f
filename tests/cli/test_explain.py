"""``albeit explain`` and ``albeit chains`` with the shipped model, in every format."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest

from albeit.metrics import registry
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


def losses(text: str) -> list[float]:
    """What the text says was lost, node by node."""
    return [float(n) for n in re.findall(r"^ +(-?\d\.\d{4})  ", text, re.MULTILINE)]


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("metric", ["dr", "dr-lex"])
def test_trees_and_where_the_score_was_lost(albeit: Run, metric: str) -> None:
    text = albeit(f"{EXPLAIN} -n 2 -m {metric}").text
    good, bad = text.split("== bad")
    assert good.startswith("== good, segment 2")
    scores = [float(n) for n in re.findall(rf"^{metric} = (\S+)", text, re.MULTILINE)]
    assert scores[0] > scores[1]
    for part, score in zip((good, bad), scores, strict=True):
        assert sum(losses(part)) == pytest.approx(1 - score, abs=5e-3)
    assert "The bank analysts lend ." in bad


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


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "sim", "dr-lex"])
def test_json_states_the_score_of_albeit_score(albeit: Run, metric: str) -> None:
    inputs = f"ref.txt good.txt -i good.txt bad.txt -m {metric}"
    views = albeit(f"explain {inputs} -n 1 -n 2 -f json").data
    table = albeit(f"score {inputs} --level segment -f tsv").text
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")][1:]
    scores = {(row[0], row[-2]): float(row[-1]) for row in rows}
    assert [view["place"] for view in views] == [1, 1, 2, 2]
    for view in views:
        assert view["score"] == pytest.approx(scores[view["system"], str(view["place"])], abs=1e-9)


@pytest.mark.usefixtures("files")
def test_a_metric_of_ones_own(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILTIN, "shown", "tests.evaluation.toys:Shown")
    command = "explain ref.txt -i bad.txt good.txt -n 1 -m shown"
    bad, good = albeit(command).text.split("== good")
    assert "shown = 0.0000" in bad
    assert "1.0000  not the same" in bad
    assert "shown = 1.0000" in good
    assert "lost" not in good
    page = albeit(f"{command} -f html").text
    assert page.lower().startswith("<!doctype html>")
    assert "albeit views" in page
    assert "shown" in albeit("metrics").text.splitlines()[-1]


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


@pytest.mark.usefixtures("files")
def test_chains_of_some_documents(albeit: Run) -> None:
    texts = {"r.txt": "A dog came.\nThe dog left.\nA cat.\nThe cat.\n"}
    write_files(texts | {"s.txt": "A dog came.\nIt left.\nA cat.\nThe cat.\n"})
    common = "chains r.txt -i s.txt --docs docs.txt -d two"
    assert "dog" not in albeit(common).text
    several = albeit(f"{common} -d one").text
    assert several.index("document two") < several.index("document one")
