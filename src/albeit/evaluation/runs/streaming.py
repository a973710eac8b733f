"""Score a set that is read in batches, and keep the statistics of each as a part of a run.

Memory holds the batches that are being worked on and nothing else, however long the set is. A
part that is there is done, so a run that was ended goes on where it was, and several programs
can share one run: each scores a range of the batches, and a last call sums.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path

from albeit.arrays import FloatArray
from albeit.data.corpus import Corpus, Partition
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.data.plausible import warn_if_implausible
from albeit.errors import AlbeitError, AlbeitWarning, InputError, MetricError
from albeit.evaluation.checks import check
from albeit.evaluation.executors import Engine
from albeit.evaluation.identity import (
    environment,
    hashed,
    ingredients,
    part_digest,
    require_one,
    set_digest,
    signature_of,
)
from albeit.evaluation.plan import Job, Plan, Portion, make_job, portion_size
from albeit.evaluation.runs import Run, RunFolder
from albeit.evaluation.runs.kept import merge
from albeit.evaluation.runs.parts import Packed, Part, pack
from albeit.evaluation.scoring import Done, Effort, OnError, Progress, tell, warn_of_skipped
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable

__all__ = ["score_stream"]


def score_stream(
    stream: Corpus,
    metrics: Sequence[Metric],
    folder: str | Path,
    *,
    only: range | None = None,
    batch: int | None = None,
    workers: int = 1,
    executor: Engine | None = None,
    progress: Progress | None = None,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable | None:
    """Score every system of a set with every metric, into a folder; the scores of systems.

    :param stream: the set, read in batches (:func:`albeit.data.front.open_corpus`)
    :param metrics: the metrics
    :param folder: where the run is kept; one that is there goes on
    :param only: score only the batches of these numbers (the first batch is 0), and return
        nothing; a call without it scores the missing batches and sums
    :param batch: how many segments a batch holds at least (documents stay whole); a run that goes
        on keeps to what it began with
    :param workers: processes that share the work; 0 is one per core
    :param executor: who works in place of processes of this machine
    :param progress: called with what is done, of how much
    :param on_error: ``skip`` leaves out and counts a document that kills its worker process, again
        and again; ``stop`` ends the run
    :param batch_timeout: seconds after which a worker process counts as dead
    :param allow_mixed: accept machines whose processors or libraries could change a last digit

    >>> from tempfile import mkdtemp
    >>> import albeit
    >>> from albeit.data.front import open_corpus
    >>> from albeit.evaluation import score_stream
    >>> stream = open_corpus("examples/demo")
    >>> table = score_stream(stream, [albeit.metric("chrf")], mkdtemp())
    >>> round(float(table["chrf"].system[1]), 1)
    91.1
    """
    effort = Effort(workers, executor, on_error, batch_timeout, allow_mixed)
    size = batch or portion_size(metrics, len(stream.systems))
    batches = stream.partitions(size)
    first = next(batches)
    job, run = _begun(stream, first.evalset, metrics, size)
    files = RunFolder(folder)
    _require_same(run, files.begin(run), str(files.folder))
    here = [("this machine", environment())]
    begun = files.run().environment
    require_one(
        here if begun is None else [("the machine that began the run", begun), *here],
        allow_mixed=allow_mixed,
    )
    work = _Batches(stream, chain([first], batches), job, run, files, only)
    with effort.start(job) as running:
        for done in running.run(work.portions()):
            work.keep(done, metrics)
            tell(progress, work.done, work.total(), running.status())
    work.tell()
    if only is not None:
        if running.skipped:
            warn_of_skipped(running.skipped)
        return None
    return merge(folder, allow_mixed=allow_mixed)


def _begun(
    stream: Corpus, beginning: EvalSet, metrics: Sequence[Metric], size: int
) -> tuple[Job, Run]:
    """The metrics checked and prepared, and what the run is then called."""
    documents = [str(metric) for metric in metrics if metric.unit is Unit.DOCUMENT]
    if documents and not stream.has_documents:
        raise MetricError(
            f"{', '.join(documents)} scores whole documents, and nothing is said of them."
            " Give --docs, or a doc_id with every segment."
        )
    readers = [metric for metric in metrics if metric.whole_set]
    others = [metric for metric in metrics if not metric.whole_set]
    if others:
        check(beginning, others)
    whole = None
    if readers:
        listed = ", ".join(map(str, readers))
        logging.getLogger("albeit").info("%s: reads the whole set before it begins.", listed)
        whole = _whole(stream)
        check(whole, readers)
    warn_if_implausible(beginning)
    job = make_job(beginning, metrics, whole)
    steps = [job.steps[place] for place in job.wanted]
    warned = dict.fromkeys(str(each) for step in steps for each in step.warned)
    signatures = [signature_of(beginning, step.metric, step.context) for step in steps]
    run = Run(
        stream.name,
        (stream.source_lang, stream.target_lang),
        stream.systems,
        stream.has_documents,
        tuple(map(str, metrics)),
        tuple(signatures),
        tuple(warned),
        size,
        environment=environment(),
    )
    makes = [
        [ingredients(metric) for metric in metrics],
        [signature.to_json() for signature in signatures],
        [stream.references, stream.systems, stream.source_lang, stream.target_lang, size],
        None if whole is None else set_digest(whole),
    ]
    return job, replace(run, key=hashed(json.dumps(makes))[:32])


def _whole(stream: Corpus) -> EvalSet:
    """All of a set at once."""
    (batch,) = stream.partitions(1 << 62)
    return batch.evalset


def _require_same(run: Run, kept: Run, folder: str) -> None:
    """Raise if the folder holds another run than this one."""
    if run.key == kept.key:
        return
    telling = [f.name for f in fields(Run) if f.name not in ("key", "environment", "warned")]
    unlike = [name for name in telling if getattr(run, name) != getattr(kept, name)]
    raise InputError(
        f"holds a run of another kind: {', '.join(unlike) or 'files that metrics read'} differ.",
        path=folder,
        hint="Give --out another folder.",
    )


@dataclass(frozen=True)
class _Waiting:
    """A batch that is being worked on, without its texts."""

    batch: int
    made_from: str
    first: int
    documents: tuple[Document, ...]
    last: bool


class _Batches:
    """The batches to score, on their way to parts."""

    def __init__(
        self,
        stream: Corpus,
        batches: Iterable[Partition],
        job: Job,
        run: Run,
        files: RunFolder,
        only: range | None = None,
    ) -> None:
        self._stream, self._batches, self._job = stream, batches, job
        self._run, self._files, self._only = run, files, only
        self._waiting: deque[_Waiting] = deque()
        self._read = self._read_batches = 0
        self._empty = dict.fromkeys(stream.systems, 0)
        self.done = 0

    def portions(self) -> Iterator[Portion]:
        """Those that are to be done, read when they are asked for."""
        for batch in self._batches:
            if self._only is not None and batch.number >= self._only.stop:
                return
            self._read, self._read_batches = batch.first + len(batch.evalset), batch.number + 1
            if self._only is not None and batch.number not in self._only:
                continue
            for name, lines in batch.evalset.systems.items():
                self._empty[name] += sum(not line.strip() for line in lines)
            made_from = part_digest(self._run.key, batch.evalset)
            if self._files.has(batch.number, made_from):
                self.done += len(batch.evalset)
                continue
            self._check(batch)
            documents = batch.evalset.documents
            self._waiting.append(
                _Waiting(batch.number, made_from, batch.first, documents, batch.last)
            )
            portion = Plan(self._job, batch.evalset, ()).portion(documents)
            metrics = tuple(self._job.steps[index].metric for index in self._job.wanted)
            finish = partial(_pack, self._run, batch.number, batch.last, metrics)
            yield replace(portion, first=batch.first, finish=finish)

    def _check(self, batch: Partition) -> None:
        """What a metric refuses of a set, it refuses of its batches."""
        steps = (self._job.steps[place] for place in self._job.wanted)
        metrics = [step.metric for step in steps if not step.metric.whole_set]
        if not batch.number or not metrics:
            return  # the first one is checked already
        try:
            check(batch.evalset, metrics)
        except AlbeitError as error:
            raise InputError(f"in {batch.span}: {error}") from None

    def keep(self, done: Done, metrics: Sequence[Metric]) -> None:
        """Write the part of the batch that was waited for."""
        batch, packed = self._waiting.popleft(), done.result
        if packed is None:  # it was made in pieces
            part = Part(
                self._run.key,
                batch.batch,
                batch.first,
                len(done.portion),
                _kept(batch, done.skipped, self._job),
                tuple(done.statistics or ()),
                done.skipped,
                batch.last,
                done.environment or environment(),
            )
            packed = pack(part, self._run.systems, metrics)
        self._files.add(batch.batch, batch.made_from, packed)
        self.done += len(done.portion)

    def total(self) -> int:
        """Estimate the number of segments to score from the share of bytes read."""
        whole = self._read / self._stream.share if self._stream.share else self._read
        if self._only is not None:
            size = self._read / max(self._read_batches, 1)
            whole = min(whole, size * self._only.stop) - size * self._only.start
        return max(self.done, round(whole))

    def tell(self) -> None:
        """What a reader of the whole set is warned of, too."""
        for name, empty in self._empty.items():
            if empty:
                what = f"system {name!r}: {empty} lines are empty; they are scored as such."
                warnings.warn(AlbeitWarning(what, count=empty), stacklevel=2)


def _pack(
    run: Run,
    number: int,
    last: bool,
    metrics: Sequence[Metric],
    portion: Portion,
    statistics: Sequence[FloatArray],
) -> Packed:
    """Pack a batch where it was scored."""
    part = Part(
        run.key,
        number,
        portion.first,
        len(portion),
        portion.documents,
        tuple(statistics),
        last=last,
        environment=environment(),
    )
    return pack(part, run.systems, metrics)


def _kept(batch: _Waiting, left_out: Sequence[Document], job: Job) -> tuple[Document, ...]:
    """The documents that were scored, at their places among the rows that are left."""
    gone = sum(map(len, left_out))
    if job.loose:
        (whole,) = batch.documents
        return (Document(whole.id, 0, len(whole) - gone),) if len(whole) > gone else ()
    names = {document.id for document in left_out}
    documents: list[Document] = []
    start = 0
    for document in batch.documents:
        if document.id not in names:
            documents.append(Document(document.id, start, start + len(document)))
            start += len(document)
    return tuple(documents)
