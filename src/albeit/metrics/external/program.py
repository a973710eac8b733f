"""``program`` and ``function``: any program, and any Python function, as a metric.

Both have the parameters ``texts``, ``better``, and ``version``: what is read, which scores are
better, and what the signature shows.
"""

from __future__ import annotations

import importlib.util
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, cast

from albeit.data.plugins import loaded
from albeit.metrics import AlbeitError, EvalSet, FloatArray, InputError, MetricError, Need, Side
from albeit.metrics.base import Batch, Context, MeanMetric, mean_statistics
from albeit.metrics.external.sources import digest_sources
from albeit.parsing.layers import TEXT
from albeit.store.records import ScoreRecords, content_key

_TEXTS = {"source": Side.SOURCE, "reference": Side.REFERENCE, "translation": Side.HYPOTHESIS}
"""Names of the texts, in the order in which a metric gets them."""
_BREAKS = "\t\n\r"
"""Characters that would break a line of texts between tabs."""
_SAVE_SECONDS = 5.0
"""How often new scores are stored."""
_LAST_WORDS = 600
"""Characters of standard error that a message shows."""


class UserMetric(MeanMetric):
    """A metric whose user states what it reads and which scores are better."""

    texts: tuple[str, ...]
    better: Literal["higher", "lower"]

    def __post_init__(self) -> None:
        if not {"translation"} <= set(self.texts) <= set(_TEXTS):
            raise MetricError(
                f"{self.name}: texts are those of {'+'.join(_TEXTS)} that it reads, the translation"
                f" among them, not {'+'.join(self.texts)!r}."
            )
        ordered = tuple(name for name in _TEXTS if name in self.texts)
        object.__setattr__(self, "texts", ordered)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """As its user states."""
        return self.better == "higher"

    @property
    def needs(self) -> frozenset[Need]:
        """The texts that it reads."""
        return frozenset(Need(TEXT, _TEXTS[name]) for name in self.texts)


def _parse_score(value: object) -> float | None:
    """Return a finite number, or ``None`` for anything else."""
    with suppress(TypeError, ValueError):
        number = float(value)  # type: ignore[arg-type]
        return number if math.isfinite(number) else None
    return None


