"""What else could change the last bit of a score: the processor's class, the programs.

Statistics of one run may be made on many machines. They are put together only if all of them
agree in what this module names, or if the user says that a bit more or less does not matter.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.errors import AlbeitError
from albeit.evaluation.identity import libraries, own_digest

__all__ = ["Environment", "MixedError", "environment", "require_one"]


class MixedError(AlbeitError):
    """Workers, or parts of a run, whose scores could differ."""


@dataclass(frozen=True)
class Environment:
    """The facts of a machine and its programs that a score's last bit may hang on."""

    processor: str
    python: str
    albeit: str
    libraries: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> Environment:
        """From those plain values."""
        return cls(**{**content, "libraries": tuple(content["libraries"])})

    def unlike(self, other: Environment) -> str:
        """What is not the same, in words."""
        ours, theirs = (
            {"processor": e.processor, "Python": e.python, "albeit": e.albeit}
            | dict(library.split(" ", 1) for library in e.libraries)
            for e in (self, other)
        )
        return ", ".join(
            f"{name} {ours.get(name, '-')} and {theirs.get(name, '-')}"
            for name in sorted(ours | theirs)
            if ours.get(name) != theirs.get(name)
        )


@cache
def environment() -> Environment:
    """That of this process."""
    return Environment(
        _processor(),
        platform.python_version(),
        f"{__version__} ({own_digest()[:8]})",
        libraries(extras=False),
    )


def require_one(named: Iterable[tuple[str, Environment]], *, allow_mixed: bool) -> None:
    """Raise unless all environments are the same; the first sets what the others must be."""
    first: tuple[str, Environment] | None = None
    for name, found in named:
        first = first or (name, found)
        if found != first[1] and not allow_mixed:
            raise MixedError(
                f"{name} is unlike {first[0]}: {first[1].unlike(found)}. Scores could differ in"
                " their last digits; give all the same, or allow it with --allow-mixed."
            )


def _processor() -> str:
    """Architecture, maker, and the widest vectors that numpy may use: they choose its loops."""
    levels = ("X86_V4", "X86_V3", "X86_V2", "AVX512_SKX", "AVX2", "SVE", "ASIMD")
    umath = getattr(np, "_core", None) or sys.modules["numpy.core"]
    features: dict[str, bool] = getattr(umath._multiarray_umath, "__cpu_features__", {})
    widest = next((level for level in levels if features.get(level)), "")
    return " ".join(filter(None, (platform.machine(), _maker(), widest)))


def _maker() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^(?:vendor_id|CPU implementer)\s*:\s*(\S+)", text, re.MULTILINE)
    return found[1] if found else ""
