"""What the page shows, as one JSON object: texts, scores at every level, tests, buckets, and what
differs in plain words: the sentences above the tables.

Scores of segments and documents are packed as whole numbers (``packed`` says of what), so that a
report of thousands of segments stays small. What a report does not have is not in the data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.metaeval import Ranking
from albeit.metrics.significance import AllPairs, compare_all, confidence, select_testable
from albeit.metrics.table import Column, ScoreTable
from albeit.report.page.buckets import UNSPACED, buckets, connectives, groupings, phenomena
from albeit.report.page.explained import Explanations
from albeit.report.table import Table
from albeit.stats.significance import ALPHA, DEFAULT_SEED

__all__ = ["FORMAT", "Agreement", "Extras", "in_words", "page_data", "profile_in_words"]

FORMAT = "albeit-report/2"
BUCKET_NOTE = (
    "Dots are scores of all segments of a bucket together; lines are 95 % bootstrap intervals"
    " over its segments."
)


@dataclass(frozen=True)
class Agreement:
    """The answer to a question of meta-evaluation, as a ranking and as a table with its caption."""

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
    of segments and ``documents`` those of documents, folded, with their ``labels``; ``chains`` those of each document, ``profile``
    what :func:`albeit.report.page.profile.profile_data` says of the discourse profile,
    ``agreement`` tables of a meta-evaluation. ``explain_at`` is where a server explains others.
    """

    units: Sequence[int] | None = None
    explanations: Explanations = field(default_factory=dict)
    documents: Explanations = field(default_factory=dict)
    labels: Sequence[object] = ()
    chains: Mapping[str, Sequence[object]] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)
    agreement: Sequence[Agreement] = ()
    explain_at: str = ""


def page_data(
    evalset: EvalSet | None,
    table: ScoreTable,
    *,
    title: str,
    date: str,
    extras: Extras | None = None,
    seed: int = DEFAULT_SEED,
) -> dict[str, Any]:
    """The whole report of a scored set; without texts where there are none but scores."""
    extras = extras or Extras()
    sampled = confidence(select_testable(table), seed=seed)
    table = replace(table, columns={**table.columns, **sampled.columns})
    tests = compare_all(sampled, seed=seed) if len(table.systems) > 1 else None
    lengths = _lengths(evalset) if evalset else None
    found = phenomena(evalset) if evalset else {}
    named = {"phenomenon": found, **connectives(evalset)} if evalset else {}
    documents = (evalset or table).documents if table.has_documents else ()
    grouped = buckets(table, groupings(documents, lengths, extras.units, named), seed=seed)
    optional = {
        "tests": [
            {
                "metric": name,
                "note": f"Differences in {name}, row less column; {tests.how(name)}. Better and worse"
                f" are corrected for the number of pairs ({tests.tests}; Holm).",
                "p": _matrix(tests.p_values[name]),
                "corrected": _matrix(tests.corrected[name]),
                "clusters": tests.clusters(name),
            }
            for name in (tests.p_values if tests else ())
            if tests
        ],
        "interval_notes": list(_interval_notes(table)),
        "buckets": grouped,
        "bucket_note": BUCKET_NOTE if grouped else "",
        **extras.profile,
        "phenomena": found,
        "explanations": extras.explanations,
        "documents": extras.documents,
        "labels": extras.labels,
        "explain_at": extras.explain_at,
        "chains": dict(extras.chains),
        "agreement": [each.to_json() for each in extras.agreement],
    }
    return {
        "format": FORMAT,
        "title": title,
        "date": date,
        "albeit": __version__,
        "set": _set(table),
        "systems": list(table.systems),
        "references": list(evalset.references) if evalset else [],
        **(_texts(evalset) if evalset else {}),
        "metrics": [_metric(column) for column in table.columns.values()],
        "words": [
            *(in_words(tests) if tests else ()),
            *profile_in_words(table.systems, extras.profile.get("profile", ())),
        ],
        **{key: value for key, value in optional.items() if value},
    }


def _matrix(p_values: FloatArray) -> list[list[float | None]]:
    return [[None if np.isnan(p) else round(p, 6) for p in row] for row in p_values.tolist()]


def _interval_notes(table: ScoreTable) -> Iterator[str]:
    """How intervals were made, each way with the metrics that it holds for."""
    ways: dict[tuple[float, str], list[str]] = {}
    for name, column in table.columns.items():
        made = column.confidence
        if made is not None:
            how = f"bootstrap, {made.resamples:,} resamples over {made.unit}s, seed {made.seed}"
            ways.setdefault((made.level, how), []).append(name)
    for (level, how), names in ways.items():
        yield f"Lines are {100 * level:g} % confidence intervals ({', '.join(names)}: {how})."


def _set(table: ScoreTable) -> dict[str, object]:
    source, target = table.language_pair
    found: dict[str, object] = {
        "name": table.name,
        "target_lang": target,
        "segments": len(table),
    }
    if source:
        found["source_lang"] = source
    if table.has_documents:
        documents = table.documents
        found["documents"] = [{"id": d.id, "start": d.start, "stop": d.stop} for d in documents]
    return found


def _texts(evalset: EvalSet) -> dict[str, object]:
    """Lines are a row per segment: source, references, systems. What is alike stands together, and
    packs well."""
    source = () if evalset.source is None else (evalset.source,)
    texts = (*source, *evalset.references.values(), *evalset.systems.values())
    return {
        "has_source": evalset.source is not None,
        "lines": list(zip(*texts, strict=True)),
        "lengths": _lengths(evalset),
        "checksums": list(_checksums(evalset)),
    }


def _checksums(evalset: EvalSet) -> Iterator[tuple[str, str]]:
    """Each text's name and SHA-256 as a file of one segment per line."""
    texts = [(f"reference {name}", lines) for name, lines in evalset.references.items()]
    if evalset.source is not None:
        texts.insert(0, ("source", evalset.source))
    for name, lines in [*texts, *evalset.systems.items()]:
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
        yield name, hashlib.sha256(content).hexdigest()


def _lengths(evalset: EvalSet) -> list[int]:
    """Words of each segment: of the first reference, or else of the first system."""
    lines = [*evalset.references.values(), *evalset.systems.values()][0]
    spaced = evalset.target_lang not in UNSPACED
    return [len(line.split()) if spaced else len(line) for line in lines]


def _metric(column: Column) -> dict[str, object]:
    decimals = _decimals(column)
    packed = 10**decimals
    found: dict[str, object] = {
        "name": column.name,
        "signature": str(column.signature),
        "higher": column.higher_is_better,
        "decimals": decimals,
        "packed": packed,
        "system": [_number(value) for value in column.system],
    }
    if column.intervals is not None:
        found["interval"] = column.intervals.tolist()
    for level, scores in (("document", column.document), ("segment", column.segment)):
        if scores is not None:
            found[level] = _packed(scores, packed)
    return found


def _decimals(column: Column) -> int:
    """Two for scores up to 100, four for scores up to 1."""
    if column.metric is not None:
        return 2 if column.metric.scale > 1 else 4
    return 2 if np.nanmax(np.abs(column.system), initial=0) > 1 else 4


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
