"""Make a report: score a test set, explain segments and documents, and collect the page's data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from albeit.diagnose.references import warn_of_references
from albeit.evaluation import Evaluation, Progress
from albeit.metrics import AlbeitError, Column, Level, Metric, ScoreTable, Unit, View
from albeit.parsing.layers import EDUS, RST
from albeit.report.page import render_page
from albeit.report.page.data import leading, page_data
from albeit.report.rankings import ranking_table
from albeit.report.table import plain
from albeit.report.views import page_view, side_by_side
from albeit.stats import DEFAULT_SEED

if TYPE_CHECKING:
    from albeit.metaeval import JudgedSet
    from albeit.metrics.cohesion import Cohesion
    from albeit.report.profile import Extent

EXPLAINED = 200
"""How many segments a report explains by default."""
EXPLAINED_DOCUMENTS = 8
"""How many documents a report explains at most, unless all are requested."""
MOST_CHAINS = 40
"""How many chains of a document the page offers."""

Explanations = dict[str, dict[str, list[dict[str, Any]]]]
"""Segment (from 0) or document (ID) to metric to one view per system."""


@dataclass(frozen=True)
class Report:
    """The scores of a report, and the data of its page."""

    table: ScoreTable
    data: dict[str, Any]

    def page(self, *, connect: str = "'none'", warnings: Sequence[str] = ()) -> str:
        """Write the page as one HTML file; ``connect`` is a server that it may ask for more."""
        return render_page(self.data, connect=connect, warnings=warnings)


def make_report(
    evaluation: Evaluation,
    metrics: Sequence[Metric],
    *,
    command: str = "",
    columns: Iterable[Column] = (),
    judged: JudgedSet | None = None,
    margin: float | None = None,
    profile: Extent = "quick",
    scoring: Progress | None = None,
    **options: Any,
) -> Report:
    """Score a test set and collect its report.

    Metrics that were scored before, or adopted, aren't scored again.

    :param evaluation: the test set
    :param metrics: the metrics
    :param command: the command that makes the report, which is shown in it
    :param columns: scores of other tools
    :param judged: the set with human judgments
    :param margin: ratings that differ by less are tied
    :param profile: the metrics of the discourse profile to score in addition: ``quick``, ``all``,
        or ``none``
    :param scoring: called with the progress of scoring
    :param options: ``title``, ``baseline``, ``explain``, ``explain_at``, ``explaining``, and
        ``seed`` of :func:`report_data`

    >>> import albeit
    >>> from albeit.report.page.build import make_report
    >>> evaluation = albeit.Evaluation(albeit.read("examples/demo"))
    >>> report = make_report(evaluation, [albeit.metric("chrf")], profile="none", explain=0)
    >>> report.page().startswith("<!doctype html>")
    True
    """
    added: list[Metric] = []
    readers: list[Metric] = []
    if profile != "none":
        from albeit.report.profile import document_readers, profile_metrics

        added, readers = profile_metrics(evaluation, profile), document_readers(evaluation)
    wanted = list(dict.fromkeys([*metrics, *added]))
    empty = ScoreTable.build(evaluation.evalset, ())
    scores = evaluation.score(wanted, scoring) if wanted else empty
    warn_of_references(evaluation.evalset, scores)
    table = scores.select(metrics).with_columns(columns)
    measured = scores.select(added) if added else None
    options["agreement"] = list(_agreement(judged, table, margin)) if judged else ()
    data = report_data(evaluation, table, measured, documents_by=readers, **options)
    return Report(table, data | ({"command": command} if command else {}))


def report_data(
    evaluation: Evaluation | None,
    table: ScoreTable,
    profile: ScoreTable | None = None,
    *,
    title: str = "",
    baseline: str | None = None,
    explain: int | None = EXPLAINED,
    documents_by: Sequence[Metric] = (),
    agreement: Sequence[Mapping[str, object]] = (),
    explain_at: str = "",
    explaining: Progress | None = None,
    seed: int = DEFAULT_SEED,
) -> dict[str, Any]:
    """Collect the data of the page for a scored set; without the set, of its scores only.

    :param profile: the columns of :func:`albeit.report.profile.profile_metrics`
    :param title: the heading (default: the name of the set)
    :param baseline: the system to compare with (default: the best by the first metric)
    :param explain: how many segments to explain (``None``: all), and with them the documents that
        differ most
    :param documents_by: metrics that explain these documents, but needn't score the set
    :param explain_at: the address at which a server explains others
    :param explaining: called with the progress of explanations
    """
    extras: dict[str, Any] = {"agreement": agreement, "explain_at": explain_at}
    leaders = leading(table, baseline)
    how: dict[str, Any] = {"title": title, "seed": seed, "leaders": leaders}
    if evaluation is None:
        return page_data(None, table, extras=extras, **how)
    columns = [*table.columns.values(), *(profile.columns.values() if profile else ())]
    for each in (table, profile):
        if each is not None:
            evaluation.adopt(each)
    own = [column.metric for column in table.columns.values() if column.metric]
    metrics = [column.metric for column in columns if column.metric]
    segments = most_different(table, explain)
    documents = _different_documents(table, columns, explain)
    if profile:
        from albeit.report.profile import profile_data

        first = table.systems[leaders[0]]
        extras |= profile_data(evaluation, profile, seed=seed, baseline=first)
    extras |= {
        "explanations": _explain(evaluation, own, Unit.SEGMENT, segments, explaining),
        "documents": _explain(evaluation, [*metrics, *documents_by], Unit.DOCUMENT, documents),
        "chains": _chains(evaluation, metrics),
    }
    units = _discourse_units(evaluation, metrics)
    return page_data(evaluation.evalset, table, units=units, extras=extras, **how)


def explainable(metrics: Iterable[Metric], unit: Unit) -> list[Metric]:
    """Choose the metrics that explain their scores of segments, or of documents."""
    return [m for m in dict.fromkeys(metrics) if m.explains() and m.unit is unit]


def most_different(
    table: ScoreTable, count: int | None, level: Literal["segment", "document"] = "segment"
) -> list[int]:
    """Choose the segments or documents (from 0) on which systems differ most, metric by metric.

    With a single system, choose those with the worst scores. ``None`` is all.
    """
    if count is None:
        return list(range(len(table) if level == "segment" else len(table.documents)))
    orders = []
    for column in table.columns.values():
        values = column.segment if level == "segment" else column.document
        if values is None:
            continue
        scores = values if column.higher_is_better else -values
        spread = -scores[0] if len(scores) == 1 else np.ptp(scores, axis=0)
        spread = np.where(np.isnan(spread), -np.inf, spread)
        orders.append(np.argsort(-spread, kind="stable")[:count].tolist())
    turns = (at for turn in zip_longest(*orders) for at in turn if at is not None)
    return sorted(list(dict.fromkeys(turns))[:count])


def _different_documents(
    table: ScoreTable, columns: Sequence[Column], explain: int | None
) -> list[int]:
    """Choose the documents to explain, by metrics that score documents if there are some."""
    if not table.has_documents:
        return []
    count = None if explain is None else min(explain, EXPLAINED_DOCUMENTS)
    own = [c for c in columns if c.metric and c.metric.unit is Unit.DOCUMENT] or columns
    return most_different(replace(table, columns={c.name: c for c in own}), count, "document")


def _explain(
    evaluation: Evaluation,
    metrics: Iterable[Metric],
    unit: Unit,
    numbers: Sequence[int],
    progress: Progress | None = None,
) -> Explanations:
    """Explain segments or documents (from 0) by every metric that explains such."""
    able, evalset = explainable(metrics, unit), evaluation.evalset
    segments = [n + 1 for n in numbers] if unit is Unit.SEGMENT else []
    documents = [] if unit is Unit.SEGMENT else [evalset.documents[n].id for n in numbers]
    keys: dict[int | str, str] = {n: str(n - 1) for n in segments} | {n: n for n in documents}
    views: Explanations = {key: {} for key in keys.values()}
    if able and keys:
        evaluation.check(able)
        total = len(able) * len(keys) * len(evalset.systems)
        passages = evaluation.passages(able[0], segments, documents)
        for done, (metric, view) in enumerate(evaluation.views(able, passages)):
            if progress:
                progress(done, total)
            by_metric = views[keys[view.place]]
            by_metric.setdefault(str(metric), []).append(page_view(view, brief=True))
    return views


def _discourse_units(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[int] | None:
    """Count the discourse units of the first reference if a metric needs its trees."""
    if not any(need.layer is RST for metric in metrics for need in metric.needs):
        return None
    from albeit.parsing.annotation import annotate

    evalset, layers = evaluation.evalset, frozenset({EDUS})
    lines = next(iter(evalset.references.values()))
    try:
        analyses = annotate(lines, layers, evalset.target_lang, given=evaluation.annotations)
    except AlbeitError:  # supplied trees, in a language without a model
        return None
    return [len(analyses[line][EDUS]) for line in lines]


def _chains(evaluation: Evaluation, metrics: Sequence[Metric]) -> dict[str, list[object]]:
    """List the chains of every document if cohesion was measured."""
    cohesion = next((metric for metric in metrics if metric.name == "cohesion"), None)
    if cohesion is None or not evaluation.evalset.has_documents:
        return {}
    names = [document.id for document in evaluation.evalset.documents]
    views = side_by_side(evaluation, cast("Cohesion", cohesion), names)
    return {name: list(_page_chains(view)) for name, view in zip(names, views, strict=True)}


def _page_chains(view: View) -> Iterator[dict[str, object]]:
    """List each chain's word, its forms, and the numbers of the texts that have it."""
    rows = view.chains.rows if view.chains is not None else ()
    for chain in sorted(rows, key=lambda row: -sum(map(len, row.positions)))[:MOST_CHAINS]:
        forms = {
            text.text[slice(*text.tokens.offsets[token])].lower()
            for text, tokens in zip(view.texts, chain.tokens, strict=True)
            for token in tokens
        }
        texts = [number for number, positions in enumerate(chain.positions) if positions]
        yield {"word": chain.word, "forms": sorted(forms), "texts": texts}


def _agreement(
    judged: JudgedSet, table: ScoreTable, margin: float | None
) -> Iterator[dict[str, object]]:
    """Rank the metrics of a table by their correlation with human judgments."""
    from albeit.metaeval import rank_metrics, usual_measure

    task = judged.task(table, margin)
    captions: dict[Level, str] = {
        "segment": "Correlation with human judgments: segments",
        "system": "Correlation with human judgments: systems",
    }
    for level, caption in captions.items():
        measure = usual_measure(level, [judged.judgments])
        confidence = measure.level == "segment" and judged.evalset.has_documents
        ranking = rank_metrics([task], measure, confidence=confidence, samples=200)
        ranked = ranking_table(ranking)
        bars = [
            {"name": row.metric, "value": row.mean, "interval": row.interval}
            for row in ranking.metrics
        ]
        rows = [[text + cell.marks for cell, text in ranked.texts(row)] for row in ranked.rows]
        yield {
            "chart": {"measure": str(ranking.measure), "rows": plain(bars)},
            "caption": caption,
            "columns": [column.heading for column in ranked.columns],
            "rows": rows,
            "notes": list(ranked.notes),
        }
