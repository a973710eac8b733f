"""Stemmers and word lists by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from threading import Lock
from types import MappingProxyType
from typing import Literal

from albeit.errors import LanguageError
from albeit.resources.endings import ENDINGS

__all__ = [
    "abbreviations",
    "function_words",
    "nonbreaking_prefixes",
    "rarity",
    "stemmer",
    "stop_words",
]

_SNOWBALL = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@cache
def stemmer(lang: str) -> Callable[[str], str]:
    """The stemmer of a language, Snowball's where it has one; it remembers every word it has stemmed."""
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
    """The function words of a language, lower case; none where no list is known."""
    return frozenset(_table("function", lang))


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Words without content of their own, lower case (zh, ja: characters too); none without a list."""
    return frozenset(word for line in _table("stopwords", lang) for word in line.split())


@cache
def nonbreaking_prefixes(lang: str) -> Mapping[str, bool]:
    """The tokeniser's list of abbreviations: true for those only before a number (``No.``).

    METEOR's tokeniser goes by it, so that it stays as it is; to tell sentences apart, use
    :func:`abbreviations`.
    """
    return MappingProxyType(_prefixes("nonbreaking", lang))


@cache
def abbreviations(lang: str) -> Mapping[str, bool]:
    """Abbreviations written with a full stop: true for those only before a number (``No.``)."""
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
        raise LanguageError(f"how rare words are is not known for {lang!r}.")
    return MappingProxyType(found)


@cache
def genders(lang: str) -> Mapping[str, Literal["masculine", "feminine"]]:
    """Nouns, titles and given names that tell a person's gender, lower case; none without a list."""
    found: dict[str, Literal["masculine", "feminine"]] = {}
    for line in _table("genders", lang):
        gender, _, words = line.partition(" ")
        found.update(dict.fromkeys(words.split(), "feminine" if gender == "f" else "masculine"))
    return MappingProxyType(found)


def _table(kind: str, lang: str) -> list[str]:
    """The lines of a word list, without comments; empty for a language without one."""
    path = files("albeit.resources") / "data" / f"{kind}.{lang}.txt"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]
