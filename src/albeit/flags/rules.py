"""Rules that find suspects in a line: exchanged pronouns, exchanged connectives.

They err on the side of finding: what a suspect is worth, its evidence says. What is known to be a
false alarm is left out at once (:mod:`albeit.flags.alarms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from albeit.flags.alarms import harmless_connective, harmless_pronoun
from albeit.flags.connectives import connectives_of
from albeit.flags.exchanges import Apart, Exchange, exchanges
from albeit.flags.pronouns import Word, pronouns_of, recast, verb_after
from albeit.flags.suspect import CONNECTIVES, PRONOUNS, Suspect

__all__ = ["RULES", "Rule", "line_suspects", "senses_apart"]


def senses_apart(said: str, wanted: str) -> bool:
    """Whether two connectives, named by their senses, have none in common.

    >>> senses_apart("Comparison.Contrast", "Comparison.Contrast Temporal.Synchronous")
    False
    """
    return not set(said.split()) & set(wanted.split())


@dataclass(frozen=True)
class Rule:
    """A closed class: how its words are found, told apart, mended, and when nothing is wrong."""

    kind: str
    words_of: Callable[[str], Sequence[Word]]
    apart: Apart
    mend: Callable[[Exchange, str], tuple[str, str]]
    harmless: Callable[[Exchange, str, str], bool]


def _mend_pronoun(one: Exchange, text: str) -> tuple[str, str]:
    word, other = one.said, one.wanted
    form = recast(word, other.name, other.form, text)
    return form, verb_after(text[word.end :], word.name, other.name)


def _mend_connective(one: Exchange, text: str) -> tuple[str, str]:
    form = one.wanted.form.lower()
    if one.said.form[0].isupper():
        form = form[0].upper() + form[1:]
    return form, text[one.said.end :]


RULES: dict[str, Rule] = {
    PRONOUNS: Rule(PRONOUNS, pronouns_of, str.__ne__, _mend_pronoun, harmless_pronoun),
    CONNECTIVES: Rule(
        CONNECTIVES, connectives_of, senses_apart, _mend_connective, harmless_connective
    ),
}


def line_suspects(rule: Rule, system: str, line: int, text: str, reference: str) -> list[Suspect]:
    """The suspects of one line beside one reference.

    :param system: whose line it is
    :param line: its number in the set, from 0

    >>> [one] = line_suspects(RULES[PRONOUNS], "A", 0, "Then he left.", "Then she left.")
    >>> one.suggestion, one.mended
    ('she', 'Then she left.')
    """
    found = []
    for one in exchanges(text, reference, rule.words_of, rule.apart):
        if rule.harmless(one, text, reference):
            continue
        form, rest = rule.mend(one, text)
        found.append(
            Suspect(
                rule.kind,
                system,
                line,
                one.said.start,
                one.said.end,
                one.said.name,
                one.wanted.name,
                form,
                text[: one.said.start] + form + rest,
                one.nearness,
            )
        )
    return found
