"""What a stranger adds without touching albeit: a document metric, and an executor.

The metric comes from another package by an entry point, the executor as an object with
``submit``; both are used through the public API and the command line alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import albeit
from albeit.cli import main
from albeit.data.plugins import plugins
from albeit.evaluation import Store
from tests.evaluation.toys import stored_sizes

METRIC = '''
"""How many words of a document it uses only once."""

from dataclasses import dataclass

import numpy as np

from albeit import Metric
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Side, read
from albeit.data.evalset import Unit


@dataclass(frozen=True)
class Variety(Metric):
    """Distinct words over words, of all documents together."""

    name = "variety"
    summary = "share of words that are new in their document"
    unit = Unit.DOCUMENT

    lowercase: bool = True

    @property
    def needs(self):
        return read(TEXT, side=Side.HYPOTHESIS)

    def statistics(self, batch, context):
        rows = []
        for document in batch.documents:
            text = " ".join(batch.hypotheses[document.rows])
            words = (text.lower() if self.lowercase else text).split()
            rows.append([len(set(words)), len(words)])
        return np.array(rows, dtype=float)

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package, installed."""
    (tmp_path / "variety_of_words.py").write_text(METRIC)
    about = tmp_path / "variety_of_words-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: variety-of-words\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[albeit.metrics]\nvariety = variety_of_words:Variety\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.cache_clear()
    yield
    plugins.cache_clear()
    sys.modules.pop("variety_of_words", None)


SET = albeit.EvalSet(
    {},
    {"a": ("the cat sat", "the cat slept", "no no no"), "b": ("a b c", "d e f", "g h i")},
    documents=(albeit.Document("one", 0, 2), albeit.Document("two", 2, 3)),
)


@pytest.mark.usefixtures("package")
def test_a_document_metric_of_another_package_scores_like_ours() -> None:
    table = albeit.score(SET, ["variety"])
    found = table["variety"].at("document")
    np.testing.assert_allclose(found, np.array([[4 / 6, 1 / 3], [1, 1]]))
    np.testing.assert_allclose(table["variety"].system, [5 / 9, 1])
    assert "variety(lowercase=no)" in albeit.score(SET, ["variety(lowercase=no)"]).metrics


@pytest.mark.usefixtures("package")
def test_its_statistics_are_kept_until_its_source_changes(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    albeit.score(SET, ["variety"], store=store)
    albeit.score(SET, ["variety"], store=store)
    assert len(stored_sizes(store)) == len(SET.systems)
    (tmp_path / "variety_of_words.py").write_text(METRIC + "\n# changed\n")
    albeit.score(SET, ["variety"], store=store)
    assert len(stored_sizes(store)) == 2 * len(SET.systems)


@pytest.mark.usefixtures("package")
def test_it_works_on_the_command_line_without_references(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("the cat sat\nthe cat slept\n")
    (tmp_path / "docs.txt").write_text("one\ntwo\n")
    inputs = ["-i", str(tmp_path / "a.txt"), "--docs", str(tmp_path / "docs.txt")]
    assert main(["score", *inputs, "-m", "variety", "rc", "-f", "tsv", "--no-cache"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "a\t1.0\t0.0"
