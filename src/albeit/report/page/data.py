"""The data of the page as one JSON object: texts, scores at every level, tests, and buckets.

Scores of segments and documents are rounded, so that a report of thousands of segments stays
small. A report doesn't have keys for what is absent.

Buckets are segments of one length, domain, document, connective, or phenomenon. A phenomenon is a
rule over the words of the first reference, or of the source without a reference. Languages have
only the rules that work for them: negations need a list, and names need capitals that other nouns
don't have.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit._version import __version__
from albeit.metrics import UNNAMED, Column, EvalSet, FloatArray, LanguageError, ScoreTable, Unit
from albeit.metrics.connectives import Detector, SourceConnective, cut
from albeit.metrics.connectives.load import inventory
from albeit.metrics.significance import AllPairs, compare_all, confidence, select_testable
from albeit.report.scores import caveats, decimals_of, intervals
from albeit.report.table import plain
from albeit.stats import ALPHA, DEFAULT_SEED, bootstrap_scores, percentile_interval

FORMAT = "albeit-report/4"
BUCKET_NOTE = (
    "Dots are scores of all segments of a bucket together; lines are 95 % bootstrap intervals"
    " over its segments."
)


Group = tuple[str, npt.NDArray[np.intp]]
"""A bucket's name and its segments."""

WORDS = (0, 10, 20, 30, 40, 60)
"""Where buckets of length begin."""
UNITS = (0, 2, 3, 4, 6)
"""Where buckets of discourse units begin."""
RESAMPLES = 200
MOST_DOCUMENTS = 40
"""More documents than that are shown in their own part of the report, not as a chart."""

UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages without spaces between words."""
NEGATIONS = {
    "de": "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder ohne",
    "en": "not no never none nobody nothing nowhere neither nor cannot without",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna ni sin tampoco",
    "fr": "ne n pas jamais rien personne aucun aucune ni sans",
}
_MOSTLY_NONE = frozenset({"also", "and", "as", "or", "so", "then"})
"""Words of the inventory that are more often no connective than one, or in every second line."""
_CAPITALS = frozenset({"cs", "en", "es", "fr", "it", "nl", "pl", "pt", "ro", "ru", "sv"})
"""Languages in which a capital inside a sentence is, for the most part, that of a name."""
MOST_LEADERS = 5
"""How many systems that share first place are named."""
FEW = 5
MOST_CONNECTIVES = 12
_NUMBER = re.compile(r"\d")
_QUESTION = re.compile(r"[?？؟]")
_QUOTED = re.compile(r"[\"“”„«»「」]")
_NAME = re.compile(r"(?<=[^\W\d_])[,;]? (?!I\b)[A-ZÀ-ÖØ-ÞА-ЯČŠŽŘ][^\W\d_]")

Rule = Callable[[str], object]


def page_data(
    evalset: EvalSet | None,
    table: ScoreTable,
    *,
    title: str = "",
    seed: int = DEFAULT_SEED,
    units: Sequence[int] | None = None,
    leaders: Sequence[int],
    extras: Mapping[str, Any],
) -> dict[str, Any]:
    """Collect the whole report of a scored set; without ``evalset`` it has scores only.

    :param leaders: the numbers of the systems to compare first (:func:`leading`)
    :param units: the number of discourse units of each segment's first reference
    :param extras: explanations, chains, profile, and agreement, by their keys in the page's data
    """
    sampled = confidence(select_testable(table), seed=seed)
    table = replace(table, columns={**table.columns, **sampled.columns})
    tests = compare_all(sampled, seed=seed) if len(table.systems) > 1 else None
    found = phenomena(evalset) if evalset else {}
    grouped = buckets(table, groupings(table, evalset, units, found), seed=seed)
    notes = [
        f"Lines are {level} intervals ({', '.join(names)}: {how})."
        for level, how, names in intervals(table)
    ]
    optional = {
        "tests": plain(list(_tests(tests))) if tests else [],
        "interval_notes": notes,
        "warnings": caveats(table),
        "buckets": plain(grouped),
        "bucket_note": BUCKET_NOTE if grouped else "",
        "phenomena": found,
        **extras,
    }
    sentences = comparison_sentences(tests) if tests else []
    compared = tests.corrected if tests else ()
    sentences += profile_sentences(extras.get("profile", ()), leaders, compared)
    systems = list(table.systems)
    more = f" and {len(systems) - 4} more" if len(systems) > 4 else ""
    name = ", ".join(systems[:4]) + more if table.name == UNNAMED else table.name
    return {
        "format": FORMAT,
        "title": title or name,
        "date": datetime.date.today().isoformat(),
        "albeit": __version__,
        "set": _set(table),
        "systems": systems,
        "references": list(evalset.references) if evalset else [],
        **(_texts(evalset) if evalset else {}),
        "metrics": [plain(_metric(column)) for column in table.columns.values()],
        "words": sentences,
        "leaders": leaders,
        **{key: value for key, value in optional.items() if value},
    }


def _tests(tests: AllPairs) -> Iterator[dict[str, object]]:
    for name in tests.p_values:
        yield {
            "metric": name,
            "note": f"Differences in {name}, row − column; {tests.how(name)}. Better and worse"
            f" are corrected for the number of pairs ({tests.tests}; Holm).",
            "p": _round(tests.p_values[name], 6),
            "corrected": _round(tests.corrected[name], 6),
            "clusters": tests.clusters(name),
        }


def _round(values: FloatArray, digits: int) -> list[list[float]]:
    return [[round(value, digits) for value in row] for row in values.tolist()]


def _set(table: ScoreTable) -> dict[str, object]:
    source, target = table.language_pair
    record: dict[str, object] = {"name": table.name, "target_lang": target, "segments": len(table)}
    if source:
        record["source_lang"] = source
    if table.has_documents:
        documents = table.documents
        record["documents"] = [{"id": d.id, "start": d.start, "stop": d.stop} for d in documents]
    return record


def _texts(evalset: EvalSet) -> dict[str, object]:
    """List the lines, one row per segment: source, references, systems."""
    texts = [] if evalset.source is None else [("source", evalset.source)]
    texts += [(f"reference {name}", lines) for name, lines in evalset.references.items()]
    texts += evalset.systems.items()
    return {
        "has_source": evalset.source is not None,
        "lines": list(zip(*(lines for _, lines in texts), strict=True)),
        "lengths": _lengths(evalset),
        "checksums": [(name, _checksum(lines)) for name, lines in texts],
    }


def _checksum(lines: Sequence[str]) -> str:
    """Compute the SHA-256 of a text as a file of one segment per line."""
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def _lengths(evalset: EvalSet) -> list[int]:
    """Count the words of each segment, in the first reference or else the first system."""
    lines = [*evalset.references.values(), *evalset.systems.values()][0]
    spaced = evalset.target_lang not in UNSPACED
    return [len(line.split()) if spaced else len(line) for line in lines]


def _metric(column: Column) -> dict[str, object]:
    largest = np.nanmax(np.abs(column.system), initial=0)
    decimals = decimals_of(column, None if column.metric else 2 if largest > 1 else 4)
    record: dict[str, object] = {
        "name": column.name,
        "signature": str(column.signature),
        "higher": column.higher_is_better,
        "decimals": decimals,
        "system": column.system.tolist(),
    }
    if column.intervals is not None:
        record["interval"] = column.intervals.tolist()
    for level, scores in (("document", column.document), ("segment", column.segment)):
        if scores is not None:
            record[level] = _round(scores, decimals)
    return record


def comparison_sentences(tests: AllPairs) -> list[str]:
    """Describe by which metrics a system is best, or which systems share first place."""
    table = tests.table
    ahead: dict[tuple[str, str], list[str]] = {}
    shared: dict[tuple[str, ...], list[str]] = {}
    for name in tests.corrected:
        if np.isnan(table[name].system).any():
            continue
        order, clusters = ranking(table[name]), tests.clusters(name)
        leaders = [table.systems[i] for i in order if clusters[i] == 1]
        if len(leaders) == 1:
            ahead.setdefault((leaders[0], table.systems[order[1]]), []).append(name)
        else:
            shared.setdefault(tuple(leaders), []).append(name)
    sentences = [
        f"{best} is best by {_join(names)}, ahead of {second} (corrected p < .05)."
        for (best, second), names in ahead.items()
    ]
    for every, names in shared.items():
        more = [f"{len(every) - MOST_LEADERS} more"] if len(every) > MOST_LEADERS else []
        who = _join([*every[:MOST_LEADERS], *more])
        sentences.append(f"By {_join(names)}, {who} share first place: no significant difference.")
    if len({best for best, _ in ahead}) > 1:
        sentences.append("The metrics do not agree on the best system: look at the segments.")
    return sentences


def ranking(column: Column) -> list[int]:
    """Return the numbers of systems, best first."""
    scores = column.system if column.higher_is_better else -column.system
    return [int(i) for i in np.argsort(-scores, kind="stable")]


def leading(table: ScoreTable, baseline: str | None = None) -> list[int]:
    """Return the numbers of two systems: the best or the baseline, and the best of the others."""
    every = list(range(len(table.systems)))
    order = next(map(ranking, table.columns.values()), every)
    first = order[0] if baseline is None else table.system_index(baseline)
    return [first, *(i for i in order if i != first)][:2]


def profile_sentences(
    profile: Sequence[Mapping[str, Any]], leaders: Sequence[int], compared: Collection[str] = ()
) -> Iterator[str]:
    """Describe for each kind of the profile whether the leading two systems differ significantly.

    :param leaders: the first, which is the baseline of the profile's tests, and the second
    :param compared: metrics that the table compares, with another correction; their rows would
        contradict it
    """
    for row in profile:
        first, *others = (row["systems"][i] for i in leaders)
        second = others[0] if others else first
        p = second.get("corrected")
        if p is None or p >= ALPHA or row["metric"] in compared:
            continue
        worse, better = sorted((first, second), key=lambda each: float(each["score"]))
        yield (
            f"In {row['name']}, {better['system']} is better than {worse['system']}:"
            f" {better['score']:.2f} against {worse['score']:.2f}, where 1 is best"
            f" ({row['coverage']}, corrected p < .05)."
        )


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def groupings(
    table: ScoreTable,
    evalset: EvalSet | None,
    units: Sequence[int] | None,
    phenomena: Mapping[str, Sequence[int]],
) -> dict[str, list[Group]]:
    """List the groups of segments that a set allows; ``units`` are each segment's, if known."""
    groups: dict[str, list[Group]] = {}
    if evalset:
        groups["words"] = list(_ranges(_lengths(evalset), WORDS))
    if units is not None:
        groups["discourse units in the reference"] = list(_ranges(units, UNITS))
    documents = (evalset or table).documents if table.has_documents else ()
    spans = [(document, np.arange(document.start, document.stop)) for document in documents]
    if len(documents) <= MOST_DOCUMENTS:
        groups["document"] = [(document.id, rows) for document, rows in spans]
    domains: dict[str, list[npt.NDArray[np.intp]]] = {}
    for document, rows in spans:
        domains.setdefault(document.domain or "(none)", []).append(rows)
    groups["domain"] = [(name, np.concatenate(rows)) for name, rows in sorted(domains.items())]
    for by, own in ({"phenomenon": phenomena} | connectives(evalset)).items() if evalset else ():
        groups[by] = [(name, np.array(rows)) for name, rows in own.items()]
    return groups


