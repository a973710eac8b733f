"""Split text into the words that lexicon forms match, in the same way for forms and texts.

A word has a canonical spelling (case, elision and contraction undone: ``qu'`` is ``que``,
``dell'`` is ``di``) and, in Arabic, other spellings with clitics taken off. HTML
entities (``&apos;``, ``&#39;``) are read as their characters. Offsets are those of the original
text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from albeit.languages import normalise

_REST = r"\d+(?:[.,:]\d+)*|[^\w\s]|_+|\w"
_LETTERS = r"(?:[^\W\d_][\u0300-\u036f\u064b-\u0652\u0670]*)+"
_WORD = re.compile(rf"{_LETTERS}(?:-{_LETTERS})*|{_REST}")
_WORD_ELIDED = re.compile(rf"{_LETTERS}(?:['’ʼ]|(?:-{_LETTERS})*)|{_REST}")
_ENTITY = re.compile(r"&(?:[a-z][a-z0-9]*|#[0-9]+|#x[0-9a-f]+);", re.IGNORECASE)
_MARKS = re.compile(r"[\u064b-\u0652\u0670\u0640]")

_FRENCH = "qu' que lorsqu' lorsque puisqu' puisque quoiqu' quoique jusqu' jusque s' se d' de"
_FRENCH += " l' le n' ne c' ce du de des de au à aux à"
_ITALIAN = {
    "di": "d' del dello della dell' dei degli delle",
    "a": "al allo alla all' ai agli alle ad",
    "da": "dal dallo dalla dall' dai dagli dalle",
    "in": "nel nello nella nell' nei negli nelle",
    "su": "sul sullo sulla sull' sui sugli sulle",
    "ci": "c'",
    "poco": "po'",
    "anche": "anch'",
    "perché": "perche'",
}
_ELISIONS: dict[str, dict[str, str]] = {
    "fr": dict(zip(_FRENCH.split()[::2], _FRENCH.split()[1::2], strict=True)),
    "it": {form: word for word, forms in _ITALIAN.items() for form in forms.split()},
}
"""Elided and contracted forms, each with its canonical spelling."""

_ARABIC_LETTERS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ؤ": "و"})
_ARABIC_BEFORE = ("و", "ف")
_ARABIC_AFTER = ("هما", "كما", "هم", "هن", "ها", "نا", "كم", "ني", "ه", "ك", "ي")
_SHORTEST_STEM = 2


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: canonical spellings, other spellings, and character offsets."""

    forms: tuple[str, ...]
    spellings: tuple[frozenset[str], ...]
    offsets: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.forms)


@lru_cache(maxsize=65536)
def cut(text: str, language: str) -> Words:
    """Split a text into words, with the canonical spellings of this language."""
    language = normalise(language)
    forms: list[str] = []
    spellings: list[frozenset[str]] = []
    offsets: list[tuple[int, int]] = []
    pattern = _WORD_ELIDED if language in _ELISIONS else _WORD
    plain, places = _unescaped(text)
    pieces = [
        (m.group(), places[m.start()][0], places[m.end() - 1][1])
        if places
        else (m.group(), *m.span())
        for m in pattern.finditer(plain)
    ]
    for raw, start, stop in _elided(pieces, language):
        form = _canonical(raw, language)
        forms.append(form)
        spellings.append(_arabic_spellings(form) if language == "ar" else frozenset((form,)))
        offsets.append((start, stop))
        if language == "fr" and form in ("il", "ils") and forms[-2:-1] == ["se"]:
            forms[-2], spellings[-2] = "si", frozenset(("si",))  # s'il is "si il", never "se il"
    return Words(tuple(forms), tuple(spellings), tuple(offsets))


def _unescaped(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return the text without entities, and the offsets of its characters; none if unchanged."""
    if "&" not in text:
        return text, ()
    plain: list[str] = []
    places: list[tuple[int, int]] = []
    position = 0
    for entity in _ENTITY.finditer(text):
        meant = unescape(entity.group())
        start, stop = entity.span()
        plain += [text[position:start], meant]
        places += [(at, at + 1) for at in range(position, start)]
        places += [(start, stop)] * len(meant)
        position = stop
    plain.append(text[position:])
    places += [(at, at + 1) for at in range(position, len(text))]
    return "".join(plain), places


def _elided(pieces: list[tuple[str, int, int]], language: str) -> list[tuple[str, int, int]]:
    """Join a stem and an apostrophe that a tokenizer separated (``qu ' il``)."""
    known = _ELISIONS.get(language)
    if not known:
        return pieces
    joined: list[tuple[str, int, int]] = []
    for raw, start, stop in pieces:
        if raw in "'’ʼ" and joined:
            before, begin, end = joined[-1]
            if before.casefold() + "'" in known and start - end <= 1:
                joined[-1] = (before + "'", begin, stop)
                continue
        joined.append((raw, start, stop))
    return joined


def _canonical(raw: str, language: str) -> str:
    form = unicodedata.normalize("NFC", raw).casefold().replace("’", "'").replace("ʼ", "'")
    if language == "ar":
        return _MARKS.sub("", form).translate(_ARABIC_LETTERS)
    return _ELISIONS.get(language, {}).get(form, form)


def _arabic_spellings(form: str) -> frozenset[str]:
    """Return the word with and without a conjunction before it and a pronoun after it."""
    found = {form}
    for before in _ARABIC_BEFORE:
        if form.startswith(before) and len(form) - len(before) >= _SHORTEST_STEM:
            found.add(form[len(before) :])
    for stem in tuple(found):
        for after in _ARABIC_AFTER:
            if stem.endswith(after) and len(stem) - len(after) >= _SHORTEST_STEM:
                found.add(stem[: -len(after)])
    return frozenset(found)
