"""Views made small for the page: what the report holds already is named, not said again.

``assets/unfold.js`` undoes it. A text is its side and number; its tokens are gaps and lengths,
one after the other; a run of tokens is its ends. Losses beyond the largest few are one
entry, so that they still add up; of n-grams of words, some are kept that did not match.
"""

from __future__ import annotations

import math
from typing import Any

from albeit.annotate.needs import Side
from albeit.metrics.view import Chains, Compared, Ngrams, Node, Place, View
from albeit.report.view_parts import partial

__all__ = ["folded"]

MOST_LOSSES = 6
MOST_NGRAMS = 3
MOST_CHAINS = 30
_SIDES = {Side.SOURCE: "s", Side.REFERENCE: "r", Side.HYPOTHESIS: "h"}


def folded(view: View) -> dict[str, Any]:
    """A view as the page keeps it; what it does not have is not there."""
    digits = 2 if view.perfect > 1 else 4
    found: dict[str, Any] = {
        "score": None if math.isnan(view.score) else round(view.score, digits + 1),
        "perfect": view.perfect,
        "texts": [_text(text) for text in view.texts],
    }
    if partial(view):
        found["partial"] = 1
    if view.links:
        found["links"] = [
            [*_place(link.one), *_place(link.other), round(link.strength, 2), link.kind]
            for link in view.links
        ]
    if view.losses:
        found["losses"] = _losses(view, digits)
    if view.trees:
        found["trees"] = [[t.text, None if t.root is None else _node(t.root)] for t in view.trees]
    if view.chains is not None:
        found["chains"] = _chains(view.chains)
    if view.ngrams:
        found["ngrams"] = [_ngrams(table) for table in view.ngrams]
    if view.notes:
        found["notes"] = list(view.notes)
    return found


def _text(text: Compared) -> list[Any]:
    """Side, number, then the gap before each token and its length."""
    numbers, end = [], 0
    for start, stop in text.tokens.offsets:
        numbers += [start - end, stop - start]
        end = stop
    return [_SIDES[text.side], text.number, numbers]


def _place(place: Place) -> list[Any]:
    """Text, first token, the one after the last; the tokens themselves where some lie apart."""
    tokens = place.tokens
    if tokens and tokens == tuple(range(tokens[0], tokens[-1] + 1)):
        return [place.text, tokens[0], tokens[-1] + 1]
    return [place.text, list(tokens), 0]


def _losses(view: View, digits: int) -> list[list[Any]]:
    """Label and amount; places too where nothing else says which words they are of."""
    by_amount = sorted(view.losses, key=lambda loss: -abs(loss.amount))
    placed = not view.links and not view.trees
    told = [loss for loss in by_amount if round(loss.amount, digits)]
    few, rest = told[:MOST_LOSSES], told[MOST_LOSSES:]
    found: list[list[Any]] = [
        [loss.label, round(loss.amount, digits), *(map(_place, loss.places) if placed else ())]
        for loss in few
    ]
    if rest:
        amount = round(math.fsum(loss.amount for loss in rest), digits)
        found.append([f"{len(rest)} smaller ones", amount])
    return found


def _chains(chains: Chains) -> list[Any]:
    """Segments, positions, then each chain's word, kind, positions and tokens in every text."""
    rows = sorted(chains.rows, key=lambda row: -sum(map(len, row.positions)))[:MOST_CHAINS]
    return [chains.segments, chains.length,
            [[row.word, row.kind, row.positions, row.tokens] for row in rows]]  # fmt: skip


def _node(node: Node) -> list[Any]:
    return [node.role, node.relation, node.start, node.stop, int(node.shared),
            *map(_node, node.children)]  # fmt: skip


def _ngrams(table: Ngrams) -> list[Any]:
    """Counts, then some words that are missing and some that are too many; of letters, none."""
    if table.of == "characters":
        return [table.of, table.order, table.matched, table.hypothesis, table.reference]
    missing = [gram for gram, ours, theirs in table.rows if ours < theirs]
    extra = [gram for gram, ours, theirs in table.rows if ours > theirs]
    return [table.of, table.order, table.matched, table.hypothesis, table.reference,
            missing[:MOST_NGRAMS], extra[:MOST_NGRAMS]]  # fmt: skip
