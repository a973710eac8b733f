"""Stemmers and word lists by language.

Polish and Korean, for which Snowball has no stemmer, are stemmed by their endings. These are light
stemmers, written for albeit from the grammars: what inflects a word is taken off, longest
ending first, and nothing is looked up. Words of one root that differ in its vowels stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from threading import Lock
from types import MappingProxyType
from typing import Literal

from albeit.errors import LanguageError

_SOFT = (("rz", "r"), ("dz", "g"), ("ci", "t"), ("c", "k"), ("ń", "n"), ("ś", "s"), ("ó", "o"))
"""What the last consonant of a Polish stem turns into before some endings, and what it was."""
LEAST_POLISH, LEAST_KOREAN = 3, 2
"""How many characters stay, at least."""


@cache
def _endings(lang: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(' '.join(_table('endings', lang)).split())})$")


def polish(word: str) -> str:
    """Remove the ending of a Polish word."""
    found = _endings("pl").search(word, LEAST_POLISH)
    stem = word[: found.start()] if found else word
    for soft, hard in _SOFT:
        if stem.endswith(soft) and len(stem) >= LEAST_POLISH:
            return stem.removesuffix(soft) + hard
    return stem


def korean(word: str) -> str:
    """Remove the particles of a Korean word."""
    while found := _endings("ko").search(word, LEAST_KOREAN):
        word = word[: found.start()]
    return word


ENDINGS = {"ko": korean, "pl": polish}

_LANGUAGES = (
    "ar=arabic da=danish de=german en=english es=spanish fi=finnish fr=french hu=hungarian"
    " it=italian nl=dutch no=norwegian pt=portuguese ro=romanian ru=russian sv=swedish tr=turkish"
)
_SNOWBALL = dict(pair.split("=") for pair in _LANGUAGES.split())


def has_stemmer(lang: str) -> bool:
    """Return whether a language has a stemmer."""
    return lang in ENDINGS or lang in _SNOWBALL


@cache
def stemmer(lang: str) -> Callable[[str], str]:
    """Return the stemmer of a language, Snowball's if it has one; stems are cached."""
    if lang in ENDINGS:
        return lru_cache(maxsize=1_000_000)(ENDINGS[lang])
    if lang not in _SNOWBALL:
        known = ", ".join(sorted({*_SNOWBALL, *ENDINGS}))
        raise LanguageError(f"there is no stemmer for {lang!r}; there are {known}.")
    # Not snowballstemmer.stemmer(): that silently turns to another package, of another
    # version, where one is installed.
    algorithm = _SNOWBALL[lang]
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    stem: Callable[[str], str] = getattr(module, f"{algorithm.capitalize()}Stemmer")().stemWord
    alone = Lock()  # a Snowball stemmer keeps the word it works on

    @lru_cache(maxsize=1_000_000)
    def once(word: str) -> str:
        with alone:
            return stem(word)

    return once


@cache
def function_words(lang: str) -> frozenset[str]:
    """Return the function words of a language in lower case; none if there is no list."""
    return frozenset(_table("function", lang))


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Return the stop words, lower case (zh, ja: characters too); none without a list."""
    return frozenset(word for line in _table("stopwords", lang) for word in line.split())


@cache
def shared_words(lang: str) -> frozenset[str]:
    """Return English words that a language has too, lower case (*normal* is German)."""
    return frozenset(word for line in _table("shared", lang) for word in line.split())


@cache
def nonbreaking_prefixes(lang: str) -> Mapping[str, bool]:
    """Return the tokenizer's abbreviations; true for those only before a number (``No.``).

    METEOR's tokenizer uses it, so it doesn't change; to split sentences, use
    :func:`abbreviations`.
    """
    return MappingProxyType(_prefixes("nonbreaking", lang))


@cache
def abbreviations(lang: str) -> Mapping[str, bool]:
    """Return abbreviations with a full stop: true for those only before a number (``No.``)."""
    return MappingProxyType(dict(nonbreaking_prefixes(lang)) | _prefixes("abbreviations", lang))


def _prefixes(kind: str, lang: str) -> dict[str, bool]:
    return {word: bool(rest) for word, *rest in map(str.split, _table(kind, lang))}


@cache
def rarity(lang: str) -> Mapping[str, float]:
    """How rare each lower-case word is: −log of its share of sentences; ``"*"`` is a new word."""
    found: dict[str, float] = {}
    for line in _table("rarity", lang):
        value, _, words = line.partition(" ")
        found.update(dict.fromkeys(words.split(" "), float(value)))
    if not found:
        raise LanguageError(f"there are no word frequencies for {lang!r}.")
    return MappingProxyType(found)


@cache
def genders(lang: str) -> Mapping[str, Literal["masculine", "feminine"]]:
    """Return nouns, titles, and given names with a gender, lower case; none without a list."""
    found: dict[str, Literal["masculine", "feminine"]] = {}
    for line in _table("genders", lang):
        gender, _, words = line.partition(" ")
        found.update(dict.fromkeys(words.split(), "feminine" if gender == "f" else "masculine"))
    return MappingProxyType(found)


def _table(kind: str, lang: str) -> list[str]:
    """Return the lines of a word list, without comments; none if there is no list."""
    path = files("albeit.resources") / "data" / f"{kind}.{lang}.txt"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]
