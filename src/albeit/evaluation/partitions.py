"""Score a set in partitions of whole documents, into a folder; resume, sum, and reopen such a run.

    RUN/run.json                what is scored: the set, the metrics with their signatures
    RUN/parts/00000000-….part   the statistics of the first partition, and so on
    RUN/manifest.json           the same as run.json, the digests of all parts, and the sums

Memory holds only the partitions in progress. The name of a part has a digest of its texts: a part
that has its file is done. A part is a line of JSON and the rows of each metric; its digest doesn't
depend on the machine that computed it. Files are written under a temporary name and renamed; the
manifest comes last. Rows are added in the order of the segments, so a run has the same bytes for any
number of workers.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import re
import warnings
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.corpus import Corpus, Partition
from albeit.data.evalset import Document, EvalSet
from albeit.data.files import Folder
from albeit.data.levels import Unit
from albeit.data.plausible import warn_if_implausible
from albeit.errors import AlbeitError, AlbeitWarning, InputError, MetricError
from albeit.evaluation import identity, scoring
from albeit.evaluation.evaluation import Evaluation
from albeit.evaluation.scoring import Job, OnError, Part, Progress, Workers
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Signature, parse
from albeit.metrics.table import Column, ScoreTable, standard_errors
from albeit.stats import running_sums

MANIFEST, RUN = "manifest.json", "run.json"
_FORMAT = "albeit-run/3"
_MAGIC = b"albeit-part/3\n"
_PART = re.compile(r"\d{8,}-[0-9a-f]{16}\.part$")
_OTHER_TEXTS = "was made from other texts than those given now."


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
    processes = Workers(workers, executor, on_error, batch_timeout, allow_mixed)
    size = batch or scoring.partition_size(metrics, len(corpus.systems))
    partitions = corpus.partitions(size)
    first = next(partitions)
    job, run = _prepare(corpus, first.evalset, metrics, size)
    files = RunFolder(folder)
    files.begin(run, allow_mixed=allow_mixed)
    reader = _Reader(corpus, job, files, only)
    missing, skipped = reader.missing(chain([first], partitions)), list[Document]()
    for part in scoring.score_parts(job, missing, processes, progress, finish=pack):
        if isinstance(part, Part):
            skipped += part.left_out
            part = pack(part)
        segments, name = reader.waiting.popleft()
        files.add(name, part)
        reader.done += segments
        if progress is not None:
            progress(reader.done, reader.total())
    for system, empty in reader.empty.items():
        if empty:
            what = f"system {system!r}: {empty} lines are empty; they are scored as such."
            warnings.warn(AlbeitWarning(what, count=empty), stacklevel=2)
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
    return replace(job, run=run.key), run


class _Reader:
    """Read the partitions that have no part yet."""

    def __init__(self, corpus: Corpus, job: Job, files: RunFolder, only: range | None) -> None:
        self._corpus, self._job, self._files, self._only = corpus, job, files, only
        self._read = self._read_partitions = 0
        self.waiting: deque[tuple[int, str]] = deque()
        """Sizes of the partitions in progress, and the names of their parts."""
        self.empty = dict.fromkeys(corpus.systems, 0)
        """The number of empty lines by system."""
        self.done = 0

    def missing(self, partitions: Iterator[Partition]) -> Iterator[Partition]:
        """Yield the missing partitions, read when they are asked for."""
        for partition in partitions:
            number, evalset = partition.number, partition.evalset
            if self._only is not None and number >= self._only.stop:
                return
            self._read, self._read_partitions = partition.first + len(evalset), number + 1
            if self._only is not None and number not in self._only:
                continue
            for name, lines in evalset.systems.items():
                self.empty[name] += sum(not line.strip() for line in lines)
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
        whole = self._read / self._corpus.share if self._corpus.share else self._read
        if self._only is not None:
            size = self._read / max(self._read_partitions, 1)
            whole = min(whole, size * self._only.stop) - size * self._only.start
        return max(self.done, round(whole))


def _part_name(run_key: str, partition: Partition) -> str:
    return f"{partition.number:08}-{identity.part_digest(run_key, partition.evalset)}.part"


def pack(part: Part) -> bytes:
    """Return the bytes of a part; equal parts have equal bytes."""
    made = part.environment or identity.environment()
    header = _describe_part(part) | {"digest": digest_part(part), "environment": made}
    buffer = io.BytesIO()
    buffer.write(json.dumps(header).encode() + b"\n")
    for rows in part.statistics:
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
    return _MAGIC + zlib.compress(buffer.getvalue(), 1)


def unpack(data: bytes) -> Part:
    """Return the part of a file's bytes; raise ``ValueError`` if it isn't whole."""
    try:
        if not data.startswith(_MAGIC):
            raise ValueError("it doesn't begin as a part does")
        header, _, rest = zlib.decompress(data[len(_MAGIC) :]).partition(b"\n")
        content: Any = json.loads(header)
        file = io.BytesIO(rest)
        rows: list[FloatArray] = []
        while file.tell() < len(rest):
            rows.append(np.load(file, allow_pickle=False))
        digest = content.pop("digest")
        for key in ("documents", "left_out"):
            content[key] = tuple(Document(*span) for span in content[key])
        part = Part(**content, statistics=tuple(rows))
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


@dataclass(frozen=True)
class Run:
    """What is scored; all values are those of JSON."""

    name: str
    languages: list[str | None]
    systems: list[str]
    has_documents: bool
    metrics: list[str]
    signatures: list[Any]
    batch: int
    """The minimum number of segments of a partition."""
    environment: dict[str, Any]
    """The environment that began the run."""
    key: str
    """A digest of everything that the statistics depend on, except the texts."""

    def table(self, documents: Sequence[Document], columns: dict[str, Column]) -> ScoreTable:
        """Return a table of its results."""
        source, target = self.languages
        languages = (source, target or "en")
        return ScoreTable(
            tuple(self.systems), documents, columns, self.name, languages, self.has_documents
        )


class RunFolder:
    """The files of a run, on a disk or at an address."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Folder(folder)
        self.parts = Folder(self.folder.path("parts"))
        self._done: dict[str, str] | None = None

    def begin(self, run: Run, *, allow_mixed: bool) -> None:
        """Write ``run.json``; if it exists, raise unless it is of the same run."""
        path = str(self.folder)
        if RUN not in self.folder.names():
            _write(self.folder, RUN, _json(run, {}))
        begun = self.run()
        if run.key != begun.key:
            names = [f.name for f in fields(Run) if f.name not in ("key", "environment")]
            unlike = [name for name in names if getattr(run, name) != getattr(begun, name)]
            listed = ", ".join(unlike) or "files that metrics read"
            what = f"holds a run of another kind: {listed} differ."
            raise InputError(what, path=path, hint="Give --out another folder.")
        pair = (
            ("the machine that began the run", begun.environment),
            (
                "this machine",
                run.environment,
            ),
        )
        identity.require_one(pair, allow_mixed=allow_mixed)

    def run(self) -> Run:
        """Return what is scored here."""
        return self.read_description(RUN)[0]

    def read_description(self, name: str) -> tuple[Run, dict[str, Any]]:
        """Return the run in ``run.json`` or ``manifest.json``, and the rest of the file."""
        path = self.folder.path(name)
        try:
            content: Any = json.loads(self.folder.read(name))
        except OSError as error:
            hint = "A run is a folder that 'albeit score --out RUN' wrote."
            what = f"cannot be read: {error.strerror}."
            raise InputError(what, path=path, hint=hint) from None
        except ValueError as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            hint = "Runs of other versions of albeit can't be read: score again into a new folder."
            raise InputError(f"is not a run of format {_FORMAT}.", path=path, hint=hint)
        try:
            run = Run(**{each.name: content.pop(each.name) for each in fields(Run)})
        except KeyError as error:
            raise InputError(f"is damaged: {error} is missing.", path=path) from None
        return run, content

    def has(self, name: str) -> bool:
        """Return whether a part is done; a part of the same number from other texts is an error."""
        if self._done is None:  # listed once: there may be very many
            self._done = {each.partition("-")[0]: each for each in self.names()}
        done = self._done.get(name.partition("-")[0])
        if done not in (None, name):
            hint = "Did they change since the run began? Give --out another folder."
            raise InputError(_OTHER_TEXTS, path=self.parts.path(str(done)), hint=hint)
        return done is not None

    def add(self, name: str, data: bytes) -> None:
        """Write a part."""
        hint = "All other parts are kept: fix the cause, and run again to go on."
        _write(self.parts, name, data, hint)

    def names(self) -> list[str]:
        """Return the parts that exist, in order."""
        try:
            return list(filter(_PART.match, self.parts.names()))
        except OSError as error:
            what = f"cannot be listed: {error.strerror}."
            raise InputError(what, path=str(self.parts)) from None

    def read(self, name: str) -> Part:
        """Return a part."""
        path = self.parts.path(name)
        try:
            return unpack(self.parts.read(name))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
        except ValueError as error:
            hint = "Delete it and run again: only missing parts are computed."
            raise InputError(f"is cut short or damaged ({error}).", path=path, hint=hint) from None

    def read_all(self) -> Iterator[Part]:
        """Yield the parts that exist, in order."""
        return map(self.read, self.names())

    def finish(self, run: Run, rest: dict[str, Any]) -> None:
        """Write the manifest, and delete temporary files of killed processes."""
        for name in self.parts.names():
            if name.startswith("."):
                self.parts.remove(name)
        self.folder.write(MANIFEST, _json(run, rest))


