"""Translations of whole documents, without lines: what must be cut before it is scored.

A system's text comes as one file per document in a folder (``NAME/docid.txt``), as JSON lines
with one object per document (:mod:`albeit.corpus.formats.wmtjsonl`), or as one file: then its
blocks between empty lines are the documents where there are as many, and otherwise it is one
running text over the whole set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.corpus.build import name_of, split_name
from albeit.corpus.entities import unescape_line
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.formats import wmtjsonl
from albeit.corpus.openings import list_folder
from albeit.corpus.textio import STDIN, counted, read_text, shown, warn_entities
from albeit.errors import InputError

__all__ = ["LooseSet", "LooseText", "read_loose", "read_loose_set"]


@dataclass(frozen=True, slots=True)
class LooseText:
    """A running text, and the segments that it translates."""

    document: Document
    text: str


@dataclass(frozen=True)
class LooseSet:
    """Reference segments in documents, and systems whose texts are not cut to them.

    ``base`` holds references, source and documents, and systems that have lines; the texts
    of a system follow each other and cover all of its segments.
    """

    base: EvalSet
    systems: Mapping[str, tuple[LooseText, ...]]


_BLANK = re.compile(r"\n[^\S\n]*\n\s*")


def read_loose(
    base: EvalSet, arguments: Sequence[str | Path], *, unescape: bool = False
) -> LooseSet:
    """The systems' documents from files or folders, each a path or ``name=path``."""
    systems: dict[str, tuple[LooseText, ...]] = {}
    for argument in arguments:
        name, path = split_name(argument)
        for system, texts in _texts(base, name, Path(path), unescape).items():
            if system in systems:
                raise InputError(
                    f"there is a system {system!r} already.",
                    path=shown(path),
                    hint="Give each its own name: NAME=FILE.",
                )
            systems[system] = texts
    return LooseSet(base, systems)


def read_loose_set(
    path: str | Path,
    *,
    references: Sequence[str] | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> LooseSet:
    """A whole test set from JSON lines, one document a line; reference lines are segments."""
    records = wmtjsonl.read(Path(path))
    base = wmtjsonl.segments(records, shown(path), references).relabel(
        name=name_of(path), source_lang=source_lang, target_lang=target_lang
    )
    named = [record.hypotheses(name_of(path)) for record in records]
    names = list(dict.fromkeys(name for texts in named for name in texts))
    return LooseSet(
        base,
        {
            name: _by_document(
                base,
                {
                    r.doc_id: texts[name]
                    for r, texts in zip(records, named, strict=True)
                    if name in texts
                },
                shown(path),
                unescape,
            )
            for name in names
        },
    )


def _texts(
    base: EvalSet, name: str, path: Path, unescape: bool
) -> dict[str, tuple[LooseText, ...]]:
    """The texts of the systems in one file or folder, by the system's name."""
    if str(path) != STDIN and path.is_dir():
        files = [f for f in list_folder(path) if f.is_file() and not f.name.startswith(".")]
        texts = {}
        for file in files:
            if name_of(file) in texts:
                raise InputError(f"document {name_of(file)!r} is there twice.", path=file)
            empty = not file.stat().st_size  # a document without translation
            texts[name_of(file)] = "" if empty else read_text(file)
        return {name: _by_document(base, texts, str(path), unescape)}
    if wmtjsonl.looks_like(path):
        records = wmtjsonl.read(path)
        systems: dict[str, dict[str, str]] = {}
        for record in records:
            for system, text in record.hypotheses(name).items():
                systems.setdefault(system, {})[record.doc_id] = text
        return {s: _by_document(base, t, shown(path), unescape) for s, t in systems.items()}
    text = read_text(path)
    blocks = [block for block in _BLANK.split(text.strip()) if block.strip()]
    if base.has_documents and len(blocks) == len(base.documents):
        by_id = {d.id: block for d, block in zip(base.documents, blocks, strict=True)}
        return {name: _by_document(base, by_id, shown(path), unescape)}
    whole = LooseText(Document("all", 0, len(base)), _clean(text, path, unescape))
    return {name: (whole,)}


def _by_document(
    base: EvalSet, texts: Mapping[str, str], path: str, unescape: bool
) -> tuple[LooseText, ...]:
    """The texts in the order of the set's documents, all of which must be there."""
    _check_ids([d.id for d in base.documents], texts, path)
    return tuple(LooseText(d, _clean(texts[d.id], path, unescape)) for d in base.documents)


def _check_ids(wanted: Sequence[str], found: Iterable[str], path: str) -> None:
    found = list(found)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InputError(
            f"{counted(len(missing), 'document')} of {len(wanted)} not found,"
            f" the first {missing[0]!r}; there are {', '.join(sorted(found)[:5]) or 'none'} ….",
            path=path,
            hint="Documents are found by their ids; a document without translation is an empty"
            " text, and must be there.",
        )
    extra = [name for name in found if name not in wanted]
    if extra:
        raise InputError(
            f"document {extra[0]!r} is not in the test set"
            f" ({counted(len(extra), 'such document')}).",
            path=path,
            hint="Give the test set's own document ids with --docs, or leave the document out.",
        )


def _clean(text: str, path: str | Path, unescape: bool) -> str:
    lines = text.strip().split("\n")
    if unescape:
        return "\n".join(map(unescape_line, lines))
    warn_entities(lines, path)
    return "\n".join(lines)
