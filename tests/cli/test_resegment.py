"""``albeit resegment``, and ``--resegment``: cuts of given texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files


@pytest.fixture
def documents(files: Path) -> Path:
    """The good system as one running text, as a folder of documents, and as JSON lines."""
    one, two = "the cat sat it was late", "so it slept an end came"
    ids, refs = ("one", "two"), ("the cat sat\nit was late", "so it slept\nthe end came")
    records = [
        {"doc_id": name, "refs": {"A": ref}, "tgt_text": {"s": text}}
        for name, ref, text in zip(ids, refs, (one, two), strict=True)
    ]
    write_files(
        {
            "running.txt": f"{one} {two}\n",
            "loose/one.txt": one,
            "loose/two.txt": "so it slept\nan end came\n",
            "wmt.jsonl": "".join(json.dumps(r) + "\n" for r in records),
        }
    )
    return files


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    "inputs",
    [
        "ref.txt -i good=running.txt",
        "ref.txt -i good=loose --docs docs.txt",
        "wmt.jsonl",
        "wmt.jsonl -i good=running.txt",
    ],
)
def test_scores_are_those_of_the_true_lines(albeit: Run, inputs: str) -> None:
    lines = albeit("score ref.txt -i good.txt -m chrf -f json").data
    found = albeit(f"score {inputs} --resegment -m chrf -f json").data
    assert found["rows"][0]["chrf"] == lines["rows"][0]["chrf"]


@pytest.mark.usefixtures("documents")
def test_cuts_are_shown_saved_and_used_again(albeit: Run) -> None:
    common = "resegment ref.txt -i running.txt"
    shown = albeit(f"{common} --save cuts.tsv -o cut").text
    assert "     2  it was late\n        it was late" in shown
    assert "'running': cut to 4 segments, 0 of them without text" in shown
    assert Path("cut/systems/running.txt").read_text() == Path("good.txt").read_text()
    again = albeit(f"{common} --resegment cuts.tsv -f json").data
    segment = {"segment": 2, "start": 12, "stop": 23}
    text = {"reference": "it was late", "text": "it was late"}
    assert again["texts"][0]["segments"][1] == segment | text
    page = albeit(f"{common} -f html").text
    assert page.startswith("<!doctype html>")
    assert page.count(">it was late</td>") == 2
