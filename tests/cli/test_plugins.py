"""The additions of CONTRIBUTING.md, by a package outside the repository.

``tests/stranger`` is that package: one module and one line of its ``pyproject.toml`` for each.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files
from tests.conftest import ROOT
from tests.stranger.install import install


@pytest.fixture
def stranger(files: Path, shell: Run) -> Run:
    """Run a command in a process that finds the package."""
    write_files(
        {
            "set.pairs": "One ||| One\nTWO ||| two\nThree ||| THREE\n",
            "numbers.txt": "eins 1\nzwei 2\ndrei 3\nvier 4\n",
            "mt.txt": "one 1\ntwo 2\nthree 33\nfour 4\n",
        }
    )
    site = install(files / "site")
    return lambda *words, options=(), path=site: shell(*words, options=options, path=path)


def test_each_is_one_file_and_one_line_at_most() -> None:
    text = (ROOT / "tests" / "stranger" / "pyproject.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)["project"]["entry-points"].values()
    modules = [target.partition(":")[0] for group in groups for target in group.values()]
    assert len(modules) == len(set(modules))


def test_a_layer_and_its_annotator_with_ours_in_one_run(stranger: Run) -> None:
    given = "score set.pairs -f json"
    cold = stranger(f"{given} -m shouting dr chrf --no-cache")
    assert cold.err == ""
    (row,) = cold.data["rows"]
    assert row["shouting"] == pytest.approx(1 / 3)
    (alone,) = stranger(f"{given} -m dr chrf").data["rows"]
    assert alone == {name: row[name] for name in alone}
    assert stranger(f"{given} -m shouting").status == 0
    warm = stranger(f"{given} -m shouting dr chrf")
    assert warm.data["rows"] == [row], "what is cached changes nothing"
    assert "shouting" in stranger(f"{given} -m shouting dp-or --lang sv").refused
    done = stranger("parse mt.txt -l shouts -f json")
    assert done.err == ""
    assert '"shouts"' in done.text
    assert "another voice" in stranger("explain set.pairs -m shouting --segment 2").text


def test_a_document_metric_that_reads_the_source(stranger: Run) -> None:
    given, source = "score -i mt.txt -m kept -f json", "--source numbers.txt --source-lang de"
    done = stranger(given, source, "--docs docs.txt")
    assert done.err == ""
    assert done.data["rows"][0]["kept"] == 0.5
    assert "--docs" in stranger(given, source).refused
    assert "source" in stranger(given, "--docs docs.txt").refused


def test_a_language(stranger: Run, shell: Run) -> None:
    given = "score ref.txt -i good.txt -m dp-oc --lang sv -f tsv"
    assert shell(given).status == 2
    done = stranger(given)
    assert (done.status, done.err) == (0, "")
    assert "dp-oc" in stranger("metrics --lang sv").text


def test_a_format_that_streams(stranger: Run) -> None:
    whole = stranger("score set.pairs -m chrf")
    assert whole.err == ""
    assert stranger("score set.pairs -m chrf --out run --batch-size 1").text == whole.text


def test_what_cannot_be_loaded_is_one_message(files: Path, stranger: Run) -> None:
    (files / "site" / "stranger-1.0.dist-info" / "entry_points.txt").write_text(
        "[albeit.formats]\ngone = stranger.corpus_format:NOTHING\n"
        "[albeit.annotators]\ngone = no_such_module:NOTHING\n"
    )
    for command, says in (
        ("score set.pairs", "format 'gone' cannot be loaded from stranger.corpus_format"),
        ("parse mt.txt", "annotator 'gone' cannot be loaded from no_such_module"),
    ):
        assert says in stranger(command).refused
