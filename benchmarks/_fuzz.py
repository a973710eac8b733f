"""Inputs that are nearly right, given to a reader until something breaks.

An input is a good file that was damaged, pieces of good files in any order, or noise. A reader
gives something or raises an ``AlbeitError``; anything else, and anything that takes longer than
:data:`LONGEST`, is a fault.
"""

from __future__ import annotations

import random
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from albeit.errors import AlbeitError

LONGEST = 10
"""Seconds that one input may take."""
SPACES = (b"\n", b"\r\n", b"\r", b"\t", b"\0", b" ")
BYTES = (b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\xc3", b"9" * 30, b"9" * 5000)
WORDS = (
    """&amp; &x; &#99999999; < > /> " ' \\ \\ud800 \\u0000 { } [ ] ( ) (((((((( [[[[[[[[ , = : -"""
    " -1 0 1 2 ² ٣ 1e999 nan NaN Infinity None null true 1.5 1_0 \u2028 \x85 \U0001f600 \u202e"
    " a text x A #"
)
ODD = (*SPACES, *BYTES, *(word.encode() for word in WORDS.split(" ")))


@dataclass(frozen=True)
class Reader:
    """Something that reads a file (or, for ``text``, a string), with good files to damage."""

    name: str
    call: Callable[[Path], object]
    good: Sequence[bytes]
    file: str = "file"

    def pieces(self) -> list[bytes]:
        """Parts of good files: words, marks, lines."""
        found: set[bytes] = set(ODD)
        for each in self.good:
            found.update(each.split()[:200])
            found.update(each.splitlines(keepends=True)[:50])
        return sorted(found)


@dataclass(frozen=True)
class Fault:
    """An error that no user should see, where it came from, and the input."""

    error: str
    place: str
    input: bytes


@dataclass
class Outcome:
    """What became of a reader's inputs."""

    inputs: int = 0
    read: int = 0
    slowest: float = 0.0
    faults: dict[str, Fault] = field(default_factory=dict)


def fuzz(reader: Reader, count: int, seconds: float, seed: int) -> Outcome:
    """Give a reader so many inputs, or as many as it takes in so many seconds."""
    rng = random.Random(f"{seed} {reader.name}")
    pieces, found = reader.pieces(), Outcome()
    end = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _too_long)
    with tempfile.TemporaryDirectory(dir=_memory()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, reader.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        while found.inputs < count and time.monotonic() < end:
            data = _input(rng, reader.good, pieces)
            path.write_bytes(data)
            found.inputs += 1
            start = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, LONGEST)
            try:
                reader.call(path)
                found.read += 1
            except AlbeitError:
                pass
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(place.filename).name}:{place.lineno}"
                found.faults.setdefault(
                    where, Fault(f"{type(error).__name__}: {error}"[:120], where, data)
                )
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            found.slowest = max(found.slowest, time.perf_counter() - start)
    return found


class TooLongError(BaseException):
    """An input took longer than :data:`LONGEST`; no code of ours catches it."""


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError(f"more than {LONGEST} s")


def _memory() -> str | None:
    """A folder in memory, where there is one: a million files are written."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _input(rng: random.Random, good: Sequence[bytes], pieces: Sequence[bytes]) -> bytes:
    way = rng.random()
    if way < 0.1:
        return rng.randbytes(rng.randrange(60))
    if way < 0.4:
        return b"".join(rng.choices(pieces, k=rng.randrange(1, 25)))
    data = bytearray(rng.choice(good))
    for _ in range(rng.randrange(1, 6)):
        damage(rng, data, pieces)
    return bytes(data)


def damage(rng: random.Random, data: bytearray, pieces: Sequence[bytes]) -> None:
    """Cut, double, swap, overwrite or insert something somewhere."""
    a = rng.randrange(len(data) + 1)
    b = min(len(data), a + rng.choice((1, 1, 3, 10, 50)))
    way = rng.randrange(6)
    if way == 0:
        del data[a:b]
    elif way == 1:
        data[a:a] = data[a:b]
    elif way == 2:
        data[a:a] = rng.choice(pieces)
    elif way == 3:
        data[a:b] = rng.choice(pieces)
    elif way == 4 and a < len(data):
        data[a] = rng.randrange(256)
    else:
        del data[a:]
