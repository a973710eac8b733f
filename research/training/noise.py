"""Noise that makes training (and a test set) look like machine output.

Every change is a choice of words to keep, drop or repeat, plus new spellings; `resample` carries
all annotation along. Words that others depend on are never dropped, and no EDU ever vanishes.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from training.rows import Frame, Item, Row, Span

CLITICS = {"n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "’s", "n’t", "’re", "’ve", "’ll"}
PUNCTUATION = frozenset(".,;:!?\"'`()[]{}-–—…“”‘’«»/")


def resample(row: Row, keep: Sequence[int], forms: Sequence[str]) -> Row | None:
    """Return the row with words `keep` (old indices, ascending, repeats allowed), spelled `forms`.

    None if an EDU would lose all its words.
    """
    place = [bisect_left(keep, word) for word in range(len(row.words) + 1)]

    def move(spans: list[Span] | None) -> list[Span] | None:
        if spans is None:
            return None
        moved = [(place[a], place[b], label) for a, b, label in spans]
        return [span for span in moved if span[0] < span[1]]

    def take(values: list[str] | None) -> list[str] | None:
        return None if values is None else [values[k] for k in keep]

    edus = None if row.edus is None else [place[start] for start in row.edus]
    if edus and (len(set(edus)) < len(edus) or edus[-1] >= len(keep)):
        return None
    brackets = move(row.brackets)
    if brackets is not None:
        # of spans that now cover the same words, the outer one stays
        first: dict[tuple[int, int], str] = {}
        for start, stop, label in brackets:
            first.setdefault((start, stop), label)
        brackets = [(*span, label) for span, label in first.items()]
    frames = None
    if row.frames is not None:
        words = set(keep)
        frames = [Frame(place[f.word], move(f.roles) or []) for f in row.frames if f.word in words]
    return replace(
        row,
        words=list(forms),
        edus=edus,
        upos=take(row.upos),
        xpos=take(row.xpos),
        heads=_move_heads(row, keep, place),
        rels=take(row.rels),
        brackets=brackets,
        frames=frames,
        connectives=move(row.connectives),
        entities=move(row.entities),
    )


def _move_heads(row: Row, keep: Sequence[int], place: Sequence[int]) -> list[int] | None:
    if row.heads is None:
        return None
    heads = [0 if row.heads[k] == 0 else place[row.heads[k] - 1] + 1 for k in keep]
    for new in range(1, len(keep)):
        if keep[new] == keep[new - 1] and row.heads[keep[new]] == 0:
            heads[new] = new
    return heads


class _Noise:
    """One copy of a sentence with noise."""

    def __init__(self, row: Row, rng: random.Random, foreign: Sequence[str]):
        self.row, self.rng, self.foreign = row, rng, foreign
        heads = row.heads or []
        self.connective = {w for a, b, _ in row.connectives or [] for w in range(a, b)}
        fixed = self.connective | {frame.word for frame in row.frames or []}
        fixed |= {head - 1 for head in heads} | {k for k, head in enumerate(heads) if head == 0}
        self.fixed = fixed
        """Words that are never dropped."""
        kinds = ("drop", "final", "double", "join", "swap", "lose")
        shares = (0.35, 0.35, 0.15, 0.25, 0.4, 0.2)
        self.on = {k: rng.random() < share for k, share in zip(kinds, shares, strict=True)}
        self.keep: list[int] = []
        self.forms: list[str] = []

    def chance(self, kind: str, share: float = 1.0) -> bool:
        """Draw whether this kind of noise happens here."""
        return self.on[kind] and (share == 1.0 or self.rng.random() < share)

    def add(self, index: int, word: str) -> None:
        """Keep a word."""
        self.keep.append(index)
        self.forms.append(word)

    def joins(self, index: int) -> bool:
        """Return whether the word before this one was kept."""
        return bool(self.keep) and self.keep[-1] == index - 1

    def punctuation(self, index: int, word: str) -> None:
        """Drop, join, or repeat a punctuation mark."""
        free, last = index not in self.fixed, len(self.row.words) - 1
        gone = self.chance("drop", 0.5) or (self.on["final"] and index == last)
        if gone and free and last:
            return
        if free and self.joins(index) and self.chance("join", 0.4):
            self.forms[-1] += word
            return
        self.add(index, word)
        if free and self.chance("double", 0.3):
            self.add(index, word)

    def word(self, index: int, word: str) -> None:
        """Join, drop, or replace a word."""
        free = index not in self.fixed
        if word.lower() in CLITICS and free and self.on["join"] and self.joins(index):
            self.forms[-1] += word
        elif not (free and len(self.row.words) > 4 and self.chance("lose", 0.06)):
            long = index not in self.connective and word.isalpha() and len(word) > 3
            swapped = long and self.chance("swap", 0.05)
            self.add(index, self.rng.choice(self.foreign) if swapped else word)


def _change_case(forms: list[str], rng: random.Random) -> list[str]:
    case = rng.random()
    if case < 0.25:
        return [form.lower() for form in forms]
    if case < 0.29:
        return [form.upper() for form in forms]
    if case < 0.33:
        return [form.title() for form in forms]
    if case < 0.38:
        return [form.title() if rng.random() < 0.2 else form for form in forms]
    return forms


def noisy_row(row: Row, rng: random.Random, foreign: Sequence[str]) -> Row:
    """Return one copy of a sentence with noise."""
    noise = _Noise(row, rng, foreign)
    for index, word in enumerate(row.words):
        mark = all(character in PUNCTUATION for character in word)
        (noise.punctuation if mark else noise.word)(index, word)
    if not noise.keep:
        return row
    return resample(row, noise.keep, _change_case(noise.forms, rng)) or row


def noisy_item(item: Item, rng: random.Random, foreign: Sequence[str]) -> Item:
    """A noised copy of an item; its tree stays as it is, since no EDU vanishes."""
    rows = [noisy_row(row, rng, foreign) for row in item.rows]
    return Item(rows, item.tree, item.kind)
