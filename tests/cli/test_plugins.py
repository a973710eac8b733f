"""The additions of CONTRIBUTING.md, by a package outside the repository.

``tests/stranger`` is that package: one module and one line of its ``pyproject.toml`` for each.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import ROOT
from tests.stranger.install import install


@pytest.fixture
def stranger(files: Path) -> str:
    (files / "set.pairs").write_text("One ||| One\nTWO ||| two\nThree ||| THREE\n")
    (files / "numbers.txt").write_text("eins 1\nzwei 2\ndrei 3\nvier 4\n")
    (files / "mt.txt").write_text("one 1\ntwo 2\nthree 33\nfour 4\n")
    return install(files / "site")


def test_each_is_one_file_and_one_line_at_most() -> None:
    text = (ROOT / "tests" / "stranger" / "pyproject.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)["project"]["entry-points"].values()
    modules = [target.partition(":")[0] for group in groups for target in group.values()]
    assert len(modules) == len(set(modules))


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


def test_what_cannot_be_loaded_is_one_message(shell: Run, stranger: str) -> None:
    points = Path(stranger) / "stranger-1.0.dist-info" / "entry_points.txt"
    points.write_text(
        "[albeit.formats]\ngone = stranger.corpus_format:NOTHING\n"
        "[albeit.annotators]\ngone = no_such_module:NOTHING\n"
    )
    for arguments, says in (
        (("score", "set.pairs"), "format 'gone' cannot be loaded from stranger.corpus_format"),
        (("parse", "mt.txt"), "annotator 'gone' cannot be loaded from no_such_module"),
    ):
        done = shell(*arguments, path=stranger)
        assert done.status == 2
        assert says in done.err
        assert "Traceback" not in done.err
