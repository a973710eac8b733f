from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from albeit.data import build_evalset, documents_from_ids, read, write, write_lines
from albeit.data.build import open_texts
from albeit.data.corpus import Corpus, Partition
from albeit.data.evalset import EvalSet
from albeit.data.front import open_corpus
from albeit.errors import AlbeitWarning, InputError
from tests.data.strategies import evalsets

SETS = evalsets(st.text("abc ", max_size=6), st.text("abcd", min_size=1, max_size=2))


def _put(folder: Path, name: str, lines: Sequence[str]) -> str:
    write_lines(lines, folder / f"{name}.txt")
    return f"{name}={folder / name}.txt"


def open_form(evalset: EvalSet, folder: Path, form: str) -> Corpus:
    """Write a set in some form, and open it."""
    if form != "texts":
        write(evalset, folder / f"set.{form}")
        return open_corpus(folder / f"set.{form}")
    for name, lines in (("src", evalset.source or ["-"]), ("ids", evalset.document_ids())):
        write_lines(lines, folder / name)
    return open_texts(
        [_put(folder / "r", n, lines) for n, lines in evalset.references.items()],
        [_put(folder / "s", n, lines) for n, lines in evalset.systems.items()],
        source=None if evalset.source is None else folder / "src",
        docs=folder / "ids" if evalset.has_documents else None,
    )


def joined(partitions: Sequence[Partition]) -> EvalSet:
    sets = [p.evalset for p in partitions]
    ids = [doc_id for each in sets for doc_id in each.document_ids()]
    return EvalSet(
        {n: sum((each.references[n] for each in sets), ()) for n in sets[0].references},
        {n: sum((each.systems[n] for each in sets), ()) for n in sets[0].systems},
        None if sets[0].source is None else sum((each.source or () for each in sets), ()),
        documents_from_ids(ids) if sets[0].has_documents or len(set(ids)) > 1 else (),
    )


@pytest.mark.parametrize("form", ["texts", "tsv", "jsonl", "parquet"])
@given(evalset=SETS.filter(lambda evalset: bool(evalset.systems)), lines=st.integers(1, 12))
def test_batches_are_the_set_in_whole_documents(
    tmp_path_factory: pytest.TempPathFactory, form: str, evalset: EvalSet, lines: int
) -> None:
    documents = evalset.documents if evalset.has_documents else ()
    evalset = EvalSet(evalset.references, evalset.systems, evalset.source, documents)
    stream = open_form(evalset, tmp_path_factory.mktemp("set"), form)
    for _ in range(2):  # as often as need be
        batches = list(stream.partitions(lines))
        assert joined(batches) == evalset
        assert [b.number for b in batches] == list(range(len(batches)))
        assert [b.last for b in batches] == [False] * (len(batches) - 1) + [True]
        for batch in batches[:-1]:
            short = batch.evalset.documents[-1].start if evalset.has_documents else 0
            assert len(batch.evalset) >= lines, "as many as asked for"
            assert not evalset.has_documents or short < lines, "and no document more"
    assert stream.share == 1


def test_several_tables_are_one(tmp_path: Path) -> None:
    for name, line in (("a", "1\tx"), ("b", "2\ty")):
        (tmp_path / f"{name}.tsv").write_text(f"doc_id\tsys:s\n{line}\n")
    (batch,) = open_corpus(tmp_path / "*.tsv").partitions(9)
    assert batch.evalset.systems["s"] == ("x", "y")
    (tmp_path / "b.tsv").write_text("doc_id\tsys:other\n2\ty\n")
    with pytest.raises(InputError, match=r"b.tsv:1: the header is not that of"):
        list(open_corpus(tmp_path / "*.tsv").partitions(9))


def test_blank_lines_end_documents(tmp_path: Path) -> None:
    ref, system = (_put(tmp_path, name, ["", "a", "b", "", "", "c"]) for name in ("r", "s"))
    partitions = list(open_texts([ref], [system], docs="blank-lines").partitions(1))
    assert joined(partitions) == build_evalset([ref], [system], docs="blank-lines")


def test_a_cell_of_parquet_must_be_a_line(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"sys:a": ["x", None]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t.parquet:2: system a is None, which is not a line"):
        list(open_corpus(tmp_path / "t.parquet").partitions(9))


@pytest.mark.parametrize("name", ["t.tsv", "t.jsonl", "t.parquet"])
def test_entities_are_resolved_alike(tmp_path: Path, name: str) -> None:
    """A quotation mark in JSON, or a tab in a table, is resolved after it is taken apart."""
    write(EvalSet({}, {"a": ("&quot;", "one&Tab;two &amp; so")}), tmp_path / name)
    with pytest.warns(AlbeitWarning, match="2 lines with HTML entities"):
        assert read(tmp_path / name).systems["a"][0] == "&quot;"
    whole = read(tmp_path / name, unescape=True)
    assert whole.systems["a"] == ('"', "one\ttwo & so")
    (batch,) = open_corpus(tmp_path / name, unescape=True).partitions(9)
    assert batch.evalset == whole


@pytest.mark.parametrize("form", ["texts", "tsv", "jsonl", "parquet"])
def test_a_pass_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """Metrics that prepare on the whole set read it while partitions are being scored."""
    monkeypatch.setattr("albeit.data.build.BLOCK", 2)
    monkeypatch.setattr("albeit.data.tables.BLOCK", 2)
    evalset = EvalSet({"A": tuple("abcdefghi")}, {"x": tuple("rstuvwxyz")})
    corpus = open_form(evalset, tmp_path, form)
    partitions = corpus.partitions(3)
    first = next(partitions)
    assert corpus.evalset() == evalset
    assert joined([first, *partitions]) == evalset