@dataclass(frozen=True)
class Program(UserMetric):
    """A program that scores lines: it reads them on standard input and prints a score for each.

    A line has, between tabs, what ``texts`` names, always in this order: the source, every
    reference, the translation. The program is started once for all systems of a set and gets each
    distinct line once; it must print one number per line, in order, and end with status 0.
    ``command`` is split as a shell would, but no shell runs it. ``version`` goes into the
    signature, and so does a digest of the files that the command names, and of modules that these
    import. Scores are stored by content as they come, so a program that breaks half way continues
    from there.
    """

    command: str
    texts: tuple[str, ...] = ("reference", "translation")
    better: Literal["higher", "lower"] = "higher"
    version: str | None = None

    name: ClassVar[str] = "program"
    summary: ClassVar[str] = "any program: a line of texts in, a score per line out"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self._words() or set(_BREAKS) & set(self.command):
            raise MetricError('program: the command is one line: program(command="./score.sh").')

    def check(self, evalset: EvalSet) -> None:
        """Also check that there is such a program, and that no text breaks its lines."""
        super().check(evalset)
        if shutil.which(self._words()[0]) is None:
            raise MetricError(f"{self}: there is no program {self._words()[0]!r}.")
        texts = {f"system {name!r}": lines for name, lines in evalset.systems.items()}
        if self.reads(Side.REFERENCE):
            texts |= {f"reference {name!r}": lines for name, lines in evalset.references.items()}
        if self.reads(Side.SOURCE):
            texts["the source"] = evalset.source or ()
        for what, lines in texts.items():
            for number, line in enumerate(lines, 1):
                if any(mark in line for mark in _BREAKS):
                    raise InputError(
                        f"{what}, segment {number}, contains a tab or a line break, which a program"
                        " would take for another column or line.",
                        hint="Replace it, or score with function(...), which takes any text.",
                    )

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return a digest of the program, of every file that its command names, and of imports."""
        first, *rest = self._words()
        modules = (word for before, word in pairwise(rest) if before == "-m")
        return {"files": digest_sources([shutil.which(first) or first, *rest], modules)}

    def prepare(self, evalset: EvalSet) -> dict[bytes, float]:
        """Return the scores of all distinct lines of the set by key: the program runs once."""
        places: dict[str, str] = {}
        texts = list(evalset.references.values())
        for system, lines in evalset.systems.items():
            batch = Batch(lines, texts, evalset.source, evalset.documents)
            for number, row in enumerate(self._rows(batch), 1):
                places.setdefault(row, f"system {system!r}, segment {number}")
        return self._score_rows(places)

    def statistics(self, batch: Batch, context: Mapping[bytes, float] | None) -> FloatArray:
        """Return (score, 1) per segment; what wasn't prepared is scored now."""
        rows = self._rows(batch)
        keys = [content_key(row) for row in rows]
        known = dict(context or {})
        new = {row: repr(row) for row, key in zip(rows, keys, strict=True) if key not in known}
        known |= self._score_rows(new)
        return mean_statistics([known[key] for key in keys])

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise MetricError(f"program: the command cannot be read ({error}).") from None

    def _rows(self, batch: Batch) -> list[str]:
        """Return one line per segment: source, every reference, translation, if they are read."""
        columns: list[Sequence[str]] = []
        if "source" in self.texts and batch.sources is not None:
            columns.append(batch.sources)
        if "reference" in self.texts:
            columns += batch.references
        return ["\t".join(row) for row in zip(*columns, batch.hypotheses, strict=True)]

    def _score_rows(self, places: Mapping[str, str]) -> dict[bytes, float]:
        """Return the scores of distinct lines by key, stored or new; values say where they are."""
        if not places:
            return {}
        stored = ScoreRecords(f"{self} {self.versions()}")
        keys = {content_key(row): row for row in places}
        known = stored.scores(list(keys))
        new = {key: row for key, row in keys.items() if key not in known}
        return known | self._run(new, places, stored) if new else known

    def _run(
        self, rows: Mapping[bytes, str], places: Mapping[str, str], stored: ScoreRecords
    ) -> dict[bytes, float]:
        """Run the program on these lines, and store its scores as they come."""
        keys = list(rows)
        scores: dict[bytes, float] = {}
        waiting: dict[bytes, float] = {}
        saved = time.monotonic()

        def where() -> str:
            row = rows[keys[len(scores)]]
            return f"line {len(scores) + 1} of its input ({places[row]})"

        def read_score(text: str) -> float:
            if len(scores) == len(keys):
                raise _CountError(
                    f"{self}: the program printed more than {len(keys)} lines for {len(keys)} lines"
                    f" of input; the next is {text!r}. None of its scores is used."
                )
            score = _parse_score(text)
            if score is None:
                raise MetricError(
                    f"{self}: line {len(scores) + 1} of the program's output is {text!r}, which is"
                    f" not a number; it is for {where()}.{_describe_stored(scores, stored)}"
                )
            return score

        try:
            with _start(str(self), self._words(), rows.values()) as (process, errors):
                for text in _read_lines(process):
                    score = read_score(text)
                    key = keys[len(scores)]
                    scores[key] = waiting[key] = score
                    if time.monotonic() - saved > _SAVE_SECONDS:
                        stored.add(waiting)
                        waiting, saved = {}, time.monotonic()
                which = f" It had not answered {where()}." if len(scores) < len(keys) else ""
                if status := process.wait():
                    raise MetricError(
                        f"{self}: the program ended with status {status} after {len(scores)} of"
                        f" {len(keys)} scores.{which}{_last_words(errors)}"
                        f"{_describe_stored(scores, stored)}"
                    )
                if which:
                    raise _CountError(
                        f"{self}: the program printed {len(scores)} scores for {len(keys)} lines;"
                        f" the first without one is {where()}, unless it skipped an earlier line."
                        f" None of its scores is used.{_last_words(errors)}"
                    )
        except _CountError as error:  # which score belongs to which line isn't known
            stored.delete(scores)
            waiting = {}
            raise MetricError(str(error)) from None
        finally:
            stored.add(waiting)
        return scores


def _describe_stored(scores: Collection[bytes], stored: ScoreRecords) -> str:
    if not scores or not stored.usable:
        return ""
    return f" The {len(scores)} scores that came before are kept: call again to go on from there."


class _CountError(Exception):
    """A program printed more or fewer scores than it got lines."""


_KILL_GROUP = """
import os, signal, sys
group = int(sys.stdin.readline() or 0)
sys.stdin.read()
if group:
    os.killpg(group, signal.SIGKILL)
"""
"""A process that kills a process group when this process ends, however it ends.

It waits for the end of its standard input, which the kernel closes when we die. Its own session
keeps it alive when our group is killed.
"""


