"""Tables 1 and 2 of "Are ACT's scores increasing with better translation quality?" (WMT 2013).

``question`` answers the title: the correlation of systems' scores with human scores.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from albeit.arrays import FloatArray
from albeit.data import read
from albeit.errors import AlbeitWarning
from albeit.metaeval import Measure, agreement
from albeit.metaeval.statistics import kendall, spearman
from albeit.metrics.connectives.assess import Case
from albeit.metrics.table import Column
from albeit.report import Heading, Row, Table
from albeit.reproduce.sets import Work, decimals, published
from albeit.stats import pearson

PAIRS, TABLES = ("en-de", "en-fr"), ("1", "2", "question")
POSITION, CLASSIC = "act(preset=classic,alignment=no)", "act(preset=classic)"
ASKED = {"classic": CLASSIC, "careful": "act", "BLEU": "bleu"}
SETS = {
    "wmt13/de-en": "en-de",
    "judgments/newstest20-mqm/en-de": "en-de",
    "discourse/newstest21-mqm/en-de": "en-de",
    "discourse/wmt23-mqm/en-de": "en-de",
    "wmt13/fr-en": "en-fr",
}
"""Sets with human scores, by the pair that they belong to."""
PEARSON = Measure("system", "pearson")
MEASURES: Mapping[str, Callable[..., FloatArray | float]] = {
    "mean absolute difference": lambda x, y: float(np.abs(x - y).mean()),
    "Pearson's r": pearson,
    "Spearman's ρ": spearman,
    "Kendall's τ": kendall,
}


def _system_table(work: Work, number: str, pair: str) -> Table:
    """Return ACT per system with the paper's value, and how far they agree."""
    text = published("hajlaoui2013")
    paper: dict[str, float] = dict(text[pair]["systems"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        source, target = pair.split("-")
        evalset = read(work.folder(f"wmt13/{pair}"), source_lang=source, target_lang=target)
    table = work.score(evalset.select(list(paper)), [POSITION, CLASSIC])
    ours = {"ACTa by position": table[POSITION].system, **_variants(table[CLASSIC])}
    printed = np.array(list(paper.values()))
    every = [printed, *ours.values()]
    rows = [Row.of((name, *row), "systems") for name, *row in zip(paper, *every, strict=True)]
    for name, value in text[pair]["summary"].items():
        measure = _average if name == "average" else _deviation
        rows.append(Row.of((name, *map(measure, every)), "summary"))
        rows.append(Row.of((f"{name}, as printed", value, *[None] * len(ours)), "summary"))
    for name, agree in MEASURES.items():
        values = [float(agree(x, printed)) for x in every[1:3]]
        rows.append(Row.of((name, None, *values, None, None), "agreement with the paper"))
    heads = [Heading("System", align="left"), *decimals("paper: ACTa", *ours)]
    return Table.of(heads, rows, text["captions"][number], text["notes"][number])


def _average(scores: FloatArray) -> float:
    return float(np.mean(scores))


def _deviation(scores: FloatArray) -> float:
    """Return the standard deviation of a sample."""
    return float(np.std(scores, ddof=1))


def _variants(column: Column) -> dict[str, FloatArray]:
    """Return each system's ACTa, ACTa5+6, and the largest ACTm that judgments can give."""
    sums = np.asarray(column.sums)
    cases, credit = sums[:, : len(Case)], sums[:, len(Case)]
    total, explicit = cases.sum(axis=1), cases[:, : Case.ONLY_REFERENCE].sum(axis=1)
    most = (credit + total - explicit) / total
    return {"ACTa": credit / total, "ACTa5+6": credit / explicit, "ACTm at most": most}


def _question(work: Work, places: Sequence[str]) -> Table:
    """Return the correlation of systems' scores with human scores, per set."""
    rows = []
    for place in places:
        judged = work.judged(place, references=["ref"])
        task = judged.task(work.score(judged.evalset, [*ASKED.values()]))
        own = _variants(task.table[ASKED["classic"]])
        about = [f(scores) for scores in own.values() for f in (_average, _deviation)]
        values = [agreement(task, task.table[name], PEARSON) for name in ASKED.values()]
        name = place.partition("/")[2] if place.count("/") > 1 else place
        rows.append([name, len(task.table.systems), *about, *values])
    heads = [Heading("Set", align="left"), Heading("systems")]
    for title in own:
        heads += decimals("average", "SD", group=title)
    heads += decimals(*ASKED, group="r")
    text = published("hajlaoui2013")
    return Table.of(heads, rows, text["captions"]["question"], text["notes"]["question"])


def make(work: Work, wanted: Sequence[str]) -> list[Table]:
    """Score the paper's systems and sets with human scores; return the wanted tables."""
    tables = {n: pair for n, pair in zip("12", PAIRS, strict=True) if pair in work.pairs}
    asked = [place for place, pair in SETS.items() if pair in work.pairs]
    chosen = [f"wmt13/{pair}" for n, pair in tables.items() if n in wanted]
    work.require([*chosen, *(asked if "question" in wanted else ())])
    made = [_system_table(work, n, pair) for n, pair in tables.items() if n in wanted]
    return made + ([_question(work, asked)] if "question" in wanted else [])
