"""``albeit rerank`` and ``albeit resegment``: choices and cuts of given texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, scores_of, write_files

RERANK = "rerank good.txt bad.txt"


@pytest.mark.usefixtures("files")
def test_weights_references_and_mean_counts(albeit: Run) -> None:
    """The first candidate of both segments is the worst."""
    texts = ("the cat sat on a mat", "it was late at night")
    rows = [
        {"references": [t], "candidates": ["quite other words", {"text": t}, {"text": t + " now"}]}
        for t in texts
    ]
    write_files({"c.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert "quite" not in albeit("rerank c.jsonl -m 2*chrf bleu --fast").text
    best = albeit("rerank c.jsonl -m chrf --against references").text
    assert best.splitlines() == [*texts]


@pytest.mark.usefixtures("files")
def test_output_file_ties_and_file_names(albeit: Run) -> None:
    given = f"{RERANK} good2=good.txt -m chrf"
    found = albeit(f"{given} -f json").data
    assert found["files"] == ["good.txt", "bad.txt", "good.txt"]
    assert found["segments"][0]["file"] == "good.txt"
    assert found["segments"][0]["tied"] == [1, 3]
    assert albeit(f"{given} -o o.txt --workers 2").text == ""
    texts = [row["text"] for row in found["segments"]]
    assert texts[1] == "it was late"
    assert Path("o.txt").read_text().splitlines() == texts
    assert albeit(f"{given} -o -").text.splitlines() == texts


@pytest.mark.usefixtures("files")
def test_scores_of_other_tools_choose(albeit: Run) -> None:
    scores = scores_of(good=[0, 1, 0, 1], bad=[1, 0, 1, 0], elsewhere=[9, 9, 9, 9])
    write_files({"COMET.seg.score": scores})
    command = f"{RERANK} --scores COMET.seg.score -f json"
    done = albeit(command)
    assert "'elsewhere'; ignored" in done.err
    assert done.data["scores"] == ["COMET|read from a file"]
    assert [row["chosen"] for row in done.data["segments"]] == [2, 1, 2, 1]
    assert done.data["segments"][0]["ratings"] == [0, 1]
    turned = albeit(f"{command} --lower-is-better COMET").data
    assert [row["chosen"] for row in turned["segments"]] == [1, 2, 1, 2]
    both, alone = (albeit(f"{each} -m chrf -f json").data for each in (command, RERANK))
    sums = [1 + rating for rating in alone["segments"][0]["ratings"][1:]]
    assert both["segments"][0]["ratings"][1:] == pytest.approx(sums)


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


@pytest.mark.usefixtures("documents")
def test_signatures_say_that_texts_were_cut_and_how(albeit: Run) -> None:
    def signature(texts: str) -> str:
        return str(albeit(f"score ref.txt {texts} -m chrf -f json").data["signatures"]["chrf"])

    running = "-i good=running.txt --resegment"
    assert "|resegment:edits|" in signature(running)
    # the same lines, not cut: the scores that are kept of the cut ones are not taken for them
    assert "resegment" not in signature("-i good.txt")
    assert albeit("resegment ref.txt -i good=running.txt --save cuts.tsv").status == 0
    assert "|resegment:offsets-" in signature(f"{running} cuts.tsv")
    assert albeit("resegment ref.txt -i running.txt -f json").data["resegment"] == "edits"


@pytest.mark.usefixtures("documents")
def test_a_lost_segment_is_shown_and_told_of(albeit: Run) -> None:
    Path("running.txt").write_text("the cat sat so it slept an end came\n")
    shown = albeit("resegment ref.txt -i running.txt").text
    assert "     2  it was late\n        (nothing)" in shown
    assert "1 of them without text; sentences added 0, lost 1" in shown
    scored = albeit("score ref.txt -i running.txt --resegment")
    assert "1 of 4 lines are empty" in scored.err
    assert "cut to 4 segments" in scored.err
