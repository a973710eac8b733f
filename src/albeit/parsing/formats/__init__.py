"""Analyses on paper and in files: written for people and programs, read from other parsers.

Layers for people to read in a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from albeit.errors import InputError
from albeit.parsing.formats.conllu import read_conllu, write_conllu
from albeit.parsing.formats.dis import read_dis
from albeit.parsing.formats.files import is_collection, members, write_files
from albeit.parsing.formats.jsonl import read_json, write_json
from albeit.parsing.formats.ptb import read_ptb
from albeit.parsing.formats.rs3 import read_rs3, write_rs3
from albeit.parsing.formats.words import attach_numbered
from albeit.parsing.layers import (
    COREFERENCE,
    DEPENDENCIES,
    EDUS,
    RST,
    SENTENCES,
    TOKENS,
    Analysis,
    AnyLayer,
    of_lines,
)

__all__ = [
    "HOLDS",
    "SINGLE",
    "is_collection",
    "read_analyses",
    "read_annotations",
    "read_attached",
    "write_analyses",
    "write_each",
    "write_pretty",
]


class _Reader(Protocol):
    def __call__(self, text: str, *, path: str | Path | None = None) -> list[Analysis]:
        """Analyses from a file's text."""


_READERS: dict[str, _Reader] = {
    ".dis": read_dis,
    ".rs3": read_rs3,
    ".rs4": read_rs3,
    ".conllu": read_conllu,
    ".ptb": read_ptb,
    ".mrg": read_ptb,
    ".json": read_json,
    ".jsonl": read_json,
}
_WRITERS: dict[str, Callable[[Iterable[Analysis]], Iterator[str]]] = {
    "rs3": write_rs3,
    "conllu": write_conllu,
    "json": write_json,
}
HOLDS: dict[str, frozenset[AnyLayer]] = {
    "rs3": frozenset({TOKENS, EDUS, RST}),
    "conllu": frozenset({TOKENS, SENTENCES, EDUS, DEPENDENCIES, COREFERENCE}),
    "json": frozenset([*(each for each in of_lines() if not each.derived), COREFERENCE]),
}
"""The layers that a format can hold."""
SINGLE = frozenset({"rs3"})
"""Formats of which a well-formed file holds one text."""


def write_analyses(analyses: Iterable[Analysis], form: str) -> Iterator[str]:
    """The analyses in a format, piece by piece."""
    return _WRITERS[form](analyses)


def write_each(analyses: Iterable[Analysis], count: int, place: str, form: str) -> None:
    """Write one file per text into a folder or a zip."""
    write_files(analyses, count, place, _WRITERS[form], f".{form}")


def read_analyses(path: str | Path) -> list[Analysis]:
    """The analyses of a file, whose name gives the format; of a folder or zip, those of its files."""
    path = Path(path)
    if path.is_dir() or path.suffix.lower() == ".zip":
        try:
            files = [(Path(name), data) for name, data in members(path, _READERS)]
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
        return [
            each
            for name, data in files
            for each in _READERS[name.suffix.lower()](_decoded(data, name), path=name)
        ]
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"annotations cannot be read from {path.suffix or 'a file without a suffix'!r}.",
            path=path,
            hint=f"Known: {', '.join(_READERS)}.",
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
    return reader(_decoded(data, path), path=path)


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8: byte {error.start}.", path=path, hint="Convert the file to UTF-8."
        ) from None


def read_attached(path: str | Path, texts: Sequence[str]) -> list[Analysis]:
    """The analyses of a file, the n-th laid onto the n-th text (which has its words)."""
    analyses = read_analyses(path)
    if len(texts) != len(analyses):
        raise InputError(
            f"{len(analyses)} annotations for {len(texts)} texts.",
            path=path,
            hint="Give one annotation a line of text, in the same order.",
        )
    pairs = zip(analyses, texts, strict=True)
    return [attach_numbered(each, text, path, i) for i, (each, text) in enumerate(pairs, 1)]


def read_annotations(
    path: str | Path, texts: Sequence[str] | None = None
) -> Mapping[str, Analysis]:
    """Somebody else's analyses, by text, for ``annotate(..., given=…)``.

    With ``texts``, the n-th analysis belongs to the n-th text, and its words are laid onto it
    (formats without raw text need this). Without, the file must hold the raw text itself, as
    JSON and CoNLL-U do. The same text twice must have the same analysis.
    """
    analyses = read_analyses(path) if texts is None else read_attached(path, texts)
    by_text: dict[str, Analysis] = {}
    for number, analysis in enumerate(analyses, 1):
        known = by_text.setdefault(analysis.text, analysis)
        if known is not analysis and known != analysis:
            raise InputError(
                f"annotation {number} differs from an earlier one of the same text.", path=path
            )
    return by_text


def write_pretty(analyses: Iterable[Analysis], layers: Sequence[AnyLayer]) -> Iterator[str]:
    """The layers of each text under the text itself."""
    for number, analysis in enumerate(analyses, 1):
        lines = [f"{number}  {' '.join(analysis.text.split())}"]
        for layer in layers:
            lines += [f"   {line}" for line in layer.draw(analysis[layer], analysis)]
        yield "\n".join(lines) + "\n\n"
