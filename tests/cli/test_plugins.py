"""The additions of CONTRIBUTING.md, by a package outside the repository.

``tests/plugin`` is that package: one module and one line of its ``pyproject.toml`` for each.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run, write_files
from tests.conftest import ROOT
from tests.plugin.install import install


@pytest.fixture
def plugin(files: Path, shell: Run) -> Run:
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
    text = (ROOT / "tests" / "plugin" / "pyproject.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)["project"]["entry-points"].values()
    modules = [target.partition(":")[0] for group in groups for target in group.values()]
    assert len(modules) == len(set(modules))


def test_a_layer_and_its_annotator_with_ours_in_one_run(plugin: Run) -> None:
    given = "score set.pairs -f json"
    cold = plugin(f"{given} -m shouting dr chrf --no-cache")
    assert cold.err == ""
    (row,) = cold.data["rows"]
    assert row["shouting"] == pytest.approx(1 / 3)
    (alone,) = plugin(f"{given} -m dr chrf").data["rows"]
    assert alone == {name: row[name] for name in alone}
    assert plugin(f"{given} -m shouting").status == 0
    warm = plugin(f"{given} -m shouting dr chrf")
    assert warm.data["rows"] == [row], "what is cached changes nothing"
    assert "shouting" in plugin(f"{given} -m shouting dp-or --lang sv").refused
    done = plugin("parse mt.txt --layer shouts -f json")
    assert done.err == ""
    assert '"shouts"' in done.text
    assert "another voice" in plugin("explain set.pairs -m shouting --segment 2").text


def test_a_document_metric_that_reads_the_source(plugin: Run) -> None:
    given, source = "score -i mt.txt -m kept -f json", "--source numbers.txt --source-lang de"
    done = plugin(given, source, "--docs docs.txt")
    assert done.err == ""
    assert done.data["rows"][0]["kept"] == 0.5
    assert "--docs" in plugin(given, source).refused
    assert "source" in plugin(given, "--docs docs.txt").refused


def test_a_language(plugin: Run, shell: Run) -> None:
    given = "score ref.txt -i good.txt -m dp-oc --lang sv -f tsv"
    assert shell(given).status == 2
    done = plugin(given)
    assert (done.status, done.err) == (0, "")
    assert "dp-oc" in plugin("metrics --lang sv").text


def test_a_format_that_streams(plugin: Run) -> None:
    whole = plugin("score set.pairs -m chrf")
    assert whole.err == ""
    assert plugin("score set.pairs -m chrf --out run --batch-size 1").text == whole.text


def test_what_cannot_be_loaded_is_one_message(files: Path, plugin: Run) -> None:
    (files / "site" / "plugin-1.0.dist-info" / "entry_points.txt").write_text(
        "[albeit.formats]\ngone = plugin.corpus_format:NOTHING\n"
        "[albeit.annotators]\ngone = no_such_module:NOTHING\n"
    )
    for command, says in (
        ("score set.pairs", "format 'gone' cannot be loaded from plugin.corpus_format"),
        ("parse mt.txt", "annotator 'gone' cannot be loaded from no_such_module"),
    ):
        assert says in plugin(command).refused
