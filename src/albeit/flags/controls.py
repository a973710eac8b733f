"""Control mends: the flagged words put into another system's line that has what is suggested.

Such a line is right at that place, as far as the reference says. If the flagged words are a fault,
they make it worse; if they are only another wording, they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from albeit.corpus.evalset import EvalSet
from albeit.flags.exchanges import Apart, Exchange
from albeit.flags.pronouns import Word
from albeit.flags.rules import RULES
from albeit.flags.straying import term_words
from albeit.flags.suspect import Suspect, places

__all__ = ["controls", "put_into"]

_LINES = 1
"""How many other lines a suspect is tried in."""
_NEAR = 5.0
"""How many words from its place the word of the other line may stand, at most."""


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

    >>> from albeit.flags.rules import line_suspects
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