def buckets(
    table: ScoreTable, groupings: Mapping[str, Sequence[Group]], *, seed: int
) -> list[dict[str, Any]]:
    """Score all groupings with at least two groups; a group's score is that of its segments."""
    columns = [c for c in table.columns.values() if c.metric and c.metric.unit is Unit.SEGMENT]
    return [
        {"by": by, "groups": [_group(columns, label, rows, seed) for label, rows in groups]}
        for by, groups in groupings.items()
        if columns and len(groups) > 1
    ]


def _ranges(sizes: Sequence[int], starts: Sequence[int]) -> Iterator[Group]:
    """Segments by size: each bucket from one start up to the next."""
    values = np.asarray(sizes)
    bucket = np.searchsorted(starts, values, side="right") - 1
    for number, start in enumerate(starts):
        rows = np.flatnonzero(bucket == number)
        if len(rows):
            last = starts[number + 1] - 1 if number + 1 < len(starts) else None
            end = "" if last == start else " and more" if last is None else f"–{last}"
            yield f"{start}{end}", rows


def _group(
    columns: Sequence[Column], label: str, rows: npt.NDArray[np.intp], seed: int
) -> dict[str, Any]:
    scores = {}
    for column in columns:
        assert column.statistics is not None
        assert column.metric is not None
        score, own = column.metric.score, column.statistics[:, rows]
        cells = [[_six_digits(value)] for value in score(own.sum(axis=1))]
        if len(rows) > 1:
            samples = bootstrap_scores(own, score, resamples=RESAMPLES, seed=seed)
            for cell, ends in zip(cells, percentile_interval(samples, 0.95), strict=True):
                cell += map(_six_digits, ends)
        scores[column.name] = cells
    return {"label": label, "count": len(rows), "scores": scores}


