"""Personal pronouns of English by class and case, and what those of other languages may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from albeit.languages import normalise
from albeit.parsing.pronouns import CASES, LANGUAGES, pronoun_kinds

__all__ = ["CLASSES", "Word", "number_of", "pronouns_of", "recast", "said_by_source", "verb_after"]

CLASSES = tuple(CASES)
_CLASS = {form.lower(): name for name, forms in CASES.items() for form in forms}
_NUMBER = {"they": 2, "we": 2, "you": 2, "i": 1}
_VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a closed class in a line: its class, as it stands, and where."""

    name: str
    form: str
    start: int
    end: int


def pronouns_of(line: str) -> list[Word]:
    """The personal pronouns of an English line, in order.

    >>> [word.name for word in pronouns_of("She saw them in the US.")]
    ['she', 'they']
    """
    found = []
    for match in _WORD.finditer(line):
        form = match.group()
        name = _CLASS.get(form.lower())
        if name is not None and (form.islower() or form == "I" or form.istitle()):
            found.append(Word(name, form, *match.span()))
    return found


def recast(word: Word, name: str, like: str, line: str) -> str:
    """The pronoun of another class in the place of a word: same case, same capitals.

    :param like: the other pronoun as the reference has it, which decides where a form is two
        cases (*her* book, saw *her*)

    >>> recast(pronouns_of("He saw her.")[1], "he", "him", "He saw her.")
    'him'
    """
    cases = _cases(word.form)
    both = [case for case in cases if case in _cases(like)]
    if len(cases) > 1 and not both:
        noun = re.match(r"\s+[^\W\d_]", line[word.end :]) is not None
        both = [case for case in cases if (case == 2) == noun]
    form = CASES[name][(both or list(cases))[0]]
    opening = word.form[0].isupper() and (word.form != "I" or word.start == 0)
    return form[0].upper() + form[1:] if opening else form


def _cases(form: str) -> tuple[int, ...]:
    folded = form.lower()
    own = CASES[_CLASS[folded]]
    return tuple(case for case, each in enumerate(own) if each.lower() == folded)


def number_of(name: str) -> int:
    """How a verb agrees with a pronoun: 1 (*I*), 2 (*we, you, they*) or 3 (*he, she, it*)."""
    return _NUMBER.get(name, 3)


def verb_after(rest: str, said: str, wanted: str) -> str:
    """What follows a pronoun, with the verb that agrees with the other one.

    >>> verb_after(" are late", "they", "she")
    ' is late'
    """
    if number_of(said) == number_of(wanted):
        return rest
    for one, many in _VERBS:
        have, want = (one, many) if number_of(wanted) == 2 else (many, one)
        if match := re.match(rf"\s+{have}\b", rest):
            return f" {want}{rest[match.end() :]}"
    return rest


_KINDS: dict[str, str] = {
    "er": "he it",
    "es": "it",
    "sie-sg": "she it",
    "sie-pl": "they",
    "il": "he it",
    "elle": "she it",
    "ils": "they",
    "elles": "they",
    "ce": "it",
    "él": "he it",
    "ella": "she it",
    "ello": "it",
    "ellos": "they",
    "ellas": "they",
    "lui": "he it",
    "lei": "she it",
    "loro": "they",
    "ele": "he it",
    "ela": "she it",
    "eles": "they",
    "elas": "they",
    "hij": "he it",
    "het": "it",
    "zij": "she it",
    "zij-pl": "they",
    "он": "he it",
    "оно": "it",
    "она": "she it",
    "они": "they",
    "on": "he it",
    "ono": "it",
    "ona": "she it",
    "oni": "they",
    "one": "they",
    "i": "i",
    "we": "we",
    "you": "you",
    "thou": "you",
}
"""What a kind of pronoun of another language may be in English: things have gender there."""
_CHINESE = {
    "他们": "they",
    "她们": "they",
    "它们": "they",
    "我们": "we",
    "咱们": "we",
    "你们": "you",
    "您": "you",
    "你": "you",
    "他": "he",
    "她": "she",
    "它": "it",
    "我": "i",
}
_IN_CHINESE = re.compile("其他|他人|他国|自我|我国|" + "|".join(_CHINESE))


def said_by_source(source: str, lang: str) -> list[frozenset[str]] | None:
    """For each pronoun of a source line, the English classes it may mean.

    ``None`` where the language's pronouns are not known.

    >>> [sorted(each) for each in said_by_source("Sie sagte es ihm.", "de")]
    [['it', 'she', 'they'], ['it'], ['he', 'it']]
    """
    code = normalise(lang)
    if code == "zh":
        found = (_CHINESE.get(match.group()) for match in _IN_CHINESE.finditer(source))
        return [frozenset({name}) for name in found if name]
    known = _known(code)
    if known is None:
        return None
    words = (match.group().lower() for match in _WORD.finditer(source))
    return [known[word] for word in words if word in known]


@cache
def _known(code: str) -> Mapping[str, frozenset[str]] | None:
    if code == "en":
        return {form: frozenset({name}) for form, name in _CLASS.items()}
    if code not in LANGUAGES:
        return None
    return {
        form: frozenset(name for kind in kinds for name in _KINDS[kind].split())
        for form, kinds in pronoun_kinds(code).items()
    }
