"""Names in Latin letters: which words of a line may be names, and whether two are the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from albeit.flags.text.words import Word, words_in

__all__ = ["alike", "bare", "folded", "names_in", "sure_names"]

_LATIN = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9&.'’-]*[A-Za-z0-9](?![^\W_])", re.ASCII)
_SOUNDS = (
    *(
        (letters, "s")
        for letters in ("dsch", "tsch", "tch", "sch", "sh", "ch", "kh", "zh", "tz", "ts")
    ),
    ("ph", "f"),
    ("th", "t"),
    ("dh", "d"),
    ("ou", "u"),
    ("oo", "u"),
    ("ck", "k"),
    ("qu", "k"),
    ("x", "ks"),
    ("w", "v"),
    ("y", "i"),
    ("j", "i"),
    ("c", "k"),
    ("q", "k"),
    ("ß", "s"),
    ("z", "s"),
)
"""Letters that languages write in different ways in one name (*Yeltsin*, *Jelzin*)."""
_ENDINGS = {
    "de": ("s", "es", "n", "en", "er", "em", "e", "in", "ern", "isch", "t", "te", "ten"),
    "en": ("s", "es", "n", "an", "ian"),
    "fr": ("s", "e", "es", "ne", "nes"),
    "es": ("s", "es", "a", "o"),
}
_INFLECTED = frozenset(
    ["cs", "pl", "ru", "sk", "hr", "is", "fi", "hu", "et", "lt", "lv", "tr", "sl"]
)
"""Languages in which names have endings of up to three letters."""


@lru_cache(maxsize=1 << 12)
def names_in(line: str) -> tuple[Word, ...]:
    """Capitalised words of a line, without the possessive; compounds are cut at hyphens."""
    found = []
    for word in words_in(line):
        start = word.start
        for part in word.form.split("-"):
            form = bare(part)
            start += part.index(form)
            if len(form) > 1 and form[0].isupper():
                found.append(Word(start, start + len(form), form))
            start += len(part) - part.index(form) + 1
    return tuple(found)


def bare(word: str) -> str:
    """Without the possessive, and without what French and Italian elide before a name."""
    return re.sub(r"['’]s?$|^(?:[dlDL]|[dD]ell|[dD]all|[aA]ll)['’]", "", word)


def sure_names(line: str) -> list[Word]:
    """Names that stand within a sentence, where a capital is no accident of place."""
    return [word for word in names_in(line) if not _begins(line, word.start)]


def _begins(line: str, start: int) -> bool:
    """Whether a word begins a sentence or a quotation."""
    before = line[:start].rstrip()
    return not before or before[-1] in ".!?:;\"“„”«»‘’'(-–—•*…|/>"


@lru_cache(maxsize=1 << 16)
def folded(name: str) -> str:
    """A name without accents, and with letters alike that languages write in different ways."""
    plain = unicodedata.normalize("NFD", name.lower().replace("ø", "o").replace("ł", "l"))
    made = "".join(c for c in plain if not unicodedata.combining(c))
    for letters, sound in _SOUNDS:
        made = made.replace(letters, sound)
    made = re.sub(r"(?<=[aeou])i(?=[aeou])", "", made)
    made = re.sub(r"(?<=[aou])e", "", made)  # ä, ae, aye
    return re.sub(r"(.)\1", r"\1", made)


def alike(first: str, second: str, langs: tuple[str | None, ...]) -> bool:
    """Whether two words can be one name: but for case, accents, transliteration, endings."""
    a, b = sorted((first.lower(), second.lower()), key=len)
    if a == b or folded(a) == folded(b):
        return True
    endings = {"", *(end for lang in langs for end in _ENDINGS.get(lang or "", ("s",)))}
    for one, other in ((a, b), (folded(a), folded(b))):
        stems = {one.removesuffix(end) for end in endings}
        stems &= {other.removesuffix(end) for end in endings}
        if any(len(stem) >= min(4, len(one)) for stem in stems):
            return True
    if any(lang in _INFLECTED for lang in langs):
        shared = _prefix(folded(a), folded(b))
        return shared >= max(3, len(folded(a)) - 2) and len(folded(b)) - shared <= 4
    return False


def _prefix(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
