"""All figures of the results table, from gold items and their analyses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from training.evaluate import discourse, syntax
from training.rows import Item, Row

if TYPE_CHECKING:
    from training.predict import Analysed


def _rows(items: Sequence[Item] | Sequence[Analysed]) -> list[Row]:
    return [row for item in items for row in item.rows]


def _starts(rows: Sequence[Row]) -> tuple[list[int], int]:
    starts: list[int] = []
    size = 0
    for row in rows:
        starts.extend(size + start for start in row.edus or [0])
        size += len(row.words)
    return starts, size


def trees(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """RST figures over texts with two or more gold EDUs."""
    marcu, original, end, everything = (discourse.TreeScore() for _ in range(4))
    for theirs, mine in zip(gold, analysed, strict=True):
        starts, size = _starts(theirs.rows)
        own_starts, _ = _starts(mine.rows)
        true = discourse.original(theirs.tree or [], starts, size)
        own = discourse.original(mine.tree, own_starts, size)
        everything.add(own, true)
        if len(starts) < 2:
            continue
        given = mine.gold_edu_tree or []
        end.add(own, true)
        original.add(discourse.original(given, starts, size), true)
        marcu.add(
            discourse.marcu(given, starts, size), discourse.marcu(theirs.tree or [], starts, size)
        )
    found = {f"rst_parseval_{k}": v for k, v in marcu.figures().items() if k != "full"}
    found.update({f"rst_original_{k}": v for k, v in original.figures().items()})
    found["rst_end_to_end_full"] = end.full.f1
    found["rst_end_to_end_full_all"] = everything.full.f1
    return found


def units(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Figures of EDU boundaries alone."""
    true, own = _rows(gold), _rows(analysed)
    return {
        "edu": discourse.segmentation(true, own).f1,
        "edu_inside": discourse.segmentation(true, own, inside=True).f1,
    }


def gum(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Figures on GUM sentences."""
    true, own = _rows(gold), _rows(analysed)
    conn, sense = discourse.connectives(true, own)
    return {
        **units(gold, analysed),
        **trees(gold, analysed),
        "upos": syntax.tagging(true, own),
        **syntax.attachment(true, own),
        "connective": conn.f1,
        "connective_sense": sense,
        "entity": syntax.entities(true, own).f1,
    }


def ewt(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Figures on EWT sentences."""
    true, own = _rows(gold), _rows(analysed)
    predicates, arguments = syntax.roles(true, own)
    return {
        "upos": syntax.tagging(true, own),
        **syntax.attachment(true, own),
        "constituency": syntax.constituency(true, own).f1,
        "predicate": predicates.f1,
        "role": arguments.f1,
    }
