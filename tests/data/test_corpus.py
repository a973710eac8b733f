from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from albeit.data import build_evalset, read, write
from albeit.data.build import open_texts
from albeit.data.corpus import Corpus, Partition
from albeit.data.evalset import Document, EvalSet
from albeit.data.front import open_corpus
from albeit.data.tables import _columns
from albeit.errors import InputError

WORDS = st.text("abc ", max_size=6)


@st.composite
def sets(draw: st.DrawFn) -> EvalSet:
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=8))
    n = sum(lengths)
    lines = st.tuples(*[WORDS] * n)
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    spans = zip([0, *ends], ends, strict=False)
    documents = tuple(Document(f"d{i}", start, stop) for i, (start, stop) in enumerate(spans))
    return EvalSet(
        {name: draw(lines) for name in draw(st.sampled_from([("A",), ("A", "B")]))},
        {name: draw(lines) for name in ("x", "y")},
        draw(st.none() | lines),
        documents if draw(st.booleans()) and len(lengths) > 1 else (),
    )


def as_parquet(evalset: EvalSet, path: Path) -> None:
    parquet.write_table(pa.table(_columns(evalset, path)), path, row_group_size=3)


def texts(evalset: EvalSet, folder: Path) -> Corpus:
    return open_texts(
        [_put(folder, n, lines) for n, lines in evalset.references.items()],
        [_put(folder, n, lines) for n, lines in evalset.systems.items()],
        source=None if evalset.source is None else _put(folder, "src", evalset.source)[4:],
        docs=_put(folder, "ids", evalset.document_ids())[4:] if evalset.has_documents else None,
    )


def _put(folder: Path, name: str, lines: Sequence[str]) -> str:
    path = folder / f"{name}.txt"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return f"{name}={path}"


def table(suffix: str) -> Callable[[EvalSet, Path], Corpus]:
    def made(evalset: EvalSet, folder: Path) -> Corpus:
        path = folder / f"set.{suffix}"
        as_parquet(evalset, path) if suffix == "parquet" else write(evalset, path)
        return open_corpus(path)

    return made


def joined(batches: Sequence[Partition]) -> EvalSet:
    first = batches[0].evalset
    documents = tuple(
        Document(d.id, d.start + b.first, d.stop + b.first)
        for b in batches
        for d in b.evalset.documents
    )
    return EvalSet(
        {n: sum((b.evalset.references[n] for b in batches), ()) for n in first.references},
        {n: sum((b.evalset.systems[n] for b in batches), ()) for n in first.systems},
        None if first.source is None else sum((b.evalset.source or () for b in batches), ()),
        documents if len({d.id for d in documents}) > 1 else (),
    )


@pytest.mark.parametrize("form", [texts, table("tsv"), table("jsonl"), table("parquet")])
@given(evalset=sets(), lines=st.integers(1, 12))
def test_batches_are_the_set_in_whole_documents(
    tmp_path_factory: pytest.TempPathFactory,
    form: Callable[[EvalSet, Path], Corpus],
    evalset: EvalSet,
    lines: int,
) -> None:
    stream = form(evalset, tmp_path_factory.mktemp("set"))
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


def test_a_table_says_which_texts_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "set.tsv"
    path.write_text("doc_id\tref:A\tref:B\tsys:x\tsys:y\n1\ta\tb\tc\td\n")
    stream = open_corpus(path, systems=["y"], references=["B"], target_lang="de-AT")
    (batch,) = stream.partitions(9)
    assert batch.evalset == read(path, systems=["y"], references=["B"], target_lang="de")
    with pytest.raises(InputError, match="has no system 'z'"):
        open_corpus(path, systems=["z"])


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
    whole = read(tmp_path / name, unescape=True)
    assert whole.systems["a"] == ('"', "one\ttwo & so")
    (batch,) = open_corpus(tmp_path / name, unescape=True).partitions(9)
    assert batch.evalset == whole
