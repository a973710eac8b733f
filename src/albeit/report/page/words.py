"""What differs, in plain words: the sentences above the tables of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from albeit.metrics.pairs import AllPairs
from albeit.stats.significance import ALPHA

__all__ = ["in_words", "profile_in_words"]


def in_words(tests: AllPairs) -> list[str]:
    """Sentences on the systems: who leads by which metric, and where that is no more than chance."""
    table = tests.table
    ahead: dict[tuple[str, str], list[str]] = {}
    level: list[str] = []
    for name, corrected in tests.corrected.items():
        column = table[name]
        scores = column.system if column.higher_is_better else -column.system
        if np.isnan(scores).any():
            continue
        first, second = (int(i) for i in np.argsort(-scores, kind="stable")[:2])
        if corrected[first, second] < ALPHA:
            ahead.setdefault((table.systems[first], table.systems[second]), []).append(name)
        else:
            level.append(name)
    found = [
        f"{best} is best by {_listed(names)}, ahead of {next_} (corrected p < .05)."
        for (best, next_), names in ahead.items()
    ]
    if level:
        found.append(
            f"By {_listed(level)} the first two systems do not differ significantly on this text."
        )
    leaders = {best for best, _ in ahead}
    if len(leaders) > 1:
        found.append("The metrics do not agree on the best system: look at the segments.")
    return found


def profile_in_words(systems: Sequence[str], profile: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each kind of glue in which some system surely differs from the baseline.

    It names the one that differs most.
    """
    for row in profile:
        scores = row["scores"]
        sure = [s for s, p in enumerate(row.get("corrected", ())) if p is not None and p < ALPHA]
        if not sure:
            continue
        furthest = max(sure, key=lambda s: abs(scores[s] - scores[0]))
        worse, better = sorted((0, furthest), key=lambda s: float(scores[s]))
        yield (
            f"In {row['name']}, {systems[better]} is better than {systems[worse]}:"
            f" {scores[better]:.2f} against {scores[worse]:.2f}, where 1 is best"
            f" ({row['coverage']}, corrected p < .05)."
        )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
