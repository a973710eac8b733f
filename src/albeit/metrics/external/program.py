"""``program``: a metric that any program can be: texts in on a line each, a score per line out.

While a program is at work, lines go in, and answers come out as they are made and are kept.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.errors import InputError, MetricError
from albeit.metrics.base import Batch, Context, FloatArray, mean_statistics
from albeit.metrics.external import AsTold, checked_score, ordered, rows_of
from albeit.parsing.needs import Side
from albeit.store import ScoreRecords, content_key

__all__ = ["Program"]

_LARGE = 64 * 2**20
"""Files beyond so many bytes are known by size and time of change, not by content."""
_BREAKS = "\t\n\r"
"""What would break a line of texts between tabs."""


@dataclass(frozen=True)
class Program(AsTold):
    """A program that scores lines: it reads them on standard input and prints a score for each.

    A line holds, between tabs, what ``texts`` names, always in this order: the source, every
    reference, the translation. The program is started once for all systems of a set and gets
    each distinct line once; it must print one number per line, in order, and end with status
    0. ``command`` is split as a shell would, but no shell runs it. ``version`` goes into the
    signature, and so does a digest of the files that the command names. Scores are kept by
    content as they come, so a program that breaks half way goes on from there.
    """

    command: str
    texts: tuple[str, ...] = ("reference", "translation")
    better: Literal["higher", "lower"] = "higher"
    version: str | None = None

    name: ClassVar[str] = "program"
    summary: ClassVar[str] = "any program: a line of texts in, a score per line out"

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", ordered(self.name, self.texts))
        if not self._words() or set(_BREAKS) & set(self.command):
            raise MetricError('program: the command is one line: program(command="./score.sh").')

    def check(self, evalset: EvalSet) -> None:
        """There must be such a program, and no text may break its lines."""
        super().check(evalset)
        if shutil.which(self._words()[0]) is None:
            raise MetricError(f"{self}: there is no program {self._words()[0]!r}.")
        for what, lines in self._read(evalset):
            whole = "".join(lines)
            if any(mark in whole for mark in _BREAKS):
                broken = next(n for n, line in enumerate(lines, 1) if set(_BREAKS) & set(line))
                raise InputError(
                    f"{what}, segment {broken}, holds a tab or a line break, which a program"
                    " would take for another column or line.",
                    hint="Replace it, or score with function(...), which takes any text.",
                )

    def versions(self, context: Context = None) -> dict[str, str]:
        """A digest of the files that the command names, the program itself among them."""
        return {"files": _files_digest(self._words())}

    def prepare(self, evalset: EvalSet) -> dict[bytes, float]:
        """The scores of all distinct rows of the set, by their digests: the program runs once."""
        places: dict[str, str] = {}
        texts = list(evalset.references.values())
        for system, lines in evalset.systems.items():
            batch = Batch(lines, texts, evalset.source, evalset.documents)
            for number, row in enumerate(rows_of(self.texts, batch), 1):
                places.setdefault(row, f"system {system!r}, segment {number}")
        return self._scored(list(places), list(places.values()).__getitem__)

    def statistics(self, batch: Batch, context: Mapping[bytes, float] | None) -> FloatArray:
        """(score, 1) per segment; what was not prepared is scored now."""
        rows = rows_of(self.texts, batch)
        digests = [content_key(row) for row in rows]
        known = context or {}
        missing = list(
            dict.fromkeys(row for row, key in zip(rows, digests, strict=True) if key not in known)
        )
        if missing:
            known = {**known, **self._scored(missing, lambda at: repr(missing[at]))}
        return mean_statistics([known[key] for key in digests])

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise MetricError(f"program: the command cannot be read ({error}).") from None

    def _read(self, evalset: EvalSet) -> list[tuple[str, Sequence[str]]]:
        """The texts of a set that it reads, with what messages call them."""
        found: list[tuple[str, Sequence[str]]] = [
            (f"system {name!r}", lines) for name, lines in evalset.systems.items()
        ]
        if self.reads(Side.REFERENCE):
            found += [(f"reference {name!r}", lines) for name, lines in evalset.references.items()]
        if self.reads(Side.SOURCE) and evalset.source is not None:
            found.append(("the source", evalset.source))
        return found

    def _scored(self, rows: Sequence[str], place: Callable[[int], str]) -> dict[bytes, float]:
        """The scores of distinct rows by their digests: kept ones, and the program's."""
        kept = ScoreRecords(f"{self} {self.versions()}")
        digests = [content_key(row) for row in rows]
        known = kept.get(digests)
        new = [at for at, key in enumerate(digests) if key not in known]
        if not new:
            return known
        brought = Brought([digests[at] for at in new], kept)
        lines = [rows[at] for at in new]

        def where(line: int) -> str:
            return f"line {line + 1} of its input ({place(new[line])})"

        with brought, answers(str(self), self._words(), lines) as found:
            for number, text in enumerate(found):
                if number == len(new):
                    brought.unsure()
                    raise MetricError(
                        f"{self}: the program printed more than {len(new)} lines for {len(new)}"
                        f" lines of input; the next is {text!r}. None of its scores is used."
                    )
                score = checked_score(text)
                if score is None:
                    raise MetricError(
                        f"{self}: line {number + 1} of the program's output is {text!r}, which is"
                        f" not a number; it is for {where(number)}.{brought.said()}"
                    )
                brought.add(score)
            count = len(brought)
            if found.status:
                which = f" It had not answered {where(count)}." if count < len(new) else ""
                raise MetricError(
                    f"{self}: the program ended with status {found.status} after {count} of"
                    f" {len(new)} scores.{which}{found.last_words()}{brought.said()}"
                )
            if count < len(new):
                brought.unsure()
                raise MetricError(
                    f"{self}: the program printed {count} scores for {len(new)} lines; the first"
                    f" without one is {where(count)}, unless it left out an earlier line. None of"
                    f" its scores is used.{found.last_words()}"
                )
        return known | brought.scores


