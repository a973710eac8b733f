"""Define pronouns, compare mentions by their words, and find the traits of entities.

A form of a pronoun belongs to one kind, or to several that it doesn't distinguish (German *sie* is
feminine or plural). Two forms of one kind differ in case only. Forms that are mostly something else
(French *le*, Spanish *lo*, articles) aren't listed.

The features of pairs of mentions are classes, forms, and modifiers. They are arrays over the words
of the document, computed once from forms and the predicted dependency tree.

Each mention of an entity votes for its number, animacy, and gender: by its pronouns first, then
by its nouns, titles, and names. The trait with most votes wins, and a tie leaves it empty. *They*
and *you* can be singular or plural: they determine the number only if nothing else does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar, cast

import numpy as np

from albeit.arrays import BoolArray, Floats32, IntArray
from albeit.errors import LanguageError
from albeit.languages import normalise
from albeit.parsing.layers import Animacy, Gender, Mention, Number
from albeit.resources.words import genders

T = TypeVar("T", bound=str)

CASES: dict[str, tuple[str, str, str, str, str]] = {
    "he": ("he", "him", "his", "his", "himself"),
    "she": ("she", "her", "her", "hers", "herself"),
    "it": ("it", "it", "its", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
    "i": ("I", "me", "my", "mine", "myself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "you": ("you", "you", "your", "yours", "yourself"),
}
"""Subject, object, before a noun, without a noun, reflexive."""
ENGLISH: dict[str, tuple[str, ...]] = {
    kind: tuple(dict.fromkeys(form.lower() for form in forms)) for kind, forms in CASES.items()
}
"""The forms of each kind in lower case."""
ENGLISH["you"] += ("yourselves",)
THIRD_PERSON = {kind: ENGLISH[kind] for kind in ("he", "she", "it", "they")}
"""The forms of the third person, with *themself*."""
THIRD_PERSON["they"] += ("themself",)
_OTHER_PERSONS = frozenset({"i", "we", "you", "thou"})
"""Kinds of the other persons in all languages."""
LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru"})
"""Languages whose pronouns are known."""


@cache
def pronoun_kinds(language: str, persons: str = "all") -> Mapping[str, tuple[str, ...]]:
    """Return the pronouns of a language, each with its kinds.

    :param persons: ``all``, or ``third`` for the third person only
    """
    code = normalise(language)
    if code not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise LanguageError(f"there is no pronoun table for {language!r}, only for {known}.")
    found: dict[str, tuple[str, ...]]
    if code == "en":
        found = {form: (kind,) for kind, forms in ENGLISH.items() for form in forms}
    else:
        text = (files("albeit.parsing") / "pronouns.tsv").read_text(encoding="utf-8")
        rows = (line.split("\t") for line in text.splitlines() if line.startswith(f"{code}\t"))
        found = {form: tuple(kinds.split()) for _, kinds, forms in rows for form in forms.split()}
    if persons == "third":
        return {form: kinds for form, kinds in found.items() if not _OTHER_PERSONS & {*kinds}}
    return found


PRONOUNS = (
    *(ENGLISH["i"], ENGLISH["you"], *THIRD_PERSON.values(), ENGLISH["we"]),
    *(("this", "that"), ("these", "those"), ("who", "whom", "whose", "which")),
)
"""Classes of pronouns, in the order of the network's inputs."""
CLASS = {form: k for k, forms in enumerate(PRONOUNS, 1) for form in forms}
PROPER = len(PRONOUNS) + 1
CLASSES = PROPER + 1
SET = 6
"""Number of words of a mention that are compared: its head and modifiers."""
CONTENT = frozenset(("NOUN", "PROPN", "ADJ", "NUM"))
DEFINITE = frozenset(["the", "this", "that", "these", "those"])
GAP_STEPS = np.array([1, 2, 3, 4, 5, 8, 16, 32, 64])
FEATURES = 12


@dataclass(slots=True)
class Evidence:
    """Features of words, one row per word of the document."""

    classes: IntArray
    forms: IntArray
    stems: IntArray
    sets: IntArray
    definite: BoolArray
    indefinite: BoolArray
    parents: IntArray
    sentences: IntArray