def _write(folder: Folder, name: str, data: bytes, hint: str = "") -> None:
    try:
        folder.write(name, data)
    except OSError as error:
        what = f"cannot be written: {error.strerror}."
        raise InputError(what, path=folder.path(name), hint=hint) from None


def _json(run: Run, rest: dict[str, Any]) -> bytes:
    content = {"format": _FORMAT, "albeit": __version__, **asdict(run), **rest}
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def merge(folder: str | Path, *, allow_mixed: bool = False) -> ScoreTable:
    """Sum all parts of a run, which must be complete; write its manifest.

    The table has system scores only; :func:`read_run` opens the run with all rows.
    """
    files = RunFolder(folder)
    run = files.run()
    totals = _Totals()
    for name in files.names():
        totals.add(run, name, files.parts.path(name), files.read(name))
    totals.check(str(files.parts))
    identity.require_one(totals.environments.items(), allow_mixed=allow_mixed)
    if totals.left_out:
        scoring.warn_of_skipped(totals.left_out)
    documents = totals.documents if run.has_documents else None
    files.finish(
        run,
        {
            "parts": totals.parts,
            "segments": totals.segments,
            "documents": documents,
            "left_out": [[d.id, d.start, d.stop] for d in totals.left_out],
            "environments": list(totals.environments.values()),
            "sums": [sums.tolist() for sums in totals.sums],
        },
    )
    end = Document("", totals.segments, totals.segments)  # they may be too many to list
    return run.table((end,) * (documents or 1), totals.columns(run))


