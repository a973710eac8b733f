"""Cut the documents of whole test sets to their reference's segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.loose import LooseSet, LooseText
from albeit.corpus.textio import counted, warn
from albeit.resegment.partners import Partners, partners
from albeit.resegment.segment import LOW, Segmentation, Way, segment_text

__all__ = ["Resegmented", "resegment"]


@dataclass(frozen=True)
class CutText:
    """One running text of a system, cut; ``reference`` names the text it was cut by."""

    document: Document
    reference: str
    cut: Segmentation


@dataclass(frozen=True)
class Resegmented:
    """A set whose texts are cut, and how: for every system its texts, in order.

    ``how`` is what was asked for: a way, or a file of offsets, named by its digest.
    """

    loose: LooseSet
    systems: Mapping[str, tuple[CutText, ...]]
    how: str

    @cached_property
    def evalset(self) -> EvalSet:
        """The set with one line a segment in every system, ready to be scored.

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
        """A line a system: how it was cut, and what has no partner."""
        for name, texts in self.systems.items():
            ways = "/".join(sorted({text.cut.way for text in texts}))
            spans = [span for text in texts for span in text.cut.spans]
            found = [self.partners(text) for text in texts]
            yield (
                f"system {name!r}: cut to {counted(len(spans), 'segment')} by {ways},"
                f" {sum(a == b for a, b in spans)} of them without text; sentences added"
                f" {sum(len(f.added) for f in found)}, lost {sum(len(f.lost) for f in found)}."
            )


def resegment(
    loose: LooseSet, way: Way = "auto", *, progress: Callable[[int, int], None] | None = None
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
            made.append(_cut(loose.base, text, way))
            done += 1
            if progress:
                progress(done, total)
        systems[name] = tuple(made)
        _warn_of_strangers(name, made)
    return Resegmented(loose, systems, way)


def _cut(base: EvalSet, text: LooseText, way: Way) -> CutText:
    cuts = [
        CutText(
            text.document,
            name,
            segment_text(lines[text.document.rows], text.text, base.target_lang, way),
        )
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
