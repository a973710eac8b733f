"""JSON lines: one object per segment.

    {"doc_id": "a.1", "source": "…", "references": {"A": "…"}, "systems": {"Online-A": "…"}}

``doc_id`` and ``source`` stand in all lines or in none, and every line has the same
references and systems. ``name``, ``source_lang`` and ``target_lang`` describe the whole set:
one line with them is enough, and no two may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from albeit.data.evalset import EvalSet
from albeit.data.rows import Block, Head, Kind, ReadByLine
from albeit.data.textio import LineReader, language, write_text
from albeit.errors import InputError

__all__ = ["Line", "LineRows", "begins", "rows", "write"]

LABELS = ("name", "source_lang", "target_lang")
_KEYS = ("doc_id", "source", "references", "systems", *LABELS)
_NO_LINE = re.compile("[\n\0\ud800-\udfff]")
"""What cannot stand in a line of a file."""


class _DuplicateKeyError(ValueError):
    """A JSON object names something twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _DuplicateKeyError(next(key for key in keys if keys.count(key) > 1))
    return found


class Line:
    """One line, with checks that know its place."""

    def __init__(self, text: str, place: Callable[[], tuple[str, int]]) -> None:
        self.place = place
        try:
            record = json.loads(text, object_pairs_hook=_unique)
        except _DuplicateKeyError as error:
            raise self.error(f"{str(error)!r} stands twice in one object.") from None
        except json.JSONDecodeError as error:
            raise self.error(f"is not JSON: {error.msg} (column {error.colno}).") from None
        except (ValueError, RecursionError) as error:
            raise self.error(f"is JSON that cannot be read: {error}.") from None
        if not isinstance(record, dict):
            raise self.error("is not a JSON object.")
        for key in record:
            if key not in _KEYS:
                raise self.error(f"unknown key {key!r}.", f"Known: {', '.join(_KEYS)}.")
        self.record: dict[str, Any] = record

    def error(self, what: str, hint: str = "") -> InputError:
        """Something wrong with this line."""
        path, number = self.place()
        return InputError(what, path=path, line=number, hint=hint)

    def _check(self, value: Any, what: str, name: str | None = None) -> None:
        """Raise unless this is a text that can be one line of a file."""
        if isinstance(value, str) and not _NO_LINE.search(value):
            return
        what = repr(what) if name is None else f"{what!r} of {name!r}"
        if not isinstance(value, str):
            raise self.error(f"{what} is not a string.")
        if "\n" in value or "\0" in value:
            raise self.error(
                f"{what} holds a line break or U+0000.", "A segment is one line; use a space."
            )
        raise self.error(f"{what} holds half a surrogate pair.")

    def text(self, key: str) -> str | None:
        """The text under a key, if there is one."""
        value: str | None = self.record.get(key)
        if value is not None:
            self._check(value, key)
        return value

    def texts(self, key: str) -> dict[str, str]:
        """The named texts under a key."""
        value = self.record.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key!r} is not an object of names and texts.")
        for name, text in value.items():
            self._check(name, key, name)
            self._check(text, key, name)
        return value


def begins(text: str) -> bool:
    """Whether a file begins with an object."""
    return text.lstrip().startswith("{")


class LineRows(ReadByLine):
    """One object per segment; what it says of the whole set may stand in any line, in batches the first."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        super().__init__(LineReader(files, plain=not unescape), unescape=unescape)
        first = Line(self._reader.first() or "", partial(self._reader.place, 0))
        columns: list[tuple[Kind, str]] = [
            ("reference", name) for name in first.texts("references")
        ]
        columns += [("source", "source")] if first.text("source") is not None else []
        columns += [("system", name) for name in first.texts("systems")]
        self.head = Head(tuple(columns), first.text("doc_id") is not None)
        self._labels: dict[str, str] = {}
        self._note_labels(first)

    def _block(self, lines: Sequence[str], first: int) -> Block:
        place = self._reader.place
        found = [self._row(Line(text, partial(place, n))) for n, text in enumerate(lines, first)]
        return tuple(zip(*found, strict=True))

    def _row(self, line: Line) -> list[str]:
        """The document's id and the texts, in the order of the columns."""
        self._note_labels(line)
        doc_id = self._optional(line, "doc_id", self.head.has_documents)
        if self.head.has_documents and not doc_id.strip():
            raise line.error("the doc_id is empty.")
        source = self._optional(line, "source", bool(self.head.names("source")))
        references = _in_order(line, "references", self.head.names("reference"))
        systems = _in_order(line, "systems", self.head.names("system"))
        return [doc_id, *references, *([source] if self.head.names("source") else []), *systems]

    @staticmethod
    def _optional(line: Line, key: str, wanted: bool) -> str:
        """A text that stands in all lines or in none."""
        text = line.text(key)
        if (text is not None) != wanted:
            has, lacks = ("has", "has not") if text is not None else ("lacks", "has")
            raise line.error(f"the line {has} {key!r}, which line 1 {lacks}.")
        return text or ""

    def _note_labels(self, line: Line) -> None:
        """Facts of the whole set, from any line that has them."""
        for key in LABELS:
            if key not in line.record or (label := line.text(key)) is None:
                continue
            if key != "name":
                label = language(label, *line.place())
            known = self._labels.setdefault(key, label)
            if label != known:
                raise line.error(f"{key!r} is {label!r} here, but {known!r} further up.")
            if label != getattr(self.head, key):
                self.head = replace(self.head, **{key: label})  # type: ignore[arg-type]


def _in_order(line: Line, key: str, names: Sequence[str]) -> list[str]:
    """Named texts; every line must have the names of the first."""
    found = line.texts(key)
    if found.keys() == set(names):
        return [found[name] for name in names]
    for name in found:
        if name not in names:
            raise line.error(f"{name!r} is in {key!r}, but not in those of line 1.")
    missing = next(name for name in names if name not in found)
    raise line.error(f"{missing!r} is missing from {key!r}; line 1 has it.")


rows = LineRows


def write(evalset: EvalSet, path: Path) -> None:
    """Write JSON lines; the first one also holds the set's name and languages."""
    out: list[str] = []
    labels = {
        "name": evalset.name,
        "source_lang": evalset.source_lang,
        "target_lang": evalset.target_lang,
    }
    for segment in evalset.segments():
        record: dict[str, Any] = {}
        if not out:
            record |= {key: value for key, value in labels.items() if value is not None}
        if evalset.has_documents:
            record["doc_id"] = segment.document
        if segment.source is not None:
            record["source"] = segment.source
        record["references"] = dict(segment.references)
        record["systems"] = dict(segment.translations)
        out.append(json.dumps(record, ensure_ascii=False))
        # What this reader would refuse is not written.
        checked = Line(out[-1], partial(_place, path, len(out)))
        checked.texts("references"), checked.texts("systems"), checked.text("source")
    write_text("".join(line + "\n" for line in out), path)


def _place(path: Path, line: int) -> tuple[str, int]:
    return str(path), line
