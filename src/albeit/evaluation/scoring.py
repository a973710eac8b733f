"""Prepare metrics, split a test set into partitions, and compute the statistics of each partition.

A partition has the translations of *all* systems, so each reference is annotated once. Each
distinct metric is prepared and computed once, including parts of composites. A set in memory is
split here, and a larger one while it is read (:mod:`albeit.evaluation.partitions`). All values can
be pickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np

from albeit.data import LoadedCorpus, Partition, counted
from albeit.errors import AlbeitError, AlbeitWarning, MetricError
from albeit.evaluation.identity import environment
from albeit.metrics import Annotations, Document, EvalSet, FloatArray, Side, Unit, annotate_set
from albeit.metrics.base import Batch, Composite, Context, Metric

PARTITION_LINES = 4000
"""Approximate number of translations (segments × systems) per partition."""
ANNOTATED_LINES = 1000
"""The same if texts are annotated, which is slower, so that progress is shown sooner."""
INTERVAL, LOG_INTERVAL = 0.1, 30.0
"""Seconds between updates of progress on a terminal, and between lines in a log."""
Progress = Callable[[int, int], object]
"""A callback for the number of finished segments and of all, in this process.

If it has an attribute ``note``, that is set before: the workers, and the errors so far.
"""
OnError = Literal["stop", "skip"]
"""What happens to a document that kills its workers."""

_recording = Lock()
"""Warnings are recorded for the whole process, so only one thread at a time may do it."""


class WorkerError(ChildProcessError):
    """Worker processes died, and the run can't continue."""


class Prepared(NamedTuple):
    """What a metric prepared from the set, and the warnings that this gave."""

    context: Context
    warned: tuple[str, ...] = ()


class Job(NamedTuple):
    """What is the same for all partitions.

    :param metrics: the metrics to compute
    :param prepared: each distinct metric that isn't a composite, parts included
    :param loose: segments are independent: the set has no documents, and no metric reads them
    :param systems: indexes of the systems in the prepared set, if not all are scored
    :param run: the key of the run on disk
    """

    metrics: tuple[Metric, ...]
    prepared: Mapping[Metric, Prepared]
    loose: bool = False
    systems: tuple[int, ...] | None = None
    run: str = ""

    def context(self, metric: Metric) -> Context:
        """Return what a metric prepared; for a composite, what its parts did."""
        if isinstance(metric, Composite):
            return tuple(map(self.context, metric.parts))
        return self.prepared[metric].context

    def warned(self, metric: Metric) -> list[str]:
        """Return the warnings that preparing a metric and its parts gave."""
        return [message for part in find_parts([metric]) for message in self.prepared[part].warned]


class Part(NamedTuple):
    """The statistics of a partition.

    ``first`` is the index of its first segment in the set, ``size`` its number of segments.
    ``documents`` were scored, with their positions among the rows; ``left_out`` were not, with
    their positions in the set.
    """

    run: str
    number: int
    first: int
    size: int
    documents: tuple[Document, ...]
    statistics: tuple[FloatArray, ...]
    """The rows of each metric: (systems, rows, k); none if all documents were skipped."""
    left_out: tuple[Document, ...] = ()
    last: bool = False
    environment: dict[str, Any] | None = None
    """``None`` for this process."""

    def segments(self) -> list[int]:
        """Return the indexes in the set of the segments that were scored."""
        skipped = {n for document in self.left_out for n in range(document.start, document.stop)}
        return [n for n in range(self.first, self.first + self.size) if n not in skipped]


