"""Pronouns of English lines, and what those of a source line may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from albeit.languages import normalise
from albeit.parsing.tokenize import LETTERS
from albeit.parsing.traits import CASES, LANGUAGES, pronoun_kinds


def _by_form(table: Mapping[str, str]) -> dict[str, str]:
    return {form: meaning for meaning, forms in table.items() for form in forms.split()}


_CLASS = {form.lower(): name for name, forms in CASES.items() for form in forms}
_AGREEMENT = {"they": 2, "we": 2, "you": 2, "i": 1, "he": 3, "she": 3, "it": 3}
_VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))


@dataclass(frozen=True, slots=True)
class Word:
    """A pronoun or term of a line: its class, form, and characters."""

    name: str
    form: str
    start: int
    end: int


def pronouns_of(line: str) -> list[Word]:
    """Find the personal pronouns of an English line, in order.

    >>> [word.name for word in pronouns_of("She saw them in the US.")]
    ['she', 'they']
    """
    found = []
    for match in LETTERS.finditer(line):
        form = match.group()
        name = _CLASS.get(form.lower())
        if name is not None and (form.islower() or form == "I" or form.istitle()):
            found.append(Word(name, form, *match.span()))
    return found


def pronoun_like(word: Word, name: str, like: str, line: str) -> str:
    """Choose the form of another pronoun that replaces a word: same case, same capitals.

    :param like: the form that the reference has, which decides if a form has two cases (*her*)

    >>> pronoun_like(pronouns_of("He saw her.")[1], "he", "him", "He saw her.")
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


def verb_after(rest: str, said: str, wanted: str) -> str:
    """Change the verb after a pronoun so that it agrees with another pronoun.

    >>> verb_after(" are late", "they", "she")
    ' is late'
    """
    if _AGREEMENT[said] == _AGREEMENT[wanted]:
        return rest
    for one, many in _VERBS:
        have, want = (one, many) if _AGREEMENT[wanted] == 2 else (many, one)
        if match := re.match(rf"\s+{have}\b", rest):
            return f" {want}{rest[match.end() :]}"
    return rest


_KINDS = _by_form(
    {
        "he it": "er il él lui ele hij он on",
        "it": "es ce ello het оно ono",
        "she it": "sie-sg elle ella lei ela zij она ona",
        "they": "sie-pl ils elles ellos ellas loro eles elas zij-pl они oni one",
        "i": "i",
        "we": "we",
        "you": "you thou",
    }
)
"""English pronouns that a kind of pronoun of another language may mean."""
_CHINESE = _by_form(
    {
        "they": "他们 她们 它们",
        "we": "我们 咱们",
        "you": "你们 您 你",
        "he": "他",
        "she": "她",
        "it": "它",
        "i": "我",
    }
)
_IN_CHINESE = re.compile("其他|他人|他国|自我|我国|" + "|".join(_CHINESE))


def source_pronouns(source: str, lang: str) -> list[frozenset[str]] | None:
    """List for each pronoun of a source line the English pronouns that it may mean.

    ``None`` if the pronouns of the language aren't known.

    >>> [sorted(each) for each in source_pronouns("Sie sagte es ihm.", "de")]
    [['it', 'she', 'they'], ['it'], ['he', 'it']]
    """
    code = normalise(lang)
    if code == "zh":
        found = (_CHINESE.get(match.group()) for match in _IN_CHINESE.finditer(source))
        return [frozenset({name}) for name in found if name]
    known = _known(code)
    if known is None:
        return None
    words = (match.group().lower() for match in LETTERS.finditer(source))
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
