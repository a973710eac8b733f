"""Views made small for the page: what the report holds already is named, not said again.

``assets/unfold.js`` undoes it. A text is its side and number; its tokens are gaps and lengths,
one after the other; a run of tokens is its ends. Losses beyond the largest few are one entry,
so that they still add up; of n-grams of words, some are kept that did not match; runs of one or
two letters that match by chance go.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from albeit.annotate.needs import Side
from albeit.metrics.view import Chains, Compared, Link, Ngrams, Node, Place, View
from albeit.report.view_parts import partial

__all__ = ["folded"]

MOST_LOSSES = 5
SHORTEST_RUN = 3
MOST_NGRAMS = 2
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
        found["links"] = list(_links(_telling(view)))
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
    if _is_run(tokens):
        return [place.text, tokens[0], tokens[-1] + 1]
    return [place.text, list(tokens), 0]


def _telling(view: View) -> list[Link]:
    """The links; of letters, runs that are longer than chance."""
    letters = any(table.of == "characters" for table in view.ngrams)
    least = SHORTEST_RUN if letters and not any(t.of == "words" for t in view.ngrams) else 1
    return [link for link in view.links if len(link.one.tokens) >= least] or list(view.links)


def _links(links: Sequence[Link]) -> Iterator[list[Any]]:
    """Links of one kind between the same two texts, column by column, which packs far better.

    Texts, kind; where each place begins, counted from the end of the one before; lengths, and
    strengths in hundredths: one number where all are the same. A link between words that lie
    apart stands alone, with its tokens.
    """
    groups: dict[tuple[int, int, str], list[Link]] = {}
    for link in links:
        if _is_run(link.one.tokens) and _is_run(link.other.tokens):
            groups.setdefault((link.one.text, link.other.text, link.kind), []).append(link)
        else:
            yield [link.one.text, link.other.text, link.kind, list(link.one.tokens),
                   list(link.other.tokens), round(100 * link.strength)]  # fmt: skip
    for (one, other, kind), run in groups.items():
        ours, theirs = ([getattr(link, side).tokens for link in run] for side in ("one", "other"))
        strengths = [round(100 * link.strength) for link in run]
        yield [one, other, kind, _gaps(ours), _gaps(theirs), _same([len(t) for t in ours]),
               _same([len(t) for t in theirs]), _same(strengths)]  # fmt: skip


def _is_run(tokens: tuple[int, ...]) -> bool:
    return bool(tokens) and tokens == tuple(range(tokens[0], tokens[-1] + 1))


def _gaps(runs: Sequence[tuple[int, ...]]) -> list[int]:
    return [run[0] - end for run, end in zip(runs, (0, *(r[-1] + 1 for r in runs)), strict=False)]


def _same(numbers: list[int]) -> int | list[int]:
    return numbers[0] if len(set(numbers)) == 1 else numbers


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
