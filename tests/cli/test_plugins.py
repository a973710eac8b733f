"""The thirteen additions of CONTRIBUTING.md by a package outside the repository.

``tests/stranger`` is that package: one module and one line of its ``pyproject.toml`` for each.
``tools/additions.py`` counts them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.stranger.install import install
from tools.additions import ADDITIONS, count


@pytest.fixture
def stranger(files: Path) -> str:
    (files / "set.pairs").write_text("One ||| One\nTWO ||| two\nThree ||| THREE\n")
    (files / "numbers.txt").write_text("eins 1\nzwei 2\ndrei 3\nvier 4\n")
    (files / "mt.txt").write_text("one 1\ntwo 2\nthree 33\nfour 4\n")
    return install(files / "site")


def test_each_is_one_file_and_one_line_at_most() -> None:
    for name in ADDITIONS:
        found = count(name)
        assert found.files <= 1, name
        assert found.points <= 1, name


def test_a_layer_and_its_annotator_beside_ours_in_one_run(shell: Run, stranger: str) -> None:
    given = ("score", "set.pairs", "-f", "json")
    done = shell(*given, "-m", "shouting", "dr", "chrf", path=stranger)
    assert (done.status, done.err) == (0, "")
    (row,) = json.loads(done.out)["rows"]
    assert row["shouting"] == pytest.approx(1 / 3)
    (alone,) = json.loads(shell(*given, "-m", "dr", "chrf", path=stranger).out)["rows"]
    assert alone == {name: row[name] for name in alone}
    done = shell("parse", "mt.txt", "-l", "shouts", "-f", "json", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert '"shouts"' in done.out


def test_an_explanation(shell: Run, stranger: str) -> None:
    done = shell("explain", "set.pairs", "-m", "shouting", "--segment", "2", path=stranger)
    assert done.status == 0, done.err
    assert "another voice" in done.out


def test_a_document_metric_that_reads_the_source(shell: Run, stranger: str) -> None:
    given = ("score", "-i", "mt.txt", "-m", "kept", "-f", "json")
    source = ("--source", "numbers.txt", "--source-lang", "de")
    done = shell(*given, *source, "--docs", "docs.txt", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["rows"][0]["kept"] == 0.5
    for without, says in ((source, "documents"), (("--docs", "docs.txt"), "source")):
        done = shell(*given, *without, path=stranger)
        assert done.status == 2
        assert says in done.err


def test_a_language(shell: Run, stranger: str) -> None:
    given = ("score", "ref.txt", "-i", "good.txt", "-m", "dp-oc", "--lang", "sv", "-f", "tsv")
    assert shell(*given).status == 2
    done = shell(*given, path=stranger)
    assert (done.status, done.err) == (0, "")
    listed = shell("metrics", "--lang", "sv", path=stranger)
    assert "dp-oc" in listed.out


def test_a_format_that_streams(shell: Run, stranger: str) -> None:
    whole = shell("score", "set.pairs", "-m", "chrf", path=stranger)
    assert (whole.status, whole.err) == (0, "")
    out = ("--out", "run", "--batch-size", "1")
    done = shell("score", "set.pairs", "-m", "chrf", *out, path=stranger)
    assert (done.status, done.out) == (0, whole.out)


def test_a_report_format(shell: Run, stranger: str) -> None:
    done = shell("score", "set.pairs", "-m", "chrf", "-f", "aloud", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("mt, ")
    assert "aloud" in shell("score", "--help", path=stranger).out


def test_a_statistic(shell: Run, stranger: str, files: Path) -> None:
    (files / "pairwise.tsv").write_text("segment\tbetter\tworse\n1\tgood\tbad\n3\tbad\tgood\n")
    given = ("metaeval", "ref.txt", "-i", "good.txt", "bad.txt", "--judgments", "pairwise.tsv")
    done = shell(*given, "-m", "chrf", "--statistic", "doubt", "-f", "json", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert 0.5 in json.loads(done.out)["rows"][0].values()
    done = shell(*given, "-m", "chrf", "--statistic", "trust", path=stranger)
    assert done.status == 2
    assert "doubt" in done.err


@pytest.mark.slow
def test_an_executor(shell: Run, stranger: str, files: Path) -> None:
    given = ("score", "set.pairs", "-m", "chrf", "-f", "json", "--no-cache")
    here = shell(*given, path=stranger)
    done = shell(*given, "--engine", f"post://{files / 'letters.txt'}", path=stranger)
    assert (done.status, done.out) == (0, here.out)
    assert (files / "letters.txt").read_text()
    done = shell(*given, "--engine", "pigeon://loft", path=stranger)
    assert done.status == 2
    assert "names no engine" in done.err
    assert "post://" in done.err


def test_a_command(shell: Run, stranger: str) -> None:
    done = shell("count", "set.pairs", path=stranger)
    assert (done.status, done.out) == (0, "3\n")
    assert "count" in shell("--help", path=stranger).out


def test_a_reranker_by_name(shell: Run, stranger: str, files: Path) -> None:
    (files / "other.txt").write_text("a cat\nit was so very late\nyes\nthe end came\n")
    done = shell("rerank", "good.txt", "other.txt", "--by", "shortest", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert done.out == "a cat\nit was late\nyes\nan end came\n"
    assert "shortest" in shell("rerank", "--help", path=stranger).out
    done = shell("rerank", "good.txt", "other.txt", "--by", "longest", path=stranger)
    assert done.status == 2
    assert "there are segments, documents, shortest" in done.err


def test_a_check_kind(shell: Run, stranger: str, files: Path) -> None:
    (files / "twice.txt").write_text("one one 1\ntwo 2\nthree 3\nfour 4\n")
    given = ("check", "twice.txt", "--source", "numbers.txt", "--source-lang", "de", "-q")
    done = shell(*given, "--kinds", "doubled", "--fail-on", "doubled", path=stranger)
    assert (done.status, done.err) == (1, "")
    assert done.out == "twice.txt:1:5: doubled 'one' stands there twice\n"
    assert shell(*given, path=stranger).out == ""  # nobody has said how often it is right
    assert "doubled" in shell("check", "--list", path=stranger).out


def test_a_metric_of_documents_reranks_too(shell: Run, stranger: str, files: Path) -> None:
    (files / "better.txt").write_text("un 1\ndeux 2\ntrois 3\nquatre 4\n")
    source = ("--source", "numbers.txt", "--source-lang", "de", "--docs", "docs.txt")
    done = shell(
        "rerank", "mt.txt", "better.txt", "-m", "kept", "--documents", *source, path=stranger
    )
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[2] == "trois 3"


def test_what_cannot_be_loaded_is_one_message(shell: Run, stranger: str) -> None:
    points = Path(stranger) / "stranger-1.0.dist-info" / "entry_points.txt"
    points.write_text(
        "[albeit.commands]\nlost = no_such_module\n"
        "[albeit.formats]\ngone = stranger.corpus_format:NOTHING\n"
        "[albeit.rerankers]\ngone = stranger.reranker:NOTHING\n"
    )
    for arguments, says in (
        (("lost",), "command 'lost' cannot be loaded from no_such_module"),
        (("score", "set.pairs"), "format 'gone' cannot be loaded from stranger.corpus_format"),
        (("rerank", "mt.txt", "good.txt", "--by", "gone"), "reranker 'gone' cannot be loaded"),
    ):
        done = shell(*arguments, path=stranger)
        assert done.status == 2
        assert says in done.err
        assert "Traceback" not in done.err
