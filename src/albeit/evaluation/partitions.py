"""Score a set in partitions of whole documents, into a folder; resume, sum, and reopen such a run.

Memory holds only the partitions in progress. The name of a part has a digest of its texts: a part
that has its file is done. Files are written under a temporary name and renamed; the manifest comes
last. Rows are added in the order of the segments, so a run has the same bytes for any number of
workers.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from albeit.arrays import FloatArray
from albeit.data.corpus import Corpus, Partition
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.data.plausible import warn_if_implausible
from albeit.errors import AlbeitError, AlbeitWarning, InputError, MetricError
from albeit.evaluation.checks import check
from albeit.evaluation.executors import Engine
from albeit.evaluation.identity import (
    Environment,
    environment,
    hashed,
    ingredients,
    part_digest,
    require_one,
    set_digest,
    signature_of,
)
from albeit.evaluation.parts import MANIFEST, Part, Run, RunFolder, join_parts, pack
from albeit.evaluation.plan import Job, Plan, Portion, make_job, portion_size
from albeit.evaluation.scoring import Done, Effort, OnError, Progress, tell, warn_of_skipped
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Signature, parse
from albeit.metrics.registry import check_safe, is_saved
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable, standard_errors
from albeit.stats import running_sums


def score_partitions(
    corpus: Corpus,
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
    """Score every system of a set with every metric, into a folder; return the system scores.

    :param corpus: the set (:func:`albeit.data.front.open_corpus`)
    :param metrics: the metrics
    :param folder: the folder of the run; one that exists is resumed
    :param only: score only the partitions of these numbers (from 0), and return nothing; a call
        without it scores the missing partitions and sums
    :param batch: the minimum number of segments of a partition (documents stay whole)
    :param workers: the number of processes; 0 is one per core
    :param executor: an executor in place of processes of this machine
    :param progress: called with the number of segments done, and of all
    :param on_error: ``skip`` leaves out and counts a document that repeatedly kills its worker
        process; ``stop`` ends the run
    :param batch_timeout: seconds after which a worker process counts as dead
    :param allow_mixed: accept machines whose processors or libraries could change a last digit

    >>> from tempfile import mkdtemp
    >>> import albeit
    >>> from albeit.data.front import open_corpus
    >>> from albeit.evaluation import score_partitions
    >>> table = score_partitions(open_corpus("examples/demo"), [albeit.metric("chrf")], mkdtemp())
    >>> round(float(table["chrf"].system[1]), 1)
    91.1
    """
    effort = Effort(workers, executor, on_error, batch_timeout, allow_mixed)
    size = batch or portion_size(metrics, len(corpus.systems))
    partitions = corpus.partitions(size)
    first = next(partitions)
    job, run = _prepare(corpus, first.evalset, metrics, size)
    files = RunFolder(folder)
    begun = files.begin(run)
    _require_same(run, begun, str(files.folder))
    began = ("the machine that began the run", Environment.from_json(begun.environment))
    require_one([began, ("this machine", environment())], allow_mixed=allow_mixed)
    work = _Work(corpus, chain([first], partitions), job, run, files, only)
    with effort.start(job) as running:
        for done in running.run(work.portions()):
            work.keep(done)
            tell(progress, work.done, work.total(), running.status())
    work.warn()
    if only is None:
        return merge(folder, allow_mixed=allow_mixed)
    if running.skipped:
        warn_of_skipped(running.skipped)
    return None


def _prepare(
    corpus: Corpus, beginning: EvalSet, metrics: Sequence[Metric], size: int
) -> tuple[Job, Run]:
    """Check and prepare the metrics; some of them need all partitions for that."""
    by_document = [str(metric) for metric in metrics if metric.unit is Unit.DOCUMENT]
    if by_document and not corpus.has_documents:
        raise MetricError(
            f"{', '.join(by_document)} scores whole documents, and nothing is said of them."
            " Give --docs, or a doc_id with every segment."
        )
    whole_set = [metric for metric in metrics if metric.whole_set]
    others = [metric for metric in metrics if not metric.whole_set]
    if others:
        check(beginning, others)
    whole = None
    if whole_set:
        listed = ", ".join(map(str, whole_set))
        logging.getLogger("albeit").info("%s: reads the whole set before it begins.", listed)
        whole = corpus.evalset()
        check(whole, whole_set)
    warn_if_implausible(beginning)
    job = make_job(beginning, metrics, whole)
    steps = [job.steps[place] for place in job.wanted]
    signatures = [signature_of(beginning, step.metric, step.context).to_json() for step in steps]
    run = Run(
        corpus.name,
        [corpus.source_lang, corpus.target_lang],
        list(corpus.systems),
        corpus.has_documents,
        list(map(str, metrics)),
        signatures,
        size,
        environment().to_json(),
    )
    ingredients_ = [
        [ingredients(metric) for metric in metrics],
        signatures,
        [corpus.references, corpus.systems, corpus.source_lang, corpus.target_lang, size],
        None if whole is None else set_digest(whole),
    ]
    run = replace(run, key=hashed(json.dumps(ingredients_))[:32])
    described: dict[str, Any] = json.loads(json.dumps(asdict(run)))  # tuples become lists
    return job, Run(**described)


def _require_same(run: Run, other: Run, folder: str) -> None:
    """Raise if the folder has another run."""
    if run.key != other.key:
        names = [f.name for f in fields(Run) if f.name not in ("key", "environment")]
        unlike = [name for name in names if getattr(run, name) != getattr(other, name)]
        what = (
            f"holds a run of another kind: {', '.join(unlike) or 'files that metrics read'} differ."
        )
        raise InputError(what, path=folder, hint="Give --out another folder.")


class _Work:
    """The partitions to score, and their parts."""

    def __init__(
        self,
        corpus: Corpus,
        partitions: Iterable[Partition],
        job: Job,
        run: Run,
        files: RunFolder,
        only: range | None = None,
    ) -> None:
        self._corpus, self._partitions, self._job = corpus, partitions, job
        self._run, self._files, self._only = run, files, only
        self._waiting: deque[tuple[Partition, str]] = deque()
        """Partitions in progress, and the digests of their texts."""
        self._read = self._read_partitions = 0
        self._empty = dict.fromkeys(corpus.systems, 0)
        self.done = 0

    def portions(self) -> Iterator[Portion]:
        """Yield the missing partitions, read when they are asked for."""
        for partition in self._partitions:
            number, evalset = partition.number, partition.evalset
            if self._only is not None and number >= self._only.stop:
                return
            self._read, self._read_partitions = partition.first + len(evalset), number + 1
            if self._only is not None and number not in self._only:
                continue
            for name, lines in evalset.systems.items():
                self._empty[name] += sum(not line.strip() for line in lines)
            made_from = part_digest(self._run.key, evalset)
            if self._files.has(number, made_from):
                self.done += len(evalset)
                continue
            self._check(partition)
            self._waiting.append((partition, made_from))
            portion = Plan(self._job, evalset, ()).portion(evalset.documents)
            finish = partial(_pack, self._run.key, number, partition.last)
            yield replace(portion, first=partition.first, finish=finish)

    def _check(self, partition: Partition) -> None:
        """Raise if a metric can't score this partition; the first one is checked already."""
        steps = (self._job.steps[place] for place in self._job.wanted)
        metrics = [step.metric for step in steps if not step.metric.whole_set]
        if partition.number and metrics:
            try:
                check(partition.evalset, metrics)
            except AlbeitError as error:
                raise InputError(f"in {partition.span}: {error}") from None

    def keep(self, done: Done) -> None:
        """Write the part of the next partition."""
        partition, made_from = self._waiting.popleft()
        packed = done.result
        if packed is None:  # it was scored in several portions
            part = Part(
                self._run.key,
                partition.number,
                partition.first,
                len(done.portion),
                _scored(partition.evalset.documents, done.skipped, self._job),
                tuple(done.statistics or ()),
                done.skipped,
                partition.last,
                done.environment or environment(),
            )
            packed = pack(part)
        self._files.add(partition.number, made_from, packed)
        self.done += len(done.portion)

    def total(self) -> int:
        """Estimate the number of segments to score from the share of bytes read."""
        whole = self._read / self._corpus.share if self._corpus.share else self._read
        if self._only is not None:
            size = self._read / max(self._read_partitions, 1)
            whole = min(whole, size * self._only.stop) - size * self._only.start
        return max(self.done, round(whole))

    def warn(self) -> None:
        """Warn about empty translations."""
        for name, empty in self._empty.items():
            if empty:
                what = f"system {name!r}: {empty} lines are empty; they are scored as such."
                warnings.warn(AlbeitWarning(what, count=empty), stacklevel=2)


