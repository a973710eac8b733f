"""What the page shows, as one JSON object: texts, scores at every level, tests, buckets.

Scores of segments and documents are packed as whole numbers (``packed`` says of what), so that a
report of thousands of segments stays small. What a report does not have is not in the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Level
from albeit.metaeval import Ranking
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import View
from albeit.report.page.buckets import buckets, groupings
from albeit.report.page.explained import Explanations
from albeit.report.page.folded import Folder
from albeit.report.page.phenomena import UNSPACED, connectives, phenomena
from albeit.report.page.words import in_words, profile_in_words
from albeit.report.pairs import PairTests, pair_tests
from albeit.report.table import Table

__all__ = ["FORMAT", "Agreement", "Extras", "page_data"]

FORMAT = "albeit-report/2"
BUCKET_NOTE = (
    "Dots are scores of all segments of a bucket together; lines are 95 % bootstrap intervals"
    " over its segments."
)


@dataclass(frozen=True)
class Agreement:
    """A question of meta-evaluation, and its answer as a ranking and as a table."""

    question: str
    ranking: Ranking
    table: Table

    def to_json(self) -> dict[str, object]:
        """The table, and what a chart shows: each metric's agreement with its interval."""
        rows = [
            {"name": row.metric, "value": _number(row.mean), "interval": row.interval}
            for row in self.ranking.metrics
        ]
        return {"chart": {"measure": str(self.ranking.measure), "rows": rows}, **_plain(self.table)}


@dataclass(frozen=True)
class Extras:
    """What a report may show besides scores and texts.

    ``units`` are the discourse units of each segment's first reference, ``explanations`` views
    of segments and ``documents`` those of documents, ``chains`` those of each document, ``profile``
    what :func:`albeit.report.page.profile.profile_data` says of the discourse profile,
    ``agreement`` tables of a meta-evaluation. ``explain_at`` is where a server explains others.
    """

    units: Sequence[int] | None = None
    explanations: Explanations = field(default_factory=dict)
    documents: Mapping[str, Mapping[str, Sequence[View]]] = field(default_factory=dict)
    chains: Mapping[str, Sequence[object]] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)
    agreement: Sequence[Agreement] = ()
    explain_at: str = ""


def page_data(
    evalset: EvalSet,
    table: ScoreTable,
    *,
    title: str,
    date: str,
    extras: Extras | None = None,
    seed: int = 12345,
) -> dict[str, Any]:
    """The whole report of a scored set."""
    extras = extras or Extras()
    tests = pair_tests(table, seed)
    lengths = _lengths(evalset)
    found = phenomena(evalset)
    named = {"phenomenon": found, **connectives(evalset)}
    documents = evalset.documents if evalset.has_documents else ()
    grouped = buckets(table, groupings(documents, lengths, extras.units, named), seed=seed)
    optional = {
        "tests": [
            {
                "metric": name,
                "note": f"Differences in {name}, row less column; paired {test.how}.",
                "p": test.p,
                "clusters": test.clusters,
            }
            for name, test in tests.items()
            if len(table.systems) > 1
        ],
        "interval_notes": _interval_notes(tests),
        "buckets": grouped,
        "bucket_note": BUCKET_NOTE if grouped else "",
        **extras.profile,
        "phenomena": found,
        **_folded(table, extras),
        "explain_at": extras.explain_at,
        "chains": dict(extras.chains),
        "agreement": [each.to_json() for each in extras.agreement],
    }
    return {
        "format": FORMAT,
        "title": title,
        "date": date,
        "albeit": __version__,
        "set": _set(evalset),
        "systems": list(evalset.systems),
        "references": list(evalset.references),
        "has_source": evalset.source is not None,
        "lines": _lines(evalset),
        "lengths": lengths,
        "metrics": [_metric(column, tests.get(name)) for name, column in table.columns.items()],
        "words": [
            *in_words(table, tests),
            *profile_in_words(table.systems, extras.profile.get("profile", ())),
        ],
        **{key: value for key, value in optional.items() if value},
    }


def _folded(table: ScoreTable, extras: Extras) -> dict[str, object]:
    """The explanations of segments and documents, and the labels they share."""
    folder = Folder()

    def views(by_metric: Mapping[str, Sequence[View]], level: Level) -> dict[str, object]:
        return {
            name: [folder.folded(view, scored=_scored(table, name, level)) for view in found]
            for name, found in by_metric.items()
        }

    segments = {str(at): views(found, "segment") for at, found in extras.explanations.items()}
    documents = {name: views(found, "document") for name, found in extras.documents.items()}
    return {"explanations": segments, "documents": documents, "labels": folder.labels}


def _scored(table: ScoreTable, name: str, level: Level) -> bool:
    """Whether the report has the scores that a metric's explanations state."""
    column = table.columns.get(name)
    return column is not None and getattr(column, level) is not None


def _interval_notes(tests: Mapping[str, PairTests]) -> list[str]:
    """How intervals were made, each way with the metrics that it holds for."""
    ways: dict[str, list[str]] = {}
    for name, test in tests.items():
        ways.setdefault(test.how, []).append(name)
    return [
        f"Lines are 95 % confidence intervals ({', '.join(names)}: {how})."
        for how, names in ways.items()
    ]


def _set(evalset: EvalSet) -> dict[str, object]:
    found: dict[str, object] = {
        "name": evalset.name,
        "target_lang": evalset.target_lang,
        "segments": len(evalset),
    }
    if evalset.source_lang:
        found["source_lang"] = evalset.source_lang
    if evalset.has_documents:
        documents = evalset.documents
        found["documents"] = [{"id": d.id, "start": d.start, "stop": d.stop} for d in documents]
    return found


def _lines(evalset: EvalSet) -> list[tuple[str, ...]]:
    """A row a segment: source, references, systems. What is alike stands together, and packs well."""
    source = () if evalset.source is None else (evalset.source,)
    texts = (*source, *evalset.references.values(), *evalset.systems.values())
    return list(zip(*texts, strict=True))


def _lengths(evalset: EvalSet) -> list[int]:
    """Words of each segment: of the first reference, or else of the first system."""
    lines = [*evalset.references.values(), *evalset.systems.values()][0]
    spaced = evalset.target_lang not in UNSPACED
    return [len(line.split()) if spaced else len(line) for line in lines]


def _metric(column: Column, test: PairTests | None) -> dict[str, object]:
    decimals = 2 if column.metric is not None and column.metric.scale > 1 else 4
    packed = 10**decimals
    found: dict[str, object] = {
        "name": column.name,
        "signature": str(column.signature),
        "higher": column.higher_is_better,
        "decimals": decimals,
        "packed": packed,
        "system": [_number(value) for value in column.system],
    }
    if test is not None:
        found["interval"] = test.intervals
    for level, scores in (("document", column.document), ("segment", column.segment)):
        if scores is not None:
            found[level] = _packed(scores, packed)
    return found


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _packed(scores: FloatArray, packed: int) -> list[list[int | None]]:
    return [
        [None if np.isnan(value) else round(value * packed) for value in row]
        for row in scores.tolist()
    ]


def _plain(table: Table) -> dict[str, object]:
    return {
        "caption": table.caption,
        "columns": [column.heading for column in table.columns],
        "rows": [[table.text(row, i) for i in range(len(table.columns))] for row in table.rows],
        "notes": list(table.notes),
    }
