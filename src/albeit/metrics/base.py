"""The metric interface: parameters, additive statistics, and a score from their sums.

A metric is a frozen dataclass whose fields are its parameters. Equal metrics are the same metric,
and its name in the metric grammar is its identity. It turns a batch of whole documents into rows of
statistics, one row per segment (or per document, for a document-level metric). Rows are additive:
the score of any set of segments is ``score(rows.sum(axis=0))``. Scores of segments, documents, and
systems, confidence intervals, and paired tests follow from that rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from albeit.arrays import FloatArray as FloatArray
from albeit.data.evalset import EvalSet, Unit
from albeit.errors import InputError, LanguageError, MetricError, MissingExtraError
from albeit.languages import WITHOUT_SPACES
from albeit.metrics.batch import Batch as Batch
from albeit.metrics.grammar import Signature, to_text
from albeit.parsing.needs import TEXT, AnyLayer, Need, Side, compared, layers_of

if TYPE_CHECKING:
    from albeit.metrics.view import Compared, Link, Loss, View

Context = Any
"""What a metric prepared once from the whole set; only the metric reads it."""

LONGEST = 5_000
"""The maximum number of words of a line for metrics that compare all pairs of words (400 MB)."""
ALIGNED = 1_000
"""The same for metrics that align words, which takes time with the third power of the length."""


@dataclass(frozen=True)
class Metric(ABC):
    """Base of all metrics; subclasses are frozen dataclasses whose fields are parameters.

    Class attributes describe the metric; ``statistics`` and ``score`` define it. The rest has
    defaults. Parameters that don't fit together raise ``MetricError`` in ``__post_init__``.

    >>> import albeit
    >>> chrf = albeit.metric("chrf(word_order=2)")
    >>> chrf.word_order, chrf.higher_is_better, str(chrf.unit)
    (2, True, 'segment')
    """

    name: ClassVar[str]
    """Name in the metric grammar: ``"dr-lex"``."""
    summary: ClassVar[str]
    """One line for ``albeit metrics``."""
    unit: ClassVar[Unit] = Unit.SEGMENT
    """The smallest unit that it scores: one row of statistics."""
    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 1.0
    """The score of a perfect translation where there is one (100 for BLEU), for display."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Names of the numbers in a row of statistics; empty if only the metric reads them."""
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("", ())
    """The instances that it scores ("connectives"), and the columns whose sum counts them."""
    safe_for_untrusted: ClassVar[bool] = False
    """Whether untrusted callers may use it: with its default parameters it starts no program and
    reads no file or code from outside albeit's resources. A plug-in must set this in the class
    itself: the value of a base class doesn't count. Built-in metrics are listed in the registry."""
    harmless_text: ClassVar[frozenset[str]] = frozenset()
    """Parameters of type ``str`` whose value is never used as a file, module, or command."""

    @property
    def needs(self) -> frozenset[Need]:
        """The layers that it reads, per side; by default the text of translation and references."""
        return compared(TEXT)

    def reads(self, side: Side) -> bool:
        """Return whether it requires that side."""
        return any(need.side is side and not need.optional for need in self.needs)

    def sees(self, side: Side) -> bool:
        """Return whether it uses that side if there is one."""
        return any(need.side is side for need in self.needs)

    @property
    def by_document(self) -> bool:
        """Whether it requires document boundaries: it scores documents, or reads their layers."""
        return self.unit is Unit.DOCUMENT or any(n.unit is Unit.DOCUMENT for n in self.needs)

    @property
    def annotated(self) -> bool:
        """Whether it reads annotations of segments, which a model computes or a user supplies."""
        return bool(layers_of(self.needs, *Side))

    @property
    def exact(self) -> bool:
        """Whether scores are bit-identical on every processor, because no network computes them."""
        return not self.annotated

    @property
    def whole_set(self) -> bool:
        """Whether :meth:`prepare` and :meth:`check` read all texts, not only the languages.

        A set that is read in batches is then read into memory once before them.
        """
        return type(self).prepare is not Metric.prepare

    @property
    def languages(self) -> frozenset[str] | None:
        """Target languages that this metric can score; ``None`` for any."""
        return None

    @property
    def files(self) -> tuple[str, ...]:
        """Files outside the package that scores depend on, such as a table of the user."""
        return ()

    def check(self, evalset: EvalSet) -> None:
        """Raise if this metric can't score this set. Extend, and call super.

        The evaluation checks whether the needed layers are available.
        """
        if self.languages is not None and evalset.target_lang not in self.languages:
            known = ", ".join(sorted(self.languages))
            raise LanguageError(
                f"{self} supports translations into {known}, not into {evalset.target_lang!r}."
            )
        if self.reads(Side.SOURCE) and evalset.source is None:
            raise MetricError(f"{self} needs the source text. Give it with --source FILE.")
        if self.reads(Side.REFERENCE) and not evalset.references:
            raise MetricError(f"{self} needs at least one reference translation.")
        if self.by_document and not evalset.has_documents:
            raise MetricError(
                f"{self} scores whole documents, but document boundaries are missing."
                " Give --docs FILE with one document id per line, or --docs blank-lines where"
                " empty lines end documents."
            )

    def prepare(self, evalset: EvalSet) -> Context:
        """Compute what depends on the whole set (references, sources), once."""
        return None

    @abstractmethod
    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return additive statistics: one row per segment, or per document."""

    @abstractmethod
    def score(self, sums: FloatArray) -> FloatArray:
        """Return scores of sums of rows: shape ``(..., k)`` to ``(...)``."""

    def best_rows(self, rows: FloatArray) -> FloatArray:
        """Return the row of each item with the best score, of (references, items, k)."""
        best = self.score(rows).argmax(axis=0)
        return np.asarray(rows[best, np.arange(rows.shape[1])])

    def segment_score(self, rows: FloatArray) -> FloatArray:
        """Return scores of single rows; differs from ``score`` if a metric smooths them."""
        return self.score(rows)

    def standard_error(self, sums: FloatArray) -> FloatArray | None:
        """Return the standard errors of scores, in the shape of :meth:`score`, if they are known.

        Errors of segments are assumed to be independent.
        """
        return None

    def column(self, name: str, sums: FloatArray) -> FloatArray:
        """Return one number of sums of rows, by its name in :attr:`columns`."""
        return np.asarray(sums[..., self.columns.index(name)])

    def counted(self, sums: FloatArray) -> FloatArray | None:
        """Return the number of scored instances; ``None`` if they are segments or documents."""
        _, names = self.judged
        return sum(self.column(name, sums) for name in names) if names else None  # type: ignore[return-value]

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the components of a score, for JSON, from one sum of rows."""
        return {}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Explain the score of one segment or document (optional).

        ``batch`` has that segment or document, ``row`` its statistics. Names of texts and the
        place in the set are filled in later.
        """
        raise MetricError(f"{self} does not explain its scores; 'albeit metrics' lists which do.")

    def view(
        self,
        row: FloatArray,
        texts: Iterable[Compared],
        links: Iterable[Link] = (),
        losses: Iterable[Loss] = (),
        **more: Any,
    ) -> View:
        """Return a view of the score of ``row``; ``more`` are other fields of :class:`View`."""
        from albeit.metrics.view import View

        score = float(self.segment_score(row))
        perfect = self.scale if self.higher_is_better else 0.0
        return View(str(self), score, perfect, tuple(texts), tuple(links), tuple(losses), **more)

    @classmethod
    def explains(cls) -> bool:
        """Return whether the class has an :meth:`explain`."""
        return cls.explain is not Metric.explain

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, in order."""
        own = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.init}
        return {name: value for name, (value, default) in own.items() if value != default}

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return what else a score depends on: resources, libraries, models (name to version)."""
        from albeit.parsing.annotation import version

        return {"annotator": version()} if self.annotated else {}

    def signature(self, context: Context = None) -> Signature:
        """Return everything that is needed to reproduce the score."""
        own = ((f.name.rstrip("_"), to_text(getattr(self, f.name))) for f in fields(self) if f.init)
        return Signature(self.name, (*own, *self.versions(context).items()))

    def __str__(self) -> str:
        """Return the name in the metric grammar: ``dr-lex(lambda=0.2)``."""
        inside = ",".join(f"{k.rstrip('_')}={to_text(v)}" for k, v in self.parameters().items())
        return f"{self.name}({inside})" if inside else self.name


class MeanMetric(Metric):
    """A metric whose aggregate is the mean of its rows (:func:`mean_statistics`)."""

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean."""
        return mean_score(sums)


