"""Score a set in partitions of whole documents, into a folder; resume, sum, and reopen such a run.

    RUN/run.json                what is scored: the set, the metrics with their signatures
    RUN/parts/00000000-….part   the statistics of the first partition, and so on
    RUN/manifest.json           the same as run.json, the digests of all parts, and the sums

Memory holds only the partitions in progress. The name of a part has a digest of its texts: a part
that has its file is done. The manifest comes last. Rows are added in the order of the segments, so
a run has the same bytes for any number of workers.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from albeit.data.corpus import Corpus, Partition
from albeit.data.files import Folder
from albeit.data.plausible import warn_if_implausible, warn_of_empty
from albeit.errors import AlbeitError, AlbeitWarning, InputError, MetricError, record_warnings
from albeit.evaluation import identity, scoring
from albeit.evaluation.evaluation import Evaluation
from albeit.evaluation.identity import RUN_FORMAT, Run
from albeit.evaluation.scoring import Job, OnError, Part, Progress, Workers, digest_part, pack
from albeit.metrics import Document, EvalSet, FloatArray, Metric, Signature, Unit, parse, registry
from albeit.metrics.table import Column, ScoreTable, running_sums, standard_errors

MANIFEST, RUN = "manifest.json", "run.json"
OTHER_TEXTS = "was made from other texts than the present ones."
OTHER_FOLDER = "If the input has changed, use another folder with --out."
_PART = re.compile(r"\d{8,}-[0-9a-f]{16}\.part$")


@contextmanager
def _report(verb: str, path: str, hint: str = "") -> Iterator[None]:
    """Raise an ``InputError`` if a file can't be read or written."""
    try:
        yield
    except OSError as error:
        what = f"cannot be {verb}: {error.strerror}."
        raise InputError(what, path=path, hint=hint) from None


