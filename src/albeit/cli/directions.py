"""Which metrics work in which directions: a table of what each would say if it were asked.

Nothing is listed by hand: every metric is asked, with its default parameters, whether it could
score a small set of each direction, as the engine asks before any work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from albeit.errors import AlbeitError
    from albeit.report.table import Table

__all__ = ["DIRECTIONS", "directions"]

DIRECTIONS = (
    ("de", "en"),
    *(
        ("en", lang)
        for lang in [
            "ar",
            "de",
            "es",
            "fr",
            "it",
            "ja",
            "ko",
            "nl",
            "pl",
            "pt",
            "ru",
            "th",
            "tr",
            "zh",
            "cs",
            "hi",
        ]
    ),
)
"""Source and target: into English, out of it into what albeit knows, and two that it hardly does."""
YES, EXTRA, NO = "yes", "extra", ""


def directions(names: Sequence[str] = ()) -> Table:
    """A row per metric, a column per direction."""
    from albeit.engine import unusable_into
    from albeit.metrics.registry import names as known
    from albeit.report.table import Heading, Table

    problems = {pair: unusable_into(pair[1], pair[0]) for pair in DIRECTIONS}
    rows = [
        [name, *(_word(found.get(name)) for found in problems.values())]
        for name in names or known()
    ]
    counts = [sum(row[k + 1] == YES for row in rows) for k in range(len(DIRECTIONS))]
    headings = [Heading("-".join(pair), "-".join(pair), align="left") for pair in DIRECTIONS]
    return Table.of(
        [Heading("Metric", "metric", align="left"), *headings],
        [*rows, ["(how many)", *map(str, counts)]],
        notes=[
            f"{YES}: works as installed here, with default parameters. {EXTRA}: works once an extra"
            " is installed ('albeit metrics --lang CODE' names the command). Metrics that must be"
            " given parameters are asked for nothing and stand as working.",
            "Layers can also be supplied with --annotations, lexicons with act(lexicon=FILE).",
        ],
    )


def _word(problem: AlbeitError | None) -> str:
    if problem is None:
        return YES
    return EXTRA if "pip install" in str(problem) else NO
