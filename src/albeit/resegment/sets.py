"""Cut the documents of whole test sets to their reference's segments.

Inside each segment the sentences of both sides are matched in order by the words they share
(:func:`albeit.parsing.chains.match_sentences`); those without a partner, which a translation
added or lost, are reported. They are not taken away: an added sentence stays where it stands, a
lost one is missing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from albeit.data.evalset import Document, EvalSet
from albeit.data.loose import LooseSet, LooseText
from albeit.data.textio import counted, warn
from albeit.parsing.chains import match_sentences
from albeit.parsing.sentences import splitter
from albeit.resegment.segment import LOW, Segmentation, segment_text
from albeit.resegment.words import read_words

__all__ = ["METHOD", "Resegmented", "resegment"]

METHOD = "edits"
"""The name of the method in signatures."""


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Partners:
    """Added sentences as (segment, offsets in the text), lost ones as (segment, offsets in it)."""

    added: tuple[tuple[int, Span], ...]
    lost: tuple[tuple[int, Span], ...]


@dataclass(frozen=True)
class CutText:
    """One running text of a system, cut; ``reference`` names the text it was cut by."""

    document: Document
    reference: str
    cut: Segmentation


@dataclass(frozen=True)
class Resegmented:
    """A set whose texts are cut, and how: for every system its texts, in order.

    ``how`` is the method, or a file of offsets, named by its digest.
    """

    loose: LooseSet
    systems: Mapping[str, tuple[CutText, ...]]
    how: str

    @cached_property
    def evalset(self) -> EvalSet:
        """The set with one line per segment in every system, ready to be scored.

        Systems of the set that have lines of their own stand behind those that were cut.
        """
        cut = {
            name: tuple(piece for text in texts for piece in text.cut.pieces())
            for name, texts in self.systems.items()
        }
        base = self.loose.base
        return base.with_systems({**cut, **base.systems}, resegmented=self.how)

    def segments(self, text: CutText) -> tuple[str, ...]:
        """The reference segments that a text was cut by."""
        return self.loose.base.references[text.reference][text.document.rows]

    def partners(self, text: CutText) -> Partners:
        """The sentences of a text and its reference that have no partner."""
        return partners(self.segments(text), text.cut, self.loose.base.target_lang)

    def summary(self) -> Iterator[str]:
        """A line per system: how it was cut, and what has no partner."""
        for name, texts in self.systems.items():
            spans = [span for text in texts for span in text.cut.spans]
            found = [self.partners(text) for text in texts]
            yield (
                f"system {name!r}: cut to {counted(len(spans), 'segment')},"
                f" {sum(a == b for a, b in spans)} of them without text; sentences added"
                f" {sum(len(f.added) for f in found)}, lost {sum(len(f.lost) for f in found)}."
            )


def resegment(
    loose: LooseSet, *, progress: Callable[[int, int], None] | None = None
) -> Resegmented:
    """Give every reference segment the stretch of each system's text that belongs to it.

    With several references a text is cut by the one that it shares most words with. A text
    that hardly has to do with its reference is cut all the same, with a warning.
    """
    total = sum(map(len, loose.systems.values()))
    systems: dict[str, tuple[CutText, ...]] = {}
    done = 0
    for name, texts in loose.systems.items():
        made: list[CutText] = []
        for text in texts:
            made.append(_cut(loose.base, text))
            done += 1
            if progress:
                progress(done, total)
        systems[name] = tuple(made)
        _warn_of_strangers(name, made)
    return Resegmented(loose, systems, METHOD)


def _cut(base: EvalSet, text: LooseText) -> CutText:
    cuts = [
        CutText(text.document, name, segment_text(lines[text.document.rows], text.text))
        for name, lines in base.references.items()
    ]
    return max(cuts, key=lambda cut: cut.cut.confidence)


def _warn_of_strangers(system: str, texts: list[CutText]) -> None:
    strange = [text for text in texts if text.cut.confidence < LOW and text.cut.text]
    if strange:
        least = min(strange, key=lambda text: text.cut.confidence)
        warn(
            f"system {system!r}: {counted(len(strange), 'document')} of {len(texts)} hardly fit"
            f" the reference; the least, {least.document.id!r}, shares"
            f" {least.cut.confidence:.0%} of its words with it. Is it the same text?",
            count=len(strange),
        )


def partners(segments: Sequence[str], cut: Segmentation, lang: str) -> Partners:
    """The sentences of a document that have no partner."""
    added: list[tuple[int, Span]] = []
    lost: list[tuple[int, Span]] = []
    for n, (segment, (start, stop)) in enumerate(zip(segments, cut.spans, strict=True)):
        piece = cut.text[start:stop]
        theirs, ours = _sentence_spans(segment, lang), _sentence_spans(piece, lang)
        if len(theirs) == len(ours) == 1:
            continue
        matches = match_sentences(
            [_words(segment[a:b]) for a, b in theirs], [_words(piece[a:b]) for a, b in ours]
        )
        for (i, j), (k, m) in matches:
            if i == j:
                added += [(n, (start + a, start + b)) for a, b in ours[k:m]]
            if k == m:
                lost += [(n, span) for span in theirs[i:j]]
    return Partners(tuple(added), tuple(lost))


def _sentence_spans(text: str, lang: str) -> list[Span]:
    """Return where the sentences of a text are; a line break ends one, too."""
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


def _words(sentence: str) -> list[str]:
    return [stem for stem in read_words(sentence).stems if stem[0].isalnum()]
