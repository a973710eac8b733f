from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def nbest(files: Path) -> Path:
    """Two segments, where the first candidate is the worst."""
    rows = [
        {
            "id": str(n),
            "doc_id": "d",
            "references": [text],
            "candidates": [
                "quite other words",
                {"text": text},
                {"text": text + " now"},
            ],
        }
        for n, text in enumerate(["the cat sat on a mat", "it was late at night"])
    ]
    (files / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return files


def test_lines_of_several_files(files: Path, albeit: Run) -> None:
    result = albeit("rerank", "good.txt", "bad.txt", "ref2.txt", "-m", "chrf")
    assert result.status == 0
    assert result.out.splitlines()[1] == "it was late"
    assert len(result.out.splitlines()) == 4


def test_weights_references_and_mean_counts(nbest: Path, albeit: Run) -> None:
    assert "quite" not in albeit("rerank", "c.jsonl", "-m", "2*chrf", "bleu", "--fast").out
    best = albeit("rerank", "c.jsonl", "-m", "chrf", "--against", "references").out
    assert best == "the cat sat on a mat\nit was late at night\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("c.jsonl",), "no metric to choose by"),
        (("c.jsonl", "-m", "x*chrf"), "'x' is not a number"),
        (("c.jsonl", "--features", "lm=1"), "--features was removed in version 0.3: use --scores"),
        (("c.jsonl", "--learn-weights"), "--learn-weights was removed in version 0.3: tune"),
        (("ref.txt", "-m", "chrf"), "ref.txt:1: is not JSON"),
    ],
)
def test_mistakes_are_reported_plainly(
    nbest: Path, albeit: Run, arguments: tuple[str, ...], says: str
) -> None:
    result = albeit("rerank", *arguments)
    assert result.status == 2
    assert says in result.err


def test_a_warning_is_given_once(files: Path, albeit: Run) -> None:
    found = albeit("rerank", "good.txt", "again=good.txt", "-m", "chrf")
    assert found.err.count("4 segments of 4 with only one candidate") == 1
    assert "once more" not in found.err


def test_output_file_ties_and_file_names(files: Path, albeit: Run) -> None:
    shown = albeit("rerank", "good.txt", "bad.txt", "good2=good.txt", "-m", "chrf", "-f", "json")
    found = json.loads(shown.out)
    assert found["files"] == ["good.txt", "bad.txt", "good.txt"]
    assert found["segments"][0]["file"] == "good.txt"
    assert found["segments"][0]["tied"] == [1, 3]
    written = albeit(
        "rerank",
        "good.txt",
        "bad.txt",
        "good2=good.txt",
        "-m",
        "chrf",
        "-o",
        "o.txt",
        "--workers",
        "2",
    )
    assert (written.status, written.out) == (0, "")
    texts = [row["text"] for row in found["segments"]]
    assert (files / "o.txt").read_text().splitlines() == texts
    dash = albeit("rerank", "good.txt", "bad.txt", "good2=good.txt", "-m", "chrf", "-o", "-")
    assert dash.out.splitlines() == texts


def test_scores_of_other_tools_choose(files: Path, albeit: Run) -> None:
    own = {"good": [0, 1, 0, 1], "bad": [1, 0, 1, 0], "elsewhere": [9, 9, 9, 9]}
    lines = [f"{name}\t{score}\n" for name, scores in own.items() for score in scores]
    (files / "COMET.seg.score").write_text("".join(lines))
    command = ("rerank", "good.txt", "bad.txt", "--scores", "COMET.seg.score", "-f", "json")
    done = albeit(*command)
    assert done.status == 0, done.err
    assert "'elsewhere'; left out" in done.err
    found = json.loads(done.out)
    assert found["scores"] == ["COMET|read from a file"]
    assert [row["chosen"] for row in found["segments"]] == [2, 1, 2, 1]
    assert found["segments"][0]["ratings"] == [0, 1]
    turned = json.loads(albeit(*command, "--lower-is-better", "COMET").out)
    assert [row["chosen"] for row in turned["segments"]] == [1, 2, 1, 2]
    both = json.loads(albeit(*command, "-m", "chrf").out)
    alone = json.loads(albeit("rerank", "good.txt", "bad.txt", "-m", "chrf", "-f", "json").out)
    sums = [1 + rating for rating in alone["segments"][0]["ratings"][1:]]
    assert both["segments"][0]["ratings"][1:] == pytest.approx(sums)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("good.txt", "bad.txt", "--scores", "x.seg.score"), "x has no score of system 'bad'"),
        (("good.txt", "bad.txt", "--scores", "x.sys.score"), "x has no segment scores"),
        (("c.jsonl", "--scores", "x.sys.score"), "which candidates don't have"),
        (
            ("good.txt", "bad.txt", "-m", "chrf", "--lower-is-better", "x"),
            "no score file holds a metric 'x'; there are none",
        ),
    ],
)
def test_scores_that_cannot_be_joined(
    nbest: Path, albeit: Run, arguments: tuple[str, ...], says: str
) -> None:
    (nbest / "x.seg.score").write_text("good\t1\n" * 4)
    (nbest / "x.sys.score").write_text("good\t1\nbad\t2\n")
    result = albeit("rerank", *arguments)
    assert result.status == 2
    assert says in result.err