def _six_digits(value: float) -> float:
    return float(f"{value:.6g}")


def phenomena(evalset: EvalSet) -> dict[str, list[int]]:
    """List the segments of each phenomenon that some segments have, and others don't."""
    by_name = {
        name: [at for at, line in enumerate(lines) if rule(line)]
        for name, rule, lines in _rules(evalset)
    }
    return {name: rows for name, rows in by_name.items() if 0 < len(rows) < len(evalset)}


def connectives(evalset: EvalSet) -> dict[str, dict[str, list[int]]]:
    """List the segments of each connective in source and reference, most frequent first.

    Connectives in fewer than :data:`FEW` segments aren't listed.
    """
    found = {}
    for where, lines, detect in _detectors(evalset):
        rows: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            for name in {occurrence.name for occurrence in detect(line)}:
                rows.setdefault(name, []).append(at)
        frequent = [name for name in rows if len(rows[name]) >= FEW]
        frequent.sort(key=lambda name: -len(rows[name]))
        found[f"connective {where}"] = {name: rows[name] for name in frequent[:MOST_CONNECTIVES]}
    return found


def _detectors(
    evalset: EvalSet,
) -> Iterator[tuple[str, Sequence[str], Callable[[str], list[SourceConnective]]]]:
    """Yield the texts whose connectives are known, with the function that detects them."""
    texts = [("in the source", evalset.source, evalset.source_lang or "")]
    reference = next(iter(evalset.references.values()), None)
    texts.append(("in the reference", reference, evalset.target_lang))
    for where, lines, language in texts:
        with suppress(LanguageError):
            if lines is not None:
                known = inventory(language)
                names = tuple(sorted(set(known.connectives) - _MOSTLY_NONE))
                yield where, lines, partial(_detect, Detector(known, names), language)


def _detect(detector: Detector, language: str, line: str) -> list[SourceConnective]:
    return detector(cut(line, language))


def _rules(evalset: EvalSet) -> Iterator[tuple[str, Rule, Sequence[str]]]:
    """Yield the rules that the languages of a set have, each with the text to which it applies."""
    lines, lang = next(iter(evalset.references.values()), None), evalset.target_lang
    if lines is None:
        lines, lang = evalset.source or (), evalset.source_lang or ""
    for where, text, detect in _detectors(evalset):
        yield f"connective {where}", detect, text
    if lang in NEGATIONS:
        words = "|".join(NEGATIONS[lang].split())
        yield "negation", re.compile(rf"\b(?:{words})\b|n['’]t\b", re.IGNORECASE).search, lines
    yield "number", _NUMBER.search, lines
    yield "question", _QUESTION.search, lines
    yield "quotation mark", _QUOTED.search, lines
    if lang in _CAPITALS:
        yield "capital inside the sentence (name)", _NAME.search, lines
