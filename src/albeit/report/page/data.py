"""What the page shows, as one JSON object: texts, scores at every level, tests, buckets.

Scores are packed as whole numbers (``packed`` says of what), so that a report of thousands
of segments stays small; everything else stands as it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.corpus.model import EvalSet
from albeit.metrics.table import Column, ScoreTable
from albeit.report.page.buckets import buckets
from albeit.report.page.tests import PairTests, pair_tests
from albeit.report.page.words import in_words
from albeit.report.table import Table

__all__ = ["FORMAT", "Extras", "page_data"]

FORMAT = "albeit-report/1"


@dataclass(frozen=True)
class Extras:
    """What a report may show besides scores and texts.

    ``explanations`` maps a segment to metrics and each to one view a system; ``chains`` a
    document to its chains; ``phenomena`` a name to the segments that have it; ``agreement``
    holds tables of a meta-evaluation. ``explain_at`` is where a server explains others.
    """

    explanations: Mapping[int, Mapping[str, Sequence[object]]] = field(default_factory=dict)
    chains: Mapping[str, Sequence[object]] = field(default_factory=dict)
    phenomena: Mapping[str, Sequence[int]] = field(default_factory=dict)
    profile: Sequence[object] = ()
    agreement: Sequence[Table] = ()
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
    tests = pair_tests(table, seed=seed)
    lengths = _lengths(evalset)
    return {
        "format": FORMAT,
        "title": title,
        "date": date,
        "albeit": __version__,
        "set": _set(evalset),
        "systems": list(evalset.systems),
        "references": list(evalset.references),
        "source": None if evalset.source is None else list(evalset.source),
        "reference_texts": [list(lines) for lines in evalset.references.values()],
        "system_texts": [list(lines) for lines in evalset.systems.values()],
        "lengths": lengths,
        "metrics": [_metric(column, tests.get(name)) for name, column in table.columns.items()],
        "interval_note": next((t.interval_note for t in tests.values()), ""),
        "tests": [
            {"metric": name, "note": t.note, "p": t.p, "clusters": t.clusters}
            for name, t in tests.items()
            if len(table.systems) > 1
        ],
        "words": in_words(table, tests),
        "buckets": buckets(table, lengths, seed=seed),
        "bucket_note": "Dots are scores of all segments of a bucket together; lines are"
        " 95 % bootstrap intervals over its segments.",
        "profile": list(extras.profile),
        "phenomena": {name: list(where) for name, where in extras.phenomena.items()},
        "explanations": {str(at): views for at, views in extras.explanations.items()},
        "explain_at": extras.explain_at,
        "chains": dict(extras.chains),
        "agreement": [_plain(found) for found in extras.agreement],
    }


def _set(evalset: EvalSet) -> dict[str, object]:
    documents = [{"id": d.id, "start": d.start, "stop": d.stop} for d in evalset.documents]
    return {
        "name": evalset.name,
        "source_lang": evalset.source_lang,
        "target_lang": evalset.target_lang,
        "segments": len(evalset),
        "documents": documents if evalset.has_documents else None,
    }


def _lengths(evalset: EvalSet) -> list[int]:
    """Words of each segment: of the first reference, or else of the source or first system."""
    texts = [*evalset.references.values(), *([evalset.source] if evalset.source else [])]
    lines = [*texts, *evalset.systems.values()][0]
    spaced = evalset.target_lang.partition("-")[0] not in ("zh", "ja", "th")
    return [len(line.split()) if spaced else len(line) for line in lines]


def _metric(column: Column, test: PairTests | None) -> dict[str, object]:
    decimals = 2 if column.metric is not None and column.metric.scale > 1 else 4
    packed = 10 ** (decimals + 1)
    return {
        "name": column.name,
        "signature": str(column.signature),
        "higher": column.higher_is_better,
        "decimals": decimals,
        "packed": packed,
        "system": [_number(value) for value in column.system],
        "interval": None if test is None else test.intervals,
        "document": _packed(column.document, packed),
        "segment": _packed(column.segment, packed),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _packed(scores: np.ndarray[Any, Any] | None, packed: int) -> list[list[int | None]] | None:
    if scores is None:
        return None
    return [
        [None if np.isnan(value) else round(float(value) * packed) for value in row]
        for row in scores
    ]


def _plain(table: Table) -> dict[str, object]:
    return {
        "caption": table.caption,
        "columns": [column.heading for column in table.columns],
        "rows": [[table.text(row, i) for i in range(len(table.columns))] for row in table.rows],
        "notes": list(table.notes),
    }
