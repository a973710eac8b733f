"""Noise that makes training (and a test set) look like machine output.

Every change is a choice of words to keep, drop or repeat, plus new spellings; `resample` carries
all annotation along. Words that others depend on are never dropped, and no EDU ever vanishes.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence

from training.rows import Frame, Item, Row, Span

CLITICS = frozenset(
    {"n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "’s", "n’t", "’re", "’ve", "’ll"}
)
PUNCTUATION = frozenset(".,;:!?\"'`()[]{}-–—…“”‘’«»/")


def resample(row: Row, keep: Sequence[int], forms: Sequence[str]) -> Row | None:
    """The row with words `keep` (old indices, ascending, repeats allowed), spelt `forms`.

    None where an EDU would lose all its words.
    """
    size = len(row.words)
    place = [bisect_left(keep, word) for word in range(size + 1)]

    def moved(spans: list[Span] | None) -> list[Span] | None:
        if spans is None:
            return None
        kept = [(place[a], place[b], label) for a, b, label in spans]
        return [span for span in kept if span[0] < span[1]]

    edus = None
    if row.edus is not None:
        edus = [place[start] for start in row.edus]
        if len(set(edus)) < len(edus) or edus[-1] >= len(keep):
            return None
    heads = None
    if row.heads is not None:
        heads = [0 if row.heads[k] == 0 else place[row.heads[k] - 1] + 1 for k in keep]
        for new in range(1, len(keep)):
            if keep[new] == keep[new - 1] and row.heads[keep[new]] == 0:
                heads[new] = new
    brackets = moved(row.brackets)
    if brackets is not None:
        # spans that came to cover the same words: the outer one stands
        first: dict[tuple[int, int], str] = {}
        for start, stop, label in brackets:
            first.setdefault((start, stop), label)
        brackets = [(start, stop, label) for (start, stop), label in first.items()]
    frames = None
    if row.frames is not None:
        kept_words = set(keep)
        frames = [
            Frame(place[frame.word], moved(frame.roles) or [])
            for frame in row.frames
            if frame.word in kept_words
        ]

    def taken(values: list[str] | None) -> list[str] | None:
        return None if values is None else [values[k] for k in keep]

    return Row(
        row.id,
        row.source,
        row.genre,
        list(forms),
        edus,
        taken(row.upos),
        taken(row.xpos),
        heads,
        taken(row.rels),
        brackets,
        frames,
        moved(row.connectives),
        moved(row.entities),
    )


def _is_punctuation(word: str) -> bool:
    return all(character in PUNCTUATION for character in word)


def noisy_row(row: Row, rng: random.Random, foreign: Sequence[str], strength: float = 1.0) -> Row:
    """One noised copy of a sentence; `strength` scales every probability."""
    heads = row.heads or []
    has_dependents = set(heads)
    connective = {w for a, b, _ in row.connectives or [] for w in range(a, b)}
    predicates = {frame.word for frame in row.frames or []}

    def droppable(word: int) -> bool:
        return (
            word + 1 not in has_dependents
            and word not in predicates
            and word not in connective
            and (not heads or heads[word] != 0)
        )

    drop_punctuation = rng.random() < 0.35 * strength
    drop_final = rng.random() < 0.35 * strength
    double = rng.random() < 0.15 * strength
    join = rng.random() < 0.25 * strength
    swap = rng.random() < 0.4 * strength
    lose = rng.random() < 0.2 * strength
    keep: list[int] = []
    forms: list[str] = []
    last = len(row.words) - 1
    for index, word in enumerate(row.words):
        free = droppable(index)
        if _is_punctuation(word):
            gone = (drop_punctuation and rng.random() < 0.5) or (drop_final and index == last)
            if gone and free and len(row.words) > 1:
                continue
            if join and free and keep and keep[-1] == index - 1 and rng.random() < 0.4:
                forms[-1] += word
                continue
            keep.append(index)
            forms.append(word)
            if double and free and rng.random() < 0.3:
                keep.append(index)
                forms.append(word)
            continue
        if word.lower() in CLITICS and join and free and keep and keep[-1] == index - 1:
            forms[-1] += word
            continue
        if lose and free and len(row.words) > 4 and rng.random() < 0.06:
            continue
        if (
            swap
            and rng.random() < 0.05
            and index not in connective
            and word.isalpha()
            and len(word) > 3
        ):
            word = rng.choice(foreign)
        keep.append(index)
        forms.append(word)
    if not keep:
        return row
    case = rng.random()
    if case < 0.25 * strength:
        forms = [form.lower() for form in forms]
    elif case < 0.29 * strength:
        forms = [form.upper() for form in forms]
    elif case < 0.33 * strength:
        forms = [form.title() for form in forms]
    elif case < 0.38 * strength:
        forms = [form.title() if rng.random() < 0.2 else form for form in forms]
    return resample(row, keep, forms) or row


def noisy_item(
    item: Item, rng: random.Random, foreign: Sequence[str], strength: float = 1.0
) -> Item:
    """A noised copy of an item; its tree stays as it is, since no EDU vanishes."""
    rows = [noisy_row(row, rng, foreign, strength) for row in item.rows]
    return Item(rows, item.tree, item.kind, item.weight)