def _pack(
    key: str, number: int, last: bool, portion: Portion, statistics: Sequence[FloatArray]
) -> bytes:
    """Pack the part of a partition, in the worker."""
    return pack(
        Part(
            key,
            number,
            portion.first,
            len(portion),
            portion.documents,
            tuple(statistics),
            last=last,
            environment=environment(),
        )
    )


def _scored(
    documents: Sequence[Document], left_out: Sequence[Document], job: Job
) -> tuple[Document, ...]:
    """Return the documents that were scored, with their positions among the rows."""
    if job.loose:
        (whole,) = documents
        rest = len(whole) - sum(map(len, left_out))
        return (Document(whole.id, 0, rest),) if rest else ()
    skipped = {document.id for document in left_out}
    scored: list[Document] = []
    for document in documents:
        if document.id not in skipped:
            start = scored[-1].stop if scored else 0
            scored.append(Document(document.id, start, start + len(document)))
    return tuple(scored)


def merge(folder: str | Path, *, allow_mixed: bool = False) -> ScoreTable:
    """Sum all parts of a run, which must be complete; write its manifest.

    The table has system scores only; :func:`read_run` opens the run with all rows.
    """
    files = RunFolder(folder)
    run = files.run()
    sums = _Sums(run)
    for name in files.names():
        sums.add(name, files.parts.path(name), files.read(name))
    sums.check(str(files.parts))
    require_one(sums.environments.items(), allow_mixed=allow_mixed)
    if sums.left_out:
        warn_of_skipped(sums.left_out)
    files.finish(run, sums.to_json())
    return sums.table()


