"""List the metrics: what each scores, which way is better, what it needs and takes.

albeit metrics              all of them
albeit metrics ter          one, with all its parameters
albeit metrics --lang zh    those that can score translations into Chinese, as installed here
albeit metrics --directions    which metrics work in which directions, as installed here
"""

from __future__ import annotations

import inspect
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from albeit.cli import options
from albeit.cli.parser import Parser

if TYPE_CHECKING:
    from albeit.errors import AlbeitError
    from albeit.metrics.base import Metric
    from albeit.report.table import Table

_LANGUAGES = [
    "ar",
    "de",
    "es",
    "fr",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "pt",
    "ru",
    "th",
    "tr",
    "zh",
    "cs",
    "hi",
]
DIRECTIONS = (("de", "en"), *(("en", lang) for lang in _LANGUAGES))
"""Source and target: into English, out of it into what albeit knows, and two that it hardly does."""
YES, EXTRA, NO = "yes", "extra", ""


def configure(parser: Parser) -> None:
    """Add the options of ``albeit metrics``."""
    parser.add_argument("names", nargs="*", metavar="METRIC", help="only these, in full")
    parser.add_argument("--lang", metavar="CODE", help="only those that can score this language")
    parser.flag(
        "--directions",
        help="which metrics work in which directions, as installed here",
    )
    options.add_format(parser.group("output"))


def run(args: Namespace) -> None:
    """Print the list, or each metric asked for."""
    from albeit.report import render

    if args.directions:
        tables = [directions(args.names)]
    else:
        tables = [_in_full(name) for name in args.names] or [_overview(args.lang)]
    sys.stdout.write(render(tables, args.format))


def _overview(lang: str | None) -> Table:
    from albeit.errors import AlbeitError
    from albeit.evaluation import recommended_into, unusable_into
    from albeit.metrics.registry import load, names
    from albeit.report.table import Heading, Table

    rows = []
    explained = []
    first = " ".join(recommended_into(lang)) if lang else ""
    others = {n: str(why) for n, why in unusable_into(lang).items()} if lang else {}
    for name in names():
        if name in others:
            continue
        try:
            cls = load(name)
        except AlbeitError as error:
            rows.append([name, "", "", "", str(error)])
            continue
        better = "higher" if cls.higher_is_better else "lower"
        rows.append([name, str(cls.unit), better, _needs(cls), cls.summary])
        if cls.explains():
            explained.append(name)
    headings = [Heading(t, t.lower(), align="left") for t in ("Metric", "Unit", "Better", "Needs")]
    return Table.of(
        [*headings, Heading("What it measures", "summary", align="left")],
        rows,
        notes=[
            "'albeit metrics NAME' shows a metric's parameters. Layers (tokens, rst, dependencies …)"
            " are made by albeit's model, for English, or given with --annotations.",
            f"'albeit explain -m NAME' says why a text scored as it did: {', '.join(explained)}.",
        ]
        + [f"Recommended for {lang!r}, and scored with where -m names none: {first}."] * bool(first)
        + [f"Not for {lang!r}: {', '.join(others)}."] * bool(others)
        + [why for name, why in others.items() if "pip install" in why],
    )


def directions(names: Sequence[str] = ()) -> Table:
    """Which metrics work in which directions: a row per metric, a column per direction.

    Nothing is listed by hand: every metric is asked, with its default parameters, whether it could
    score a small set of each direction, as the engine asks before any work.
    """
    from albeit.evaluation import recommended_into, unusable_into
    from albeit.metrics.registry import names as known
    from albeit.report.table import Heading, Table

    problems = {pair: unusable_into(pair[1], pair[0]) for pair in DIRECTIONS}
    rows = [
        [name, *(_word(found.get(name)) for found in problems.values())]
        for name in names or known()
    ]
    counts = [sum(row[k + 1] == YES for row in rows) for k in range(len(DIRECTIONS))]
    headings = [Heading("-".join(pair), "-".join(pair), align="left") for pair in DIRECTIONS]
    return Table.of(
        [Heading("Metric", "metric", align="left"), *headings],
        [*rows, ["(how many)", *map(str, counts)]],
        notes=[
            f"{YES}: works as installed here, with default parameters. {EXTRA}: works once an extra"
            " is installed ('albeit metrics --lang CODE' names the command). Metrics that must be"
            " given parameters are asked for nothing and stand as working.",
            "Layers can also be supplied with --annotations, lexicons with act(lexicon=FILE).",
            f"Metrics that are used without -m: {' and '.join(recommended_into('en', 'de'))} into"
            f" English, {' and '.join(recommended_into('de'))} into German. judge-many scores"
            " translations into any language; it needs albeit[multilingual] and must be named.",
        ],
    )


def _word(problem: AlbeitError | None) -> str:
    if problem is None:
        return YES
    return EXTRA if "pip install" in str(problem) else NO


def _in_full(name: str) -> Table:
    from albeit.metrics.registry import load
    from albeit.report.table import Heading, Table

    cls = load(name)
    hints = get_type_hints(cls)
    rows = [
        [f.name.rstrip("_"), _default(f.default), _choices(hints[f.name])]
        for f in fields(cls)
        if f.init
    ]
    about = inspect.cleandoc(cls.__doc__ or cls.summary).splitlines()
    needs = _needs(cls)
    better = "higher" if cls.higher_is_better else "lower"
    return Table.of(
        [Heading(t, t.lower(), align="left") for t in ("Parameter", "Default", "Takes")],
        rows,
        caption=f"{cls.name}: {cls.summary}",
        notes=[*about, f"Scores {cls.unit}s; {better} is better."]
        + ([f"Needs {needs}."] if needs else [])
        + (["'albeit explain' says why a text scored as it did."] if cls.explains() else [])
        + ([f"Made of {', '.join(_parts(cls))}."] if _parts(cls) else []),
    )


def _parts(cls: type[Metric]) -> list[str]:
    """The metrics that a combination is made of."""
    from albeit.metrics.registry import is_open

    return [] if is_open(cls) else [str(part) for part in getattr(cls(), "parts", ())]


def _needs(cls: type[Metric]) -> str:
    """Layers, source and languages; a metric made of others needs what those need."""
    from albeit.metrics.registry import is_open
    from albeit.parsing.layers import TEXT
    from albeit.parsing.needs import Side

    if is_open(cls):
        return "(depends on its parameters)"
    made = cls()
    parts = sorted({str(need.layer) for need in made.needs if need.layer is not TEXT})
    parts += ["source"] if made.reads(Side.SOURCE) else []
    parts += [] if made.sees(Side.REFERENCE) else ["no references"]
    sides = [side for side in (Side.REFERENCE, Side.SOURCE) if made.sees(side)]
    parts += [f"{side} optional" for side in sides if not made.reads(side)]
    if made.languages is not None:
        parts.append(f"language {'/'.join(sorted(made.languages))}")
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
    """A parameter's type in words: its choices, where they are listed."""
    inner = get_args(hint)
    if inner[-1:] == (...,):
        return f"{_choices(inner[0])}, several joined by +"
    if inner and all(isinstance(choice, str) for choice in inner):
        return ", ".join(inner)
    words = {"bool": "yes or no", "int": "whole number", "float": "number", "str": "word"}
    kinds = inner or (hint,)
    found = [
        _choices(k)
        if get_args(k)
        else words.get(getattr(k, "__name__", str(k)), getattr(k, "__name__", str(k)))
        for k in kinds
    ]
    return " or ".join(kind for kind in found if kind != "NoneType")
