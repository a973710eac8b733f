"""JSON lines: one object a segment.

    {"doc_id": "a.1", "source": "…", "references": {"A": "…"}, "systems": {"Online-A": "…"}}

``doc_id`` and ``source`` stand in all lines or in none, and every line has the same
references and systems. ``name``, ``source_lang`` and ``target_lang`` describe the whole set:
one line with them is enough, and no two may differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from albeit.corpus.entities import unescape_line
from albeit.corpus.evalset import EvalSet, documents_from_ids
from albeit.corpus.textio import language, read_text, shown, split_lines, warn_entities, write_text
from albeit.errors import InputError

__all__ = ["LABELS", "Line", "begins", "read", "write"]

LABELS = ("name", "source_lang", "target_lang")
_KEYS = ("doc_id", "source", "references", "systems", *LABELS)


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

    def __init__(self, text: str, path: str, number: int) -> None:
        self.path, self.number = path, number
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
        return InputError(what, path=self.path, line=self.number, hint=hint)

    def check(self, value: Any, what: str) -> str:
        """A text that can be one line of a file."""
        if not isinstance(value, str):
            raise self.error(f"{what} is not a string.")
        if "\n" in value or "\0" in value:
            raise self.error(
                f"{what} holds a line break or U+0000.", "A segment is one line; use a space."
            )
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise self.error(f"{what} holds half a surrogate pair.")
        return value

    def text(self, key: str) -> str | None:
        """The text under a key, if there is one."""
        value = self.record.get(key)
        return None if value is None else self.check(value, f"{key!r}")

    def texts(self, key: str) -> dict[str, str]:
        """The named texts under a key."""
        value = self.record.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key!r} is not an object of names and texts.")
        return {
            self.check(name, f"a name in {key!r}"): self.check(text, f"{key!r} of {name!r}")
            for name, text in value.items()
        }


def begins(text: str) -> bool:
    """Whether a file begins with an object."""
    return text.lstrip().startswith("{")


def read(path: Path, *, unescape: bool = False) -> EvalSet:
    """Read JSON lines."""
    file = shown(path)
    lines = [
        Line(text, file, number) for number, text in enumerate(split_lines(read_text(path)), 1)
    ]
    source, ids = _column(lines, "source"), _column(lines, "doc_id")
    references, systems = _columns(lines, "references"), _columns(lines, "systems")
    columns = [*([source] if source else []), *references.values(), *systems.values()]
    for column in columns:
        if unescape:
            column[:] = [unescape_line(text) for text in column]
    if not unescape:
        warn_entities((text for column in columns for text in column), file)
    for line, doc_id in zip(lines, ids or (), strict=False):
        if not doc_id.strip():
            raise line.error("the doc_id is empty.")
    labels = {key: _label(lines, key) for key in LABELS}
    return EvalSet(
        references={name: tuple(texts) for name, texts in references.items()},
        systems={name: tuple(texts) for name, texts in systems.items()},
        source=None if source is None else tuple(source),
        documents=documents_from_ids(ids, path=file) if ids else (),
        source_lang=labels["source_lang"],
        target_lang=labels["target_lang"] or "en",
        name=labels["name"] or "evalset",
    )


def _column(lines: list[Line], key: str) -> list[str] | None:
    """A text that stands in all lines or in none."""
    texts = [line.text(key) for line in lines]
    for line, text in zip(lines, texts, strict=True):
        if (text is None) != (texts[0] is None):
            has, lacks = ("has", "has not") if text is not None else ("lacks", "has")
            raise line.error(f"the line {has} {key!r}, which line 1 {lacks}.")
    return [text for text in texts if text is not None] or None


def _columns(lines: list[Line], key: str) -> dict[str, list[str]]:
    """Named texts; every line must have the names of the first."""
    columns: dict[str, list[str]] = {name: [] for name in lines[0].texts(key)}
    for line in lines:
        found = line.texts(key)
        for name in found:
            if name not in columns:
                raise line.error(f"{name!r} is in {key!r}, but not in those of line 1.")
        for name, column in columns.items():
            if name not in found:
                raise line.error(f"{name!r} is missing from {key!r}; line 1 has it.")
            column.append(found[name])
    return columns


def _label(lines: list[Line], key: str) -> str | None:
    """A fact of the whole set, from any line that has it."""
    label: str | None = None
    for line in lines:
        found = line.text(key)
        if found and key != "name":
            found = language(found, line.path, line.number)
        if found is not None and label is not None and found != label:
            raise line.error(f"{key!r} is {found!r} here, but {label!r} further up.")
        label = label if found is None else found
    return label


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
        checked = Line(out[-1], str(path), len(out))
        checked.texts("references"), checked.texts("systems"), checked.text("source")
    write_text("".join(line + "\n" for line in out), path)