@contextmanager
def _start(
    name: str, command: Sequence[str], lines: Iterable[str]
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a program on these lines; give the process and its standard error.

    When the block ends, or this process is killed, the program and all that it started are killed.
    """
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    kill = [sys.executable, "-I", "-S", "-c", _KILL_GROUP]
    with tempfile.TemporaryFile() as texts, tempfile.TemporaryFile() as errors:
        texts.writelines(line.encode("utf-8", "surrogatepass") + b"\n" for line in lines)
        texts.seek(0)
        guard = subprocess.Popen(kill, stdin=pipe, stdout=null, stderr=null, start_new_session=True)
        try:
            try:
                process = subprocess.Popen(
                    command, stdin=texts, stdout=pipe, stderr=errors, start_new_session=True
                )
            except OSError as error:
                reason = error.strerror or str(error)
                raise MetricError(f"{name}: the program cannot be started: {reason}.") from None
            with process:
                try:
                    cast(IO[bytes], guard.stdin).write(f"{process.pid}\n".encode())
                    cast(IO[bytes], guard.stdin).flush()
                    yield process, errors
                finally:
                    with suppress(ProcessLookupError, PermissionError):  # macOS: only zombies
                        os.killpg(process.pid, signal.SIGKILL)
        finally:
            guard.kill()
            guard.communicate()


def _read_lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield the lines that a program prints.

    A last line without a line break may be half a number, if the program broke.
    """
    for line in cast(IO[bytes], process.stdout):
        if line.endswith(b"\n") or not process.wait():
            yield line.decode("utf-8", "replace").strip()


def _last_words(errors: IO[bytes]) -> str:
    """Return the end of what a program wrote on standard error."""
    errors.seek(0)
    text = errors.read().decode("utf-8", "replace").strip()
    end = text[-_LAST_WORDS:]
    return f" It said: {'…' * (end != text)}{end}" if end else " It said nothing."


@dataclass(frozen=True)
class Function(UserMetric):
    """A Python function that scores segments: ``package.module:name``, or ``file.py:name``.

    It is called with the keyword arguments that ``texts`` names, each a list with an entry per
    segment: ``sources``, ``references`` (a list of references per segment) and ``translations``. It
    returns one number per segment. ``version`` goes into the signature, and so does a digest of the
    file that has the function, with the modules that it imports.
    """

    call: str
    texts: tuple[str, ...] = ("reference", "translation")
    better: Literal["higher", "lower"] = "higher"
    version: str | None = None

    name: ClassVar[str] = "function"
    summary: ClassVar[str] = "any Python function: lists of texts in, a list of scores out"

    def __post_init__(self) -> None:
        super().__post_init__()
        module, _, name = self.call.rpartition(":")
        if not (module and name):
            raise MetricError(
                f"function: a function is named package.module:name, not {self.call!r}."
            )

    def check(self, evalset: EvalSet) -> None:
        """Also check that there is such a function."""
        super().check(evalset)
        _load_function(self.call)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return a digest of the file that has the function, and of its imports."""
        return {"file": _load_function(self.call)[1]}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per segment."""
        texts: dict[str, object] = {"translations": list(batch.hypotheses)}
        if "reference" in self.texts:
            texts["references"] = [list(each) for each in zip(*batch.references, strict=True)]
        if "source" in self.texts:
            texts["sources"] = list(batch.sources or ())
        try:
            values = list(_load_function(self.call)[0](**texts))
        except AlbeitError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise MetricError(f"{self}: the function raised an error ({said}).") from error
        if len(values) != len(batch):
            raise MetricError(
                f"{self}: the function gave {len(values)} scores for {len(batch)} segments."
            )
        scores: list[float] = []
        for value, line in zip(values, batch.hypotheses, strict=True):
            score = _parse_score(value)
            if score is None:
                raise MetricError(
                    f"{self}: the function gave {value!r}, which is not a number, for {line!r}."
                )
            scores.append(score)
        return mean_statistics(scores)


@cache
def _load_function(call: str) -> tuple[Callable[..., Any], str]:
    """Return the function of that name, imported once, and a digest of its files at that time."""
    module, _, name = call.rpartition(":")
    is_file = module.endswith(".py")
    function = _load_from_file(module, name) if is_file else loaded("function", call, call)
    if not callable(function):
        raise MetricError(f"function: {call} is a {type(function).__name__}, not a function.")
    home = sys.modules.get(getattr(function, "__module__", None) or module)
    path = module if is_file else getattr(home, "__file__", None)
    if path is None or not Path(path).is_file():
        return function, "none"
    return function, digest_sources([path])


def _load_from_file(path: str, name: str) -> object:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise MetricError(f"function: there is no file {path!r}.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise MetricError(f"function: {path} cannot be loaded: {error}.") from error
    if not hasattr(module, name):
        raise MetricError(f"function: {path} has no {name!r}.")
    return getattr(module, name)
