"""What a metric is: parameters in, additive statistics out, a score from their sums.

A metric is a frozen dataclass whose fields are its parameters, so two equal metrics are
one metric and its ``repr`` in the metric grammar is its canonical name. It turns a batch
of whole documents into rows of *sufficient statistics*, one row per segment (or per document,
for a document-level metric). Rows are additive: the score of any set of segments is
``score(rows.sum(axis=0))``. Segments, documents, systems, confidence intervals and paired
tests all follow from that one rule; nothing is computed twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import LanguageError, MetricError
from albeit.metrics.batch import Batch
from albeit.metrics.grammar import quoted
from albeit.metrics.signature import Signature
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, compared, layers_of

if TYPE_CHECKING:
    from albeit.metrics.view import Compared, Link, Loss, View

__all__ = [
    "Batch",
    "Context",
    "FloatArray",
    "MeanMetric",
    "Metric",
    "check_english",
    "mean_error",
    "mean_score",
    "mean_statistics",
    "ratio",
]

Context = Any
"""Corpus-wide facts a metric prepared once; picklable, and opaque to everyone else."""


@dataclass(frozen=True)
class Metric(ABC):
    """Base of all metrics; subclasses are frozen dataclasses whose fields are parameters.

    Class attributes describe the metric; ``statistics`` and ``score`` define it. Everything
    else has a default. Parameters that do not fit together raise ``MetricError`` in
    ``__post_init__``.

    >>> import albeit
    >>> found = albeit.metric("chrf(word_order=2)")
    >>> found.word_order, found.higher_is_better, str(found.unit)
    (2, True, 'segment')
    """

    name: ClassVar[str]
    """Canonical name in the grammar: ``"dr-lex"``."""
    summary: ClassVar[str]
    """One line for ``albeit metrics``."""
    unit: ClassVar[Unit] = Unit.SEGMENT
    """The smallest thing it scores: a row of its statistics."""
    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 1.0
    """The score of a perfect translation where there is one (100 for BLEU), for display."""
    columns: ClassVar[tuple[str, ...]] = ()
    """What each number of a row of statistics is, by name; empty where it is nobody's business."""
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("", ())
    """The things that it judges ("connectives"), and the columns that count them together."""
    safe_for_untrusted: ClassVar[bool] = False
    """Whether a server may offer it to anyone: with its default parameters it starts no program and
    reads no file or code from outside albeit's own resources. A class must state this itself: the
    value of a base class doesn't count (:mod:`albeit.metrics.untrusted`)."""
    harmless_text: ClassVar[frozenset[str]] = frozenset()
    """Parameters of type ``str`` whose value is never used as a file, module, or command."""

    @property
    def needs(self) -> frozenset[Need]:
        """Which layers of which texts it reads; by default the words of translation and references."""
        return compared(TEXT)

    def reads(self, side: Side) -> bool:
        """Whether it must have that side."""
        return any(need.side is side and not need.optional for need in self.needs)

    def sees(self, side: Side) -> bool:
        """Whether it looks at that side where it is there."""
        return any(need.side is side for need in self.needs)

    @property
    def by_document(self) -> bool:
        """Whether it must know where documents begin: it scores them, or reads analyses of them."""
        return self.unit is Unit.DOCUMENT or any(n.unit is Unit.DOCUMENT for n in self.needs)

    @property
    def annotated(self) -> bool:
        """Whether it reads analyses of lines, which a model makes and a user may bring."""
        return bool(layers_of(self.needs, *Side))

    @property
    def exact(self) -> bool:
        """Whether no network is behind its scores, so that they are the same on every processor.

        Networks multiply bytes, which processors round differently: their scores agree to a few
        digits only. A metric that runs a network by itself says so here.
        """
        return not self.annotated

    @property
    def whole_set(self) -> bool:
        """Whether :meth:`prepare` and :meth:`check` look at all texts, not at languages alone.

        A set that is read in batches is then read once more, before them, into memory. So it
        is taken to be of a metric that prepares itself, unless that says otherwise.
        """
        return type(self).prepare is not Metric.prepare

    @property
    def languages(self) -> frozenset[str] | None:
        """Target languages this metric can score; ``None`` for any."""
        return None

    @property
    def files(self) -> tuple[str, ...]:
        """Files outside the package that scores depend on, such as a table of the user's."""
        return ()

    def check(self, evalset: EvalSet) -> None:
        """Raise if this metric cannot score this set. Extend, and call super.

        Whether the layers it needs can be had, the engine asks, which knows what a user supplies.
        """
        if self.languages is not None and evalset.target_lang not in self.languages:
            known = ", ".join(sorted(self.languages))
            raise LanguageError(
                f"{self} cannot score translations into {evalset.target_lang!r}; it knows {known}."
            )
        if self.reads(Side.SOURCE) and evalset.source is None:
            raise MetricError(f"{self} needs the source text. Give it with --source FILE.")
        if self.reads(Side.REFERENCE) and not evalset.references:
            raise MetricError(f"{self} needs at least one reference translation.")
        if self.by_document and not evalset.has_documents:
            raise MetricError(
                f"{self} scores whole documents, but nothing says where they begin. Give --docs FILE"
                " with one document id per line, or --docs blank-lines where empty lines end"
                " documents."
            )

    def prepare(self, evalset: EvalSet) -> Context:
        """Corpus-wide facts, computed once over the whole set (references, sources)."""
        return None

    @abstractmethod
    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Additive statistics: one row per segment, or a document for a document metric."""

    @abstractmethod
    def score(self, sums: FloatArray) -> FloatArray:
        """Scores from sums of rows: shape ``(..., k)`` to ``(...)``, vectorised."""

    def best_rows(self, rows: FloatArray) -> FloatArray:
        """Of rows against each reference (references, items, k), each item's that scores best."""
        best = self.score(rows).argmax(axis=0)
        return np.asarray(rows[best, np.arange(rows.shape[1])])

    def segment_score(self, rows: FloatArray) -> FloatArray:
        """Scores of single rows; differs from ``score`` only where a metric smooths them."""
        return self.score(rows)

    def standard_error(self, sums: FloatArray) -> FloatArray | None:
        """How far off the scores of sums of rows may be, by the metric's own account; or nothing.

        ``None`` of a metric that does not say, else the shape of :meth:`score`. Errors of
        segments are taken as independent: what a metric always gets wrong is not in it.
        """
        return None

    def column(self, name: str, sums: FloatArray) -> FloatArray:
        """One number of sums of rows, by its name in :attr:`columns`."""
        return np.asarray(sums[..., self.columns.index(name)])

    def counted(self, sums: FloatArray) -> FloatArray | None:
        """How many things sums of rows judge; ``None`` where they are segments or documents."""
        _, names = self.judged
        return sum(self.column(name, sums) for name in names) if names else None  # type: ignore[return-value]

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """What a score is made of, for those who read JSON: from one sum of rows."""
        return {}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Why a segment (or document) scored as it did; optional, and one method is all.

        ``batch`` holds that one segment or document, ``row`` its statistics, so that the view
        states the score that they give. The names of texts and the place are filled in later.
        """
        raise MetricError(f"{self} does not explain its scores; 'albeit metrics' says which do.")

    def view(
        self,
        row: FloatArray,
        texts: Iterable[Compared],
        links: Iterable[Link] = (),
        losses: Iterable[Loss] = (),
        **more: Any,
    ) -> View:
        """A view of the score that ``row`` gives; ``more`` are other fields of :class:`View`."""
        from albeit.metrics.view import View

        score = float(self.segment_score(row))
        perfect = self.scale if self.higher_is_better else 0.0
        return View(str(self), score, perfect, tuple(texts), tuple(links), tuple(losses), **more)

    @classmethod
    def explains(cls) -> bool:
        """Whether there is an :meth:`explain`."""
        return cls.explain is not Metric.explain

    def parameters(self) -> dict[str, Any]:
        """Parameters that differ from their defaults, in order: what the name must say."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.init and getattr(self, f.name) != f.default
        }

    def versions(self, context: Context = None) -> dict[str, str]:
        """What else a score depends on: resources, libraries, models (name to version)."""
        from albeit.parsing import version

        return {"annotator": version()} if self.annotated else {}

    def signature(self, context: Context = None) -> Signature:
        """All that is needed to get the same score again."""
        own = ((f.name.rstrip("_"), _plain(getattr(self, f.name))) for f in fields(self) if f.init)
        return Signature(self.name, (*own, *self.versions(context).items()))

    def __str__(self) -> str:
        """The canonical name in the metric grammar: ``dr-lex(lambda=0.2)``."""
        inside = ",".join(
            f"{key.rstrip('_')}={_plain(value)}" for key, value in self.parameters().items()
        )
        return f"{self.name}({inside})" if inside else self.name