@dataclass(frozen=True)
class DocumentMetric(Metric):
    """A metric over annotations of whole documents, which a model computes."""

    unit: ClassVar[Unit] = Unit.DOCUMENT
    exact: ClassVar[bool] = False
    """A network reads the documents."""

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the version of the annotator of documents, too."""
        from albeit.parsing.annotation import version

        layers = layers_of(self.needs, *Side, unit=Unit.DOCUMENT)
        return super().versions(context) | {"documents": version("en", layers, Unit.DOCUMENT)}


def document_needs(
    *layers: AnyLayer, sides: Iterable[Side] = (Side.HYPOTHESIS, Side.REFERENCE)
) -> frozenset[Need]:
    """Return needs of layers of whole documents."""
    return frozenset(Need(layer, side, Unit.DOCUMENT) for side in sides for layer in layers)


@dataclass(frozen=True)
class Composite(Metric):
    """A metric whose rows are computed from rows of its parts; its context is theirs.

    Each distinct metric of a run is computed once, also if several composites share it.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that it consists of."""

    @abstractmethod
    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """Return its rows for a batch, from the rows of its parts."""

    @property
    def needs(self) -> frozenset[Need]:
        """What any part needs."""
        return frozenset[Need]().union(*(part.needs for part in self.parts))

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages that all parts can score."""
        known = [part.languages for part in self.parts if part.languages is not None]
        return frozenset.intersection(*known) if known else None

    @property
    def exact(self) -> bool:
        """Whether no part uses a network."""
        return all(part.exact for part in self.parts)

    @property
    def whole_set(self) -> bool:
        """Whether any part reads all texts."""
        return any(part.whole_set for part in self.parts)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its parts read."""
        return tuple(dict.fromkeys(path for part in self.parts for path in part.files))

    def check(self, evalset: EvalSet) -> None:
        """Check every part; an error names the composite, too."""
        super().check(evalset)
        for part in self.parts:
            try:
                part.check(evalset)
            except (LanguageError, MetricError, MissingExtraError) as error:
                raise type(error)(f"{self}: of its parts, {error}") from None

    def prepare(self, evalset: EvalSet) -> Context:
        """Prepare the parts."""
        return tuple(part.prepare(evalset) for part in self.parts)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Compute its rows from those of its parts."""
        pairs = zip(self.parts, context, strict=True)
        return self.combine([p.statistics(batch.seen_by(p), own) for p, own in pairs], batch)

    def part_signatures(self, context: Context = None) -> tuple[Signature, ...]:
        """Return the signatures of its parts."""
        contexts = context if context is not None else (None,) * len(self.parts)
        return tuple(part.signature(own) for part, own in zip(self.parts, contexts, strict=True))


