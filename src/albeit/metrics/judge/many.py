"""``judge-many``: a network that knows many languages reads source, reference and translation as one.

Source and reference are optional, and at least one of them must be there: scores beside both, beside
a reference and beside a source alone are of three kinds, which signatures tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray
from albeit.metrics.grammar import Signature
from albeit.metrics.judge import ADAPTER
from albeit.metrics.judge.gemma import INSTALLED, check_base
from albeit.metrics.judge.metric import Learned, longer, pieces_note
from albeit.metrics.view import Loss, View, compare_lines
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, read

if TYPE_CHECKING:
    from albeit.metrics.judge.sequence import Sequences, Texts

__all__ = ["JudgeMany"]


@dataclass(frozen=True)
class JudgeMany(Learned):
    """A learned score of each segment, in any language that Gemma 3 reads.

    Reference and source are read where they are there; one of them must be. Several references: the
    mean of the scores beside each. An empty translation scores 0, and so does one whose reference
    (or source, without a reference) is empty; where both are, it scores 100. ``base`` is Gemma's file,
    or a folder that holds it, in place of the installed packages; ``weights`` is a folder with another
    network than the one that ships.
    """

    base: str = INSTALLED

    name: ClassVar[str] = "judge-many"
    summary: ClassVar[str] = (
        "learned from people's preferences, any language; beside reference, source or both"
    )
    network: ClassVar[str] = "many"
    results: ClassVar[str] = "docs/results/from-english.md"

    @property
    def needs(self) -> frozenset[Need]:
        """Reference and source as they are there."""
        return (
            read(TEXT, side=Side.HYPOTHESIS)
            | read(TEXT, side=Side.REFERENCE, optional=True)
            | read(TEXT, side=Side.SOURCE, optional=True)
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Those of another network; Gemma's goes by its checksum."""
        own = super().files
        return (*own, str(self._folder() / ADAPTER)) if own else own

    @property
    def whole_set(self) -> bool:
        """Only which sides are there is looked at."""
        return False

    def check(self, evalset: EvalSet) -> None:
        """Something to compare with, and Gemma, must be there."""
        if not evalset.references and evalset.source is None:
            raise MetricError(
                f"{self} needs a reference, or the source text, or both. Give the source with"
                " --source FILE."
            )
        check_base(self.base, self._network().base)
        super().check(evalset)

    def prepare(self, evalset: EvalSet) -> str:
        """What it reads beside the translation."""
        source = [] if evalset.source is None else ["source"]
        return "+".join([*source, *["reference"] * bool(evalset.references)])

    def versions(self, context: Context = None) -> dict[str, str]:
        """Also Gemma's checksum, and what is read."""
        network = self._network()
        found = super().versions(context) | {"gemma": network.base[:8]}
        if context == "source":
            found["alone"] = ",".join(f"{value:g}" for value in network.alone)
        return found | {"reads": context} if context else found

    def signature(self, context: Context = None) -> Signature:
        """Where Gemma's file lies changes nothing: its checksum says which it is."""
        return super().signature(context).without("base")

    def scores(self, batch: Batch) -> tuple[FloatArray, FloatArray | None]:
        """Beside each reference, or beside the source alone."""
        languages = batch.target_lang, batch.source_lang
        return self.scored(
            self._asked(batch), _compared, lambda some: self._network().read(some, languages)
        )

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """The score and its standard error; the network does not say which words look wrong.

        Of several references the nearest is shown.
        """
        best = self.nearest(batch)
        ((texts,),) = self._asked(batch)[best : best + 1]
        shown: list[tuple[Side, str | None, str]] = [
            (Side.HYPOTHESIS, texts.translation, batch.target_lang)
        ]
        shown += [(Side.REFERENCE, texts.reference, batch.target_lang)] * bool(batch.references)
        if texts.source is not None:
            shown.append((Side.SOURCE, texts.source, batch.source_lang or "und"))
        compared = [
            compare_lines(side, [text or ""], lang, best if side is Side.REFERENCE else 0)[0]
            for side, text, lang in shown
        ]
        missing = self.scale - float(self.segment_score(row))
        error = self.standard_error(row)
        losses = [Loss("one of the texts is empty", missing)]
        notes: tuple[str, ...] = ()
        if all(map(str.strip, _compared(texts))):
            reading = self._network().read([texts], (batch.target_lang, batch.source_lang))
            by_length = self.by_length(reading) * missing
            losses = [Loss("no single word", missing - by_length)]
            losses += [Loss(longer(compared), by_length)] if by_length else []
            notes = pieces_note(reading)
        return self.view(
            row,
            compared,
            losses=losses if missing else (),
            notes=notes,
            standard_error=None if error is None else float(error),
        )

    def _asked(self, batch: Batch) -> list[list[Texts]]:
        """What is read of each segment, beside each reference; an empty source is none."""
        from albeit.metrics.judge.sequence import Texts

        sources = [source if source.strip() else None for source in batch.sources or ()]
        if not batch.references:
            blank = [source or "" for source in sources]
            return [
                [
                    Texts(*texts)
                    for texts in zip(batch.hypotheses, [None] * len(batch), blank, strict=True)
                ]
            ]
        beside = sources or [None] * len(batch)
        return [
            [Texts(*texts) for texts in zip(batch.hypotheses, lines, beside, strict=True)]
            for lines in batch.references
        ]

    def _network(self) -> Sequences:
        from albeit.metrics.judge.sequence import load_sequences

        return load_sequences(self._folder(), self.base)


def _compared(texts: Texts) -> tuple[str, str]:
    """A translation, and what must be there beside it."""
    beside = texts.source if texts.reference is None else texts.reference
    return texts.translation, beside or ""
