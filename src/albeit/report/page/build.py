"""Gather a report: what the page shows of a scored set, from views, chains, units, judgments."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from albeit.annotate.given import Given
from albeit.annotate.layers import EDUS, RST
from albeit.corpus.evalset import UNNAMED, EvalSet
from albeit.corpus.levels import Unit
from albeit.engine import Progress
from albeit.errors import AlbeitError
from albeit.judged import JudgedSet
from albeit.metaeval import rank_metrics, usual_measure
from albeit.metrics.base import Metric
from albeit.metrics.cohesion.cohesion import Cohesion
from albeit.metrics.table import ScoreTable
from albeit.metrics.view import Chain, View
from albeit.report.agreement import ranking_table
from albeit.report.page.data import Agreement, Extras, page_data
from albeit.report.page.explained import (
    explainable,
    explained,
    explained_documents,
    most_different,
)
from albeit.report.page.folded import Folder
from albeit.report.page.profile import profile_data
from albeit.report.views.chains import side_by_side
from albeit.stats.significance import DEFAULT_SEED

__all__ = ["EXPLAINED", "agreement", "report_data"]

EXPLAINED = 200
"""How many segments a report explains unless told otherwise."""
EXPLAINED_DOCUMENTS = 8
"""How many documents, with their trees and chains, unless all are asked for."""
MOST_CHAINS = 40
"""How many chains of a document can be chosen in the page."""


def report_data(
    evalset: EvalSet | None,
    table: ScoreTable,
    profile: ScoreTable | None = None,
    *,
    title: str = "",
    annotations: Given | None = None,
    explain: int | None = EXPLAINED,
    documents_by: Sequence[Metric] = (),
    agreement: Sequence[Agreement] = (),
    explain_at: str = "",
    progress: Progress | None = None,
    seed: int = DEFAULT_SEED,
) -> dict[str, Any]:
    """The data of the page for a scored set; without the set, of its scores alone.

    ``profile`` holds the columns of :func:`albeit.report.page.profile.profile_metrics`;
    ``explain`` says how many segments are explained (``None``: all), and with them the documents
    that differ most, by all metrics that score documents and by ``documents_by``, which need not
    have scored the set. ``progress`` is told of explanations, which take the time.
    """
    if evalset is None:
        return _dated(None, table, title or _title(table), Extras(agreement=agreement), seed)
    metrics = [c.metric for t in (table, profile) if t for c in t.columns.values() if c.metric]
    own = [column.metric for column in table.columns.values() if column.metric]
    folder = Folder()
    segments = explained(
        evalset,
        explainable(own, Unit.SEGMENT),
        most_different(table, explain),
        folder,
        annotations=annotations,
        progress=progress,
    )
    documents = explained_documents(
        evalset,
        explainable([*metrics, *documents_by], Unit.DOCUMENT),
        _most_different_documents(evalset, table, profile, explain),
        folder,
        scored=[name for name, c in table.columns.items() if c.document is not None],
        annotations=annotations,
    )
    extras = Extras(
        _units(evalset, metrics, annotations),
        segments,
        documents,
        folder.labels,
        _chains(evalset, metrics),
        profile_data(evalset, profile, annotations=annotations, seed=seed) if profile else {},
        agreement,
        explain_at,
    )
    return _dated(evalset, table, title or _title(table), extras, seed)


def _dated(
    evalset: EvalSet | None, table: ScoreTable, title: str, extras: Extras, seed: int
) -> dict[str, Any]:
    date = datetime.date.today().isoformat()
    return page_data(evalset, table, title=title, date=date, extras=extras, seed=seed)


def _most_different_documents(
    evalset: EvalSet, table: ScoreTable, profile: ScoreTable | None, explain: int | None
) -> list[int]:
    """Those that are explained: by metrics that score documents, or else by all there are."""
    if not evalset.has_documents:
        return []
    count = None if explain is None else min(explain, EXPLAINED_DOCUMENTS)
    columns = {**table.columns, **(profile.columns if profile else {})}
    own = {n: c for n, c in columns.items() if c.metric and c.metric.unit is Unit.DOCUMENT}
    return most_different(replace(table, columns=own or columns), count, "document")


def _title(table: ScoreTable) -> str:
    """The set's name, where it has one; else who is compared."""
    systems = list(table.systems)
    who = ", ".join(systems[:4]) + (f" and {len(systems) - 4} more" if len(systems) > 4 else "")
    return who if table.name == UNNAMED else table.name


def _units(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None
) -> list[int] | None:
    """Discourse units of the first reference, where some metric had trees made of it."""
    if not any(need.layer is RST for metric in metrics for need in metric.needs):
        return None
    from albeit.annotate import annotate

    lines = next(iter(evalset.references.values()))
    try:
        found = annotate(lines, frozenset({EDUS}), evalset.target_lang, given=annotations)
    except AlbeitError:  # trees that a user brought, in a language without a model
        return None
    return [len(found[line][EDUS]) for line in lines]


def _chains(evalset: EvalSet, metrics: Sequence[Metric]) -> dict[str, list[object]]:
    """The chains of every document, where cohesion was measured."""
    cohesion = next((metric for metric in metrics if isinstance(metric, Cohesion)), None)
    if cohesion is None or not evalset.has_documents:
        return {}
    names = [document.id for document in evalset.documents]
    views = side_by_side(evalset, cohesion, names)
    return {name: list(_page_chains(view)) for name, view in zip(names, views, strict=True)}


def _page_chains(view: View) -> Iterator[dict[str, object]]:
    """Each chain's word, the forms it has anywhere, and the numbers of the texts that hold it."""
    rows = view.chains.rows if view.chains is not None else ()

    def weight(chain: Chain) -> int:
        return sum(map(len, chain.positions))

    for chain in sorted(rows, key=weight, reverse=True)[:MOST_CHAINS]:
        forms = {
            text.text[slice(*text.tokens.offsets[token])].lower()
            for text, tokens in zip(view.texts, chain.tokens, strict=True)
            for token in tokens
        }
        texts = [number for number, places in enumerate(chain.positions) if places]
        yield {"word": chain.word, "forms": sorted(forms), "texts": texts}


def agreement(
    judged: JudgedSet, table: ScoreTable, *, margin: float | None = None
) -> list[Agreement]:
    """How well the metrics of a table agree with people, on segments and on systems."""
    task = judged.task(table, margin)
    measures = {
        "Which metric agrees with people on segments?": usual_measure(
            "segment", [judged.judgments]
        ),
        "And on systems?": usual_measure("system", [judged.judgments]),
    }
    found = []
    for caption, measure in measures.items():
        sure = measure.level == "segment" and judged.evalset.has_documents
        ranking = rank_metrics([task], measure, confidence=sure, samples=200)
        found.append(Agreement(caption, ranking, replace(ranking_table(ranking), caption=caption)))
    return found
