"""A kind of fault: a word that stands there twice."""

from collections.abc import Iterator
from itertools import pairwise

from albeit import Finding
from albeit.flags.checks import Check, Passage
from albeit.flags.text.words import words_in


def find(passage: Passage) -> Iterator[Finding]:
    """Words that repeat the word before them."""
    for number, line, _ in passage.pairs():
        for one, other in pairwise(words_in(line)):
            if one.form == other.form:
                message = f"{other.form!r} stands there twice"
                yield Finding("doubled", number, other.start, other.end, message, 0.9)


CHECK = Check("words that stand there twice", find)
