"""Pronouns and connectives of English lines, and what those of a source line may mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from albeit.errors import AlbeitError
from albeit.languages import normalise
from albeit.metrics.connectives.lexicon import Detector, Inventory, sense_class
from albeit.metrics.connectives.load import direction, inventory
from albeit.metrics.connectives.words import cut
from albeit.parsing.pronouns import CASES, LANGUAGES, pronoun_kinds

__all__ = [
    "Word",
    "connectives_of",
    "pronoun_like",
    "pronouns_of",
    "source_connectives",
    "source_pronouns",
    "verb_after",
]


def _by_form(table: Mapping[str, str]) -> dict[str, str]:
    return {form: meaning for meaning, forms in table.items() for form in forms.split()}


_CLASS = {form.lower(): name for name, forms in CASES.items() for form in forms}
_AGREEMENT = {"they": 2, "we": 2, "you": 2, "i": 1, "he": 3, "she": 3, "it": 3}
_VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A pronoun, connective, or term of a line: its class, form, and characters."""

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
    for match in _WORD.finditer(line):
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


_AMBIGUOUS = frozenset(
    [
        "as",
        "also",
        "still",
        "once",
        "first",
        "else",
        "further",
        "earlier",
        "later",
        "next",
        "second",
        "rather",
    ]
)
"""Words that mostly aren't connectives."""
_BEFORE = frozenset(("before", "until", "till"))


@cache
def _detector() -> tuple[Detector, Inventory]:
    known = inventory("en")
    chosen = tuple(name for name in known.connectives if name not in _AMBIGUOUS)
    return Detector(known, chosen), known


def connectives_of(line: str) -> list[Word]:
    """Find the connectives of an English line, in order; the name lists all senses.

    >>> [word.name for word in connectives_of("If it rains, we stay because of you.")]
    ['Contingency.Condition']
    """
    detector, known = _detector()
    words = cut(line, "en")
    found = []
    for one in detector(words):
        if one.tokens[-1] - one.tokens[0] + 1 != len(one.tokens):
            continue
        senses = _senses(one.name, known)
        if senses:
            start, end = words.offsets[one.tokens[0]][0], words.offsets[one.tokens[-1]][1]
            found.append(Word(" ".join(sorted(senses)), line[start:end], start, end))
    return found


def _senses(name: str, known: Inventory) -> list[str]:
    """List the senses of a connective, with before distinguished from after."""
    senses = [s for s in known.connectives[name].senses if s != "Other.Adverb"]
    if name in _BEFORE:
        return ["Temporal.Before" if s == "Temporal.Asynchronous" else s for s in senses]
    return senses


_CHINESE_SENSES = _by_form(
    {
        "Comparison": "虽然 尽管 但 然而 不过 却",
        "Contingency": "因为 由于 因此 所以 因而 从而 如果 若 假如 只要 一旦 除非 以便",
        "Temporal": "之后 以后 之前 以前 同时 随后 然后 自从 直到 的时候 时, 时， 后, 后，",
        "Expansion": "例如 比如 此外 另外 而且 并且 或者",
    }
)


def source_connectives(source: str, lang: str) -> list[frozenset[str]] | None:
    """List for each connective of a source line its classes of senses.

    ``None`` if the language has no lexicon.

    >>> [sorted(each) for each in source_connectives("Er kam, obwohl es regnete.", "de")]
    [['Comparison']]
    """
    code = normalise(lang)
    if code == "zh":
        return [frozenset({sense}) for form, sense in _CHINESE_SENSES.items() if form in source]
    if code == "en":
        return [_classes(word.name.split()) for word in connectives_of(source)]
    found = _source_detector(code)
    if found is None:
        return None
    detector, known = found
    return [_classes(known.connectives[one.name].senses) for one in detector(cut(source, code))]


def _classes(senses: Iterable[str]) -> frozenset[str]:
    return frozenset(map(sense_class, senses)) - {"Other"}


@cache
def _source_detector(lang: str) -> tuple[Detector, Inventory] | None:
    try:
        known, _ = direction(lang, "en")
    except AlbeitError:
        return None
    return Detector(known), known