@dataclass
class _Sums:
    """The sums of the parts of a run, one after the other."""

    run: Run
    parts: dict[str, str] = field(default_factory=dict)
    environments: dict[str, Environment] = field(default_factory=dict)
    left_out: list[Document] = field(default_factory=list)
    sums: list[FloatArray] = field(default_factory=list)
    segments: int = 0
    documents: int = 0
    missing: list[int] = field(default_factory=list)
    number: int = -1
    last: bool = False

    def add(self, name: str, path: str, part: Part) -> None:
        """Add the next part."""
        if part.run != self.run.key:
            hint = "Move it away, or start in a folder of its own."
            raise InputError("belongs to another run.", path=path, hint=hint)
        if part.number <= self.number:
            hint = "Did the texts change during the run? Start in a new folder."
            raise InputError(f"there are two parts {part.number}.", path=path, hint=hint)
        self.missing += range(self.number + 1, part.number)
        self.number, self.last = part.number, part.last
        self.parts[name] = part.digest()
        if part.environment and part.environment not in self.environments.values():
            self.environments[f"the maker of {name}"] = part.environment
        self.left_out += part.left_out
        self.segments += part.size - sum(map(len, part.left_out))
        self.documents += len(part.documents)
        if part.statistics:
            before: Sequence[FloatArray | None] = self.sums or [None] * len(part.statistics)
            rows = zip(part.statistics, before, strict=True)
            self.sums = [running_sums(own, sums) for own, sums in rows]

    def check(self, folder: str) -> None:
        """Raise unless all parts exist."""
        if self.last and not self.missing:
            if not self.sums:
                raise InputError("every document of this run was skipped.", path=folder)
            return
        few = ", ".join(map(str, self.missing[:10])) + (" …" if len(self.missing) > 10 else "")
        missing = f"parts {few} are missing" if self.missing else "its last part is missing"
        hint = "Call 'albeit score --out' again without --only: it completes the run."
        what = f"the run is not whole: of its parts {len(self.parts)} are here, and {missing}."
        raise InputError(what, path=folder, hint=hint)

    def table(self) -> ScoreTable:
        """Return the system scores."""
        columns = {}
        skipped = sum(map(len, self.left_out))
        for name, sums, content in zip(
            self.run.metrics, self.sums, self.run.signatures, strict=True
        ):
            metric, signature = metric_of(name), Signature.from_json(content)
            columns[str(metric)] = Column(
                str(metric),
                signature.with_("left-out", str(skipped)) if skipped else signature,
                metric.higher_is_better,
                metric.score(sums),
                metric=metric,
                sums=sums,
                standard_errors=standard_errors(metric, {"system": sums}),
            )
        end = Document("", self.segments, self.segments)  # they may be too many to list
        documents = (end,) * (self.documents if self.run.has_documents else 1)
        return self.run.table(documents, columns)

    def to_json(self) -> dict[str, Any]:
        """Return the content of the manifest, in addition to the run."""
        return {
            "parts": self.parts,
            "segments": self.segments,
            "documents": self.documents if self.run.has_documents else None,
            "left_out": [[d.id, d.start, d.stop] for d in self.left_out],
            "environments": [made.to_json() for made in self.environments.values()],
            "sums": [sums.tolist() for sums in self.sums],
        }


