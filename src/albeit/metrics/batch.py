"""What a metric is given to score: the lines of one system, with all that it asked for and no more.

The engine makes one batch of a system's lines for all metrics of a run; each metric sees of it
the sides and units that its needs name (:meth:`Batch.seen_by`). What it did not ask for is there
to be refused: an error names the need, instead of a score that depends on who else is in the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

from albeit.data.evalset import Document
from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.parsing.layers import Analysis
from albeit.parsing.needs import Side, annotated_needs
from albeit.parsing.sharing import ByNeeds

if TYPE_CHECKING:
    from albeit.metrics.base import Metric

__all__ = ["Batch"]


@dataclass(frozen=True)
class Batch:
    """Whole documents of one system beside their references, with the analyses asked for.

    :param hypotheses: the system's translations, one per segment
    :param references: ``references[r][i]`` is reference ``r`` of segment ``i``
    :param sources: the source of every segment, if there is one
    :param documents: runs of segments, by their positions within this batch
    :param target_lang: the language translated into
    :param source_lang: the language translated from
    :param analyses: a line of translation or reference to its analysis, as metrics need them
    :param source_analyses: the same of lines of the source
    :param document_analyses: the lines of a document, in order, to its own analysis
    :param source_document_analyses: the same of documents of the source
    :param system: the system's place in the set, for what was prepared of its text alone

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

    def __len__(self) -> int:
        return len(self.hypotheses)

    def lines(self, rows: slice) -> Batch:
        """Some lines, without the documents' bounds."""
        seen, sources = self.references, self.sources
        return replace(
            self,
            hypotheses=self.hypotheses[rows],
            references=seen if isinstance(seen, Unseen) else [lines[rows] for lines in seen],
            sources=sources if sources is None or isinstance(sources, Unseen) else sources[rows],
            documents=(),
        )

    def seen_by(self, metric: Metric) -> Batch:
        """The same with what the metric's needs name, and nothing else."""
        needs = metric.needs
        sides = {need.side for need in needs}

        def shown(value: Any, wanted: bool, need: str) -> Any:
            return value if wanted or value is None else Unseen(str(metric), need)

        def analysed(known: Any, unit: Unit, *some: Side) -> Any:
            own = annotated_needs(needs, unit, some)
            found = known.of(own) if isinstance(known, ByNeeds) else known
            return shown(found, bool(own), f"analyses of {unit}s of the {some[0]}")

        target = (Side.HYPOTHESIS, Side.REFERENCE)
        return replace(
            self,
            references=shown(self.references, Side.REFERENCE in sides, "the reference"),
            sources=shown(self.sources, Side.SOURCE in sides, "the source"),
            documents=shown(self.documents, metric.by_document, "documents"),
            analyses=analysed(self.analyses, Unit.SEGMENT, *target),
            source_analyses=analysed(self.source_analyses, Unit.SEGMENT, Side.SOURCE),
            document_analyses=analysed(self.document_analyses, Unit.DOCUMENT, *target),
            source_document_analyses=analysed(
                self.source_document_analyses, Unit.DOCUMENT, Side.SOURCE
            ),
        )


class Unseen(Sequence[Any], Mapping[Any, Any]):
    """In place of what a metric did not ask for: whoever looks at it learns the need."""

    def __init__(self, metric: str, need: str) -> None:
        self.metric, self.need = metric, need

    def _refused(self, *_: object) -> NoReturn:
        raise MetricError(
            f"{self.metric} reads {self.need}, which its needs do not name: a metric sees only what"
            " it asked for. This is a fault of the metric."
        )

    def __len__(self) -> int:
        self._refused()

    def __iter__(self) -> Iterator[Any]:
        self._refused()

    def __contains__(self, item: object) -> bool:
        self._refused()

    def __getitem__(self, key: Any) -> Any:
        self._refused()

    def __bool__(self) -> bool:
        self._refused()