class Workers(NamedTuple):
    """Processes that score partitions, and what happens to documents that kill them.

    :param number: the number of processes; 0 is one per core
    :param executor: an executor that works instead, a ``distributed.Client``, or ``dask://HOST:PORT``
    :param on_error: ``"skip"`` skips a document that kills its workers, ``"stop"`` ends the run
    :param batch_timeout: seconds after which a worker counts as killed
    :param allow_mixed: accept workers whose processors or libraries could change a last digit
    """

    number: int = 1
    executor: Any = None
    on_error: OnError = "stop"
    batch_timeout: float | None = None
    allow_mixed: bool = False

    def check(self) -> Workers:
        """Return these settings; raise if one is wrong."""
        if isinstance(self.executor, str):
            from albeit.evaluation.executors import check_address

            check_address(self.executor)
        if self.number < 0:
            what = "the number of workers must be 0 (one per core) or more"
            raise AlbeitError(f"{what}, not {self.number}.")
        if self.batch_timeout is not None and not self.batch_timeout > 0:
            raise AlbeitError(f"a batch must have more than {self.batch_timeout:g} seconds.")
        return self

    def processes(self, tasks: int | None = None) -> int:
        """Return the number of processes for some tasks."""
        count = self.number or os.cpu_count() or 1
        return count if tasks is None else min(count, tasks)

    @property
    def separate(self) -> bool:
        """Whether partitions are never scored in this process."""
        executor, limit = self.executor, self.batch_timeout
        return executor is not None or self.on_error == "skip" or limit is not None


def prepare_job(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    whole: EvalSet | None = None,
    known: dict[Metric, Prepared] | None = None,
) -> Job:
    """Prepare each distinct metric once.

    :param evalset: the set, or its beginning
    :param metrics: the metrics
    :param whole: the whole set, for the metrics that prepare on it
    :param known: metrics that are prepared already; new ones are added
    """
    known = {} if known is None else known
    shown: set[str] = set()
    prepared: dict[Metric, Prepared] = {}
    for metric in find_parts(metrics):
        if metric not in known:
            beginning = whole if whole and metric.whole_set else evalset
            known[metric] = _prepare(metric, beginning, shown)
        prepared[metric] = known[metric]
    every = [*metrics, *prepared]
    loose = all(metric.unit is Unit.SEGMENT for metric in every) and not evalset.has_documents
    return Job(tuple(metrics), prepared, loose)


def find_parts(metrics: Iterable[Metric]) -> Iterator[Metric]:
    """Yield the metrics that aren't composites, and those that composites consist of."""
    for metric in metrics:
        if isinstance(metric, Composite):
            yield from find_parts(metric.parts)
        else:
            yield metric


def _prepare(metric: Metric, evalset: EvalSet, shown: set[str]) -> Prepared:
    """Prepare a metric on the sides that it reads; warn unless the warning was ``shown`` before."""
    references = evalset.references if metric.sees(Side.REFERENCE) else {}
    source = evalset.source if metric.sees(Side.SOURCE) else None
    if references is not evalset.references or source is not evalset.source:
        full, key = evalset, ("sides", bool(references), source is not None)
        evalset = full.draw(key, lambda: replace(full, references=references, source=source))
    with _recording, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)
        context = metric.prepare(evalset)
    for each in caught:
        if str(each.message) not in shown:
            warnings.warn(each.message, stacklevel=2)
        shown.add(str(each.message))
    own = (each.message for each in caught if isinstance(each.message, AlbeitWarning))
    return Prepared(context, tuple(map(str, own)))


