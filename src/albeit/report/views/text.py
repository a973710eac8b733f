"""A view in the terminal: texts or trees, what matched, where the score was lost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from albeit.metrics.view import Ngrams, View
from albeit.report.formats.text import render
from albeit.report.views.chains import chain_table
from albeit.report.views.parts import (
    by_amount,
    heading,
    matched_runs,
    score_text,
    text_title,
    words_at,
)
from albeit.report.views.trees import tree_lines

__all__ = ["to_text"]

MOST_LOSSES = 20
MOST_NGRAMS = 8


def to_text(view: View, *, colour: bool = False) -> str:
    """All that a view holds, for a person."""
    lines = [f"== {heading(view)}", score_text(view)]
    if view.trees:
        for tree in view.trees:
            lines += ["", f"{text_title(view.texts[tree.text])}:"]
            lines += tree_lines(view, tree, colour=colour)
    elif view.chains is not None:
        lines += ["", render([chain_table(view)], terminal=colour).rstrip()]
    else:
        for text in view.texts:
            lines += ["", f"{text_title(text)}:", f"  {text.text}"]
        lines += _matched(view)
    lines += [line for table in view.ngrams for line in _ngrams(table)]
    lines += _lost(view)
    if view.notes and view.chains is None:  # a table of chains has them
        lines += ["", *view.notes]
    return "\n".join(lines) + "\n"


def _matched(view: View) -> Iterator[str]:
    if view.links:
        yield ""
        yield "matched:"
    for link in matched_runs(view.links):
        ours, theirs = words_at(view, link.one), words_at(view, link.other)
        met = ours if ours == theirs else f"{ours} = {theirs}"
        yield f"  {link.strength:5.2f}  {met}" + (f"  ({link.kind})" if link.kind else "")


def _ngrams(table: Ngrams) -> Iterator[str]:
    yield ""
    yield (
        f"{table.order}-grams of {table.of}: {table.matched} matched of {table.hypothesis}"
        f" here, {table.reference} in the reference"
    )
    for label, rows in (
        ("missing", [(gram, theirs - ours) for gram, ours, theirs in table.rows]),
        ("too many", [(gram, ours - theirs) for gram, ours, theirs in table.rows]),
    ):
        found = [gram if n == 1 else f"{gram} ×{n}" for gram, n in rows if n > 0]
        if found:
            more = f" … {len(found) - MOST_NGRAMS} more" if len(found) > MOST_NGRAMS else ""
            yield f"  {label}: {' | '.join(found[:MOST_NGRAMS])}{more}"


def _lost(view: View) -> Iterator[str]:
    if not view.losses:
        return
    yield ""
    whole = "" if math.isnan(view.score) else f" (adds up to {abs(view.perfect - view.score):.4f})"
    yield f"lost{whole}:"
    losses = by_amount(view.losses)
    for loss in losses[:MOST_LOSSES]:
        severity = f"  ({loss.severity})" if loss.severity else ""
        yield f"  {loss.amount:8.4f}  {loss.label}{severity}"
    rest = losses[MOST_LOSSES:]
    if rest:
        yield f"  {sum(loss.amount for loss in rest):8.4f}  in {len(rest)} more places"
