"""Contrastive pairs: third-person pronouns of GUM exchanged, as often one way as the other.

A pronoun counts if its entity was mentioned in an earlier sentence and not before it in its own.
All pronouns of that entity in the sentence are exchanged together (*it* for *he*, *she*, or
*they*, and back); verbs stay. The text ends with that sentence and begins at most 30 sentences
before it. Of *it* and each other pronoun as many are drawn as the rarer of the two has, with a
fixed seed.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.corpora import conllu
from training.corpora.documents import document, splits

FORMS = {
    "it": ("it", "it", "its", "its", "itself"),
    "he": ("he", "him", "his", "his", "himself"),
    "she": ("she", "her", "her", "hers", "herself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
}
"""Subject, object, possessive before a noun and alone, reflexive."""
KINDS = {form: kind for kind, forms in FORMS.items() for form in forms}
SEED = 15
BEFORE = 30
"""How many sentences of context a text has at most."""


@dataclass(frozen=True)
class Exchange:
    """A text up to a sentence, and the same with one entity's pronouns there exchanged."""

    document: str
    kind: str
    """The change, for example ``it>he``."""
    good: tuple[str, ...]
    bad: tuple[str, ...]


def exchanges(gum: Path, part: str) -> list[Exchange]:
    """The balanced set of an official part of GUM."""
    found: dict[str, list[Exchange]] = {}
    for name in splits(gum / "splits.md")[part]:
        for one in _of_document(gum, name):
            found.setdefault(one.kind, []).append(one)
    rng = random.Random(SEED)
    chosen: list[Exchange] = []
    for other in ("he", "she", "they"):
        both = [found[f"it>{other}"], found[f"{other}>it"]]
        count = min(map(len, both))
        for own in both:
            chosen += rng.sample(own, count)
    return chosen


def _of_document(gum: Path, name: str) -> Iterator[Exchange]:
    """Every pronoun that counts, exchanged in every way."""
    read = document(gum, name)
    lines = tuple(s.comments["text"] for s in conllu.read(gum / "dep" / f"{name}.conllu"))
    starts = read.offsets()
    words = [word for row in read.rows for word in row.words]
    rels = [rel for row in read.rows for rel in row.rels or []]
    entities: dict[int, list[int]] = {}
    alone = set()
    for mention in read.mentions:
        entities.setdefault(mention.entity, []).append(mention.head)
        if mention.stop - mention.start == 1 and words[mention.head].lower() in KINDS:
            alone.add(mention.head)
    for heads in entities.values():
        where = [bisect_right(starts, head) - 1 for head in heads]
        for k in range(1, len(heads)):
            sentence = where[k]
            if heads[k] not in alone or where[k - 1] == sentence:
                continue
            same = [h for h, s in zip(heads, where, strict=True) if s == sentence and h in alone]
            kinds = {KINDS[words[h].lower()] for h in same}
            if len(kinds) > 1:
                continue
            (kind,) = kinds
            places = _places(lines[sentence], words[starts[sentence] : starts[sentence + 1]])
            for other in FORMS if kind == "it" else ("it",):
                if other == kind:
                    continue
                changes = [
                    (places[h - starts[sentence]], FORMS[other][_case(words[h].lower(), rels[h])])
                    for h in same
                ]
                changed = _changed(lines[sentence], changes)
                before = lines[max(0, sentence - BEFORE) : sentence]
                yield Exchange(
                    name,
                    f"{kind}>{other}",
                    (*before, lines[sentence]),
                    (*before, changed),
                )


def _case(form: str, rel: str) -> int:
    """Which of the five forms a pronoun has."""
    if form == "it":
        return 0 if "subj" in rel or rel == "expl" else 1
    if form in ("her", "his"):
        return (
            2 if rel == "nmod:poss" else FORMS[KINDS[form]].index(form, 1 if form == "her" else 3)
        )
    return FORMS[KINDS[form]].index(form)


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where words stand in their sentence."""
    found = []
    at = 0
    for word in words:
        start = text.find(word, at)
        start = at if start < 0 else start
        at = start + len(word)
        found.append((start, at))
    return found


def _changed(text: str, changes: Sequence[tuple[tuple[int, int], str]]) -> str:
    for (start, stop), form in sorted(changes, reverse=True):
        new = form.capitalize() if text[start].isupper() else form
        text = text[:start] + new + text[stop:]
    return text
