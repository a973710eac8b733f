"""Translations of whole documents, without lines, and their cuts to the reference's segments.

A system is a folder with one file per document (``NAME/docid.txt``), JSON lines with one object per
document, or one file: its blocks between empty lines are the documents if there are as many, and
otherwise it is one running text over the whole set. JSON lines are as in WMT25 and WMT26:

    {"doc_id": "a.1", "src_text": "…", "refs": {"refA": "…"}, "tgt_text": {"Online-A": "…"}}

A submission has ``hypothesis`` (or ``tgt_text``) as one text; a file of many has an object of names
and texts. The source is ``source`` or ``src_text``. References are ``refs`` or ``references`` by
name, each a text or an object with ``ref``; their lines are the segments. Languages are
``src_lang`` and ``tgt_lang`` (also ``source_lang``, ``target_lang``). Other keys are ignored.

Cuts can be saved as a table of character offsets and read again. It has one line per segment:
system, document, segment (from 1, in the whole set), the offsets in the text (from 0, the
last one exclusive), and the reference. A seventh column, of version 0.2, is ignored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from albeit.data import textio
from albeit.data.build import name_of, split_name
from albeit.data.evalset import Document, EvalSet, Names, documents_from_ids
from albeit.data.files import STDIN, AnyPath, list_folder, shown
from albeit.data.textio import Row, counted, read_text, resolve_entities, split_lines, warn
from albeit.data.word_edits import cut_by_edits, read_words, stems_of
from albeit.errors import InputError

METHOD = "edits"
"""The name of the method in signatures."""
LOW = 0.25
"""Below this confidence a text hardly matches the segments, and a warning names it."""
COLUMNS = ("system", "document", "segment", "start", "stop", "reference")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_HYPOTHESIS = ("hypothesis", "tgt_text")


@dataclass(frozen=True, slots=True)
class LooseText:
    """A running text, and the segments that it translates."""

    document: Document
    text: str


class LooseSet(NamedTuple):
    """Reference segments in documents, and systems whose texts aren't cut to them.

    ``base`` has references, source, documents, and systems that have lines. The texts of a system
    follow each other and cover all of its segments.
    """

    base: EvalSet
    systems: Mapping[str, tuple[LooseText, ...]]


class _Record:
    """One document: an object of JSON lines."""

    def __init__(self, line: str, path: str, number: int) -> None:
        self.path, self.line = path, number
        try:
            self.fields: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self.error(f"is not JSON: {error}.") from None
        doc_id = self.fields.get("doc_id") if isinstance(self.fields, dict) else None
        if not isinstance(doc_id, str) or not doc_id.strip():
            raise self.error("is not an object with a doc_id.")
        self.doc_id = doc_id

    def error(self, what: str, hint: str = "") -> InputError:
        """Return an error at this line."""
        return InputError(what, path=self.path, line=self.line, hint=hint)

    def get(self, *keys: str) -> Any:
        """Return the value of the one of these keys that is there."""
        present = [key for key in keys if self.fields.get(key) is not None]
        if len(present) > 1:
            raise self.error(f"has both {present[0]!r} and {present[1]!r}.", "Leave one out.")
        return self.fields[present[0]] if present else None

    def texts(self, name: str, *keys: str) -> dict[str, str]:
        """Return texts by name; a single text has this name."""
        value = self.get(*keys)
        if not isinstance(value, dict) or "ref" in value:
            value = {} if value is None else {name: value}
        texts: dict[str, str] = {}
        for each, text in value.items():
            text = text["ref"] if isinstance(text, dict) and "ref" in text else text
            if not isinstance(text, str) or "\0" in text:
                raise self.error(f"{keys[0]!r} of {each!r} is not a text.")
            texts[str(each)] = text
        return texts

    def segments(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the lines of the references, and of the source under ``""``."""
        texts = self.texts("ref", "refs", "references")
        for name in names:
            if name not in texts:
                raise self.error(f"reference {name!r} is missing.", f"It has: {', '.join(texts)}.")
        sides = {name: texts[name] for name in names} | self.texts("", "source", "src_text")
        lines = {
            side: [line.strip() for line in text.split("\n") if line.strip()]
            for side, text in sides.items()
        }
        size = len(lines[names[0]])
        for side, own in lines.items():
            if len(own) != size or not own:
                count = f"{side or 'the source'} has {counted(len(own), 'line')} of text"
                hint = "They must have the same paragraphs; choose one reference with --refs."
                raise self.error(f"{count}, but reference {names[0]!r} {size}.", hint)
        return lines


