from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def documents(files: Path) -> Path:
    """The good system as one running text, as a folder of documents, and as JSON lines."""
    (files / "running.txt").write_text("the cat sat it was late so it slept an end came\n")
    (files / "loose").mkdir()
    (files / "loose" / "one.txt").write_text("the cat sat it was late\n")
    (files / "loose" / "two.txt").write_text("so it slept\nan end came\n")
    records = [
        {
            "doc_id": "one",
            "refs": {"A": "the cat sat\nit was late"},
            "tgt_text": {"s": "the cat sat it was late"},
        },
        {
            "doc_id": "two",
            "refs": {"A": "so it slept\nthe end came"},
            "tgt_text": {"s": "so it slept an end came"},
        },
    ]
    (files / "wmt.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return files


@pytest.mark.parametrize(
    "inputs",
    [
        ("ref.txt", "-i", "good=running.txt"),
        ("ref.txt", "-i", "good=loose", "--docs", "docs.txt"),
        ("wmt.jsonl",),
        ("wmt.jsonl", "-i", "good=running.txt"),
    ],
)
def test_scores_are_those_of_the_true_lines(
    documents: Path, albeit: Run, inputs: tuple[str, ...]
) -> None:
    lines = json.loads(albeit("score", "ref.txt", "-i", "good.txt", "-m", "chrf", "-f", "json").out)
    found = json.loads(
        albeit("score", *inputs, "--resegment", "-m", "chrf", "-f", "json", "-q").out
    )
    assert found["rows"][0]["chrf"] == lines["rows"][0]["chrf"]


def test_cuts_are_shown_saved_and_used_again(documents: Path, albeit: Run) -> None:
    common = ("ref.txt", "-i", "running.txt")
    shown = albeit("resegment", *common, "--save", "cuts.tsv", "-o", "cut")
    assert "     2  it was late\n        it was late" in shown.out
    assert "'running': cut to 4 segments, 0 of them without text" in shown.out
    assert Path("cut/systems/running.txt").read_text() == Path("good.txt").read_text()
    again = json.loads(albeit("resegment", *common, "--resegment", "cuts.tsv", "-f", "json").out)
    assert again["texts"][0]["segments"][1] == {
        "segment": 2,
        "start": 12,
        "stop": 23,
        "reference": "it was late",
        "text": "it was late",
    }
    page = albeit("resegment", *common, "-f", "html").out
    assert page.startswith("<!doctype html>")
    assert page.count(">it was late</td>") == 2


def test_signatures_say_that_texts_were_cut_and_how(documents: Path, albeit: Run) -> None:
    def signature(*arguments: str) -> str:
        found = albeit("score", "ref.txt", *arguments, "-m", "chrf", "-f", "json", "-q").out
        return str(json.loads(found)["signatures"]["chrf"])

    running = ("-i", "good=running.txt", "--resegment")
    assert "|resegment:edits|" in signature(*running)
    # the same lines, not cut: the scores that are kept of the cut ones are not taken for them
    assert "resegment" not in signature("-i", "good.txt")
    albeit("resegment", "ref.txt", "-i", "good=running.txt", "--save", "cuts.tsv")
    assert "|resegment:offsets-" in signature(*running, "cuts.tsv")
    shown = albeit("resegment", "ref.txt", "-i", "running.txt", "-f", "json")
    assert json.loads(shown.out)["resegment"] == "edits"


def test_a_lost_segment_is_shown_and_told_of(documents: Path, albeit: Run) -> None:
    Path("running.txt").write_text("the cat sat so it slept an end came\n")
    shown = albeit("resegment", "ref.txt", "-i", "running.txt")
    assert "     2  it was late\n        (nothing)" in shown.out
    assert "1 of them without text; sentences added 0, lost 1" in shown.out
    scored = albeit("score", "ref.txt", "-i", "running.txt", "--resegment")
    assert "1 of 4 lines are empty" in scored.err
    assert "cut to 4 segments" in scored.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ref.txt",), "--resegment cuts the translations that -i FILE gives"),
        (
            ("ref.txt", "-i", "running.txt", "--resegment", "guess"),
            "there is no file 'guess'",
        ),
        (
            ("ref.txt", "-i", "running.txt", "--resegment", "meaning"),
            "--resegment meaning was removed in version 0.3: give --resegment without a value.",
        ),
        (("ref.txt", "-i", "running.txt", "--systems", "x"), "no system 'x'; there are running"),
        (("ref.txt", "-i", "loose"), "has no text of document 'all'"),
    ],
)
def test_what_cannot_be_cut(
    documents: Path, albeit: Run, arguments: tuple[str, ...], says: str
) -> None:
    result = albeit("resegment", *arguments)
    assert result.status == 2
    assert says in result.err
    assert "Traceback" not in result.err
