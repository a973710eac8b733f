"""Test sets in every format, and parts of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.data import build_evalset, write
from tests.cli.conftest import Run

GIVEN = (
    "ref.txt",
    "-i",
    "good.txt",
    "bad.txt",
    "--source",
    "src.txt",
    "--docs",
    "docs.txt",
    "--source-lang",
    "fr",
)


def write_set(name: str) -> None:
    """Write the set of the fixture ``files`` with documents, in the format of the ending."""
    write(build_evalset(["ref.txt"], ["good.txt", "bad.txt"], docs="docs.txt"), name)


def test_documents_by_their_original_language(albeit: Run, files: Path) -> None:
    write_set("set.xml")
    marked = (files / "set.xml").read_text().replace('<doc id="one"', '<doc origlang="en" id="one"')
    marked = marked.replace('<doc id="two"', '<doc origlang="fr" id="two"')
    (files / "set.xml").write_text(marked)
    found = json.loads(albeit("score", "set.xml", "--origlang", "en", "-f", "json").out)
    assert (found["segments"], found["documents"]) == (2, 1)
    done = albeit("score", "set.xml", "--origlang", "de")
    assert done.status == 2
    assert "en, fr" in done.err
    assert albeit("score", *GIVEN, "--origlang", "en").status == 2


def test_scores_of_other_tools_are_columns(albeit: Run, files: Path) -> None:
    rows = "".join(f"{s}\t{v}\n" for s, v in [*[("good", 0.9)] * 4, *[("bad", 0.1)] * 4])
    (files / "comet.seg.score").write_text(rows)
    (files / "own.sys.score").write_text("good\t3\nbad\t4\n")
    given = ("ref.txt", "-i", "good.txt", "bad.txt", "--scores", "comet.seg.score", "-q")
    done = albeit("score", *given, "--scores", "own.sys.score", "-m", "exact", "-f", "tsv")
    assert done.out == "system\texact\tcomet\town\ngood\t0.75\t0.9\t3.0\nbad\t0.25\t0.1\t4.0\n"
    found = json.loads(albeit("compare", *given, "-f", "json").out)
    assert found["rows"][1]["comet.difference"] == pytest.approx(-0.8)
    assert found["rows"][1]["comet.p"] == pytest.approx(0.125, abs=0.01)
    done = albeit("compare", *given, "--scores", "own.sys.score")
    assert done.status == 2
    assert "own cannot be resampled" in done.err


@pytest.mark.usefixtures("files")
def test_bare_numbers(albeit: Run) -> None:
    given = ("score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "exact", "wrong", "-f", "value")
    assert albeit(*given).out == "0.75\t0.25\n0.25\t0.75\n"


@pytest.mark.usefixtures("files")
def test_what_bleu_is_made_of(albeit: Run) -> None:
    from sacrebleu.metrics.bleu import BLEU

    found = json.loads(
        albeit("score", "ref.txt", "-i", "bad.txt", "-m", "bleu", "-f", "json", "-q").out
    )
    ours = found["details"]["bleu"]["bad"]
    theirs = BLEU().corpus_score(
        Path("bad.txt").read_text().splitlines(), [Path("ref.txt").read_text().splitlines()]
    )
    assert ours["precisions"] == pytest.approx(theirs.precisions)
    assert ours["brevity_penalty"] == theirs.bp
    assert ours["length_ratio"] == theirs.sys_len / theirs.ref_len


@pytest.mark.usefixtures("files")
def test_spbleu_downloads_nothing(albeit: Run) -> None:
    done = albeit("score", "ref.txt", "-i", "bad.txt", "-m", "bleu(tokenize=flores200)", "-q")
    assert done.status == 2
    assert "'flores200' needs" in done.err


def test_parquet_is_a_test_set_like_any_other(albeit: Run, files: Path) -> None:
    """It was taken for a text, "not UTF-8", and iconv recommended."""
    write_set("s.parquet")
    texts = albeit(
        "score", "ref.txt", "-i", "good.txt", "bad.txt", "--docs", "docs.txt", "-m", "chrf"
    )
    assert albeit("score", "s.parquet", "-m", "chrf").out == texts.out
    assert albeit("score", "s.parquet", "-m", "chrf", "--out", "run").out == texts.out
    mine = albeit("score", "s.parquet", "-i", "mine=ref.txt", "-m", "chrf", "-f", "tsv")
    assert mine.out.splitlines()[1] == "mine\t100.0"
    streamed = albeit(
        "score", "s.parquet", "-i", "mine=ref.txt", "-m", "chrf", "-f", "tsv", "--out", "run2"
    )
    assert streamed.out == mine.out


@pytest.mark.parametrize("name", ["set", "set.xml", "set.sgm", "set.jsonl", "set.tsv"])
def test_every_format_is_read_in_batches(albeit: Run, files: Path, name: str) -> None:
    write_set(name)
    whole = albeit("score", name, "-m", "chrf")
    streamed = albeit("score", name, "-m", "chrf", "--out", "run", "--batch-size", "1")
    assert (streamed.status, streamed.out) == (0, whole.out)
