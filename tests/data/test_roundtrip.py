"""Reading what was written gives the same set, or the writer says that it cannot."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from albeit.data import Document, EvalSet, read, write
from albeit.data.front import _FORMATS, open_corpus
from albeit.errors import InputError
from tests.data.strategies import evalsets, order

PLACES = {
    "folder": "{name}/{pair}",
    "jsonl": "set.jsonl",
    "mt-metrics-eval": "{name}",
    "parquet": "set.parquet",
    "sgml": "set.sgm",
    "sgml folder": "set",
    "tsv": "set.tsv.gz",
    "xml": "set.xml",
}


def place(evalset: EvalSet, format: str, folder: Path) -> Path:
    pair = f"{evalset.source_lang}-{evalset.target_lang}"
    return folder / PLACES[format].format(name=evalset.name, pair=pair)


def with_labels_of(read: EvalSet, evalset: EvalSet) -> EvalSet:
    labels = {key: getattr(evalset, key) for key in ("name", "source_lang", "target_lang")}
    return read.relabel(**labels)


def there_and_back(evalset: EvalSet, format: str, folder: Path) -> EvalSet:
    path = place(evalset, format, folder)
    write(evalset, path, format.split()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = read(path)
    if format in ("tsv", "parquet"):  # a table has no place for these
        return with_labels_of(found, evalset)
    if format == "xml" and evalset.source is None:  # the language stands at the source
        return found.relabel(source_lang=evalset.source_lang)
    return found


def test_every_format_is_tried() -> None:
    assert {place.split()[0] for place in PLACES} == {
        name for name, format in _FORMATS.items() if format.write
    }


@pytest.mark.parametrize("format", sorted(PLACES))
@settings(max_examples=40)
@given(evalset=evalsets())
def test_any_set(format: str, evalset: EvalSet) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = there_and_back(evalset, format, Path(folder))
        except InputError:
            if refused(evalset, format):
                return
            raise
        assert found == evalset
        if found.systems:
            assert in_batches(evalset, format, Path(folder)) == found
        if format not in ("folder", "mt-metrics-eval"):  # files are read in the order of names
            assert order(found) == order(evalset)


def refused(evalset: EvalSet, format: str) -> bool:
    """Whether a writer may refuse this set: only for what the format cannot hold."""
    texts = [evalset.source or (), *evalset.references.values(), *evalset.systems.values()]
    every = [line for lines in texts for line in lines]
    if format == "mt-metrics-eval" and (
        any(name in ("all", "src") or set(".-") & set(name) for name in evalset.references)
        or any(doc_id.split() != [doc_id] for doc_id in evalset.document_ids())
    ):
        return True
    if format in ("folder", "mt-metrics-eval"):
        first_is_mark = any(lines and lines[0].startswith("\ufeff") for lines in texts)
        return first_is_mark or any(line.endswith("\r") for line in every)
    if format == "tsv":
        return any("\t" in line or line.endswith("\r") for line in every)
    if format == "xml":
        names = [evalset.name, *evalset.references, *evalset.systems, *evalset.document_ids()]
        return any(c in text for text in [*every, *names] for c in "\ufffe\uffff")
    return False


def in_batches(evalset: EvalSet, format: str, folder: Path) -> EvalSet:
    """Read the same files as one partition."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (batch,) = open_corpus(place(evalset, format, folder)).partitions(1 << 62)
    return with_labels_of(batch.evalset, evalset)


@settings(max_examples=40)
@given(evalset=evalsets())
def test_without_any_source_language(evalset: EvalSet) -> None:
    assume(evalset.source is not None)
    bare = EvalSet(evalset.references, evalset.systems, evalset.source, name=evalset.name)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place in ("set.jsonl", "set.sgm.gz"):
            write(bare, Path(folder, place))
            assert read(Path(folder, place)) == bare


@pytest.mark.parametrize("format", ["mt-metrics-eval", "xml"])
def test_domains_of_documents_are_kept(format: str, tmp_path: Path) -> None:
    lines, documents = ("a", "b", "c"), (Document("d", 0, 2, "news"), Document("e", 2, 3))
    evalset = EvalSet({"ref": lines}, {"s": lines}, lines, documents, "de", "en", "set")
    found = there_and_back(evalset, format, tmp_path)
    assert [document.domain for document in found.documents] == ["news", ""]
    assert [document.domain for document in found.take([0, 2]).documents] == ["news", ""]