class RunFolder:
    """The files of a run, on a disk or at an address."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Folder(folder)
        self.parts = Folder(self.folder.path("parts"))

    def begin(self, run: Run, warned: Sequence[str], *, allow_mixed: bool) -> None:
        """Write ``run.json``; if it exists, raise unless it is of the same run."""
        if RUN not in self.folder.names():
            with _report("written", self.folder.path(RUN)):
                self.folder.write(RUN, run.to_json(warnings=warned))
        begun, _ = self.read_description()
        if run.key != begun.key:
            about = [name for name in Run._fields if name not in ("key", "environment")]
            unlike = [name for name in about if getattr(run, name) != getattr(begun, name)]
            listed = ", ".join(unlike) or "files that metrics read"
            what = f"is a run of another kind: {listed} differ."
            raise InputError(what, path=str(self.folder), hint=OTHER_FOLDER)
        first = ("the machine that began the run", begun.environment)
        identity.require_one([first, ("this machine", run.environment)], allow_mixed=allow_mixed)

    def read_description(self, name: str = RUN) -> tuple[Run, dict[str, Any]]:
        """Return the run in ``run.json`` or ``manifest.json``, and the rest of the file."""
        path = self.folder.path(name)
        with _report("read", path, "A run is a folder that 'albeit score --out RUN' wrote."):
            data = self.folder.read(name)
        try:
            content: Any = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != RUN_FORMAT:
            hint = "Runs of other versions of albeit can't be read: score again into a new folder."
            raise InputError(f"is not a run of format {RUN_FORMAT}.", path=path, hint=hint)
        if content.pop("digest", "") != identity.hash_json(content):
            hint = "Restore it from a copy, or score into a new folder with --out."
            raise InputError("is damaged or was edited.", path=path, hint=hint)
        return Run(*map(content.pop, Run._fields)), content

    def has(self, name: str) -> bool:
        """Return whether a part is done; a part of the same number from other texts is an error."""
        number, _, _ = name.partition("-")
        done = self._done.get(number, name)
        if done != name:
            raise InputError(OTHER_TEXTS, path=self.parts.path(done), hint=OTHER_FOLDER)
        return number in self._done

    @cached_property
    def _done(self) -> dict[str, str]:
        """The parts that existed at first, by number; listed once, as there may be very many."""
        return {name.partition("-")[0]: name for name in self.names()}

    def add(self, name: str, data: bytes) -> None:
        """Write a part."""
        hint = "All other parts are kept: fix the cause, and run the same command."
        with _report("written", self.parts.path(name), hint):
            self.parts.write(name, data)

    def names(self) -> list[str]:
        """Return the parts that exist, in order."""
        with _report("listed", str(self.parts)):
            return list(filter(_PART.match, self.parts.names()))

    def read(self, name: str) -> Part:
        """Return a part."""
        path = self.parts.path(name)
        with _report("read", path):
            data = self.parts.read(name)
        try:
            return scoring.unpack(data)
        except ValueError as error:
            hint = "Delete it and run again: only missing parts are computed."
            raise InputError(f"is cut short or damaged ({error}).", path=path, hint=hint) from None


def score_partitions(
    corpus: Corpus,
    metrics: Sequence[Metric],
    folder: str | Path,
    *,
    only: range | None = None,
    batch: int | None = None,
    workers: int = 1,
    executor: Any = None,
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
    processes = Workers(workers, executor, on_error, batch_timeout, allow_mixed).check()
    size = batch or scoring.partition_size(metrics, len(corpus.systems))
    partitions = corpus.partitions(size)
    first = next(partitions)
    with record_warnings() as warned:
        job, run = _prepare(corpus, first.evalset, metrics, size)
    files = RunFolder(folder)
    files.begin(run, list(dict.fromkeys(warned)), allow_mixed=allow_mixed)
    reader = _Reader(corpus, job, files, only or range(sys.maxsize))
    missing, skipped = reader.read_missing(chain([first], partitions)), list[Document]()
    for part in scoring.score_parts(job, missing, processes, progress, finish=pack):
        if isinstance(part, Part):
            skipped += part.left_out
            part = pack(part)
        segments, name = reader.waiting.popleft()
        files.add(name, part)
        reader.done += segments
        if progress is not None:
            progress(reader.done, reader.total())
    for text, empty in reader.empty.items():
        warn_of_empty(text, f"{empty} lines", empty)
    if only is None:
        return merge(folder, allow_mixed=allow_mixed)
    if skipped:
        scoring.warn_of_skipped(skipped)
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
    if others := [metric for metric in metrics if not metric.whole_set]:
        Evaluation(beginning).check(others)
    whole = None
    if whole_set:
        listed = ", ".join(map(str, whole_set))
        logging.getLogger("albeit").info("%s: reads the whole set before it begins.", listed)
        whole = corpus.evalset()
        Evaluation(whole).check(whole_set)
    warn_if_implausible(beginning)
    job = scoring.prepare_job(beginning, metrics, whole)
    signatures = [
        identity.signature_of(beginning, metric, job.context(metric)).to_json()
        for metric in metrics
    ]
    content = [
        [identity.describe_metric(metric) for metric in metrics],
        signatures,
        [corpus.references, corpus.systems, corpus.source_lang, corpus.target_lang, size],
        None if whole is None else identity.set_digest(whole),
    ]
    run = Run(
        corpus.name,
        [corpus.source_lang, corpus.target_lang],
        list(corpus.systems),
        corpus.has_documents,
        list(map(str, metrics)),
        json.loads(json.dumps(signatures)),  # tuples become lists
        size,
        identity.environment(),
        identity.hash_json(content)[:32],
    )
    return job._replace(run=run.key), run


class _Reader:
    """Read the partitions of a range that have no part yet."""

    def __init__(self, corpus: Corpus, job: Job, files: RunFolder, only: range) -> None:
        self._corpus, self._job, self._files, self._only = corpus, job, files, only
        self._partitions = self._segments = self.done = 0
        self.waiting: deque[tuple[int, str]] = deque()
        """Sizes of the partitions in progress, and the names of their parts."""
        self.empty = Counter[str]()
        """The number of empty lines by text."""

    def read_missing(self, partitions: Iterator[Partition]) -> Iterator[Partition]:
        """Yield the missing partitions, read on demand."""
        for partition in partitions:
            number, evalset = partition.number, partition.evalset
            if number >= self._only.stop:
                return
            self._segments, self._partitions = partition.first + len(evalset), number + 1
            if number not in self._only:
                continue
            for text, lines in evalset.targets().items():
                if empty := sum(not line.strip() for line in lines):
                    self.empty[text] += empty
            name = _part_name(self._job.run, partition)
            if self._files.has(name):
                self.done += len(evalset)
                continue
            self._check(partition)
            self.waiting.append((len(evalset), name))
            yield partition

    def _check(self, partition: Partition) -> None:
        """Raise if a metric can't score this partition; the first one is checked already."""
        metrics = [metric for metric in self._job.metrics if not metric.whole_set]
        if partition.number and metrics:
            try:
                Evaluation(partition.evalset).check(metrics)
            except AlbeitError as error:
                raise InputError(f"in {partition.span}: {error}") from None

    def total(self) -> int:
        """Estimate the number of segments to score from the share of bytes read."""
        size = self._segments / max(self._partitions, 1)
        whole = self._segments / (self._corpus.share or 1)
        whole = min(whole, size * self._only.stop) - size * self._only.start
        return max(self.done, round(whole))


def _part_name(run_key: str, partition: Partition) -> str:
    digest = identity.hash_json([run_key, identity.set_digest(partition.evalset)])
    return f"{partition.number:08}-{digest[:16]}.part"


