"""The input of a metric: the segments of one system, with the texts and annotations it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from albeit.data.evalset import Document, EvalSet, Unit
from albeit.parsing.needs import TEXT, Analysis, Annotations, Need, Side, annotated_needs

if TYPE_CHECKING:
    from albeit.metrics.base import Metric

TARGET = (Side.HYPOTHESIS, Side.REFERENCE)
"""The sides in the target language, whose lines are annotated together."""
K = TypeVar("K", str, tuple[str, ...])


@dataclass(frozen=True)
class Batch:
    """Whole documents of one system with references, sources, and annotations.

    :param hypotheses: the system's translations, one per segment
    :param references: ``references[r][i]`` is reference ``r`` of segment ``i``
    :param sources: the source of every segment, if there is one
    :param documents: ranges of segments, by their positions in this batch
    :param target_lang: the target language
    :param source_lang: the source language
    :param analyses: a line of translation or reference to its annotation
    :param source_analyses: the same for lines of the source
    :param document_analyses: the lines of a document, in order, to its annotation
    :param source_document_analyses: the same for documents of the source
    :param by_needs: all of these by what a metric needs, if several annotators made them
    :param system: the system's position in the set, for what was prepared from its text alone

    >>> import albeit
    >>> chrf = albeit.metric("chrf")
    >>> batch = albeit.Batch(["It rained."], [["It rained."]], None, [albeit.Document("d", 0, 1)])
    >>> rows = chrf.statistics(batch, None)
    >>> float(chrf.score(rows.sum(axis=0)))
    100.0
    """

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None
    documents: Sequence[Document]
    target_lang: str = "en"
    source_lang: str | None = None
    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    source_analyses: Mapping[str, Analysis] = field(default_factory=dict)
    document_analyses: Mapping[tuple[str, ...], Analysis] = field(default_factory=dict)
    source_document_analyses: Mapping[tuple[str, ...], Analysis] = field(default_factory=dict)
    system: int = 0
    by_needs: Mapping[frozenset[Need], Mapping[Any, Analysis]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def lines(self, rows: slice) -> Batch:
        """Return some segments, without document boundaries."""
        return replace(
            self,
            hypotheses=self.hypotheses[rows],
            references=[lines[rows] for lines in self.references],
            sources=None if self.sources is None else self.sources[rows],
            documents=(),
        )

    def seen_by(self, metric: Metric) -> Batch:
        """Return the batch with what the metric's needs list, and nothing else."""

        def select(known: Mapping[K, Analysis], unit: Unit, *sides: Side) -> Mapping[K, Analysis]:
            own = annotated_needs(metric.needs, unit, sides)
            return self.by_needs.get(own, known) if own else {}

        source_documents = self.source_document_analyses
        return replace(
            self,
            references=self.references if metric.sees(Side.REFERENCE) else (),
            sources=self.sources if metric.sees(Side.SOURCE) else None,
            documents=self.documents if metric.by_document else (),
            analyses=select(self.analyses, Unit.SEGMENT, *TARGET),
            source_analyses=select(self.source_analyses, Unit.SEGMENT, Side.SOURCE),
            document_analyses=select(self.document_analyses, Unit.DOCUMENT, *TARGET),
            source_document_analyses=select(source_documents, Unit.DOCUMENT, Side.SOURCE),
        )


def annotate_set(
    evalset: EvalSet, needs: Sequence[frozenset[Need]], given: Annotations | None = None
) -> Batch:
    """Make a batch without hypotheses, with the annotations that metrics need of all texts.

    :param needs: the needs of each metric
    :param given: supplied annotations by text
    """
    references, sources = tuple(evalset.references.values()), evalset.source
    langs = evalset.target_lang, evalset.source_lang
    plain = Batch((), references, sources, evalset.documents, *langs)
    if all(need.layer is TEXT for own in needs for need in own):
        return plain
    from albeit.parsing.annotation import annotate, annotate_documents, annotate_needs

    texts: dict[Side, Sequence[Sequence[str]]] = {
        Side.REFERENCE: references,
        Side.HYPOTHESIS: tuple(evalset.systems.values()),
        Side.SOURCE: () if sources is None else (sources,),
    }

    def contents(unit: Unit, side: Side) -> Iterator[Any]:
        for lines in texts[side]:
            if unit is Unit.SEGMENT:
                yield from lines
            else:
                yield from (tuple(lines[document.rows]) for document in evalset.documents)

    by_needs: dict[frozenset[Need], Mapping[Any, Analysis]] = {}
    first: dict[str, Any] = {}
    by_line: Callable[..., Any] = partial(annotate, given=given)
    for name, unit, sides, call in (
        ("analyses", Unit.SEGMENT, TARGET[::-1], by_line),
        ("source_analyses", Unit.SEGMENT, (Side.SOURCE,), annotate),
        ("document_analyses", Unit.DOCUMENT, TARGET[::-1], annotate_documents),
        ("source_document_analyses", Unit.DOCUMENT, (Side.SOURCE,), annotate_documents),
    ):
        lang = evalset.source_lang or "" if Side.SOURCE in sides else evalset.target_lang
        own = partial(contents, unit), partial(call, lang=lang)
        known: Mapping[frozenset[Need], Any] = annotate_needs(needs, unit, sides, lang, *own)
        by_needs |= known
        first[name] = next(iter(known.values()), {})
    return replace(plain, by_needs=by_needs, **first)
