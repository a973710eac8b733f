"""Kinds of faults that need no reference: a file each here, and a line in :data:`CHECKS`."""

from __future__ import annotations

from albeit.data.plugins import imported
from albeit.diagnose.checks.passage import LEAST_PRECISION, Check, Passage
from albeit.errors import AlbeitError

__all__ = ["CHECKS", "LEAST_PRECISION", "Check", "Passage", "check_named", "kinds"]

CHECKS = {
    "untranslated": "albeit.diagnose.checks.untranslated:CHECK",
    "numbers": "albeit.diagnose.checks.numbers:CHECK",
}
"""Kind to the check that looks for it."""


def kinds() -> tuple[str, ...]:
    """The kinds there are."""
    return tuple(CHECKS)


def check_named(kind: str) -> Check:
    """The check of a kind."""
    if kind not in CHECKS:
        raise AlbeitError(f"there is no check {kind!r}; there are {', '.join(kinds())}.")
    found = imported(CHECKS[kind])
    assert isinstance(found, Check)
    return found