def _files_digest(words: Sequence[str]) -> str:
    """Of the program and of every file that its command names."""
    whole = hashlib.sha256()
    for word in (shutil.which(words[0]) or words[0], *words[1:]):
        if Path(word).is_file():
            stat = Path(word).stat()
            whole.update(_file_digest(word, stat.st_size, stat.st_mtime_ns))
    return whole.hexdigest()[:12]


@lru_cache(maxsize=64)
def _file_digest(path: str, size: int, changed: int) -> bytes:
    content = f"{size} {changed}".encode() if size > _LARGE else Path(path).read_bytes()
    return hashlib.sha256(content).digest()


_KEEP_SECONDS = 5.0
"""How often what has come is kept."""
_LAST_WORDS = 600


class Brought:
    """Scores in the order of the rows they are for, kept on disk every few seconds."""

    def __init__(self, rows: Sequence[bytes], kept: ScoreRecords) -> None:
        self._rows, self._kept = rows, kept
        self.scores: dict[bytes, float] = {}
        self._waiting: dict[bytes, float] = {}
        self._last = time.monotonic()

    def __len__(self) -> int:
        return len(self.scores)

    def __enter__(self) -> Brought:
        return self

    def __exit__(self, *_: object) -> None:
        self._keep()

    def add(self, score: float) -> None:
        """The score of the next row."""
        row = self._rows[len(self.scores)]
        self.scores[row] = self._waiting[row] = score
        if time.monotonic() - self._last > _KEEP_SECONDS:
            self._keep()

    def unsure(self) -> None:
        """It is not known which score is whose: keep none of them."""
        self._kept.delete(self.scores)
        self.scores, self._waiting = {}, {}

    def said(self) -> str:
        """What a message says of the scores so far."""
        count = len(self.scores)
        if not count or not self._kept.usable:
            return ""
        return f" The {count} scores that came before are kept: call again to go on from there."

    def _keep(self) -> None:
        self._kept.put(self._waiting)
        self._waiting, self._last = {}, time.monotonic()


class Answers:
    """The lines that a program prints; ``status`` is how it ended, known after the last."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self._process, self._said = process, said
        self.status = 0

    def __iter__(self) -> Iterator[str]:
        assert self._process.stdout is not None, "it was asked for"
        last = b""
        for line in self._process.stdout:
            if not line.endswith(b"\n"):
                last = line
                break
            yield line.decode("utf-8", "replace").strip()
        self.status = self._process.wait()
        if last and not self.status:  # of a program that broke it may be half a number
            yield last.decode("utf-8", "replace").strip()

    def last_words(self) -> str:
        """The end of what it said on standard error."""
        self._said.seek(0)
        text = self._said.read().decode("utf-8", "replace").strip()
        cut = text[-_LAST_WORDS:]
        return f" It said: {'…' * (cut != text)}{cut}" if cut else " It said nothing."


@contextmanager
def answers(name: str, command: Sequence[str], lines: Sequence[str]) -> Iterator[Answers]:
    """A program that was started on these lines.

    When the block ends, or this process is killed, the program and all that it started are killed.
    """
    with tempfile.TemporaryFile() as said, _group_killer() as kill_with_us:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise MetricError(f"{name}: the program cannot be started: {reason}.") from None
        feeder = threading.Thread(target=_feed, args=(process, lines), daemon=True)
        feeder.start()
        try:
            kill_with_us(process.pid)
            yield Answers(process, said)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # macOS: the group has only zombies
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            feeder.join()
            assert process.stdout is not None, "it was asked for"
            process.stdout.close()


_KILL_GROUP = """
import os, signal, sys
group = int(sys.stdin.readline() or 0)
sys.stdin.read()
if group:
    os.killpg(group, signal.SIGKILL)
"""


@contextmanager
def _group_killer() -> Iterator[Callable[[int], None]]:
    """Start a process that kills a process group when this process ends, however it ends.

    That process waits for the end of its standard input, which the kernel closes when we die. Its own
    session keeps it alive when our group is killed. The group is given to the function.
    """
    killer = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _KILL_GROUP],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stdin = killer.stdin
    assert stdin is not None, "it was asked for"

    def kill_with_us(group: int) -> None:
        stdin.write(f"{group}\n".encode())
        stdin.flush()

    try:
        yield kill_with_us
    finally:
        killer.kill()
        killer.wait()
        stdin.close()


def _feed(process: subprocess.Popen[bytes], lines: Sequence[str]) -> None:
    """All lines into the program; one that does not read to the end says why by its status."""
    assert process.stdin is not None, "it was asked for"
    with suppress(BrokenPipeError, ValueError):
        for line in lines:
            process.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")
    with suppress(BrokenPipeError, ValueError):
        process.stdin.close()
