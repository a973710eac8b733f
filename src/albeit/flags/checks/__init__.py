"""Kinds of faults that need no reference: a file each here, and a line in :data:`CHECKS`.

Other packages add theirs by the entry point group ``albeit.checks`` (name =
"package.module:CHECK", a :class:`Check`); ``albeit check --kinds NAME`` offers them.
"""

from __future__ import annotations

from albeit.errors import AlbeitError
from albeit.flags.checks.passage import LEAST_PRECISION, Check, Passage
from albeit.plugins import loaded, plugins

__all__ = ["CHECKS", "LEAST_PRECISION", "Check", "Passage", "check_named", "kinds"]

CHECKS = {
    "untranslated": "albeit.flags.checks.untranslated:CHECK",
    "numbers": "albeit.flags.checks.numbers:CHECK",
}
"""Kind to the check that looks for it."""
GROUP = "albeit.checks"


def kinds() -> tuple[str, ...]:
    """The kinds there are, ours first."""
    return (*CHECKS, *(name for name in plugins(GROUP) if name not in CHECKS))


def check_named(kind: str) -> Check:
    """The check of a kind."""
    target = CHECKS.get(kind) or plugins(GROUP).get(kind)
    if target is None:
        raise AlbeitError(f"there is no check {kind!r}; there are {', '.join(kinds())}.")
    found = loaded("check", kind, target)
    if not isinstance(found, Check):
        raise AlbeitError(f"check {kind!r} ({target}) is no albeit.flags.checks.Check.")
    return found
