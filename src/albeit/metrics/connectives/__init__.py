"""Connectives and their translations: words, senses, forms, lexicons, and how to find forms.

Texts and the forms of lexicons are split into the same words. A word has a canonical spelling
(case, elision and contraction undone: ``qu'`` is ``que``, ``dell'`` is ``di``) and, in Arabic,
other spellings with clitics taken off. HTML entities (``&apos;``, ``&#39;``) are read as their
characters. Offsets are those of the original text.

Senses have two levels, after the Penn Discourse Treebank (version 3), written ``Class.Type``.
``Other.Adverb`` isn't one of them: a use that doesn't connect two statements ("not yet"), which a
translation dictionary has to list too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import unescape
from typing import Literal

from albeit.errors import InputError
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


_TYPES = {
    "Temporal": "Synchronous Asynchronous",
    "Contingency": "Cause Condition Negative-condition Purpose",
    "Comparison": "Concession Contrast Similarity",
    "Expansion": "Conjunction Disjunction Equivalence Exception Instantiation Level-of-detail"
    " Manner Substitution",
    "Other": "Adverb",
}
SENSES = tuple(f"{group}.{kind}" for group, kinds in _TYPES.items() for kind in kinds.split())
_BY_FOLD = {sense.casefold(): sense for sense in SENSES}
_BY_TYPE = {sense.partition(".")[2].casefold(): sense for sense in SENSES}

SenseTest = Literal["strict", "compatible", "graded", "covering"]
"""How two translations count as synonymous; see :func:`agreement`."""


def parse_sense(text: str) -> str:
    """Return the canonical spelling of a sense, without a third level or suffix (``+Belief``).

    The type alone ("concession") is enough, since types are unique.
    """
    folded = text.strip().casefold().partition("+")[0]
    two_levels = ".".join(folded.split(".")[:2])
    sense = _BY_FOLD.get(two_levels) or _BY_TYPE.get(folded)
    if sense is None:
        raise InputError(f"unknown sense {text!r}.", hint=f"The senses are {', '.join(SENSES)}.")
    return sense


def sense_class(sense: str) -> str:
    """Return the first level: ``Comparison`` of ``Comparison.Contrast``."""
    return sense.partition(".")[0]


def agreement(reference: Collection[str], candidate: Collection[str], test: SenseTest) -> float:
    """Return how far the senses of a reference's and of a candidate's form agree, from 0 to 1.

    ``strict``: the two can express exactly the same senses. ``compatible``: they have a
    sense in common. ``graded``: 1 for a sense in common, else one half for a class in
    common, else 0. ``covering``: the candidate can express every sense of the reference,
    which is the test of the original ACT and the only one that is not symmetric.
    """
    one, two = frozenset(reference), frozenset(candidate)
    if not one or not two:
        return 0.0
    if test == "strict":
        return float(one == two)
    if test == "covering":
        return float(one <= two)
    if one & two:
        return 1.0
    if test == "graded" and {sense_class(s) for s in one} & {sense_class(s) for s in two}:
        return 0.5
    return 0.0


GAP = "…"
"""Separates the parts of a discontinuous form: ``zwar … aber``."""

CLASSIC = ("although", "even though", "however", "meanwhile", "since", "though", "while", "yet")
"""The eight English connectives of the original ACT."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form to find: one or more parts, each a run of canonical words.

    An ``initial`` form is found only at the beginning of a text. It is the same form elsewhere.
    """

    parts: tuple[tuple[str, ...], ...]
    initial: bool = field(default=False, compare=False)

    @classmethod
    def parse(cls, text: str, language: str) -> Form:
        """Parse a form as it is written in a lexicon."""
        parts = tuple(cut(part, language).forms for part in text.replace("...", GAP).split(GAP))
        if not all(parts):
            raise InputError(f"the form {text!r} has an empty part.", hint="Write: zwar … aber")
        return cls(parts)

    def __str__(self) -> str:
        return f" {GAP} ".join(" ".join(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Connective:
    """A connective of the source language: its form, its senses, and what it is not."""

    name: str
    form: Form
    senses: tuple[str, ...]
    excluded: tuple[Form, ...] = ()


@dataclass(frozen=True)
class Inventory:
    """The connectives of a source language, by name."""

    language: str
    connectives: Mapping[str, Connective]
    version: str = ""


@dataclass(frozen=True, slots=True)
class Translation:
    """One way to translate a connective, with the senses it can express there.

    ``count`` is the number of sentence pairs of a bitext with both (``None``: too few).
    ``doubtful``: that isn't more than by chance.
    """

    text: str
    form: Form
    senses: tuple[str, ...]
    count: int | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Lexicon:
    """Translations of source connectives, in order of writing.

    ``blocked`` forms look like a translation but aren't (``si bien que`` contains ``bien
    que``): they take their words from every connective that doesn't list them itself.
    """

    source_lang: str
    target_lang: str
    entries: Mapping[str, tuple[Translation, ...]]
    blocked: tuple[Form, ...] = ()
    version: str = ""

    @property
    def name(self) -> str:
        """The languages and the version, for signatures."""
        return f"{self.source_lang}-{self.target_lang}.{self.version}"

    def __iter__(self) -> Iterator[tuple[str, Translation]]:
        return ((source, t) for source, listed in self.entries.items() for t in listed)

    def senses(self, source: str, form: Form) -> tuple[str, ...]:
        """Return the senses of a form as a translation of ``source``; none if not listed."""
        return self._senses.get((source, form), ())

    @cached_property
    def _senses(self) -> dict[tuple[str, Form], tuple[str, ...]]:
        return {(source, t.form): t.senses for source, t in self}


_LONGEST_GAP = 30
_STOPS = frozenset(".?!;:。؟")


@dataclass(frozen=True, slots=True)
class Hit:
    """A form at the words ``tokens`` of a text (0-based, increasing, maybe apart)."""

    form: Form
    tokens: tuple[int, ...]

    @property
    def centre(self) -> float:
        """The middle of the first part."""
        first = self.tokens[: len(self.form.parts[0])]
        return (first[0] + first[-1]) / 2


class Finder:
    """Find the ``wanted`` forms in texts.

    If hits share words, the longer one stays, and of equals the earlier. ``others`` are
    other forms that take their words where they are longer.
    """

    def __init__(self, wanted: Iterable[Form], others: Iterable[Form] = ()) -> None:
        self._wanted = frozenset(wanted)
        self._by_first: dict[str, list[Form]] = defaultdict(list)
        for form in dict.fromkeys((*self._wanted, *others)):
            self._by_first[form.parts[0][0]].append(form)

    def __call__(self, words: Words) -> list[Hit]:
        """Return all hits, in order of their first word; no two share a word."""
        found = [
            Hit(form, tokens)
            for start, spellings in enumerate(words.spellings)
            for spelling in spellings
            for form in self._by_first.get(spelling, ())
            if not (form.initial and start) and (tokens := _at(form, words, start))
        ]
        found.sort(key=lambda hit: (-len(hit.tokens), hit.tokens))
        taken: set[int] = set()
        kept: list[Hit] = []
        for hit in found:
            if taken.isdisjoint(hit.tokens):
                taken.update(hit.tokens)
                if hit.form in self._wanted:
                    kept.append(hit)
        return sorted(kept, key=lambda hit: hit.tokens)


def _at(form: Form, words: Words, start: int) -> tuple[int, ...] | None:
    """Return the words of a form whose first part starts here; later parts at their nearest."""
    places: Iterable[int] = (start,)
    tokens: list[int] = []
    for part in form.parts:
        place = next((place for place in places if _matches(part, words, place)), None)
        if place is None:
            return None
        tokens += range(place, place + len(part))
        places = _later(words, tokens[-1] + 1)
    return tuple(tokens)


def _later(words: Words, position: int) -> Iterator[int]:
    """Yield the places of a later part: after a gap of a word or more, in the same sentence."""
    for place in range(position + 1, min(len(words), position + 1 + _LONGEST_GAP)):
        if words.forms[place - 1] in _STOPS:
            return
        yield place


def _matches(part: tuple[str, ...], words: Words, place: int) -> bool:
    if place + len(part) > len(words):
        return False
    return all(word in words.spellings[place + i] for i, word in enumerate(part))


@dataclass(frozen=True, slots=True)
class SourceConnective:
    """A connective in a source text: its name and its words."""

    name: str
    tokens: tuple[int, ...]


class Detector:
    """Find the connectives of an inventory, or only the chosen ones.

    The whole inventory competes for the words, so ``even though`` is never a ``though``.
    Exclusions of an entry (``a while``) affect only that entry.
    """

    def __init__(self, inventory: Inventory, chosen: Collection[str] | None = None) -> None:
        every = inventory.connectives.values()
        picked = [c for c in every if chosen is None or c.name in chosen]
        self._names: dict[Form, str] = {c.form: c.name for c in picked}
        rest = [c.form for c in every if len(c.form.parts) == 1]
        self._finder = Finder(self._names, rest)
        self._excluded = {c.name: Finder(c.excluded) for c in picked if c.excluded}

    def __call__(self, words: Words) -> list[SourceConnective]:
        """Return the connectives of a text, in order."""
        found = [SourceConnective(self._names[h.form], h.tokens) for h in self._finder(words)]
        return [connective for connective in found if not self._is_excluded(connective, words)]

    def _is_excluded(self, connective: SourceConnective, words: Words) -> bool:
        finder = self._excluded.get(connective.name)
        hits = finder(words) if finder else ()
        return any(set(connective.tokens) <= set(hit.tokens) for hit in hits)