class MeanMetric(Metric):
    """A metric whose aggregate is the mean of its rows, which :func:`mean_statistics` makes."""

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean."""
        return mean_score(sums)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple | frozenset):
        items = sorted(value) if isinstance(value, frozenset) else value
        return "+".join(_plain(item) for item in items)
    if isinstance(value, str):
        return quoted(value)
    return "auto" if value is None else str(value)


def check_english(metric: Metric, evalset: EvalSet, why: str) -> None:
    """Raise unless the set is in English, for metrics that hold English words or tables."""
    if evalset.target_lang != "en":
        raise LanguageError(
            f"{metric} cannot score translations into {evalset.target_lang!r}: {why}."
        )


def mean_statistics(
    scores: Sequence[float] | FloatArray, variances: FloatArray | None = None
) -> FloatArray:
    """Rows for a metric whose aggregate is the mean of its segments: (score, 1).

    One that says how sure it is adds the variance of each score: (score, 1, variance).
    """
    values = np.asarray(scores, dtype=np.float64)
    more = () if variances is None else (variances,)
    return np.stack([values, np.ones_like(values), *more], axis=-1)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part over whole, element by element; not a number where there is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)


def mean_score(sums: FloatArray) -> FloatArray:
    """The score that belongs to :func:`mean_statistics`."""
    return ratio(sums[..., 0], sums[..., 1])


def mean_error(sums: FloatArray) -> FloatArray | None:
    """The standard error of :func:`mean_score`, where rows have variances."""
    return ratio(np.sqrt(sums[..., 2]), sums[..., 1]) if sums.shape[-1] >= 3 else None
