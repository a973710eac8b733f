"""A program at work: lines go in, answers come out as they are made, and are kept."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from albeit.errors import MetricError
from albeit.metrics.others.kept import KeptScores

__all__ = ["Answers", "Brought", "answers"]

_KEEP_SECONDS = 5.0
"""How often what has come is kept."""
_LAST_WORDS = 600


class Brought:
    """Scores in the order of the rows they are for, kept on disk every few seconds."""

    def __init__(self, rows: Sequence[bytes], kept: KeptScores) -> None:
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
        self._kept.forget(self.scores)
        self.scores, self._waiting = {}, {}

    def said(self) -> str:
        """What a message says of the scores so far."""
        count = len(self.scores)
        if not count or not self._kept.on:
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
    """A program that was started on these lines; it does not outlive the block."""
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise MetricError(f"{name}: the program cannot be started: {reason}.") from None
        feeder = threading.Thread(target=_feed, args=(process, lines), daemon=True)
        feeder.start()
        try:
            yield Answers(process, said)
        finally:
            process.kill()
            process.wait()
            feeder.join()
            assert process.stdout is not None, "it was asked for"
            process.stdout.close()


def _feed(process: subprocess.Popen[bytes], lines: Sequence[str]) -> None:
    """All lines into the program; one that does not read to the end says why by its status."""
    assert process.stdin is not None, "it was asked for"
    with suppress(BrokenPipeError, ValueError):
        for line in lines:
            process.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")
    with suppress(BrokenPipeError, ValueError):
        process.stdin.close()
