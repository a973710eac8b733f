from __future__ import annotations

import os
import warnings
from dataclasses import replace
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
from tests.evaluation.toys import (
    Counting,
    Exact,
    Opening,
    Reader,
    Tallying,
    Telling,
    Twice,
    stored_sizes,
)

SET = EvalSet(
    {"ref": ("the cat sat", "it was late", "so it slept")},
    {"a": ("the cat sat", "it was", "so it slept"), "b": ("the dog", "it was late", "no")},
    documents=(Document("one", 0, 2), Document("two", 2, 3)),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def test_what_is_kept_is_not_computed_again(store: Store) -> None:
    Counting.calls.clear()
    metrics: list[Metric] = [Counting(), Opening(), Twice()]
    first = score(SET, metrics, store=store)
    assert len(Counting.calls) == 3
    second = score(SET, [Opening(), *metrics[:1], Twice()], store=store)
    assert len(Counting.calls) == 3
    assert second.metrics == ("opening", "counting", "twice")
    for name, column in first.columns.items():
        again = second[name]
        assert again.signature == column.signature
        assert again.metric == column.metric
        for level in ("statistics", "system", "document", "segment"):
            np.testing.assert_array_equal(getattr(again, level), getattr(column, level))


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


def test_identity_follows_all_that_makes_a_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_system_that_is_renamed_or_added_costs_nothing_or_itself(store: Store) -> None:
    """Nor do documents, where no metric looks at them, or a source that none reads."""
    Tallying.calls.clear()
    first = score(SET, [Tallying()], store=store)
    made = len(Tallying.calls)
    a, b = SET.systems.values()
    others = {
        "renamed": replace(SET, systems={"x": a, "y": b}),
        "fewer": SET.select(["b"]),
        "without documents": replace(SET, documents=()),
        "with a source": replace(SET, source=a, source_lang="de"),
    }
    for what, other in others.items():
        again = score(other, [Tallying()], store=store)
        assert len(Tallying.calls) == made, what
        assert again.systems == tuple(other.systems)
    np.testing.assert_array_equal(again["tallying"].statistics, first["tallying"].statistics)
    more = replace(SET, systems={"c": ("one", "two", "three"), **SET.systems})
    table = score(more, [Tallying(), Exact()], store=store)
    assert len(Tallying.calls) == made + 1, "only the new system was scored"
    whole = score(more, [Tallying(), Exact()])
    for name, column in whole.columns.items():
        np.testing.assert_array_equal(table[name].statistics, column.statistics)
        assert table[name].signature == column.signature


def test_a_metric_without_a_file_is_not_kept(store: Store) -> None:
    """Such as one typed into a notebook, whose next version may have the same name."""
    typed = type("Typed", (Exact,), {"__module__": "typed_in_a_notebook"})
    assert not statistics_keys(SET, typed())
    score(SET, [typed()], store=store)
    assert not stored_sizes(store)