def holds_documents(path: Path) -> bool:
    """Return whether a file is JSON lines of documents, by its name and first line."""
    name = path.name.lower().removesuffix(".gz")
    if str(path) == STDIN or not name.endswith((".jsonl", ".json", ".ndjson")):
        return False
    try:
        first = json.loads(read_text(path).split("\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and any(key in first for key in (*_HYPOTHESIS, "refs"))


def _read_records(path: Path) -> list[_Record]:
    """Read the documents of a file."""
    records: dict[str, _Record] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        record = _Record(line, shown(path), number)
        if other := records.get(record.doc_id):
            raise record.error(f"document {record.doc_id!r} is on line {other.line} already.")
        records[record.doc_id] = record
    return list(records.values())


def read_loose(base: EvalSet, arguments: Sequence[AnyPath], *, unescape: bool = False) -> LooseSet:
    """Read the documents of systems from files or folders, each a path or ``name=path``."""
    systems: dict[str, tuple[LooseText, ...]] = {}
    for argument in arguments:
        name, path = split_name(argument)
        for system, texts in _read_texts(base, name, Path(path)).items():
            if system in systems:
                hint = "Give each its own name: NAME=FILE."
                raise InputError(f"there is a system {system!r} already.", path=path, hint=hint)
            systems[system] = _match_documents(base, texts, shown(path), unescape)
    return LooseSet(base, systems)


def read_loose_set(
    path: AnyPath,
    *,
    references: Names = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> LooseSet:
    """Read a whole test set from JSON lines of documents; reference lines are segments."""
    records, file = _read_records(Path(path)), shown(path)
    names = references or list(records[0].texts("ref", "refs", "references"))
    if not names:
        raise InputError("has no references to take segments from.", path=file)
    rows = [record.segments(names) for record in records]
    sides = [*names, *([""] if all("" in row for row in rows) else [])]
    texts = {side: tuple(line for row in rows for line in row[side]) for side in sides}
    ids = [each.doc_id for each, row in zip(records, rows, strict=True) for _ in row[names[0]]]
    source_lang = source_lang or _language(records, "src_lang", "source_lang")
    target_lang = target_lang or _language(records, "tgt_lang", "target_lang") or "en"
    chosen, name = {name: texts[name] for name in names}, name_of(path)
    documents, source = documents_from_ids(ids), texts.get("")
    base = EvalSet(chosen, {}, source, documents, source_lang, target_lang, name)
    systems = _by_system(records, name).items()
    return LooseSet(base, {s: _match_documents(base, own, file, unescape) for s, own in systems})


def _language(records: Sequence[_Record], *keys: str) -> str | None:
    tags = {record.get(*keys) for record in records} - {None}
    if len(tags) > 1:
        what = f"has several languages: {', '.join(sorted(map(str, tags)))}."
        raise InputError(what, path=records[0].path, hint="Use one language pair per file.")
    return str(tags.pop()) if tags else None


def _by_system(records: Sequence[_Record], name: str) -> dict[str, dict[str, str]]:
    """Return the texts of each system by document."""
    systems: dict[str, dict[str, str]] = {}
    for record in records:
        for system, text in record.texts(name, *_HYPOTHESIS).items():
            systems.setdefault(system, {})[record.doc_id] = text
    return systems


def _read_texts(base: EvalSet, name: str, path: Path) -> dict[str, Mapping[str, str] | str]:
    """Read the texts of systems by document, or one text of the whole set."""
    if str(path) != STDIN and path.is_dir():
        texts: dict[str, str] = {}
        for each in list_folder(path):
            if each.is_file() and not each.name.startswith("."):
                if name_of(each) in texts:
                    raise InputError(f"document {name_of(each)!r} is there twice.", path=each)
                empty = not each.stat().st_size  # a document without translation
                texts[name_of(each)] = "" if empty else read_text(each)
        return {name: texts}
    if holds_documents(path):
        return {**_by_system(_read_records(path), name)}
    text = read_text(path)
    blocks = [block for block in _BLANK.split(text.strip()) if block.strip()]
    if base.has_documents and len(blocks) == len(base.documents):
        return {name: {d.id: block for d, block in zip(base.documents, blocks, strict=True)}}
    return {name: text}


def _match_documents(
    base: EvalSet, texts: Mapping[str, str] | str, path: str, unescape: bool
) -> tuple[LooseText, ...]:
    """Return the texts in the order of the set's documents, all of which must be there."""
    documents = base.documents
    if isinstance(texts, str):
        documents, texts = (Document("all", 0, len(base)),), {"all": texts}
    known = dict.fromkeys(document.id for document in documents)
    missing = [doc_id for doc_id in known if doc_id not in texts]
    if missing:
        what = f"has no text of document {missing[0]!r} ({len(missing)} of {len(known)} missing);"
        what = f"{what} it has {', '.join(sorted(texts)[:5]) or 'none'} …."
        raise InputError(what, path, hint="A document without translation is an empty text.")
    extra = [doc_id for doc_id in texts if doc_id not in known]
    if extra:
        what = f"document {extra[0]!r} is not in the test set ({len(extra)} such documents)."
        raise InputError(what, path=path, hint="Give the test set's own document ids with --docs.")
    clean = {
        doc_id: "\n".join(resolve_entities(text.strip().split("\n"), path, unescape=unescape))
        for doc_id, text in texts.items()
    }
    return tuple(LooseText(document, clean[document.id]) for document in documents)


Span = tuple[int, int]
"""Offsets in a text."""


@dataclass(frozen=True, slots=True)
class CutText(LooseText):
    """A running text, cut along the reference of this name.

    ``spans`` are offsets in the text, in order, without white space at the ends; a segment without
    text has an empty span. ``confidence``, from 0 to 1, is the share of words that segments and
    pieces have in common.
    """

    reference: str
    spans: tuple[Span, ...]
    confidence: float

    def pieces(self) -> tuple[str, ...]:
        """Return one line per segment; a line break inside a piece becomes a space."""
        return tuple(self.text[a:b].replace("\n", " ") for a, b in self.spans)


@dataclass(frozen=True)
class Resegmented:
    """A set whose texts are cut: for every system its texts, in order.

    ``how`` is the method, or the digest of a file of offsets.
    """

    loose: LooseSet
    systems: Mapping[str, tuple[CutText, ...]]
    how: str

    @cached_property
    def evalset(self) -> EvalSet:
        """The set with one line per segment; systems that have lines of their own come last."""
        cut = {
            name: tuple(piece for text in texts for piece in text.pieces())
            for name, texts in self.systems.items()
        }
        base = self.loose.base
        return base.with_systems({**cut, **base.systems}, resegmented=self.how)

    def segments(self, text: CutText) -> tuple[str, ...]:
        """Return the reference segments along which a text was cut."""
        return self.loose.base.references[text.reference][text.document.rows]


def resegment(
    loose: LooseSet, *, progress: Callable[[int, int], None] | None = None
) -> Resegmented:
    """Cut each system's texts along the reference segments.

    With several references a text is cut along the one that it shares most words with. A text that
    hardly matches its reference is cut, too, with a warning.
    """
    total = sum(map(len, loose.systems.values()))
    done = 0
    systems: dict[str, tuple[CutText, ...]] = {}
    for name, texts in loose.systems.items():
        cuts: list[CutText] = []
        for text in texts:
            ways = [_cut(text, *item) for item in loose.base.references.items()]
            cuts.append(max(ways, key=lambda cut: cut.confidence))
            done += 1
            if progress:
                progress(done, total)
        systems[name] = tuple(cuts)
        unlike = [cut for cut in cuts if cut.confidence < LOW and cut.text]
        if unlike:
            least = min(unlike, key=lambda cut: cut.confidence)
            few = f"{counted(len(unlike), 'document')} of {len(cuts)}"
            shared = f"{least.document.id!r} shares only {least.confidence:.0%} of its words"
            what = f"system {name!r}: {few} can't be cut reliably; {shared} with the reference."
            what += " Check that it is the same text."
            warn(what, count=len(unlike))
    return Resegmented(loose, systems, METHOD)


def _cut(loose: LooseText, name: str, reference: Sequence[str]) -> CutText:
    """Cut a text by word edits."""
    segments, text = reference[loose.document.rows], loose.text
    cuts = cut_by_edits([read_words(segment) for segment in segments], read_words(text))
    return _make_cut(loose, name, segments, pairwise([0, *cuts, len(text)]))


def _make_cut(
    loose: LooseText, reference: str, segments: Sequence[str], spans: Iterable[Span]
) -> CutText:
    """Trim white space from the pieces of a text, and compare their words with the segments'."""
    trimmed: list[Span] = []
    shared = total = 0
    for segment, (start, stop) in zip(segments, spans, strict=True):
        piece = loose.text[start:stop]
        start += len(piece) - len(piece.lstrip()) if piece.strip() else 0
        trimmed.append((start, start + len(piece.strip())))
        left, right = Counter(stems_of(segment)), Counter(stems_of(piece))
        shared += 2 * (left & right).total()
        total += left.total() + right.total()
    confidence = shared / total if total else 1.0
    return CutText(loose.document, loose.text, reference, tuple(trimmed), confidence)


def write_offsets(result: Resegmented, path: AnyPath) -> None:
    """Write all cuts of all systems."""
    rows = ["\t".join(COLUMNS)]
    for system, texts in result.systems.items():
        for text in texts:
            for n, (start, stop) in enumerate(text.spans, text.document.start + 1):
                cells = (system, text.document.id, n, start, stop, text.reference)
                rows.append("\t".join(map(str, cells)))
    for number, row in enumerate(rows, 1):
        if row.count("\t") != len(COLUMNS) - 1 or "\n" in row:
            raise InputError("a name contains a tab or a line break.", path=path, line=number)
    textio.write_text("".join(row + "\n" for row in rows), path)


def read_offsets(path: AnyPath, loose: LooseSet) -> Resegmented:
    """Cut a set along the offsets in a file, which must be of the same texts."""
    table = read_offset_table(path)
    systems = {
        name: tuple(_apply(shown(path), loose, name, text, table) for text in texts)
        for name, texts in loose.systems.items()
    }
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
    return Resegmented(loose, systems, f"offsets-{digest}")


def read_offset_table(path: AnyPath) -> dict[tuple[str, int], Row]:
    """Return the row of each system and segment."""
    names, rows = textio.read_table(path)
    if tuple(names) not in (COLUMNS, (*COLUMNS, "way")):
        what = f"isn't a table of offsets: its first line must be {', '.join(COLUMNS)}."
        raise InputError(what, path, 1, "albeit resegment --save FILE writes one.")
    table: dict[tuple[str, int], Row] = {}
    for row in rows:
        key = row["system"], textio.whole_number(row["segment"])
        if min(key[1], textio.whole_number(row["start"]), textio.whole_number(row["stop"])) < 0:
            raise row.error("is not a line of offsets.")
        if key in table:
            line = table[key].line
            raise row.error(f"segment {key[1]} of system {key[0]!r} is on line {line} already.")
        table[key] = row
    return table


def _apply(
    path: str, loose: LooseSet, system: str, text: LooseText, table: Mapping[tuple[str, int], Row]
) -> CutText:
    """Cut one text along the table, which must fit it."""
    document, at = text.document, 0
    hint = "It was made for another text; cut it again."
    spans: list[Span] = []
    for segment in range(document.start + 1, document.stop + 1):
        if (system, segment) not in table:
            raise InputError(f"has no offsets of segment {segment} of system {system!r}.", path)
        row = table[system, segment]
        start, stop, reference = int(row["start"]), int(row["stop"]), row["reference"]
        if not at <= start <= stop <= len(text.text) or text.text[at:start].strip():
            what = f"offsets {start} to {stop} of system {system!r} leave out text, go back, or"
            raise row.error(f"{what} pass its end.", hint)
        if reference not in loose.base.references:
            raise row.error(f"there is no reference {reference!r}.")
        spans.append((start, stop))
        at = stop
    if text.text[at:].strip():
        what = f"text of document {document.id!r} of system {system!r} follows offset {at}."
        raise row.error(what, hint)
    return _make_cut(text, reference, loose.base.references[reference][document.rows], spans)