def stem(form: str) -> str:
    """Return a form without the ending of a plural or possessive."""
    if len(form) > 4 and form.endswith("ies"):
        return form[:-3] + "y"
    return form[:-1] if len(form) > 3 and form.endswith("s") and not form.endswith("ss") else form


def evidence(
    sentences: Sequence[Sequence[str]],
    upos: Sequence[Sequence[str]],
    heads: Sequence[Sequence[int]],
) -> Evidence:
    """Return the features of a document's words; ``heads`` count from 1, and 0 is the root."""
    sizes = [len(words) for words in sentences]
    lower = [word.lower() for words in sentences for word in words]
    tags = [tag for each in upos for tag in each]
    hung = np.array([head for each in heads for head in each], np.int64)
    base = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    at = np.arange(len(lower))
    parents = np.where(hung > 0, base + hung - 1, -1)
    numbers: dict[str, int] = {}
    forms, stems = (
        np.array([numbers.setdefault(form, len(numbers) + 1) for form in every], np.int64)
        for every in (lower, map(stem, lower))
    )
    pairs = list(zip(lower, tags, strict=True))

    def hang(chosen: Iterable[bool]) -> IntArray:
        """Return the chosen words that have a head."""
        return np.flatnonzero(np.fromiter(chosen, np.bool_, len(lower)) & (parents >= 0))

    definite, indefinite = np.zeros(len(at), np.bool_), np.zeros(len(at), np.bool_)
    definite[parents[hang(form in DEFINITE for form in lower)]] = True
    owners = hang(tag == "PRON" and form in CLASS for form, tag in pairs)
    definite[parents[owners[parents[owners] > owners]]] = True
    indefinite[parents[hang(form in ("a", "an") for form in lower)]] = True
    modifiers = hang(tag in CONTENT for tag in tags)
    classes = np.array([_class(form, tag) for form, tag in pairs], np.int64)
    numbered = np.repeat(np.arange(len(sizes)), sizes)
    sets = _sets(stems, parents, modifiers)
    return Evidence(classes, forms, stems, sets, definite, indefinite, parents, numbered)


def _class(form: str, tag: str) -> int:
    """Return the class of a pronoun or name; 0 for other words."""
    if tag in ("PRON", "DET"):
        return CLASS.get(form, 0)
    return PROPER if tag == "PROPN" else 0


def _sets(stems: IntArray, parents: IntArray, modifiers: IntArray) -> IntArray:
    """Return the stems of each word and of its first near modifiers, [words, SET]."""
    near = modifiers[np.abs(parents[modifiers] - modifiers) <= SET]
    near = near[np.argsort(parents[near], kind="stable")]
    on = parents[near]
    place = 1 + np.arange(len(on)) - np.searchsorted(on, on)
    kept = place < SET
    found = np.zeros((len(stems), SET), np.int64)
    found[:, 0] = stems
    found[on[kept], place[kept]] = stems[near[kept]]
    return found


def pair_codes(found: Evidence, words: IntArray, mine: IntArray, theirs: IntArray) -> IntArray:
    """Return classes of pairs of mentions (rows of ``words``): gap, sentence gap, word classes."""
    i, j = words[mine], words[theirs]
    gap = np.searchsorted(GAP_STEPS, mine - theirs, side="right")
    far = np.searchsorted(GAP_STEPS, found.sentences[i] - found.sentences[j], side="right")
    return np.column_stack([gap, far, found.classes[i] * CLASSES + found.classes[j]])


def pair_features(found: Evidence, i: IntArray, j: IntArray) -> Floats32:
    """Return the features of the pairs of words ``i`` and ``j``, row by row."""
    one, other = found.sets[i], found.sets[j]
    same = (one[:, :, None] == other[:, None, :]) & (one > 0)[:, :, None]
    shared = same.any(2).sum(1)
    sizes, others = (one > 0).sum(1), (other > 0).sum(1)
    heads = one[:, 0] == other[:, 0]
    modified = heads & (sizes > 1) & (others > 1) & (shared <= 1)
    proper = (found.classes[i] == PROPER) & (found.classes[j] == PROPER)
    hung = (found.parents[i] == j) | (found.parents[j] == i)
    columns = [
        *(found.forms[i] == found.forms[j], heads),
        *(same[:, 0, :].any(1), same[:, :, 0].any(1)),
        *(shared / np.minimum(sizes, others), (shared == sizes) & (shared == others)),
        *(modified, proper, found.definite[i], found.indefinite[i], hung),
        np.log1p(np.abs(i - j)) / 6,
    ]
    return np.column_stack(columns).astype(np.float32)