def check_english(metric: Metric, evalset: EvalSet, why: str) -> None:
    """Raise unless the target language is English, for metrics with English words or tables."""
    if evalset.target_lang != "en":
        raise LanguageError(
            f"{metric} cannot score translations into {evalset.target_lang!r}: {why}."
        )


def check_lengths(metric: Metric, evalset: EvalSet, most: int = LONGEST) -> None:
    """Raise if a line has more words than a metric can compare."""
    texts = {f"reference {name!r}": lines for name, lines in evalset.references.items()}
    texts |= {f"system {name!r}": lines for name, lines in evalset.systems.items()}
    if metric.sees(Side.SOURCE) and evalset.source is not None:
        texts["the source"] = evalset.source
    for name, lines in texts.items():
        lang = evalset.target_lang if name != "the source" else evalset.source_lang or ""
        for number, line in enumerate(lines, 1):
            if len(line) <= most:
                continue
            words = len(line) if lang in WITHOUT_SPACES else len(line.split())
            if words > most:
                what = f"{name}, line {number}: a line of {words:,} words is too long for {metric},"
                hint = "If it is a document, cut it: --resegment."
                raise InputError(f"{what} which compares at most {most:,}.", hint=hint)


def mean_statistics(
    scores: Sequence[float] | FloatArray, variances: FloatArray | None = None
) -> FloatArray:
    """Return rows for a metric whose aggregate is the mean of its segments: (score, 1).

    A metric with standard errors adds the variance of each score: (score, 1, variance).
    """
    values = np.asarray(scores, dtype=np.float64)
    more = () if variances is None else (variances,)
    return np.stack([values, np.ones_like(values), *more], axis=-1)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide element by element; not a number if the divisor is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)


def mean_score(sums: FloatArray) -> FloatArray:
    """Return the score of sums of :func:`mean_statistics`."""
    return ratio(sums[..., 0], sums[..., 1])


def mean_error(sums: FloatArray) -> FloatArray | None:
    """Return the standard error of :func:`mean_score` if rows have variances."""
    return ratio(np.sqrt(sums[..., 2]), sums[..., 1]) if sums.shape[-1] >= 3 else None
