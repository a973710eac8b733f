"""Term consistency: terms that a translation renders by one word, except in one line.

A term is a content word that the reference repeats. A line is inconsistent if the reference has the
term there, the line lacks it, and other lines of the translation have it. The candidate is the word
in its place that isn't in the reference's line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from albeit.diagnose.candidates import TERMS, Candidate, Word, places
from albeit.parsing.content import content_words
from albeit.parsing.tokenize import WORDS
from albeit.resources.wordnet import wordnet
from albeit.resources.words import rarity

_SHARED = 4
"""The least number of letters that forms of one word share."""
_LONGEST = 3
"""The most words between two words that both lines share."""


def inconsistent_terms(
    system: str, start: int, lines: Sequence[str], reference: Sequence[str], lang: str = "en"
) -> Iterator[Candidate]:
    """Find the inconsistent terms of one document of one system.

    :param start: the number of the document's first line in the set, from 0

    >>> ref = ["The bridge is new.", "A bridge is long.", "The bridge is red."]
    >>> text = ["The bridge is new.", "A bridge is long.", "The overpass is red."]
    >>> [one] = inconsistent_terms("A", 0, text, ref)
    >>> one.line, one.fixed
    (2, 'The bridge is red.')
    """
    own = [_keys(line, lang) for line in lines]
    others = [_keys(line, lang) for line in reference]
    where: dict[str, list[int]] = {}
    for n, words in enumerate(others):
        for key in dict.fromkeys(key for key, _, _ in words):
            where.setdefault(key, []).append(n)
    for key, at in where.items():
        same = [n for n in at if _find_term(own[n], key)]
        is_rendered = len(at) > 1 and 2 * len(same) >= len(at)
        if is_rendered and _is_term(key, [(reference[n], others[n]) for n in at]):
            usual = _usual([(lines[n], own[n]) for n in same], key)
            for n in sorted(set(at) - set(same)):
                texts = (lines[n], own[n]), (reference[n], others[n])
                yield from _replaced(system, start + n, key, usual, *texts)


def has_term(line: str, key: str, lang: str = "en") -> bool:
    """Check whether a line has a form of a term, given by its stem."""
    return _find_term(_keys(line, lang), key) is not None


def term_words(line: str, lang: str = "en") -> list[Word]:
    """List the content words of a line, named by their stems."""
    return [Word(key, line[a:b], a, b) for key, a, b in _keys(line, lang)]


def _is_term(key: str, lines: Sequence[tuple[str, Keyed]]) -> bool:
    """Check that a word occurs in three lines or is a name, and isn't a common word."""
    forms = [(line[slice(*at)], line) for line, words in lines if (at := _find_term(words, key))]
    if any(is_no_term(form) for form, _ in forms):
        return False
    return len(lines) > 2 or any(is_name(form, line) for form, line in forms)


Keyed = list[tuple[str, int, int]]
"""Content words of a line: stem, first character, the one after the last."""


@lru_cache(maxsize=65536)
def _keys(line: str, lang: str) -> Keyed:
    key = content_words(lang).key
    found = ((key(m.group()), *m.span()) for m in WORDS.finditer(line) if len(m.group()) > 2)
    return [each for each in found if each[0] and not any(map(str.isdigit, each[0]))]


def _is_form(one: str, other: str) -> bool:
    if one == other:
        return True
    shorter = min(len(one), len(other))
    same = max(_SHARED, shorter - 1)
    return shorter >= _SHARED and one[:same] == other[:same]


def _find_term(words: Keyed, key: str) -> tuple[int, int] | None:
    """Find the first form of a term in a line."""
    return next(((a, b) for own, a, b in words if _is_form(own, key)), None)


def _usual(lines: Sequence[tuple[str, Keyed]], key: str) -> str:
    """Choose the most frequent form of a term."""
    found = ((line, _find_term(words, key)) for line, words in lines)
    forms = Counter(line[slice(*at)] for line, at in found if at is not None)
    return forms.most_common(1)[0][0]


