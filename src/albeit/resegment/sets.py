"""Cut the documents of whole test sets to the segments of their references.

Inside each segment the sentences of both sides are matched in order by the words they share
(:func:`albeit.parsing.content.match_sentences`). Sentences without a partner, which a translation
added or lost, are reported, and the text isn't changed.

Cuts can be saved as a table of character offsets and read again. It has one line per segment:
system, document, segment (from 1, in the whole set), the offsets in the text (from 0, the
last one exclusive), and the reference. A seventh column, of version 0.2, is ignored.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from albeit.data.evalset import Document, EvalSet
from albeit.data.files import shown
from albeit.data.loose import LooseSet, LooseText
from albeit.data.textio import counted, read_text, split_lines, warn, write_text
from albeit.errors import InputError
from albeit.parsing.content import match_sentences
from albeit.parsing.sentences import splitter
from albeit.resegment.edits import cut_by_edits, read_words

METHOD = "edits"
"""The name of the method in signatures."""
LOW = 0.25
"""Below this confidence a text hardly matches the segments, and a warning names it."""
COLUMNS = ("system", "document", "segment", "start", "stop", "reference")

Span = tuple[int, int]
Row = tuple[int, int, str, int]
"""Offsets, reference, and the line of the file."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A text cut into as many pieces as there are segments.

    ``spans`` are offsets in the text, in order, without white space at the ends; a segment without
    text has an empty span. ``confidence``, from 0 to 1, is the share of words that segments and
    pieces have in common.
    """

    text: str
    spans: tuple[Span, ...]
    confidence: float

    def pieces(self) -> tuple[str, ...]:
        """Return one line per segment; a line break inside a piece becomes a space."""
        return tuple(" ".join(self.text[a:b].split("\n")) for a, b in self.spans)


def segment_text(segments: Sequence[str], text: str) -> Segmentation:
    """Cut the text by word edits."""
    cuts = cut_by_edits([read_words(segment) for segment in segments], read_words(text))
    spans = tuple(_trim(text, a, b) for a, b in pairwise([0, *cuts, len(text)]))
    return Segmentation(text, spans, _confidence(segments, text, spans))


def _trim(text: str, start: int, stop: int) -> Span:
    """Return a span without the white space at its ends."""
    piece = text[start:stop]
    stripped = piece.strip()
    first = start + piece.index(stripped) if stripped else start
    return first, first + len(stripped)


def _words(text: str) -> list[str]:
    return [stem for stem in read_words(text).stems if stem[0].isalnum()]


def _confidence(segments: Sequence[str], text: str, spans: Sequence[Span]) -> float:
    shared = total = 0
    for segment, (start, stop) in zip(segments, spans, strict=True):
        left, right = Counter(_words(segment)), Counter(_words(text[start:stop]))
        shared += 2 * (left & right).total()
        total += left.total() + right.total()
    return shared / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Partners:
    """Added sentences as (segment, offsets in the text), lost ones as (segment, offsets in it)."""

    added: tuple[tuple[int, Span], ...]
    lost: tuple[tuple[int, Span], ...]


@dataclass(frozen=True)
class CutText:
    """One running text of a system, cut along the reference of this name."""

    document: Document
    reference: str
    cut: Segmentation


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
            name: tuple(piece for text in texts for piece in text.cut.pieces())
            for name, texts in self.systems.items()
        }
        base = self.loose.base
        return base.with_systems({**cut, **base.systems}, resegmented=self.how)

    def segments(self, text: CutText) -> tuple[str, ...]:
        """Return the reference segments along which a text was cut."""
        return self.loose.base.references[text.reference][text.document.rows]

    def partners(self, text: CutText) -> Partners:
        """Return the sentences of a text and its reference that have no partner."""
        added: list[tuple[int, Span]] = []
        lost: list[tuple[int, Span]] = []
        lang = self.loose.base.target_lang
        pairs = zip(self.segments(text), text.cut.spans, strict=True)
        for n, (segment, (start, stop)) in enumerate(pairs):
            piece = text.cut.text[start:stop]
            left, right = _sentence_spans(segment, lang), _sentence_spans(piece, lang)
            if len(left) == len(right) == 1:
                continue
            matches = match_sentences(
                [_words(segment[a:b]) for a, b in left], [_words(piece[a:b]) for a, b in right]
            )
            for (i, j), (k, m) in matches:
                if i == j:
                    added += [(n, (start + a, start + b)) for a, b in right[k:m]]
                if k == m:
                    lost += [(n, span) for span in left[i:j]]
        return Partners(tuple(added), tuple(lost))

    def summary(self) -> Iterator[str]:
        """Yield a line per system: how it was cut, and how many sentences have no partner."""
        for name, texts in self.systems.items():
            spans = [span for text in texts for span in text.cut.spans]
            found = [self.partners(text) for text in texts]
            yield (
                f"system {name!r}: cut to {counted(len(spans), 'segment')},"
                f" {sum(a == b for a, b in spans)} of them without text; sentences added"
                f" {sum(len(f.added) for f in found)}, lost {sum(len(f.lost) for f in found)}."
            )


def _sentence_spans(text: str, lang: str) -> list[Span]:
    """Return the offsets of the sentences of a text; a line break ends one, too."""
    split = splitter(lang)
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        for sentence in split(line):
            if sentence.strip():
                start = text.index(sentence, at)
                at = start + len(sentence)
                spans.append((start, at))
    return spans


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
            cuts.append(_cut(loose.base, text))
            done += 1
            if progress:
                progress(done, total)
        systems[name] = tuple(cuts)
        _warn_unlike(name, cuts)
    return Resegmented(loose, systems, METHOD)


def _cut(base: EvalSet, text: LooseText) -> CutText:
    cuts = [
        CutText(text.document, name, segment_text(lines[text.document.rows], text.text))
        for name, lines in base.references.items()
    ]
    return max(cuts, key=lambda cut: cut.cut.confidence)


def _warn_unlike(system: str, texts: Sequence[CutText]) -> None:
    unlike = [text for text in texts if text.cut.confidence < LOW and text.cut.text]
    if unlike:
        least = min(unlike, key=lambda text: text.cut.confidence)
        warn(
            f"system {system!r}: {counted(len(unlike), 'document')} of {len(texts)} hardly fit"
            f" the reference; the least, {least.document.id!r}, shares"
            f" {least.cut.confidence:.0%} of its words with it. Is it the same text?",
            count=len(unlike),
        )


def write_offsets(result: Resegmented, path: str | Path) -> None:
    """Write all cuts of all systems."""
    rows = ["\t".join(COLUMNS)]
    for system, texts in result.systems.items():
        for text in texts:
            for n, (start, stop) in enumerate(text.cut.spans, text.document.start + 1):
                cells = (system, text.document.id, n, start, stop, text.reference)
                rows.append("\t".join(map(str, cells)))
    for number, row in enumerate(rows, 1):
        if row.count("\t") != len(COLUMNS) - 1 or "\n" in row:
            raise InputError("a name holds a tab or a line break.", path=path, line=number)
    write_text("".join(row + "\n" for row in rows), path)


def read_offsets(path: str | Path, loose: LooseSet) -> Resegmented:
    """Cut a set along the offsets in a file, which must be of the same texts."""
    table = _read_table(path)
    systems = {
        name: tuple(_apply(shown(path), loose, name, text, table) for text in texts)
        for name, texts in loose.systems.items()
    }
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
    return Resegmented(loose, systems, f"offsets-{digest}")


def _read_table(path: str | Path) -> dict[tuple[str, int], Row]:
    header, *lines = split_lines(read_text(path))
    if tuple(header.removesuffix("\tway").split("\t")) != COLUMNS:
        what = f"is no table of offsets: its first line must be {', '.join(COLUMNS)}."
        hint = "albeit resegment --save FILE writes one."
        raise InputError(what, path=shown(path), line=1, hint=hint)
    table: dict[tuple[str, int], Row] = {}
    for number, line in enumerate(lines, 2):
        try:
            system, _, segment, start, stop, reference = line.split("\t")[: len(COLUMNS)]
            row = (int(start), int(stop), reference, number)
            key = (system, int(segment))
        except ValueError:
            raise InputError("is not a line of offsets.", path=shown(path), line=number) from None
        if key in table:
            what = f"segment {segment} of system {system!r} is on line {table[key][-1]} already."
            raise InputError(what, path=shown(path), line=number)
        table[key] = row
    return table


def _apply(
    path: str, loose: LooseSet, system: str, text: LooseText, table: Mapping[tuple[str, int], Row]
) -> CutText:
    """Cut one text along the table, which must fit it."""
    document, at = text.document, 0
    hint = "It was made for another text; cut it again."
    spans = []
    for segment in range(document.start + 1, document.stop + 1):
        if (system, segment) not in table:
            what = f"has no offsets of segment {segment} of system {system!r}."
            raise InputError(what, path=path)
        start, stop, reference, line = table[system, segment]
        if not at <= start <= stop <= len(text.text) or text.text[at:start].strip():
            what = (
                f"does not fit the text of system {system!r}: offsets {start} to {stop} leave out"
            )
            what = f"{what} text, go back, or pass its end."
            raise InputError(what, path=path, line=line, hint=hint)
        if reference not in loose.base.references:
            raise InputError(f"there is no reference {reference!r}.", path=path, line=line)
        spans.append((start, stop))
        at = stop
    if text.text[at:].strip():
        what = f"does not cover the text of document {document.id!r} of system {system!r}: text"
        raise InputError(f"{what} follows offset {at}.", path=path, line=line, hint=hint)
    segments = loose.base.references[reference][document.rows]
    cut = Segmentation(text.text, tuple(spans), _confidence(segments, text.text, spans))
    return CutText(document, reference, cut)
