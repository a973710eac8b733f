"""Terms that stray: a text says a term the same way throughout, and otherwise at one place.

A term is what the reference says again. A line strays that lacks it although the reference has it
there and other lines of the translation render it by that word; what stands in its place are the
words that face it and that the reference's line does not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from albeit.diagnose.pronouns import Word
from albeit.diagnose.suspect import TERMS, Suspect, places
from albeit.diagnose.termhood import is_name, mean_the_same, no_term
from albeit.parsing.content import content_words

__all__ = ["has_term", "straying", "term_words"]

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_KIN = 4
"""Letters that forms of one word share at least."""
_LONGEST = 3
"""How many words may lie between two landmarks, so that it is clear what stands for what."""


def straying(
    system: str, start: int, lines: Sequence[str], reference: Sequence[str], lang: str = "en"
) -> Iterator[Suspect]:
    """The suspects of one document of one system.

    :param start: the number of the document's first line in the set, from 0

    >>> ref = ["The bridge is new.", "A bridge is long.", "The bridge is red."]
    >>> text = ["The bridge is new.", "A bridge is long.", "The overpass is red."]
    >>> [one] = straying("A", 0, text, ref)
    >>> one.line, one.mended
    (2, 'The bridge is red.')
    """
    ours = [_keys(line, lang) for line in lines]
    theirs = [_keys(line, lang) for line in reference]
    where: dict[str, list[int]] = {}
    for n, words in enumerate(theirs):
        for key in dict.fromkeys(key for key, _, _ in words):
            where.setdefault(key, []).append(n)
    for key, at in where.items():
        if len(at) < 2:
            continue
        same = [n for n in at if _holding(ours[n], key)]
        if 2 * len(same) < len(at) or not _is_term(key, [(reference[n], theirs[n]) for n in at]):
            continue
        usual = _usual([lines[n] for n in same], [ours[n] for n in same], key)
        for n in at:
            if n not in same:
                yield from _strays(
                    system, start + n, key, usual, (lines[n], reference[n]), (ours[n], theirs[n])
                )


def has_term(line: str, key: str, lang: str = "en") -> bool:
    """Whether a line has a form of a term, given by its stem."""
    return _holding(_keys(line, lang), key) is not None


def term_words(line: str, lang: str = "en") -> list[Word]:
    """The content words of a line, named by their stems."""
    return [Word(key, line[a:b], a, b) for key, a, b in _keys(line, lang)]


def _is_term(key: str, lines: Sequence[tuple[str, Keyed]]) -> bool:
    """Said three times, or a name; and no common word."""
    forms = [line[slice(*at)] for line, words in lines if (at := _holding(words, key))]
    if any(map(no_term, forms)):
        return False
    return len(lines) > 2 or any(
        is_name(form, line) for form, (line, _) in zip(forms, lines, strict=True)
    )


Keyed = list[tuple[str, int, int]]
"""Content words of a line: stem, first character, the one after the last."""


@lru_cache(maxsize=65536)
def _keys(line: str, lang: str) -> Keyed:
    key = content_words(lang).key
    found = ((key(m.group()), *m.span()) for m in _WORD.finditer(line) if len(m.group()) > 2)
    return [each for each in found if each[0] and not any(map(str.isdigit, each[0]))]


def _kin(one: str, other: str) -> bool:
    if one == other:
        return True
    shorter = min(len(one), len(other))
    same = max(_KIN, shorter - 1)
    return shorter >= _KIN and one[:same] == other[:same]


def _holding(words: Keyed, key: str) -> tuple[int, int] | None:
    """Where a line has a form of a term."""
    return next(((a, b) for own, a, b in words if _kin(own, key)), None)


def _usual(lines: Sequence[str], keyed: Sequence[Keyed], key: str) -> str:
    """The form of a term that lines have most often."""
    forms: Counter[str] = Counter()
    for line, words in zip(lines, keyed, strict=True):
        at = _holding(words, key)
        if at is not None:
            forms[line[slice(*at)]] += 1
    return forms.most_common(1)[0][0]


def _strays(
    system: str,
    line: int,
    key: str,
    usual: str,
    texts: tuple[str, str],
    keyed: tuple[Keyed, Keyed],
) -> Iterator[Suspect]:
    """What stands in a line where the reference has the term, if anything does."""
    text, reference = texts
    ours, theirs = keyed
    here = _holding(theirs, key)
    assert here is not None
    both = places(reference, text)
    word = both.word_at(here[0])
    first, last = both.facing(word)
    known = [own for own, _, _ in theirs]
    facing = [
        (a, b, own)
        for own, a, b in ours
        if first <= both.other_word_at(a) < last and not any(_kin(own, each) for each in known)
    ]
    if not facing or last - first > _LONGEST or both.width(word) > _LONGEST:
        return
    expected = both.expected(word)
    a, b, own = min(facing, key=lambda each: abs(both.other_word_at(each[0]) - expected))
    distance = abs(both.other_word_at(a) - expected)
    if no_term(text[a:b]) or mean_the_same(text[a:b], usual):
        return
    form = usual if text[a].islower() or usual[0].isupper() else usual[0].upper() + usual[1:]
    yield Suspect(
        TERMS,
        system,
        line,
        a,
        b,
        own,
        key,
        form,
        text[:a] + form + text[b:],
        1 - distance / (_LONGEST + 1),
    )
