"""Lexical chains side by side: as a table in any format, and drawn on one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from albeit._version import __version__
from albeit.metrics.cohesion.view import ChainRow, ChainView, Text
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["chain_table", "to_html"]

_GAP = "·"
_HEADINGS = {
    "matching": "matching: in a reference and in a system",
    "missed": "missed: in references only",
    "false": "false: in systems only",
}
_REFERENCE_HEADINGS = {
    "matching": "matching: in all references",
    "missed": "in some references",
}


def chain_table(view: ChainView) -> Table:
    """A chain a row, a text a column; matching chains on top, false ones below.

    A cell shows the chain's positions in that text, each beneath the same position of the
    other texts, with a dot where another text has the word and this one does not. Chains
    that agree fully with a reference are bold, false ones italic.
    """
    columns = [Heading("Chain", key="chain", align="left")]
    columns += [
        Heading(name, group="references" if kind == "reference" else "systems", align="left")
        for kind, name in view.texts
    ]
    headings = _HEADINGS if view.systems else _REFERENCE_HEADINGS
    rows = [
        Row((Cell(row.word), *(_cell(view, row, t) for t in view.texts)), headings[row.kind])
        for row in view.rows
    ]
    scores = {name: score for (_, name), score in view.scores.items()}
    notes = [f"{view.metric}: {name} {score:.4f}" for name, score in scores.items()]
    meta = {"document": view.document, "metric": view.metric, "scores": scores}
    return Table(tuple(columns), tuple(rows), _caption(view), (*_notes(view), *notes), meta)


def _caption(view: ChainView) -> str:
    return f"Chains of document {view.document}"


def _notes(view: ChainView) -> list[str]:
    if not view.rows:
        return ["No text has a content word in two sentences."]
    if view.sentences == view.segments:
        return [f"Positions are segments, 1 to {view.segments}."]
    return [
        f"Positions are sentences, 1 to {view.sentences}, in {view.segments} segments;"
        " sentences of a segment were matched in order with those of the first text."
    ]


def _cell(view: ChainView, row: ChainRow, text: Text) -> Cell:
    mine = row.places.get(text)
    if mine is None:
        return Cell("–")
    known = sorted({place for places in row.places.values() for place in places})
    shown = " ".join(str(p) if p in mine else _GAP * len(str(p)) for p in known)
    if text not in view.systems or not view.references:
        return Cell(shown)
    score = row.score(text, view.references)
    return Cell(shown, bold=score == 1.0, italic=row.kind == "false", details={"score": score})


def to_html(views: Sequence[ChainView]) -> str:
    """One self-contained page: every chain of every text as a strip of sentences."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("albeit.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages = [
        {
            "caption": _caption(view),
            "notes": _notes(view),
            "texts": [name for _, name in view.texts],
            "scores": [(name, view.metric, score) for (_, name), score in view.scores.items()],
            "groups": [
                (kind, [_drawn(view, row) for row in rows])
                for kind, rows in groupby(view.rows, key=lambda row: row.kind)
            ],
        }
        for view in views
    ]
    page = environment.get_template("chains.html.j2")
    return page.render(pages=pages, version=__version__)


def _drawn(view: ChainView, row: ChainRow) -> dict[str, object]:
    return {"word": row.word, "strips": [_strip(view, row, text) for text in view.texts]}


def _strip(view: ChainView, row: ChainRow, text: Text) -> list[tuple[str, str]]:
    """A class and a title for each position of one text."""
    wanted = {p for t in view.references for p in row.places.get(t, ())}
    mine = row.places.get(text, ())
    marks = []
    for place in range(1, view.sentences + 1):
        if place in mine:
            mark = "held" if place in wanted or not view.references else "astray"
        else:
            mark = "lost" if place in wanted and text in view.systems else "none"
        marks.append((mark, f"{row.word}, {place}"))
    return marks
