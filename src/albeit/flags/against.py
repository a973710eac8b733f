"""Where B loses to A: likely faults that one system has and another has not."""

from __future__ import annotations

from collections.abc import Iterable

from albeit.flags.flag import Flag

__all__ = ["only_in"]


def only_in(found: Iterable[Flag], system: str, baseline: str) -> list[Flag]:
    """The likely faults of a system that the baseline has not, the likeliest first.

    Two have the same fault where the same line has one of the same kind with the same suggestion.

    :param found: flags of both systems, and perhaps of others
    """
    every = [flag for flag in found if flag.likely]
    known = {_fault(flag) for flag in every if flag.system == baseline}
    own = [flag for flag in every if flag.system == system and _fault(flag) not in known]
    return sorted(own, key=lambda flag: (-flag.finding.probability, flag.finding.place))


def _fault(flag: Flag) -> tuple[str, int, str]:
    finding = flag.finding
    return finding.kind, finding.line, (finding.suggestion or "").lower()
