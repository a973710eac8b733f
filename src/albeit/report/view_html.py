"""Views on one HTML page that needs no other file, no script and no network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from albeit._version import __version__
from albeit.metrics.view import View
from albeit.report.chains import chain_notes, strip
from albeit.report.trees import STYLE, drawing
from albeit.report.view_parts import by_amount, fates, heading, score_text, text_title

__all__ = ["to_html"]

Piece = tuple[str, str, str]
"""A stretch of a text: how it looks, what it says when pointed at, the stretch itself."""


def to_html(views: Sequence[View]) -> str:
    """One page, a section a view."""
    environment = Environment(
        loader=PackageLoader("albeit.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    page = environment.get_template("views.html.j2")
    sections = [_section(view) for view in views]
    return page.render(sections=sections, version=__version__, tree_style=Markup(STYLE)) + "\n"


def _section(view: View) -> dict[str, object]:
    chains = view.chains
    return {
        "heading": heading(view),
        "score": score_text(view),
        "whole": None if math.isnan(view.score) else abs(view.perfect - view.score),
        "texts": [(text_title(text), _pieces(view, n)) for n, text in enumerate(view.texts)],
        "trees": Markup(drawing(view)) if view.trees else "",
        "losses": by_amount(view.losses),
        "ngrams": [
            (table, [row for row in table.rows if row[1] != row[2]]) for table in view.ngrams
        ],
        "chain_names": [text.name or text.side for text in view.texts],
        "chains": [
            (
                kind,
                [
                    (
                        row.word,
                        [
                            (strip(view, row, n, chains.length), at)
                            for n, at in enumerate(row.positions)
                        ],
                    )
                    for row in rows
                ],
            )
            for kind, rows in groupby(chains.rows, key=lambda row: row.kind)
        ]
        if chains is not None
        else [],
        "notes": [*(chain_notes(chains) if chains is not None else ()), *view.notes],
    }


def _pieces(view: View, number: int) -> list[Piece]:
    """A text cut at its tokens; one that overlaps what was shown already is left out."""
    text = view.texts[number]
    pieces: list[Piece] = []
    end = 0
    for (start, stop), fate in zip(text.tokens.offsets, fates(view, number), strict=True):
        if start < end or start == stop:
            continue
        look = ""
        if fate.strength is not None:
            look = "full" if fate.strength >= 0.995 else "half" if fate.strength >= 0.5 else "faint"
        elif fate.lost:
            look = "lost"
        pieces += [
            ("", "", text.text[end:start]),
            (look, "; ".join(fate.reasons), text.text[start:stop]),
        ]
        end = stop
    return [*pieces, ("", "", text.text[end:])]
