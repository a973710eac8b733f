"""List the metrics: their units, directions, needs, and parameters."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any, get_args, get_type_hints

from albeit.cli.tool_options import MetricsOptions
from albeit.errors import AlbeitError
from albeit.evaluation import recommended_into, unusable_into
from albeit.metrics.base import Metric
from albeit.metrics.registry import is_open, load
from albeit.metrics.registry import names as list_names
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Side
from albeit.report import Heading, Table, render

TARGETS = "ar de es fr it ja ko nl pl pt ru th tr zh cs hi"
"""Target languages of ``--directions``: those that albeit has resources for, and two others."""
DIRECTIONS = (("de", "en"), *(("en", lang) for lang in TARGETS.split()))
YES, EXTRA, NO = "yes", "extra", ""


def metrics(args: MetricsOptions) -> None:
    """Run ``albeit metrics``."""
    if args.directions:
        tables = [tabulate_directions(args.names)]
    else:
        tables = [_show(name) for name in args.names] or [_list(args.lang)]
    sys.stdout.write(render(tables, args.format))


def _list(lang: str | None) -> Table:
    """List all metrics, or those that can score a language."""
    rows = []
    explained = []
    others = {n: str(why) for n, why in unusable_into(lang).items()} if lang else {}
    for name in list_names():
        if name in others:
            continue
        try:
            cls = load(name)
        except AlbeitError as error:
            rows.append([name, "", "", "", str(error)])
            continue
        rows.append([name, str(cls.unit), _better(cls), _list_needs(cls), cls.summary])
        if cls.explains():
            explained.append(name)
    notes = [
        "'albeit metrics NAME' shows a metric's parameters. Layers (tokens, rst, dependencies …)"
        " are annotated by albeit's model, for English, or given with --annotations.",
        f"'albeit explain -m NAME' shows why a text has its score: {', '.join(explained)}.",
    ]
    if lang:
        first = " ".join(recommended_into(lang))
        notes.append(f"Recommended for {lang!r}, and used without -m: {first}.")
    if others:
        notes.append(f"Not for {lang!r}: {', '.join(others)}.")
    notes += [why for why in others.values() if "pip install" in why]
    headings = _headings("Metric", "Unit", "Better", "Needs")
    headings.append(Heading("What it measures", "summary", align="left"))
    return Table.of(headings, rows, notes=notes)


def _headings(*titles: str) -> list[Heading]:
    return [Heading(title, title.lower(), align="left") for title in titles]


def _better(cls: type[Metric]) -> str:
    return "higher" if cls.higher_is_better else "lower"


def tabulate_directions(names: Sequence[str] = ()) -> Table:
    """Build a table of metrics and directions: a row per metric, a column per direction.

    Every metric, with its default parameters, is checked against a small set of each direction, as
    before scoring.
    """
    problems = {pair: unusable_into(pair[1], pair[0]) for pair in DIRECTIONS}
    rows = [
        [name, *(_describe(errors.get(name)) for errors in problems.values())]
        for name in names or list_names()
    ]
    counts = [sum(row[k + 1] == YES for row in rows) for k in range(len(DIRECTIONS))]
    english, german = map(" and ".join, (recommended_into("en", "de"), recommended_into("de")))
    notes = [
        f"{YES}: works as installed here, with default parameters. {EXTRA}: works once an extra is"
        " installed ('albeit metrics --lang CODE' names the command). Metrics with required"
        " parameters are not checked and are listed as working.",
        "Layers can also be supplied with --annotations, lexicons with act(lexicon=FILE).",
        f"Metrics that are used without -m: {english} into English, {german} into German."
        " judge-many scores translations into any language; it needs albeit[multilingual] and must"
        " be named.",
    ]
    headings = _headings("Metric", *map("-".join, DIRECTIONS))
    return Table.of(headings, [*rows, ["(how many)", *map(str, counts)]], notes=notes)


def _describe(problem: AlbeitError | None) -> str:
    if problem is None:
        return YES
    return EXTRA if "pip install" in str(problem) else NO


def _show(name: str) -> Table:
    """Show one metric with all its parameters."""
    cls = load(name)
    hints = get_type_hints(cls)
    rows = [
        [f.name.rstrip("_"), _default(f.default), _choices(hints[f.name])]
        for f in fields(cls)
        if f.init
    ]
    notes = inspect.cleandoc(cls.__doc__ or cls.summary).splitlines()
    notes.append(f"Scores {cls.unit}s; {_better(cls)} is better.")
    if needs := _list_needs(cls):
        notes.append(f"Needs {needs}.")
    if cls.explains():
        notes.append("'albeit explain' shows why a text has its score.")
    if parts := _list_parts(cls):
        notes.append(f"Made of {', '.join(parts)}.")
    caption = f"{cls.name}: {cls.summary}"
    return Table.of(_headings("Parameter", "Default", "Takes"), rows, caption=caption, notes=notes)


def _list_parts(cls: type[Metric]) -> list[str]:
    """List the metrics that a combination is made of."""
    return [] if is_open(cls) else [str(part) for part in getattr(cls(), "parts", ())]


def _list_needs(cls: type[Metric]) -> str:
    """List layers, source and languages, also those that the parts of a metric need."""
    if is_open(cls):
        return "(depends on its parameters)"
    metric = cls()
    parts = sorted({str(need.layer) for need in metric.needs if need.layer is not TEXT})
    parts += ["source"] if metric.reads(Side.SOURCE) else []
    parts += [] if metric.sees(Side.REFERENCE) else ["no references"]
    sides = [side for side in (Side.REFERENCE, Side.SOURCE) if metric.sees(side)]
    parts += [f"{side} optional" for side in sides if not metric.reads(side)]
    if metric.languages is not None:
        parts.append(f"language {'/'.join(sorted(metric.languages))}")
    return ", ".join(parts)


def _default(value: Any) -> str:
    if value is MISSING:
        return "(must be given)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return "" if value is None else str(value)


def _choices(hint: Any) -> str:
    """Describe a parameter's type: its choices if they are listed."""
    inner = get_args(hint)
    if inner[-1:] == (...,):
        return f"{_choices(inner[0])}, several joined by +"
    if inner and all(isinstance(choice, str) for choice in inner):
        return ", ".join(inner)
    if inner:
        return " or ".join(_choices(kind) for kind in inner if kind is not type(None))
    words = {"bool": "yes or no", "int": "whole number", "float": "number", "str": "word"}
    name = getattr(hint, "__name__", str(hint))
    return words.get(name, name)
