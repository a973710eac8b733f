"""Which metric to take in a direction, on what evidence.

Evidence is what the pages of results say of sets that a metric had not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from albeit.report.table import Table

__all__ = ["EVIDENCE", "UNJUDGED", "advice"]

EVIDENCE: dict[str, dict[str, tuple[float, float]]] = {
    "de": {
        "bio": (0.634, 0.589),
        "newstest20": (0.252, 0.255),
        "newstest21": (0.116, 0.085),
        "ted": (0.101, 0.088),
        "wmt23": (0.293, 0.287),
    },
    "es": {
        "bio": (0.453, 0.374),
    },
    "fr": {
        "bio": (0.202, 0.221),
    },
    "ru": {
        "bio": (0.364, 0.375),
    },
    "zh": {
        "bio": (0.26, 0.261),
        "wmt24": (0.134, 0.139),
    },
}
"""By target language and set: segment τ of ``judge-facts``, whose weights had not seen the set, and of
chrF (``docs/results/out-of-english.md``)."""
UNJUDGED = "no judged set: untested"


def advice(directions: Sequence[tuple[str, str]]) -> Table:
    """A row per direction: what to score with, as installed here, and what is known of it."""
    from albeit.engine import recommended_into
    from albeit.report.table import Heading, Table

    headings = [Heading(t, t.lower(), align="left") for t in ("Direction", "Take", "Evidence")]
    rows = [
        ["-".join(pair), " ".join(recommended_into(pair[1], pair[0])), _evidence(pair[1])]
        for pair in directions
    ]
    return Table.of(
        headings,
        rows,
        caption="Which metric to take",
        notes=[
            "Evidence out of English: agreement with people by segments (τ) of judge-facts, chrF in"
            " brackets, on sets that the weights of judge-facts had not seen.",
            "Without a reference no metric is recommended. judge-src is weak per segment, and must not"
            " rank systems: on biomedical abstracts from English into German it puts the worst ones"
            " first.",
        ],
    )


def _evidence(lang: str) -> str:
    if lang == "en":
        return "judge: docs/results/judge.md"
    found = EVIDENCE.get(lang, {})
    told = ", ".join(f"{name} {ours:.3f} ({chrf:.3f})" for name, (ours, chrf) in found.items())
    return told or UNJUDGED
