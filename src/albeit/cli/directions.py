"""Which metric to take in a direction, on what evidence.

Evidence is what the pages of results say of sets that a metric had not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from albeit.report.table import Table

__all__ = ["EVIDENCE", "UNJUDGED", "advice"]

Figures = tuple[float | None, float, float]
EVIDENCE: dict[str, dict[str, Figures]] = {
    "de": {
        "bio": (0.652, 0.634, 0.589),
        "newstest20": (0.304, 0.252, 0.255),
        "newstest21": (None, 0.116, 0.085),
        "ted": (None, 0.101, 0.088),
        "wmt23": (0.341, 0.293, 0.287),
    },
    "es": {
        "bio": (0.429, 0.453, 0.374),
    },
    "fr": {
        "bio": (0.271, 0.202, 0.221),
    },
    "ru": {
        "bio": (0.381, 0.364, 0.375),
    },
    "zh": {
        "bio": (0.278, 0.26, 0.261),
        "wmt24": (0.151, 0.134, 0.139),
    },
}
"""By target language and set: segment τ of ``judge-many`` beside source and reference and of
``judge-facts``, which had not seen the set (``None``: not tested so), and of chrF
(``docs/results/out-of-english.md``)."""
UNJUDGED = "no judged set: untested"


def advice(directions: Sequence[tuple[str, str]]) -> Table:
    """A row per direction: what to score with, as installed here, and what is known of it."""
    from albeit.engine import recommended_into
    from albeit.report.table import Heading, Table

    titles = ("Direction", "Take", "Without -m", "Evidence")
    headings = [Heading(title, title.lower(), align="left") for title in titles]
    rows = []
    for source, target in directions:
        quick = " ".join(recommended_into(target, source))
        best = quick if target == "en" else "judge-many chrf"
        rows.append([f"{source}-{target}", best, quick, _evidence(target)])
    return Table.of(
        headings,
        rows,
        caption="Which metric to take",
        notes=[
            "Without -m: what albeit scores with, as installed here. judge-many needs"
            " albeit[multilingual], reads about ten translations per second and core, and stands on"
            " Gemma, which has terms of use of its own: so it is never chosen for you.",
            "Evidence out of English: agreement with people by segments (τ) of judge-many beside source"
            " and reference / judge-facts (chrF), on sets that neither had seen; –: not tested so.",
            "Without a reference no metric is recommended. judge-many beside the source alone is below"
            " chrF beside a reference; judge-src is weak per segment, and must not rank systems: on"
            " biomedical abstracts from English into German it puts the worst ones first.",
        ],
    )


def _evidence(lang: str) -> str:
    if lang == "en":
        return "judge: docs/results/judge.md"
    return ", ".join(map(_told, EVIDENCE.get(lang, {}).items())) or UNJUDGED


def _told(item: tuple[str, Figures]) -> str:
    name, (many, facts, chrf) = item
    return f"{name} {'–' if many is None else f'{many:.3f}'} / {facts:.3f} ({chrf:.3f})"