def partition_size(metrics: Iterable[Metric], systems: int) -> int:
    """Return the minimum number of segments per partition."""
    annotated = any(metric.annotated for metric in metrics)
    return max(1, (ANNOTATED_LINES if annotated else PARTITION_LINES) // max(1, systems))


def split(evalset: EvalSet, job: Job, size: int | None = None) -> list[Partition]:
    """Split a set between documents; if segments are independent, anywhere."""
    size = size or partition_size(job.prepared, len(evalset.systems))
    if size >= len(evalset) or not (job.loose or evalset.has_documents):
        return [Partition(0, 0, evalset, last=True)]
    return list(LoadedCorpus(evalset).partitions(size))


def select_documents(evalset: EvalSet, documents: Sequence[Document]) -> EvalSet:
    """Return the set with only these runs of segments, as documents, in this order."""
    segments = [n for document in documents for n in range(document.start, document.stop)]
    ends = accumulate(map(len, documents))
    moved = [Document(d.id, end - len(d), end) for d, end in zip(documents, ends, strict=True)]
    return evalset.take(segments, moved)


def score_parts(
    job: Job,
    partitions: Iterable[Partition],
    workers: Workers,
    progress: Progress | None = None,
    annotations: Annotations | None = None,
    finish: Callable[[Part], Any] | None = None,
) -> Iterator[Any]:
    """Yield the part of each partition, in order.

    :param annotations: supplied annotations by text
    :param finish: applied to each part in the worker that made it, unless the partition had to be
        scored in several pieces; in this process it isn't applied
    """
    if not annotations or not any(metric.annotated for metric in job.prepared):
        annotations = None
    tasks = len(partitions) if isinstance(partitions, list) else None
    if workers.separate or workers.processes(tasks) > 1:
        from albeit.evaluation.executors import Retrier

        yield from Retrier(job, workers, annotations, progress, finish).score(partitions, tasks)
        return
    for partition in partitions:
        yield score_partition(job, partition, annotations)


def score_partition(job: Job, partition: Partition, given: Annotations | None = None) -> Part:
    """Compute the statistics of all systems in a partition."""
    evalset = partition.evalset
    by_system = [compute_statistics(job, batch) for batch in make_batches(job, evalset, given)]
    statistics = tuple(np.stack(rows) for rows in zip(*by_system, strict=True))
    number, first, _, last = partition
    return Part(job.run, number, first, len(evalset), evalset.documents, statistics, last=last)


def join_parts(parts: Sequence[Part]) -> Part:
    """Join parts in order, as if the whole set had been one partition."""
    documents: list[Document] = []
    before = 0
    for part in parts:
        documents += (Document(d.id, d.start + before, d.stop + before) for d in part.documents)
        before += part.documents[-1].stop if part.documents else 0
    if documents and len({d.id for d in documents}) == 1:  # a set without documents
        documents = [Document(documents[0].id, 0, before)]
    columns = zip(*(part.statistics for part in parts if part.statistics), strict=True)
    return parts[0]._replace(
        size=sum(part.size for part in parts),
        documents=tuple(documents),
        statistics=tuple(np.concatenate(rows, axis=1) for rows in columns),
        left_out=tuple(each for part in parts for each in part.left_out),
        last=parts[-1].last,
        environment=parts[-1].environment,
    )


def pack_rows(header: Any, statistics: Iterable[FloatArray]) -> bytes:
    """Return a line of JSON, and statistics in NumPy's format."""
    buffer = io.BytesIO()
    buffer.write(json.dumps(header).encode() + b"\n")
    for rows in statistics:
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
    return buffer.getvalue()


def unpack_rows(data: bytes) -> tuple[Any, tuple[FloatArray, ...]]:
    """Return the header and the statistics of such bytes."""
    file = io.BytesIO(data)
    header = json.loads(file.readline())
    statistics: list[FloatArray] = []
    while file.tell() < len(data):
        statistics.append(np.load(file, allow_pickle=False))
    return header, tuple(statistics)


_MAGIC = b"albeit-part/3\n"


def pack(part: Part) -> bytes:
    """Return the bytes of a part; equal parts have equal bytes."""
    made_by = part.environment or environment()
    header = _describe_part(part) | {"digest": digest_part(part), "environment": made_by}
    return _MAGIC + zlib.compress(pack_rows(header, part.statistics), 1)


def unpack(data: bytes) -> Part:
    """Return the part of a file's bytes; raise ``ValueError`` if it isn't whole."""
    try:
        if not data.startswith(_MAGIC):
            raise ValueError("it doesn't begin as a part does")
        content, rows = unpack_rows(zlib.decompress(data[len(_MAGIC) :]))
        digest = content.pop("digest")
        for key in ("documents", "left_out"):
            content[key] = tuple(Document(*span) for span in content[key])
        part = Part(**content, statistics=rows)
        if digest_part(part) != digest:
            raise ValueError("its rows are not those that were written")
    except Exception as error:  # everything that a reader raises for changed bytes
        raise ValueError(str(error) or repr(error)) from None
    return part


def digest_part(part: Part) -> str:
    """Return a digest of everything but the environment."""
    digest = hashlib.sha256(json.dumps(_describe_part(part)).encode())
    for rows in part.statistics:
        digest.update(repr(rows.shape).encode())
        digest.update(np.ascontiguousarray(rows, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def _describe_part(part: Part) -> dict[str, Any]:
    content = {name: getattr(part, name) for name in ("run", "number", "first", "size", "last")}
    for name in ("documents", "left_out"):
        content[name] = [[d.id, d.start, d.stop] for d in getattr(part, name)]
    return content


def compute_statistics(job: Job, batch: Batch) -> list[FloatArray]:
    """Compute the rows of each metric over one system's batch."""
    results: dict[Metric, FloatArray] = {}

    def compute(metric: Metric) -> FloatArray:
        if metric not in results:
            visible = batch.seen_by(metric)
            if isinstance(metric, Composite):
                rows = metric.combine(list(map(compute, metric.parts)), visible)
            else:
                rows = metric.statistics(visible, job.context(metric))
            expected = len(batch) if metric.unit is Unit.SEGMENT else len(batch.documents)
            if rows.ndim != 2 or len(rows) != expected:
                raise MetricError(
                    f"{metric} returned statistics of shape {rows.shape} for {expected}"
                    f" {metric.unit}s; one row each is required. This is an error in the metric."
                )
            results[metric] = rows
        return results[metric]

    return list(map(compute, job.metrics))


def make_batches(job: Job, evalset: EvalSet, given: Annotations | None = None) -> list[Batch]:
    """Make a batch per system; all share their annotations."""
    shared = annotate_set(evalset, [metric.needs for metric in job.prepared], given)
    systems = range(len(evalset.systems)) if job.systems is None else job.systems
    return [
        replace(shared, hypotheses=lines, system=system)
        for system, lines in zip(systems, evalset.systems.values(), strict=True)
    ]


def warn_of_skipped(documents: Sequence[Document]) -> None:
    """Name the documents that killed their workers and aren't scored."""
    shown = ", ".join(f"{d.id!r} (segments {d.start + 1} to {d.stop})" for d in documents[:10])
    more = f" and {len(documents) - 10} more" if len(documents) > 10 else ""
    count = sum(map(len, documents))
    what = f"skipped {counted(count, 'segment')} that killed worker processes: {shown}{more}."
    warnings.warn(AlbeitWarning(what, count=count), stacklevel=2)


@dataclass
class ProgressLine:
    """Show progress on stderr; a context manager that clears the line at the end.

    A terminal has one line that is kept up to date. A log gets a line every 30 seconds.
    """

    unit: str = "segments"
    quiet: bool = False
    out: Any = field(default_factory=lambda: sys.stderr)
    note: str = ""
    """The workers, and the errors so far."""

    def __post_init__(self) -> None:
        self.live = self.out.isatty() or "ipykernel" in sys.modules  # a notebook isn't a terminal
        self.start = self.shown = time.monotonic()
        self.width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self.width:
            self.out.write("\r" + " " * self.width + "\r")
            self.out.flush()

    def __call__(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` are done, unless that was shown just before."""
        now = time.monotonic()
        if done == 0:
            self.start = self.shown = now
        first = self.live and not self.width
        interval = INTERVAL if self.live else LOG_INTERVAL
        if self.quiet or (not first and now - self.shown < interval):
            return
        self.shown = now
        line = describe_progress(done, total, now - self.start, self.unit)
        line += f" · {self.note}" if self.note else ""
        self.out.write("\r" + line.ljust(self.width) if self.live else line + "\n")
        self.width = len(line) if self.live else 0
        self.out.flush()


def describe_progress(done: int, total: int, seconds: float, unit: str) -> str:
    """Return a text such as ``1,200 of 3,003 segments (40 %), 310 a second, 6 s left``."""
    text = f"{done:,} of {total:,} {unit} ({100 * done // max(1, total)} %)"
    if not done or seconds <= 0:
        return text
    rate = done / seconds
    minutes, rest = divmod(round((total - done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    left = f"{hours} h {minutes:02} min" if hours else left
    return f"{text}, {rate:,.{0 if rate >= 10 else 1}f} per second, {left} left"