def read_run(
    folder: str | Path, metrics: Sequence[Metric] | None = None, *, trust: bool = False
) -> ScoreTable:
    """Return the scores of a complete run with all statistics, which can be resampled.

    :param folder: the run
    :param metrics: its metrics, if they can't be found by their names
    :param trust: allow any features of saved models
    """
    files = RunFolder(folder)
    run, rest = files.read_description(MANIFEST)
    parts = []
    for name, digest in rest.get("parts", {}).items():
        parts.append(files.read(name))
        if parts[-1].digest() != digest:
            raise InputError("is cut short, or of another run.", path=files.parts.path(name))
    whole = join_parts(parts)
    known = metrics or [metric_of(name, trust=trust) for name in run.metrics]
    try:
        columns = {
            name: Column.from_statistics(metric, rows, whole.documents, Signature.from_json(signed))
            for name, metric, rows, signed in zip(
                run.metrics, known, whole.statistics, run.signatures, strict=True
            )
        }
    except ValueError as error:
        what = f"does not fit its statistics ({error})."
        raise InputError(what, path=files.folder.path(MANIFEST)) from None
    return run.table(whole.documents, columns)


def reopen(
    folder: str | Path, corpus: Corpus | None, *, trust: bool = False
) -> tuple[ScoreTable, EvalSet | None]:
    """Return the scores of a complete run, and the set if its texts are given.

    Texts other than those that were scored are an error. With texts, metrics can run again:
    without ``trust``, only those that are safe for untrusted callers.
    """
    files = RunFolder(folder)
    run, _ = files.read_description(MANIFEST)
    if corpus is not None and not trust:
        _check_safe(run, files.folder.path(MANIFEST))
    table = read_run(folder, trust=trust)
    if corpus is None:
        return table, None
    names = [
        f"{partition.number:08}-{part_digest(run.key, partition.evalset)}.part"
        for partition in corpus.partitions(run.batch)
    ]
    if names != files.names():
        what = "was made from other texts than those given."
        hint = "Give all files that 'albeit score --out' was given, in the same languages."
        raise InputError(what, path=folder, hint=hint)
    evalset = corpus.evalset()
    if len(evalset) != len(table):
        what = f"holds {len(table):,} of {len(evalset):,} segments: some were skipped."
        raise InputError(what, path=folder, hint="Show its scores without the texts.")
    return table, evalset


def _check_safe(run: Run, path: str) -> None:
    """Raise unless all metrics are safe; saved models check their features."""
    for name in run.metrics:
        if is_saved(parse(name).name):
            continue
        try:
            check_safe(name)
        except MetricError as error:
            hint = "If you trust this run, add --trust, or show its scores without the texts."
            raise InputError(f"has the metric {name}: {error}", path=path, hint=hint) from None
