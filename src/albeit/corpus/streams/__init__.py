"""Test sets too large for memory, read in batches of whole documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from albeit.corpus.formats import suffix_of
from albeit.corpus.lines import files_of
from albeit.corpus.streams.batches import SetBatch, Stream
from albeit.corpus.streams.tables import JsonRows, ParquetRows, TsvRows
from albeit.corpus.streams.text import TextRows
from albeit.errors import InputError
from albeit.languages import normalise

__all__ = ["SetBatch", "Stream", "stream_table", "stream_texts"]

_TABLES: dict[str, type[TsvRows | JsonRows | ParquetRows]] = {
    "tsv": TsvRows,
    "jsonl": JsonRows,
    "parquet": ParquetRows,
}


def stream_texts(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> Stream:
    """Text files, one line a segment, as :func:`albeit.corpus.build_evalset` takes them.

    A path with wildcards (``'part-*.zst'``) stands for several files, read as one.
    """
    rows = TextRows(refs, systems, source=source, docs=docs, unescape=unescape)
    return Stream(rows, source_lang=_language(source_lang), target_lang=_language(target_lang))


def stream_table(
    paths: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> Stream:
    """A table that holds everything (TSV, JSONL, Parquet), in one file or several."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files = [file for path in given for file in files_of(path)]
    kinds = {format or suffix_of(Path(file)).removeprefix(".") for file in files}
    if len(kinds) != 1 or (kind := kinds.pop()) not in _TABLES:
        raise InputError(
            "is no table that can be read in batches.",
            path=files[0],
            hint=f"Give text files, or a table: {', '.join(_TABLES)} (.gz and .zst are fine).",
        )
    rows = _TABLES[kind](files, unescape=unescape)
    return Stream(
        rows,
        source_lang=_language(source_lang),
        target_lang=_language(target_lang),
        references=references,
        systems=systems,
    )


def _language(tag: str | None) -> str | None:
    return None if tag is None else normalise(tag)