def merge(folder: str | Path, *, allow_mixed: bool = False) -> ScoreTable:
    """Sum all parts of a run, which must be complete; write its manifest.

    The table has system scores only; :func:`read_run` opens the run with all rows.
    """
    files = RunFolder(folder)
    (run, rest), names = files.read_description(), files.names()
    digests: dict[str, str] = {}
    environments: dict[str, identity.Environment] = {}
    left_out: list[Document] = []
    sums: list[Any] = [None] * len(run.metrics)
    segments = documents = 0
    last = False
    for name in names:
        part = files.read(name)
        if part.run != run.key:
            hint = "Move it, or use another folder with --out."
            raise InputError("belongs to another run.", path=files.parts.path(name), hint=hint)
        digests[name], last = digest_part(part), part.last
        if part.environment and part.environment not in environments.values():
            environments[f"the maker of {name}"] = part.environment
        left_out += part.left_out
        segments += part.size - sum(map(len, part.left_out))
        documents += len(part.documents)
        if part.statistics:
            sums = list(map(running_sums, part.statistics, sums))
    _check_complete(files, names, last=last)
    if not segments:
        raise InputError("has no results: all documents were skipped.", path=str(files.parts))
    identity.require_one(environments.items(), allow_mixed=allow_mixed)
    if left_out:
        scoring.warn_of_skipped(left_out)
    for name in files.parts.names():
        if name.startswith("."):  # of a killed process
            files.parts.remove(name)
    content = {
        "warnings": rest.get("warnings", []),
        "parts": digests,
        "segments": segments,
        "documents": documents if run.has_documents else None,
        "left_out": [[d.id, d.start, d.stop] for d in left_out],
        "environments": list(environments.values()),
        "sums": [own.tolist() for own in sums],
    }
    files.folder.write(MANIFEST, run.to_json(**content))
    end = Document("", segments, segments)  # they may be too many to list
    spans = (end,) * (documents if run.has_documents else 1)
    return run.table(spans, _system_columns(run, sums, sum(map(len, left_out))))


def _check_complete(files: RunFolder, names: Sequence[str], *, last: bool) -> None:
    """Raise unless there is one part of each number up to the last."""
    numbers = [int(name.partition("-")[0]) for name in names]
    for number, count in Counter(numbers).items():
        if count > 1:
            what = f"there are two parts {number}."
            raise InputError(what, path=str(files.parts), hint=OTHER_FOLDER)
    missing = sorted({*range(max(numbers, default=0))} - {*numbers})
    if missing or not last:
        few = ", ".join(map(str, missing[:10])) + (" …" if len(missing) > 10 else "")
        which = f"parts {few} are missing" if missing else "its last part is missing"
        hint = "Run 'albeit score --out' again without --only: it completes the run."
        what = f"the run isn't complete: it has {len(names)} parts, and {which}."
        raise InputError(what, path=str(files.parts), hint=hint)


def _system_columns(run: Run, sums: Sequence[FloatArray], skipped: int) -> dict[str, Column]:
    columns = {}
    for name, own, content in zip(run.metrics, sums, run.signatures, strict=True):
        metric, signature = registry.metric(name), Signature.from_json(content)
        columns[str(metric)] = Column(
            str(metric),
            signature.with_("left-out", str(skipped)) if skipped else signature,
            metric.higher_is_better,
            metric.score(own),
            metric=metric,
            sums=own,
            standard_errors=standard_errors(metric, {"system": own}),
        )
    return columns


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
    for each in rest.get("warnings", ()):
        warnings.warn(AlbeitWarning(str(each)), stacklevel=2)
    parts = []
    for name, digest in rest["parts"].items():
        parts.append(files.read(name))
        if digest_part(parts[-1]) != digest:
            raise InputError("is cut short, or of another run.", path=files.parts.path(name))
    whole = scoring.join_parts(parts)
    known = metrics or [registry.metric(name, trust=trust) for name in run.metrics]
    signatures = map(Signature.from_json, run.signatures)
    columns = {}
    for metric, rows, signed in zip(known, whole.statistics, signatures, strict=True):
        column = Column.from_statistics(metric, rows, whole.documents, signed)
        columns[column.name] = column
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
    for name in run.metrics if corpus is not None and not trust else ():
        try:
            if not registry.is_saved(parse(name).name):  # saved models check their features
                registry.check_safe(name)
        except MetricError as error:
            what = f"has the metric {name}: {error}"
            hint = "If you trust this run, add --trust, or show its scores without the texts."
            raise InputError(what, path=files.folder.path(MANIFEST), hint=hint) from None
    table = read_run(folder, trust=trust)
    if corpus is None:
        return table, None
    names = [_part_name(run.key, partition) for partition in corpus.partitions(run.batch)]
    if names != files.names():
        hint = "Give all files that 'albeit score --out' was given, in the same languages."
        raise InputError(OTHER_TEXTS, path=folder, hint=hint)
    evalset = corpus.evalset()
    if len(evalset) != len(table):
        what = f"holds {len(table):,} of {len(evalset):,} segments: some were skipped."
        raise InputError(what, path=folder, hint="Show its scores without the texts.")
    return table, evalset