@dataclass
class _Totals:
    """The sums of the parts of a run, one after the other."""

    parts: dict[str, str] = field(default_factory=dict)
    environments: dict[str, identity.Environment] = field(default_factory=dict)
    left_out: list[Document] = field(default_factory=list)
    sums: list[FloatArray] = field(default_factory=list)
    segments: int = 0
    documents: int = 0
    missing: list[int] = field(default_factory=list)
    number: int = -1
    last: bool = False

    def add(self, run: Run, name: str, path: str, part: Part) -> None:
        """Add the next part."""
        if part.run != run.key:
            hint = "Move it away, or start in a folder of its own."
            raise InputError("belongs to another run.", path=path, hint=hint)
        if part.number <= self.number:
            hint = "Did the texts change during the run? Start in a new folder."
            raise InputError(f"there are two parts {part.number}.", path=path, hint=hint)
        self.missing += range(self.number + 1, part.number)
        self.number, self.last = part.number, part.last
        self.parts[name] = digest_part(part)
        if part.environment and part.environment not in self.environments.values():
            self.environments[f"the maker of {name}"] = part.environment
        self.left_out += part.left_out
        self.segments += part.size - sum(map(len, part.left_out))
        self.documents += len(part.documents)
        if part.statistics:
            before: Sequence[FloatArray | None] = self.sums or [None] * len(part.statistics)
            self.sums = list(map(running_sums, part.statistics, before))

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

    def columns(self, run: Run) -> dict[str, Column]:
        """Return the system scores."""
        columns = {}
        skipped = sum(map(len, self.left_out))
        for name, sums, content in zip(run.metrics, self.sums, run.signatures, strict=True):
            metric, signature = registry.metric(name), Signature.from_json(content)
            columns[str(metric)] = Column(
                str(metric),
                signature.with_("left-out", str(skipped)) if skipped else signature,
                metric.higher_is_better,
                metric.score(sums),
                metric=metric,
                sums=sums,
                standard_errors=standard_errors(metric, {"system": sums}),
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
    parts = []
    for name, digest in rest.get("parts", {}).items():
        parts.append(files.read(name))
        if digest_part(parts[-1]) != digest:
            raise InputError("is cut short, or of another run.", path=files.parts.path(name))
    whole = scoring.join_parts(parts)
    known = metrics or [registry.metric(name, trust=trust) for name in run.metrics]
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
    names = [_part_name(run.key, partition) for partition in corpus.partitions(run.batch)]
    if names != files.names():
        hint = "Give all files that 'albeit score --out' was given, in the same languages."
        raise InputError(_OTHER_TEXTS, path=folder, hint=hint)
    evalset = corpus.evalset()
    if len(evalset) != len(table):
        what = f"holds {len(table):,} of {len(evalset):,} segments: some were skipped."
        raise InputError(what, path=folder, hint="Show its scores without the texts.")
    return table, evalset


def _check_safe(run: Run, path: str) -> None:
    """Raise unless all metrics are safe; saved models check their features."""
    for name in run.metrics:
        if registry.is_saved(parse(name).name):
            continue
        try:
            registry.check_safe(name)
        except MetricError as error:
            hint = "If you trust this run, add --trust, or show its scores without the texts."
            raise InputError(f"has the metric {name}: {error}", path=path, hint=hint) from None
