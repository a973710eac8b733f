"""Resegmentation: cut translations of whole documents to the reference's segments.

Cuts can be saved as a table of character offsets and read again. It has one line per segment:
system, document, segment (from 1, in the whole set), the offsets in the text (from 0, the
last one exclusive), and the reference. A seventh column, of version 0.2, is ignored.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from albeit.data import textio
from albeit.data.evalset import Document, EvalSet
from albeit.data.files import shown
from albeit.data.loose import LooseSet, LooseText
from albeit.data.word_edits import cut_by_edits, read_words
from albeit.errors import InputError
from albeit.parsing.content import match_sentences
from albeit.parsing.sentences import splitter

METHOD = "edits"
"""The name of the method in signatures."""
LOW = 0.25
"""Below this confidence a text hardly matches the segments, and a warning names it."""
COLUMNS = ("system", "document", "segment", "start", "stop", "reference")

Span = tuple[int, int]
"""Offsets in a text."""


@dataclass(frozen=True, slots=True)
class CutText:
    """A running text, cut along the reference of this name.

    ``spans`` are offsets in the text, in order, without white space at the ends; a segment without
    text has an empty span. ``confidence``, from 0 to 1, is the share of words that segments and
    pieces have in common.
    """

    document: Document
    text: str
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

    def match(self, text: CutText) -> tuple[list[tuple[int, Span]], list[tuple[int, Span]]]:
        """Return the sentences that a translation added, and those that it lost.

        Inside each segment the sentences of both sides are matched in order by the words they
        share. Both lists have the number of the segment, and offsets: of an added sentence in the
        text, of a lost one in the reference segment.
        """
        added: list[tuple[int, Span]] = []
        lost: list[tuple[int, Span]] = []
        split = splitter(self.loose.base.target_lang)
        pairs = zip(self.segments(text), text.spans, strict=True)
        for n, (segment, (start, stop)) in enumerate(pairs):
            piece = text.text[start:stop]
            left, right = _sentence_spans(segment, split), _sentence_spans(piece, split)
            if len(left) == len(right) == 1:
                continue
            words = [
                [_words(side[a:b]) for a, b in spans]
                for side, spans in ((segment, left), (piece, right))
            ]
            for (i, j), (k, m) in match_sentences(*words):
                if i == j:
                    added += [(n, (start + a, start + b)) for a, b in right[k:m]]
                if k == m:
                    lost += [(n, span) for span in left[i:j]]
        return added, lost

    def summary(self) -> Iterator[str]:
        """Yield a line per system: how it was cut, and how many sentences have no partner."""
        for name, texts in self.systems.items():
            spans = [span for text in texts for span in text.spans]
            added, lost = zip(*map(self.match, texts), strict=True)
            yield (
                f"system {name!r}: cut to {textio.counted(len(spans), 'segment')},"
                f" {sum(a == b for a, b in spans)} of them without text; sentences added"
                f" {sum(map(len, added))}, lost {sum(map(len, lost))}."
            )


def _sentence_spans(text: str, split: Callable[[str], Sequence[str]]) -> list[Span]:
    """Return the offsets of the sentences of a text; a line break ends one, too."""
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        for sentence in split(line):
            if sentence.strip():
                start = text.index(sentence, at)
                at = start + len(sentence)
                spans.append((start, at))
    return spans


def _words(text: str) -> list[str]:
    return [stem for stem in read_words(text).stems if stem[0].isalnum()]


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
            textio.warn(
                f"system {name!r}: {textio.counted(len(unlike), 'document')} of {len(cuts)} hardly"
                f" fit the reference; the least, {least.document.id!r}, shares"
                f" {least.confidence:.0%} of its words with it. Is it the same text?",
                count=len(unlike),
            )
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
        left, right = Counter(_words(segment)), Counter(_words(piece))
        shared += 2 * (left & right).total()
        total += left.total() + right.total()
    confidence = shared / total if total else 1.0
    return CutText(loose.document, loose.text, reference, tuple(trimmed), confidence)


def write_offsets(result: Resegmented, path: str | Path) -> None:
    """Write all cuts of all systems."""
    rows = ["\t".join(COLUMNS)]
    for system, texts in result.systems.items():
        for text in texts:
            for n, (start, stop) in enumerate(text.spans, text.document.start + 1):
                cells = (system, text.document.id, n, start, stop, text.reference)
                rows.append("\t".join(map(str, cells)))
    for number, row in enumerate(rows, 1):
        if row.count("\t") != len(COLUMNS) - 1 or "\n" in row:
            raise InputError("a name holds a tab or a line break.", path=path, line=number)
    textio.write_text("".join(row + "\n" for row in rows), path)


def read_offsets(path: str | Path, loose: LooseSet) -> Resegmented:
    """Cut a set along the offsets in a file, which must be of the same texts."""
    table = _read_table(shown(path), textio.read_text(path))
    systems = {
        name: tuple(_apply(shown(path), loose, name, text, table) for text in texts)
        for name, texts in loose.systems.items()
    }
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
    return Resegmented(loose, systems, f"offsets-{digest}")


Row = tuple[int, int, str, int]
"""Offsets, reference, and the line of the file."""


def _read_table(path: str, text: str) -> dict[tuple[str, int], Row]:
    header, *lines = textio.split_lines(text) or [""]
    if tuple(header.removesuffix("\tway").split("\t")) != COLUMNS:
        what = f"is no table of offsets: its first line must be {', '.join(COLUMNS)}."
        raise InputError(what, path, 1, "albeit resegment --save FILE writes one.")
    table: dict[tuple[str, int], Row] = {}
    for number, line in enumerate(lines, 2):
        system, _, *cells, reference = (line.split("\t") + 6 * [""])[: len(COLUMNS)]
        segment, start, stop = map(textio.whole_number, cells)
        if min(segment, start, stop) < 0 or line.count("\t") < len(COLUMNS) - 1:
            raise InputError("is not a line of offsets.", path=path, line=number)
        if (system, segment) in table:
            what = f"segment {segment} of system {system!r} is on line"
            what = f"{what} {table[system, segment][-1]} already."
            raise InputError(what, path=path, line=number)
        table[system, segment] = (start, stop, reference, number)
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
        start, stop, reference, line = table[system, segment]
        if not at <= start <= stop <= len(text.text) or text.text[at:start].strip():
            what = f"offsets {start} to {stop} of system {system!r} leave out text, go back, or"
            raise InputError(f"{what} pass its end.", path=path, line=line, hint=hint)
        if reference not in loose.base.references:
            raise InputError(f"there is no reference {reference!r}.", path=path, line=line)
        spans.append((start, stop))
        at = stop
    if text.text[at:].strip():
        what = f"text of document {document.id!r} of system {system!r} follows offset {at}."
        raise InputError(what, path=path, line=line, hint=hint)
    return _make_cut(text, reference, loose.base.references[reference][document.rows], spans)
