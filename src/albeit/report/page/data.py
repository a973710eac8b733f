"""The data of the page as one JSON object: texts, scores at every level, tests, and buckets.

Scores of segments and documents are whole numbers (score times ``packed``), so that a report of
thousands of segments stays small. A report doesn't have keys for what is absent.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.evalset import UNNAMED, EvalSet
from albeit.metrics.significance import AllPairs, compare_all, confidence, select_testable
from albeit.metrics.table import Column, ScoreTable
from albeit.report.page.buckets import UNSPACED, buckets, connectives, groupings, phenomena
from albeit.report.scores import decimals_of
from albeit.stats import ALPHA, DEFAULT_SEED

FORMAT = "albeit-report/3"
BUCKET_NOTE = (
    "Dots are scores of all segments of a bucket together; lines are 95 % bootstrap intervals"
    " over its segments."
)


def page_data(
    evalset: EvalSet | None,
    table: ScoreTable,
    *,
    title: str = "",
    seed: int = DEFAULT_SEED,
    units: Sequence[int] | None = None,
    extras: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Collect the whole report of a scored set; without ``evalset`` it has scores only.

    :param units: the number of discourse units of each segment's first reference
    :param extras: explanations, chains, profile, and agreement, by their keys in the page's data
    """
    extras = extras or {}
    sampled = confidence(select_testable(table), seed=seed)
    table = replace(table, columns={**table.columns, **sampled.columns})
    tests = compare_all(sampled, seed=seed) if len(table.systems) > 1 else None
    found = phenomena(evalset) if evalset else {}
    named = {"phenomenon": found, **connectives(evalset)} if evalset else {}
    documents = (evalset or table).documents if table.has_documents else ()
    lengths = _lengths(evalset) if evalset else None
    grouped = buckets(table, groupings(documents, lengths, units, named), seed=seed)
    optional = {
        "tests": list(_tests(tests)) if tests else [],
        "interval_notes": list(_interval_notes(table)),
        "buckets": grouped,
        "bucket_note": BUCKET_NOTE if grouped else "",
        "phenomena": found,
        **extras,
    }
    sentences = comparison_sentences(tests) if tests else []
    return {
        "format": FORMAT,
        "title": title or _title(table),
        "date": datetime.date.today().isoformat(),
        "albeit": __version__,
        "set": _set(table),
        "systems": list(table.systems),
        "references": list(evalset.references) if evalset else [],
        **(_texts(evalset) if evalset else {}),
        "metrics": [_metric(column) for column in table.columns.values()],
        "words": [*sentences, *profile_sentences(table.systems, extras.get("profile", ()))],
        **{key: value for key, value in optional.items() if value},
    }


def _title(table: ScoreTable) -> str:
    """Use the name of the set, or else the names of the systems."""
    systems = list(table.systems)
    more = f" and {len(systems) - 4} more" if len(systems) > 4 else ""
    return ", ".join(systems[:4]) + more if table.name == UNNAMED else table.name


def _tests(tests: AllPairs) -> Iterator[dict[str, object]]:
    for name in tests.p_values:
        yield {
            "metric": name,
            "note": f"Differences in {name}, row less column; {tests.how(name)}. Better and worse"
            f" are corrected for the number of pairs ({tests.tests}; Holm).",
            "p": _matrix(tests.p_values[name]),
            "corrected": _matrix(tests.corrected[name]),
            "clusters": tests.clusters(name),
        }


def _matrix(p_values: FloatArray) -> list[list[float | None]]:
    return [[None if np.isnan(p) else round(p, 6) for p in row] for row in p_values.tolist()]


def _interval_notes(table: ScoreTable) -> Iterator[str]:
    """Describe how intervals were computed, with the metrics for which this holds."""
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
    """List the lines, one row per segment: source, references, systems."""
    source = () if evalset.source is None else (evalset.source,)
    texts = (*source, *evalset.references.values(), *evalset.systems.values())
    return {
        "has_source": evalset.source is not None,
        "lines": list(zip(*texts, strict=True)),
        "lengths": _lengths(evalset),
        "checksums": list(_checksums(evalset)),
    }


def _checksums(evalset: EvalSet) -> Iterator[tuple[str, str]]:
    """Compute the SHA-256 of each text as a file of one segment per line."""
    texts = [(f"reference {name}", lines) for name, lines in evalset.references.items()]
    if evalset.source is not None:
        texts.insert(0, ("source", evalset.source))
    for name, lines in [*texts, *evalset.systems.items()]:
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
        yield name, hashlib.sha256(content).hexdigest()


def _lengths(evalset: EvalSet) -> list[int]:
    """Count the words of each segment, in the first reference or else the first system."""
    lines = [*evalset.references.values(), *evalset.systems.values()][0]
    spaced = evalset.target_lang not in UNSPACED
    return [len(line.split()) if spaced else len(line) for line in lines]


def _metric(column: Column) -> dict[str, object]:
    decimals = _decimals(column)
    packed = 10**decimals
    record: dict[str, object] = {
        "name": column.name,
        "signature": str(column.signature),
        "higher": column.higher_is_better,
        "decimals": decimals,
        "packed": packed,
        "system": [None if np.isnan(value) else float(value) for value in column.system],
    }
    if column.intervals is not None:
        record["interval"] = column.intervals.tolist()
    for level, scores in (("document", column.document), ("segment", column.segment)):
        if scores is not None:
            record[level] = [
                [None if np.isnan(value) else round(value * packed) for value in row]
                for row in scores.tolist()
            ]
    return record


def _decimals(column: Column) -> int:
    """Choose two decimals for scores up to 100, four for scores up to 1."""
    if column.metric is not None:
        return decimals_of(column, None)
    return 2 if np.nanmax(np.abs(column.system), initial=0) > 1 else 4


def comparison_sentences(tests: AllPairs) -> list[str]:
    """Say which system is best by which metric, and which differences aren't significant."""
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
    sentences = [
        f"{best} is best by {_listed(names)}, ahead of {next_} (corrected p < .05)."
        for (best, next_), names in ahead.items()
    ]
    if level:
        sentences.append(
            f"By {_listed(level)} the first two systems do not differ significantly on this text."
        )
    leaders = {best for best, _ in ahead}
    if len(leaders) > 1:
        sentences.append("The metrics do not agree on the best system: look at the segments.")
    return sentences


def profile_sentences(
    systems: Sequence[str], profile: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Say for each kind of the profile which system differs significantly, and most."""
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
