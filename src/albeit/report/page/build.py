"""Make a report: score a set, and gather what the page shows of it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from albeit.data.evalset import UNNAMED, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitError
from albeit.evaluation import Evaluation, Progress
from albeit.metaeval import JudgedSet, rank_metrics, usual_measure
from albeit.metrics.base import Metric
from albeit.metrics.cohesion.cohesion import Cohesion
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import Chain, View
from albeit.parsing.layers import EDUS, RST
from albeit.report.agreement import ranking_table
from albeit.report.page import render_page
from albeit.report.page.data import Agreement, Extras, page_data
from albeit.report.page.explained import explained, most_different
from albeit.report.page.folded import Folder
from albeit.report.page.profile import Extent, profile_data, profile_metrics, whole_readers
from albeit.report.views.chains import side_by_side
from albeit.stats.significance import DEFAULT_SEED

__all__ = ["EXPLAINED", "Report", "agreement", "make_report", "report_data"]

EXPLAINED = 200
"""How many segments a report explains by default."""
EXPLAINED_DOCUMENTS = 8
"""How many documents, with their chains, unless all are asked for."""
MOST_CHAINS = 40
"""How many chains of a document can be chosen in the page."""


@dataclass(frozen=True)
class Report:
    """A report: the scores, and the data of its page."""

    table: ScoreTable
    data: dict[str, Any]

    def page(self, *, connect: str = "'none'") -> str:
        """The page as one HTML file; ``connect`` is where it may ask for more (a server)."""
        return render_page(self.data, connect=connect)


def make_report(
    evaluation: Evaluation,
    metrics: Sequence[Metric],
    *,
    title: str = "",
    command: str = "",
    columns: Iterable[Column] = (),
    judged: JudgedSet | None = None,
    margin: float | None = None,
    profile: Extent = "quick",
    explain: int | None = EXPLAINED,
    explain_at: str = "",
    scoring: Progress | None = None,
    explaining: Progress | None = None,
    seed: int = 12345,
) -> Report:
    """Score a set and gather its report; the command and the server both call this.

    Metrics that were scored before, or adopted, are not scored again.

    :param evaluation: the set
    :param metrics: the metrics
    :param title: what stands above (default: the name of the set)
    :param command: what makes the report again, and stands in it
    :param columns: scores of other tools
    :param judged: what people said of the set
    :param margin: the difference below which their ratings are tied
    :param profile: how much of the discourse profile is scored beside the metrics: ``quick``,
        ``all``, ``none``
    :param explain: how many segments are explained (``None``: all)
    :param explain_at: where a server explains others
    :param scoring: called with the progress of scoring
    :param explaining: called with the progress of explanations
    :param seed: where random choices start

    >>> import albeit
    >>> from albeit.report.page.build import make_report
    >>> evaluation = albeit.Evaluation(albeit.read("examples/demo"))
    >>> report = make_report(evaluation, [albeit.metric("chrf")], profile="none", explain=0)
    >>> report.page().startswith("<!doctype html>")
    True
    """
    beside = profile_metrics(evaluation, profile)
    wanted = list(dict.fromkeys([*metrics, *beside]))
    both = ScoreTable.build(evaluation.evalset, ())
    if wanted:
        both = evaluation.score(wanted, scoring)
    table = both.select(metrics).with_columns(columns)
    data = report_data(
        evaluation,
        table,
        both.select(beside) if beside else None,
        title=title,
        explain=explain,
        documents_by=() if profile == "none" else whole_readers(evaluation),
        agreement=agreement(judged, table, margin=margin) if judged else (),
        explain_at=explain_at,
        progress=explaining,
        seed=seed,
    )
    return Report(table, data | {"command": command} if command else data)


def report_data(
    evaluation: Evaluation | None,
    table: ScoreTable,
    profile: ScoreTable | None = None,
    *,
    title: str = "",
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
    have scored the set. ``progress`` is called for explanations, which take the time.
    """
    if evaluation is None:
        return _dated(None, table, title or _title(table), Extras(agreement=agreement), seed)
    evalset = evaluation.evalset
    tables = [table] if profile is None else [table, profile]
    for each in tables:
        evaluation.adopt(each)
    metrics = [c.metric for t in tables for c in t.columns.values() if c.metric]
    own = [column.metric for column in table.columns.values() if column.metric]
    folder = Folder()
    segments = explained(
        evaluation,
        own,
        Unit.SEGMENT,
        most_different(table, explain),
        folder,
        scored=table.columns,
        progress=progress,
    )
    documents = explained(
        evaluation,
        [*metrics, *documents_by],
        Unit.DOCUMENT,
        _most_different_documents(evalset, table, profile, explain),
        folder,
        scored=[name for name, c in table.columns.items() if c.document is not None],
    )
    extras = Extras(
        _units(evaluation, metrics),
        segments,
        documents,
        folder.labels,
        _chains(evaluation, metrics),
        profile_data(evaluation, profile, seed=seed) if profile else {},
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


def _units(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[int] | None:
    """Discourse units of the first reference, where some metric had trees made of it."""
    if not any(need.layer is RST for metric in metrics for need in metric.needs):
        return None
    lines = next(iter(evaluation.evalset.references.values()))
    try:
        found = evaluation.analyses(lines, frozenset({EDUS}))
    except AlbeitError:  # trees that a user supplied, in a language without a model
        return None
    return [len(found[line][EDUS]) for line in lines]


def _chains(evaluation: Evaluation, metrics: Sequence[Metric]) -> dict[str, list[object]]:
    """The chains of every document, where cohesion was measured."""
    cohesion = next((metric for metric in metrics if isinstance(metric, Cohesion)), None)
    if cohesion is None or not evaluation.evalset.has_documents:
        return {}
    names = [document.id for document in evaluation.evalset.documents]
    views = side_by_side(evaluation, cohesion, names)
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
        found.append(Agreement(ranking, replace(ranking_table(ranking), caption=caption)))
    return found
