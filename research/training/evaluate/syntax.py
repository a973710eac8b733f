"""Scores of parts of speech, dependencies, constituents, roles and entities."""

from __future__ import annotations

from collections.abc import Sequence

from training.evaluate.counts import Counts
from training.rows import Row, Span

DELETED_TAGS = frozenset({",", ":", "``", "''", "."})
"""Tokens that evalb's COLLINS.prm leaves out, by their gold part of speech."""


def tagging(gold: Sequence[Row], predicted: Sequence[Row]) -> float:
    """UPOS accuracy in percent."""
    pairs = [
        (a, b)
        for mine, theirs in zip(predicted, gold, strict=True)
        for a, b in zip(mine.upos or [], theirs.upos or [], strict=True)
    ]
    return 100 * sum(a == b for a, b in pairs) / max(len(pairs), 1)


def attachment(gold: Sequence[Row], predicted: Sequence[Row]) -> dict[str, float]:
    """UAS and LAS in percent, punctuation counted; LAS compares universal relations, as the CoNLL
    2018 script does, `las_full` the subtypes too."""
    total = heads = universal = full = 0
    for mine, theirs in zip(predicted, gold, strict=True):
        columns = (mine.heads or [], mine.rels or [], theirs.heads or [], theirs.rels or [])
        for head, rel, true_head, true_rel in zip(*columns, strict=True):
            total += 1
            if head == true_head:
                heads += 1
                universal += rel.split(":")[0] == true_rel.split(":")[0]
                full += rel == true_rel
    scale = 100 / max(total, 1)
    return {"uas": heads * scale, "las": universal * scale, "las_full": full * scale}


def evalb_brackets(brackets: Sequence[Span], tags: Sequence[str]) -> list[Span]:
    """Brackets as evalb counts them: punctuation deleted, unary chains apart, ADVP equal to PRT."""
    place = [0]
    for tag in tags:
        place.append(place[-1] + (tag not in DELETED_TAGS))
    found: list[Span] = []
    for start, stop, chain in brackets:
        if place[start] == place[stop]:
            continue
        for label in chain.split("+"):
            name = "ADVP" if label == "PRT" else label
            found.append((place[start], place[stop], name))
    return found


def constituency(gold: Sequence[Row], predicted: Sequence[Row]) -> Counts:
    """Labelled bracket F1 by evalb's conventions."""
    counts = Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        if theirs.brackets is not None and theirs.xpos is not None:
            counts.add(
                evalb_brackets(mine.brackets or [], theirs.xpos),
                evalb_brackets(theirs.brackets, theirs.xpos),
            )
    return counts


def roles(gold: Sequence[Row], predicted: Sequence[Row]) -> tuple[Counts, Counts]:
    """Predicates, and argument spans with their role and predicate (exact match)."""
    predicates, arguments = Counts(), Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        if theirs.frames is None:
            continue
        own = mine.frames or []
        predicates.add([f.word for f in own], [f.word for f in theirs.frames])
        arguments.add(
            [(f.word, span) for f in own for span in f.roles],
            [(f.word, span) for f in theirs.frames for span in f.roles],
        )
    return predicates, arguments


def entities(gold: Sequence[Row], predicted: Sequence[Row]) -> Counts:
    """Named entities: exact span and kind."""
    counts = Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        if theirs.entities is not None:
            counts.add(mine.entities or [], theirs.entities)
    return counts
