"""Scores by bucket: segments of one length, domain, document, connective, or phenomenon.

A phenomenon is a rule over the words of the first reference, or of the source without a reference.
Languages have only the rules that work for them: negations need a list, and names need capitals
that other nouns don't have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import LanguageError
from albeit.metrics.base import Metric
from albeit.metrics.connectives.lexicon import Detector
from albeit.metrics.connectives.load import inventory
from albeit.metrics.connectives.words import cut
from albeit.metrics.table import Column, ScoreTable
from albeit.stats import bootstrap_scores, percentile_interval

Group = tuple[str, npt.NDArray[np.intp]]
"""A bucket's name and its segments."""

WORDS = (0, 10, 20, 30, 40, 60)
"""Where buckets of length begin."""
UNITS = (0, 2, 3, 4, 6)
"""Where buckets of discourse units begin."""
RESAMPLES = 200
MOST_DOCUMENTS = 40
"""More documents than that are shown in their own part of the report, not as a chart."""


def groupings(
    documents: Sequence[Document],
    lengths: Sequence[int] | None,
    units: Sequence[int] | None,
    named: Mapping[str, Mapping[str, Sequence[int]]],
) -> dict[str, list[Group]]:
    """All ways to part segments that a set allows.

    ``lengths`` are the words and ``units`` the discourse units of each segment, where they are
    known; ``named`` are groups that have names: phenomena, connectives.
    """
    found: dict[str, list[Group]] = {}
    if lengths is not None:
        found["words"] = list(_ranges(lengths, WORDS))
    if units is not None:
        found["discourse units in the reference"] = list(_ranges(units, UNITS))
    if len(documents) <= MOST_DOCUMENTS:
        found["document"] = [(d.id, np.arange(d.start, d.stop)) for d in documents]
    by_domain: dict[str, list[int]] = {}
    for document in documents:
        by_domain.setdefault(document.domain or "(none)", []).extend(
            range(document.start, document.stop)
        )
    found["domain"] = [(name, np.array(rows)) for name, rows in sorted(by_domain.items())]
    for by, groups in named.items():
        found[by] = [(name, np.array(rows)) for name, rows in groups.items()]
    return found


def buckets(
    table: ScoreTable, parted: Mapping[str, Sequence[Group]], *, seed: int
) -> list[dict[str, Any]]:
    """All groupings with at least two groups; a group's score is that of its rows together."""
    able = {
        name: (column, column.metric)
        for name, column in table.columns.items()
        if column.metric is not None and column.metric.unit is Unit.SEGMENT
    }
    if not able:
        return []
    return [
        {"by": by, "groups": [_group(able, label, rows, seed) for label, rows in groups]}
        for by, groups in parted.items()
        if len(groups) > 1
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
    able: Mapping[str, tuple[Column, Metric]], label: str, rows: npt.NDArray[np.intp], seed: int
) -> dict[str, Any]:
    scores = {}
    for name, (column, metric) in able.items():
        assert column.statistics is not None
        own = column.statistics[:, rows]
        cells = [[_number(value)] for value in metric.score(own.sum(axis=1))]
        if len(rows) > 1:
            samples = bootstrap_scores(own, metric.score, resamples=RESAMPLES, seed=seed)
            for cell, ends in zip(cells, percentile_interval(samples, 0.95), strict=True):
                cell += map(_number, ends)
        scores[name] = cells
    return {"label": label, "count": len(rows), "scores": scores}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.6g}")


UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages that put no spaces between words."""
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
FEW = 5
MOST_CONNECTIVES = 12
_NUMBER = re.compile(r"\d")
_QUESTION = re.compile(r"[?？؟]")
_QUOTED = re.compile(r"[\"“”„«»「」]")
_NAME = re.compile(r"(?<=[^\W\d_])[,;]? (?!I\b)[A-ZÀ-ÖØ-ÞА-ЯČŠŽŘ][^\W\d_]")
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)

Rule = Callable[[str], object]


def phenomena(evalset: EvalSet) -> dict[str, list[int]]:
    """Name to the segments that have it; what no segment has, or every one, is left out."""
    found: dict[str, list[int]] = {}
    for name, rule, lines in _rules(evalset):
        where = [at for at, line in enumerate(lines) if rule(line)]
        if 0 < len(where) < len(evalset):
            found[name] = where
    return found


def connectives(evalset: EvalSet) -> dict[str, dict[str, list[int]]]:
    """Of source and reference: connective to the segments that have it, the most frequent first.

    Those in fewer than :data:`FEW` segments say little, and those that are mostly none nothing.
    """
    found = {}
    for where, lines, language in _texts(evalset):
        detector = _detector(language)
        if detector is None:
            continue
        rows: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            for name in {occurrence.name for occurrence in detector(cut(line, language))}:
                rows.setdefault(name, []).append(at)
        often = sorted(
            (name for name in rows if len(rows[name]) >= FEW), key=lambda n: -len(rows[n])
        )
        found[f"connective {where}"] = {name: rows[name] for name in often[:MOST_CONNECTIVES]}
    return found


def _texts(evalset: EvalSet) -> Iterator[tuple[str, Sequence[str], str]]:
    """The texts in which connectives are looked for, each with where that is, and its language."""
    if evalset.source is not None:
        yield "in the source", evalset.source, evalset.source_lang or ""
    for lines in evalset.references.values():
        yield "in the reference", lines, evalset.target_lang
        return


def _rules(evalset: EvalSet) -> Iterator[tuple[str, Rule, Sequence[str]]]:
    """The rules that the languages of a set have, each with the text it looks at."""
    lines, lang = next(iter(evalset.references.values()), None), evalset.target_lang
    if lines is None:
        lines, lang = evalset.source or (), evalset.source_lang or ""
    for where, text, language in _texts(evalset):
        if connective := _connective(language):
            yield f"connective {where}", connective, text
    if lang in NEGATIONS:
        yield "negation", _negation(frozenset(NEGATIONS[lang].split())), lines
    yield "number", _NUMBER.search, lines
    yield "question", _QUESTION.search, lines
    yield "quotation mark", _QUOTED.search, lines
    if lang in _CAPITALS:
        yield "capital inside the sentence (name)", _NAME.search, lines


def _connective(language: str) -> Rule | None:
    detector = _detector(language)
    return None if detector is None else lambda line: detector(cut(line, language))


def _detector(language: str) -> Detector | None:
    try:
        known = inventory(language)
    except LanguageError:
        return None
    return Detector(known, tuple(sorted(set(known.connectives) - _MOSTLY_NONE)))


def _negation(words: frozenset[str]) -> Rule:
    def has(line: str) -> bool:
        lower = line.lower()
        return bool(_CONTRACTED.search(lower)) or not words.isdisjoint(re.findall(r"\w+", lower))

    return has
