"""Mend it: does the line get better, in the judge's eyes, by what the mend puts there?

The control is the opposite: the flagged words, put into another system's line that has what is
suggested, make a line worse that is right, if they are a fault. All lines, before and after, are
read in one batch, each distinct pair once. Beside the score the judge says how likely an expert is
to mark each word, and where it distinguishes severities, as a major error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.diagnose.pronouns import Word
from albeit.diagnose.rules import RULES, Apart, Exchange
from albeit.diagnose.straying import term_words
from albeit.diagnose.suspect import Suspect, places
from albeit.metrics.judge.chunking import Reading
from albeit.metrics.judge.metric import Judge
from albeit.metrics.judge.network import Network

__all__ = ["Marks", "Mending", "controls", "marks_in", "mendings", "network", "put_into"]

_WORD = re.compile(r"\S+")
_LINES = 1
"""How many other lines a suspect is tried in."""
_NEAR = 5.0
"""How many words from its place the word of the other line may stand, at most."""


@dataclass(frozen=True, slots=True)
class Mending:
    """What the judge says of one mend.

    :param gain: by how much the line's raw score rises
    :param harm: by how much other systems' lines fall with the flagged words put there; ``None``
        where no other line has what is suggested
    :param mark: how likely an expert marks the flagged words, its logarithm
    :param major: the same as a major error; ``None`` where the judge knows no severities
    """

    gain: float
    harm: float | None
    mark: float
    major: float | None


def network() -> Network:
    """The judge that ships."""
    return Judge().load()


def mendings(
    suspects: Sequence[Suspect], evalset: EvalSet, judge: Network | None = None
) -> list[Mending]:
    """A mending for each suspect, beside the reference it was found by."""
    references = list(evalset.references.values())
    pairs: dict[tuple[str, str], int] = {}
    asked = []
    for one in suspects:
        reference = references[one.reference][one.line]
        own = (evalset.systems[one.system][one.line], one.mended)
        asked.append(
            [
                tuple(pairs.setdefault((text, reference), len(pairs)) for text in both)
                for both in (own, *controls(one, evalset))
            ]
        )
    if not pairs:
        return []
    reading = (judge or network()).read(list(pairs), marks=True)
    texts = [text for text, _ in pairs]
    return [
        _mending(one, reading, texts, places) for one, places in zip(suspects, asked, strict=True)
    ]


def _mending(
    one: Suspect, reading: Reading, texts: Sequence[str], places: Sequence[tuple[int, ...]]
) -> Mending:
    gain, *changes = (float(reading.scores[b] - reading.scores[a]) for a, b in places)
    before = places[0][0]
    shares = 1 / (1 + np.exp(-reading.marks[before].astype(np.float64)))
    told = marks_in(texts[before], shares, one.start, one.end)
    harm = -sum(changes) / len(changes) if changes else None
    return Mending(gain, harm, **told)


class Marks(TypedDict):
    """Logarithms of how likely words are marked, and as a major error."""

    mark: float
    major: float | None


def marks_in(text: str, shares: FloatArray, start: int, end: int) -> Marks:
    """The marks of the words that hold these characters.

    :param shares: how likely each word of the text is marked, (words, severities)
    """
    rows = [
        n
        for n, match in enumerate(_WORD.finditer(text))
        if match.start() < end and match.end() > start
    ]
    own = np.log(np.column_stack([shares[rows].sum(axis=1), shares[rows]]).max(axis=0) + 1e-6)
    return {"mark": float(own[0]), "major": float(own[1]) if len(own) > 2 else None}


def controls(suspect: Suspect, evalset: EvalSet) -> list[tuple[str, str]]:
    """Lines of other systems, as they are and with the flagged words put there."""
    own = evalset.systems[suspect.system][suspect.line]
    others = dict.fromkeys(lines[suspect.line] for lines in evalset.systems.values())
    found: list[tuple[str, str]] = []
    for line in others:
        exchanged = put_into(line, suspect, own) if line != own else None
        if exchanged is not None:
            found.append((line, exchanged))
        if len(found) == _LINES:
            break
    return found


def put_into(line: str, suspect: Suspect, own: str) -> str | None:
    """Another line with the flagged words in the place of what is suggested; none if it lacks that.

    :param own: the line that the suspect stands in

    >>> from albeit.diagnose.rules import line_suspects
    >>> own, reference = "Then he left.", "Then she left."
    >>> [one] = line_suspects(RULES["pronouns in context"], "A", 0, own, reference)
    >>> put_into("After that she went.", one, own)
    'After that he went.'
    """
    words_of, apart, mend = _class_of(suspect.kind)
    same = [word for word in words_of(line) if not apart(word.name, suspect.wanted)]
    if not same:
        return None
    both = places(own, line)
    expected = both.expected(both.word_at(suspect.start))
    far = {word: abs(both.other_word_at(word.start) - expected) for word in same}
    word = min(same, key=lambda each: far[each])
    if far[word] > _NEAR:
        return None
    flagged = Word(suspect.said, own[suspect.start : suspect.end], suspect.start, suspect.end)
    form, rest = mend(Exchange(word, flagged, 1.0), line)
    return line[: word.start] + form + rest


Mend = Callable[[Exchange, str], tuple[str, str]]


def _class_of(kind: str) -> tuple[Callable[[str], Sequence[Word]], Apart, Mend]:
    """How the words of a kind are found, told apart and exchanged."""
    rule = RULES.get(kind)
    if rule is None:
        return term_words, str.__ne__, _mend_term
    return rule.words_of, rule.apart, rule.mend


def _mend_term(one: Exchange, text: str) -> tuple[str, str]:
    form = one.wanted.form
    if one.said.form[0].isupper():
        form = form[0].upper() + form[1:]
    return form, text[one.said.end :]
