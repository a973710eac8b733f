from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitWarning
from albeit.evaluation import Store, score
from albeit.evaluation.identity import statistics_keys
from albeit.metrics.base import Metric
from albeit.metrics.connectives.act import Act
from albeit.metrics.registry import metric
from tests.evaluation.toys import Counting, Exact, Opening, Reader, Telling, spy, stored_sizes

SET = EvalSet(
    {"ref": ("the cat sat", "it was late", "so it slept")},
    {"a": ("the cat sat", "it was", "so it slept"), "b": ("the dog", "it was late", "no")},
    documents=(Document("one", 0, 2), Document("two", 2, 3)),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def test_warnings_are_told_again(store: Store) -> None:
    for _ in range(2):
        with pytest.warns(AlbeitWarning, match="mind the gap"):
            score(SET, [Telling()], store=store)


def test_damaged_statistics_are_made_anew(store: Store) -> None:
    table = score(SET, [Exact()], store=store)
    part = next(store.folder.iterdir())
    part.write_bytes(part.read_bytes()[:-8])
    with pytest.warns(AlbeitWarning, match="stored statistics of exact is damaged"):
        again = score(SET, [Exact()], store=store)
    np.testing.assert_array_equal(again["exact"].statistics, table["exact"].statistics)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(SET, [Exact()], store=store)


def test_the_store_keeps_to_its_limit(tmp_path: Path) -> None:
    small = Store(tmp_path, limit=3_000)
    for number in range(12):
        other = replace(SET, systems={"a": (f"line {number}", "b", "c")})
        score(other, [Exact()], store=small)
        for path in tmp_path.iterdir():  # as if each were a minute apart
            os.utime(path, (path.stat().st_atime - 60, path.stat().st_mtime - 60))
    kept = stored_sizes(small)
    assert 0 < len(kept) < 12
    assert sum(kept) <= 3_000
    Counting.calls.clear()
    score(other, [Exact()], store=small)
    assert stored_sizes(small) == kept, "the last one is still there"


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.warns(AlbeitWarning, match="statistics can't be stored"):
        score(SET, [Exact()], store=Store(tmp_path / "runs"))


def test_identity_of_all_that_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = tmp_path / "own.tsv"
    lexicon.write_text("one")

    def name(chosen: Metric, evalset: EvalSet = SET, annotations: str | None = None) -> str:
        return statistics_keys(evalset, chosen, annotations)["a"]

    other = {"ref": (*SET.references["ref"][:2], "another reference")}
    names = {
        name(Exact()),
        name(Exact(weight=2.0)),
        name(Opening()),
        name(Reader()),
        name(Reader(), annotations="given-1"),
        name(Act(lexicon=str(lexicon))),
        name(Exact(), replace(SET, target_lang="de")),
        name(Exact(), replace(SET, references=other)),
        name(Exact(), replace(SET, systems={"a": SET.systems["b"]})),
        name(Opening(), replace(SET, documents=())),
    }
    renamed = replace(SET, systems={"x": SET.systems["a"], "a": SET.systems["b"]})
    nist = metric("nist")
    assert name(nist) == name(nist, SET.select(["a"])) != name(nist, renamed)
    assert name(nist) != name(nist, replace(SET, references=other))
    lexicon.write_text("two")
    names.add(name(Act(lexicon=str(lexicon))))
    same = {
        name(Exact(), replace(SET, name="other")),
        name(Exact(), replace(SET, documents=())),
        name(Exact(), replace(SET, source=SET.systems["b"], source_lang="de")),
        name(Exact(), SET.select(["a"])),
        name(Exact(), SET.select(["b", "a"])),
    }
    assert same == {name(Exact())}, "the lines of a system and its references are all it reads"
    monkeypatch.setattr("albeit.evaluation.identity.own_digest", lambda: "other source")
    names.add(name(Exact()))
    monkeypatch.setattr("albeit.evaluation.identity.libraries", lambda extras: ("numpy 0",))
    names.add(name(Exact()))
    assert len(names) == 13


def test_only_a_new_system_is_scored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do documents cost anything that no metric reads, or a source that none reads."""
    first = score(SET, [Exact()], store=store)
    scored: list[Sequence[str]] = []
    spy(monkeypatch, Exact, "statistics", lambda _, batch, __: scored.append(batch.hypotheses))
    a, b = SET.systems.values()
    for other in (
        replace(SET, systems={"x": a, "y": b}),
        SET.select(["b"]),
        replace(SET, documents=()),
        replace(SET, source=a, source_lang="de"),
    ):
        again = score(other, [Exact()], store=store)
        assert again.systems == tuple(other.systems)
    assert not scored
    np.testing.assert_array_equal(again["exact"].statistics, first["exact"].statistics)
    more = replace(SET, systems={"c": ("one", "two", "three"), **SET.systems})
    table = score(more, [Exact(), metric("ter")], store=store)
    assert scored == [more.systems["c"]], "only the new system was scored"
    for name, column in score(more, [Exact(), metric("ter")]).columns.items():
        np.testing.assert_array_equal(table[name].statistics, column.statistics)
        assert table[name].signature == column.signature


def test_source_code_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric without a file, such as one typed into a notebook, is not stored."""
    source = tmp_path / "variety_of_words.py"
    source.write_text("from tests.evaluation.toys import Exact\n\nclass Variety(Exact): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    variety = import_module("variety_of_words").Variety()
    keys = statistics_keys(SET, variety)
    assert statistics_keys(SET, variety) == keys
    source.write_text("# changed\n")
    assert statistics_keys(SET, variety)["a"] != keys["a"]
    typed = type("Typed", (Exact,), {"__module__": "typed_in_a_notebook"})
    store = Store(tmp_path / "runs")
    score(SET, [typed()], store=store)
    assert not stored_sizes(store)
