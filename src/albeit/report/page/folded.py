"""Views made small for the page: what the report holds already, or can work out, is not said again.

``assets/unfold.js`` undoes it. A text is its side and number, its tokens a rule
(:mod:`albeit.report.page.cuts`). N-grams and the longest runs in common follow from the tokens,
where the metric counted those and nothing else; a score is that of the report's table. Labels are
kept once, without their numbers and without words that stand in the texts. Of losses the largest
few are kept, and what the rest amounts to. What is not drawn is not kept: links of words where
trees are shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from albeit.metrics.lexical.grams import common_runs, ngram_tables
from albeit.metrics.view import Chains, Compared, Link, Loss, Ngrams, Node, Place, View
from albeit.parsing.needs import Side
from albeit.report.page.cuts import packed_tokens
from albeit.report.views.parts import by_amount, decimals, partial, words_at

__all__ = ["Folder"]

MOST_LOSSES = 6
MOST_NGRAMS = 2
MOST_CHAINS = 30
_SIDES = {Side.SOURCE: "s", Side.REFERENCE: "r", Side.HYPOTHESIS: "h"}
_NUMBER = re.compile(r"(?<!\d)(0|[1-9]\d{0,8})(?!\d)")

Piece = str | int | None
"""Of a label: text, the number of a place whose words stand here, or a number (none)."""


class Folder:
    """Folds the views of one report, which share their labels."""

    def __init__(self) -> None:
        self._labels: dict[tuple[Piece, ...], int] = {}

    @property
    def labels(self) -> list[tuple[Piece, ...]]:
        """All that were needed, by number."""
        return list(self._labels)

    def folded(self, view: View, *, scored: bool = False) -> dict[str, Any]:
        """A view as the page keeps it; what it does not have is not there.

        ``scored`` says that the report's table has the score.
        """
        found: dict[str, Any] = {
            "perfect": view.perfect,
            "texts": [_text(text) for text in view.texts],
        }
        if not scored:
            score = None if math.isnan(view.score) else round(view.score, decimals(view) + 1)
            found["score"] = score
        if view.standard_error is not None:
            found["sure"] = round(view.standard_error, decimals(view))
        if partial(view):
            found["partial"] = 1
        if _counts_its_tokens(view):
            found["grams"] = [view.ngrams[0].of, len(view.ngrams)]
        else:
            if view.links and not view.trees:
                found["links"] = list(_links(view.links))
            if view.ngrams:
                found["ngrams"] = [_ngrams(table) for table in view.ngrams]
        if view.losses:
            found |= self._losses(view)
        if view.trees:
            found["trees"] = [[t.text, *self._tree(t.root)] for t in view.trees]
        if view.chains is not None:
            found["chains"] = _chains(view.chains)
        if view.notes:
            found["notes"] = list(view.notes)
        return found

    def _number(self, label: tuple[Piece, ...]) -> int:
        return self._labels.setdefault(label, len(self._labels))

    def _losses(self, view: View) -> dict[str, Any]:
        """The largest; of the rest, how many they are and what they come to."""
        scale = 10 ** decimals(view)
        lost = [loss for loss in by_amount(view.losses) if round(scale * loss.amount)]
        found: dict[str, Any] = {
            "losses": [self._loss(view, loss, scale) for loss in lost[:MOST_LOSSES]]
        }
        if rest := lost[MOST_LOSSES:]:
            amount = math.fsum(loss.amount for loss in rest)
            found["rest"] = [len(rest), round(scale * amount)]
        return found

    def _loss(self, view: View, loss: Loss, scale: int) -> list[Any]:
        """Label, amount, the label's numbers, the severity, and the places that it or the drawing
        needs."""
        pieces: list[Piece] = [loss.label]
        for number, place in enumerate(loss.places):
            pieces = list(_without(pieces, words_at(view, place), number))
        numbers = [int(n) for p in pieces if isinstance(p, str) for n in _NUMBER.findall(p)]
        label = tuple(
            part
            for p in pieces
            for part in (_parted(p) if isinstance(p, str) else (p,))
            if part != ""
        )
        needed = any(isinstance(p, int) for p in label) or not (view.links or view.trees)
        places = map(_place, loss.places) if needed else ()
        severity = [loss.severity] if loss.severity else []
        return [self._number(label), round(scale * loss.amount), *numbers, *severity, *places]

    def _tree(self, root: Node | None) -> Iterator[list[int] | int]:
        """Parents first, however deep. A leaf is twice its length, one more where it is shared, and
        before it, in a list, a gap. A node with children is the number of its relation and their
        roles, doubled in the same way, and then counted down from zero."""
        end = 0
        waiting = [root] if root else []
        while waiting:
            node = waiting.pop()
            if node.children:
                number = self._number((node.relation, *(child.role for child in node.children)))
                yield -1 - (2 * number + node.shared)
                waiting += reversed(node.children)
                continue
            if node.start > end:
                yield [node.start - end]
            yield 2 * (node.stop - node.start) + node.shared
            end = node.stop


def _without(pieces: Sequence[Piece], words: str, number: int) -> Iterator[Piece]:
    """The pieces, with the number of a place where its words first stand by themselves."""
    sought = words
    for piece in pieces:
        at = _standing(piece, sought) if sought and isinstance(piece, str) else -1
        if at < 0 or not isinstance(piece, str):
            yield piece
            continue
        yield from (piece[:at], number, piece[at + len(words) :])
        sought = ""


def _standing(text: str, words: str) -> int:
    """Where words stand with nothing but spaces around them; below zero if they do not."""
    padded = f" {text} "
    return padded.find(f" {words} ")


def _parted(text: str) -> Iterator[Piece]:
    """Text with nothing where numbers stand."""
    for n, part in enumerate(_NUMBER.split(text)):
        yield None if n % 2 else part


def _counts_its_tokens(view: View) -> bool:
    """Whether n-grams and links are those of the tokens as they stand in the texts."""
    if not view.ngrams:
        return False
    for text in view.texts:
        if any(
            text.text[start:stop] != form
            for form, (start, stop) in zip(text.tokens.forms, text.tokens.offsets, strict=True)
        ):
            return False
    ours, *theirs = (text.tokens.forms for text in view.texts)
    of, longest = view.ngrams[0].of, len(view.ngrams)
    return view.ngrams == ngram_tables(of, ours, theirs, longest) and view.links == common_runs(
        ours, theirs, longest
    )


def _text(text: Compared) -> list[Any]:
    """Side, number, tokens."""
    return [_SIDES[text.side], text.number, _cut(text.text, text.tokens.offsets)]


@lru_cache(maxsize=256)
def _cut(text: str, offsets: tuple[tuple[int, int], ...]) -> int | list[int]:
    """How a text is cut; the same reference stands beside every system."""
    return packed_tokens(text, offsets)


def _place(place: Place) -> list[Any]:
    """Text, first token and the one after the last; the tokens themselves where some lie apart."""
    tokens = place.tokens
    if not _is_run(tokens):
        return [place.text, list(tokens)]
    return [place.text, tokens[0], *([tokens[-1] + 1] if len(tokens) > 1 else ())]


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
            yield [
                link.one.text,
                link.other.text,
                link.kind,
                list(link.one.tokens),
                list(link.other.tokens),
                round(100 * link.strength),
            ]
    for (one, other, kind), run in groups.items():
        ours, theirs = ([getattr(link, side).tokens for link in run] for side in ("one", "other"))
        strengths = [round(100 * link.strength) for link in run]
        yield [
            one,
            other,
            kind,
            _gaps(ours),
            _same(_gaps(theirs)),
            _same([len(t) for t in ours]),
            _same([len(t) for t in theirs]),
            _same(strengths),
        ]


def _is_run(tokens: tuple[int, ...]) -> bool:
    return bool(tokens) and tokens == tuple(range(tokens[0], tokens[-1] + 1))


def _gaps(runs: Sequence[tuple[int, ...]]) -> list[int]:
    ends = (0, *(run[-1] + 1 for run in runs))
    return [run[0] - end for run, end in zip(runs, ends, strict=False)]


def _same(numbers: list[int]) -> int | list[int]:
    return numbers[0] if len(set(numbers)) == 1 else numbers


def _chains(chains: Chains) -> list[Any]:
    """Segments, positions, then each chain's word, kind, positions and tokens in every text."""
    rows = sorted(chains.rows, key=lambda row: -sum(map(len, row.positions)))[:MOST_CHAINS]
    return [
        chains.segments,
        chains.length,
        [[row.word, row.kind, row.positions, row.tokens] for row in rows],
    ]


def _ngrams(table: Ngrams) -> list[Any]:
    """Counts, then some words that are missing and some that are too many; of letters, none."""
    if table.of == "characters":
        return [table.of, table.order, table.matched, table.hypothesis, table.reference]
    missing = [gram for gram, ours, theirs in table.rows if ours < theirs]
    extra = [gram for gram, ours, theirs in table.rows if ours > theirs]
    return [
        table.of,
        table.order,
        table.matched,
        table.hypothesis,
        table.reference,
        missing[:MOST_NGRAMS],
        extra[:MOST_NGRAMS],
    ]