_TRAITS: dict[tuple[str, ...], tuple[Number, Animacy, Gender]] = {
    ENGLISH["he"]: ("singular", "animate", "masculine"),
    ENGLISH["she"]: ("singular", "animate", "feminine"),
    ENGLISH["it"]: ("singular", "inanimate", "neuter"),
    ENGLISH["i"]: ("singular", "animate", ""),
    ENGLISH["we"]: ("plural", "animate", ""),
    ENGLISH["you"]: ("", "animate", ""),
    ("yourself",): ("singular", "animate", ""),
    ("yourselves",): ("plural", "animate", ""),
    ("who", "whom", "whose"): ("", "animate", ""),
    ("which",): ("", "inanimate", ""),
    ("this", "that"): ("singular", "", ""),
    ("these", "those"): ("plural", "", ""),
}
_PRONOUNS = {form: traits for forms, traits in _TRAITS.items() for form in forms}
_THEY = frozenset(ENGLISH["they"])
_SINGULAR, _PLURAL = frozenset({"NN", "NNP"}), frozenset({"NNS", "NNPS"})
_ANIMATE = frozenset({"person", "animal"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a document: lower-case forms, parts of speech, and heads (-1: none)."""

    forms: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    parents: Sequence[int]


class Votes:
    """The votes of an entity's mentions for its traits, in the order of the mentions."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._numbers: Counter[Number] = Counter()
        self._animacies: Counter[Animacy] = Counter()
        self._pronouns: Counter[Gender] = Counter()
        self._nouns: Counter[Gender] = Counter()
        self._they = False

    def add(self, mention: Mention) -> None:
        """Count a mention."""
        words, head = self._words, mention.head
        form = words.forms[head]
        if _is_coordinated(mention, words):
            self._numbers["plural"] += 1
        elif words.upos[head] in ("PRON", "DET"):
            number, animacy, gender = _PRONOUNS.get(form, ("", "", ""))
            self._numbers[number] += 1
            self._animacies[animacy] += 1
            self._pronouns[gender] += 1
            self._they |= form in _THEY
        else:
            self._numbers["singular"] += words.xpos[head] in _SINGULAR
            self._numbers["plural"] += words.xpos[head] in _PLURAL
            self._nouns[_gender(mention.start, head, words)] += 1

    def traits(self, kind: str) -> tuple[Number, Animacy, Gender]:
        """Return number, animacy, and gender of an entity of this kind."""
        gender = _most(self._pronouns) or _most(self._nouns)
        of_kind: Animacy = "animate" if kind in _ANIMATE else "inanimate"
        animacy = _most(self._animacies) or of_kind
        number: Number = _most(self._numbers) or ("plural" if self._they else "")
        return number, animacy, gender if animacy == "animate" or gender == "neuter" else ""


def _is_coordinated(mention: Mention, words: Words) -> bool:
    """Return whether a mention has several entities, as in *Ann and Bob*."""
    for word in range(mention.head + 1, mention.stop):
        parent = words.parents[word]
        inside = mention.start <= parent < mention.stop
        if words.forms[word] == "and" and inside and words.parents[parent] == mention.head:
            return words.upos[word] == "CCONJ"
    return False


def _gender(start: int, head: int, words: Words) -> Gender:
    """Return the gender of the head, or of a title or given name before it."""
    known = genders("en")
    if words.upos[head] != "PROPN":
        return known.get(words.forms[head], "")
    names = (word for word in range(start, head + 1) if words.upos[word] in ("PROPN", "NOUN"))
    forms = (words.forms[word].rstrip(".") for word in names)
    return next((known[form] for form in forms if form in known), "")


def _most(votes: Counter[T]) -> T:
    """Return the trait with most votes; empty after a tie, or without votes."""
    counted = [vote for vote in votes.most_common() if all(vote)]
    if not counted or (len(counted) > 1 and counted[0][1] == counted[1][1]):
        return cast("T", "")
    return counted[0][0]