def _replaced(
    system: str, line: int, key: str, usual: str, own: tuple[str, Keyed], other: tuple[str, Keyed]
) -> Iterator[Candidate]:
    """Find the word of a line in the place of the reference's term."""
    (text, words), (reference, others) = own, other
    here = _find_term(others, key)
    assert here is not None
    both = places(reference, text)
    word = both.word_at(here[0])
    start, end, first, last = both.around(word)
    facing = [
        (a, b, stem)
        for stem, a, b in words
        if first <= both.other_word_at(a) < last
        and not any(_is_form(stem, each) for each, _, _ in others)
    ]
    if not facing or last - first > _LONGEST or end - start > _LONGEST:
        return
    expected = both.expected(word)
    a, b, stem = min(facing, key=lambda each: abs(both.other_word_at(each[0]) - expected))
    distance = abs(both.other_word_at(a) - expected)
    if is_no_term(text[a:b]) or mean_the_same(text[a:b], usual):
        return
    form = usual if text[a].islower() or usual[0].isupper() else usual[0].upper() + usual[1:]
    fixed = text[:a] + form + text[b:]
    nearness = 1 - distance / (_LONGEST + 1)
    yield Candidate(TERMS, system, line, a, b, stem, key, form, fixed, nearness)


_POSSESSIVE = re.compile(r"['’]s$")
_ACRONYM = re.compile(r"[A-Z]{2,}s?")
_TIME = """
today tomorrow yesterday now year month week day hour minute time period morning evening
afternoon night january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday spring summer
autumn winter decade century recent current previous early late date
"""
_GENERAL = """
thing way part number point people person man men woman women case example fact kind sort
lot problem issue question situation matter place area level side end start beginning
country countries nation world region city cities state company companies organization
association agency agencies school two three four five
result reason percent many several first second third last next new old good great large
small big high low long short important main major different same other many much well
make made take took give gave get got say said tell told use used show shown see seen know
known think believe want need help keep become continue include involve provide allow
happen
"""


_COMMON_WORDS = frozenset((_TIME + _GENERAL).split())
_NOUN = 0.6
"""The least share of noun senses among the senses of a term."""


def is_name(word: str, line: str) -> bool:
    """Check whether a line capitalizes a word inside a sentence.

    >>> is_name("Lang", "Coach Lang is calm."), is_name("Coach", "Coach Lang is calm.")
    (True, False)
    """
    titled = sum(match.group()[0].isupper() for match in WORDS.finditer(line))
    words = sum(1 for _ in WORDS.finditer(line))
    if words > 3 and titled > 0.7 * words:
        return False
    for match in re.finditer(rf"\b{re.escape(word)}\b", line):
        before = line[: match.start()].rstrip(" \"“'‘(")
        if match.group()[0].isupper() and before and before[-1] not in ".!?:;":
            return True
    return False


@lru_cache(maxsize=65536)
def is_no_term(word: str) -> bool:
    """Check whether a word is a time, a general noun, or mostly not a noun in WordNet.

    >>> is_no_term("yesterday"), is_no_term("reported"), is_no_term("tanker")
    (True, True, False)
    """
    folded = word.lower()
    if folded in _COMMON_WORDS or folded.rstrip("s") in _COMMON_WORDS:
        return True
    every = wordnet().synsets(folded)
    return bool(every) and len(wordnet().nouns(folded)) < _NOUN * len(every)


def mean_the_same(one: str, other: str) -> bool:
    """Check whether two nouns share a sense, are one name in two spellings, or one is an acronym.

    >>> mean_the_same("elevation", "altitudes"), mean_the_same("tanker", "ship")
    (True, False)
    >>> mean_the_same("Renminbi", "RMB"), mean_the_same("House", "ANZ")
    (True, False)
    """
    if _plain(one) == _plain(other) or _abbreviates(one, other) or _abbreviates(other, one):
        return True
    known = wordnet()
    return bool(known.nouns(one) & known.nouns(other))


def _abbreviates(one: str, other: str) -> bool:
    """Check whether only the first word is an acronym, and has the initial of the other."""
    acronym = _ACRONYM.fullmatch(_POSSESSIVE.sub("", one))
    return bool(acronym and not _ACRONYM.match(other) and other[0].upper() in acronym.group())


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.lower())
    return "".join(c for c in apart if c.isalnum())


def is_known(word: str) -> bool:
    """Check whether a word is in the list of common English words.

    >>> is_known("tanker's"), is_known("Straßenklasse")
    (True, False)
    """
    return _POSSESSIVE.sub("", word).lower() in rarity("en")
