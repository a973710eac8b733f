"""Synthetic translation errors: one error of a known type, with the MQM points that it costs.

Each type takes the words of a sentence and returns the words with one error and the positions of
the wrong words, or None if the type does not apply. `make_errors` chooses by language: all types
in English; in other languages with spaces those that need no word lists, with antonyms and
negations for some; in scripts without spaces, an error concerns two characters, or what is between
two commas. Words, phrases, points and shares are in `synthetic.toml`.

The types come from the error categories of MQM and from common failures of translation systems.
They were not modeled on DEMETR, which tests `judge`. But they were not written blindly either: the
names of DEMETR's 16 types, the description of its file, and the beginnings of two rows had been
read before.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

Words = list[str]
Error = tuple[Words, set[int]]
"""The words with the error, and the positions of the wrong ones (none where words are missing)."""
Phrases = Mapping[str, Sequence[str]]


def read_pairs(text: str, both: bool = True) -> dict[str, list[str]]:
    """Read `one/other` pairs: the first with the second, or both ways."""
    found: dict[str, list[str]] = {}
    for pair in text.split():
        one, other = pair.split("/")
        found.setdefault(one, []).append(other)
        if both:
            found.setdefault(other, []).append(one)
    return found


def read_phrases(text: str) -> dict[str, list[str]]:
    """Read `old > new | new; old > new`."""
    found: dict[str, list[str]] = {}
    for pair in text.split(";"):
        old, new = pair.split(">")
        found.setdefault(old.strip(), []).extend(n.strip() for n in new.split("|"))
    return found


TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
POINTS: dict[str, float] = TABLES["points"]
SHARES: dict[str, float] = TABLES["shares"]
ANTONYMS = {lang: read_pairs(text) for lang, text in TABLES["antonyms"].items()}
for _lang, _text in TABLES["one_way"].items():
    ANTONYMS[_lang] |= read_pairs(_text, both=False)
NEGATIONS = {lang: read_phrases(text) for lang, text in TABLES["negations"].items()}
ENGLISH: dict[str, str] = TABLES["english"]
LISTED = ("quantifier", "tense", "connective", "person")
"""English types that replace a phrase of a list."""
GENDER = read_pairs(ENGLISH["gender"])
CONTRACTIONS = read_pairs(ENGLISH["contractions"], both=False)
PREPOSITIONS, ARTICLES, AUXILIARIES, PARTICIPLES, SUBJECTS = (
    ENGLISH[name].split()
    for name in ("prepositions", "articles", "auxiliaries", "participles", "subjects")
)
NUMBERS = [line.split() for line in ENGLISH["numbers"].strip().splitlines()]
REFUSALS = ENGLISH["refusals"].strip().splitlines()
BEFORE, AFTER = (ENGLISH[name].strip().splitlines() for name in ("before", "after"))
NOTHING = "non-translation"
MAJOR = ("antonym", "negation", "number", "name")
"""The types of the figure *points lost for one error*."""
COMMON = 150
"""The most frequent words of a vocabulary aren't content words."""
LEAST, MOST = 6, 70
"""Words of a sentence that gets an error."""
FEWEST = 12
"""Characters of a text without spaces that gets an error."""
UNSPACED = frozenset({"ja", "zh"})
MARKS = ".,;:!?\"'()[]“”‘’«»„"
CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.S)
_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2,4}")
_CHUNK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2}")
_PHRASE = re.compile(r"\b(?:in|for|after|at|near) the [a-z]{4,}(?: [a-z]{4,})?(?=[,.;])")


def split_marks(word: str) -> tuple[str, str, str]:
    """Return the punctuation before a word, the word, and the punctuation after it."""
    match = CORE.match(word)
    assert match
    before, own, after = match.groups()
    return before, own, after


def core(word: str) -> str:
    """Return a word without the punctuation around it, in lower case."""
    return split_marks(word)[1].lower()


def replace(word: str, new: str) -> str:
    """Replace a word; keep its casing and the punctuation around it."""
    before, old, after = split_marks(word)
    if old.isupper() and len(old) > 1:
        new = new.upper()
    elif old[:1].isupper():
        new = new[:1].upper() + new[1:]
    return before + new + after


def put(words: Words, at: int, new: Sequence[str], size: int = 1) -> Error:
    """Replace `size` words by others; correct the article before them."""
    out = [*words[:at], *new, *words[at + size :]]
    if at and core(out[at - 1]) in ("a", "an") and core(out[at]):
        out[at - 1] = replace(out[at - 1], "an" if core(out[at])[0] in "aeiou" else "a")
    return out, set(range(at, at + len(new)))


def insert(words: Words, at: int, new: Sequence[str]) -> Error:
    """Insert words."""
    return [*words[:at], *new, *words[at:]], set(range(at, at + len(new)))


def drop(words: Words, start: int, stop: int) -> Error:
    """Remove words; keep the capital at the beginning and the mark at the end of the sentence."""
    out = [*words[:start], *words[stop:]]
    if out and start == 0 and words[0][:1].isupper():
        out[0] = out[0][:1].upper() + out[0][1:]
    if out and stop == len(words):
        end = re.search(r"[.!?。！？]['\"”’)]*$", words[-1])
        out[-1] = out[-1].rstrip(",;:") + (end.group() if end else "")
    return out, set()


class Vocabulary:
    """Names, content words and phrases of a collection of texts, as material for errors."""

    def __init__(self, texts: Iterable[str]) -> None:
        lower: Counter[str] = Counter()
        upper: Counter[str] = Counter()
        after: Counter[str] = Counter()
        phrases: set[str] = set()
        for text in texts:
            words = text.split()
            for k, word in enumerate(words):
                plain = word.strip(".,;:!?\"'()[]“”‘’")
                if plain.isalpha() and not plain[0].isupper():
                    lower[plain] += 1
                elif plain.isalpha() and k and not words[k - 1].endswith(tuple('.:!?"“')):
                    upper[plain] += 1
                    after[plain] += core(words[k - 1]) in ("in", "from", "near", "at", "to")
            phrases.update(_PHRASE.findall(text))
        calendar = {w.lower() for own in NUMBERS for w in own}
        self.names: dict[str, str] = {}
        """Each name with its kind."""
        for word, count in sorted(upper.items()):
            known = count > 1 and len(word) > 2 and not word.isupper()
            if known and not lower[word.lower()] and word.lower() not in calendar:
                nation = word.lower().endswith(tuple(ENGLISH["nations"].split()))
                kind = "place" if 2 * after[word] >= count else "person"
                self.names[word] = "nation" if nation else kind
        self.common = frozenset(word for word, _ in lower.most_common(COMMON))
        self.by_ending: dict[str, list[str]] = {}
        for word in sorted(w for w, n in lower.items() if len(w) > 4 and n > 1):
            self.by_ending.setdefault(word[-2:], []).append(word)
        self.phrases = sorted(phrases)


class ErrorMaker:
    """Errors in languages with spaces; the types depend on the language."""

    def __init__(self, rng: random.Random, vocabulary: Vocabulary, language: str = "") -> None:
        self.rng, self.vocabulary, self.language = rng, vocabulary, language
        self.lexicon: Mapping[str, str] = {}
        """The source words of the current sentence, by their translations."""
        names = ["number", "name", "dropped clause", "untranslated word", "wrong word"]
        names += ["repetition", "dropped word", "word order", "misspelling", "doubled word"]
        names += ["casing", "markup", "remark", "punctuation", "truncation"]
        if language == "de":
            names.remove("name")  # all nouns have capitals
        if language == "en":
            names += ["antonym", "negation", "pronoun", "gender", "function word", "addition"]
            names += ["inflection"]
        self.types: dict[str, Callable[[Words], Error | None]] = {
            name: getattr(self, name.replace(" ", "_")) for name in names
        }
        lists: dict[str, Phrases] = {}
        if language == "en":
            lists = {kind: read_phrases(ENGLISH[f"{kind}s"]) for kind in LISTED if kind != "person"}
            lists["person"] = read_phrases(ENGLISH["person"])
        elif language in ANTONYMS:
            lists = {"antonym": ANTONYMS[language], "negation": NEGATIONS[language]}
        for kind, known in lists.items():
            self.types[kind] = lambda words, known=known: self.listed(words, known)  # type: ignore[misc]

    def make(self, text: str, kind: str, lexicon: Mapping[str, str] | None = None) -> str | None:
        """Return a text with one error of this type, or None."""
        words = text.split()
        self.lexicon = lexicon or {}
        if not LEAST <= len(words) <= MOST:
            return None
        error = self.types[kind](words)
        if error is None or not error[0] or error[0] == words:
            return None
        return " ".join(error[0])

    def choose(self, words: Words, fits: Callable[[str], bool], start: int = 0) -> int | None:
        """Return the position of a word that fits."""
        places = [k for k in range(start, len(words)) if fits(words[k])]
        return self.rng.choice(places) if places else None

    def listed(self, words: Words, known: Phrases) -> Error | None:
        """Replace one to three words by a phrase of a list."""
        plain = [core(w) for w in words]
        places = [
            (k, size)
            for size in (3, 2, 1)
            for k in range(len(words) - size + 1)
            if (" ".join(plain[k : k + size]) in known or " ".join(words[k : k + size]) in known)
            and not any(split_marks(word)[2] for word in words[k : k + size - 1])
            and (self.language != "en" or allows(plain, k, size))
            and not (words[k].isupper() and len(words[k]) > 1)
        ]
        if not places:
            return None
        longest = max(size for _, size in places)
        at, size = self.rng.choice([place for place in places if place[1] == longest])
        old = " ".join(plain[at : at + size])
        new = self.rng.choice(known.get(old) or known[" ".join(words[at : at + size])]).split()
        new[0] = replace(CORE.sub(r"\1\2", words[at]), new[0])
        new[-1] += split_marks(words[at + size - 1])[2]
        return put(words, at, new, size)

    def _content(self, word: str) -> bool:
        return len(core(word)) > 4 and core(word) not in self.vocabulary.common

    def number(self, words: Words) -> Error | None:
        """Change a digit, or a number word, day or month."""
        named = {w.lower(): own for own in NUMBERS for w in own}
        at = self.choose(words, lambda w: any(c.isdigit() for c in w) or core(w) in named)
        if at is None:
            return None
        word = words[at]
        digits = [k for k, c in enumerate(word) if c.isdigit()]
        if digits:
            k = self.rng.choice(digits[:3])
            return put(words, at, [word[:k] + other_digit(self.rng, word[k]) + word[k + 1 :]])
        if core(word) == "march" and not word[:1].isupper():
            return None
        others = [w for w in named[core(word)] if w.lower() != core(word)]
        return put(words, at, [replace(word, self.rng.choice(others))])

    def name(self, words: Words) -> Error | None:
        """Replace a name by another one of the same kind: place or person."""
        known = self.vocabulary.names
        bare = [w.strip(MARKS).removesuffix("'s").removesuffix("’s") for w in words]
        places = [k for k in range(1, len(words)) if bare[k] in known]
        if not places:
            return None
        at = self.rng.choice(places)
        others = [n for n, kind in known.items() if kind == known[bare[at]] and n != bare[at]]
        if not others:
            return None
        return put(words, at, [words[at].replace(bare[at], self.rng.choice(others), 1)])

    def dropped_clause(self, words: Words) -> Error | None:
        """Leave out what is between two commas, before the first, or after the last one."""
        commas = [k for k, w in enumerate(words[:-1]) if w.endswith((",", ";"))]
        bounds = pairwise([-1, *commas, len(words) - 1])
        fits = [(a + 1, b + 1) for a, b in bounds if 3 <= b - a <= 0.6 * len(words)]
        return drop(words, *self.rng.choice(fits)) if commas and fits else None

    def untranslated_word(self, words: Words) -> Error | None:
        """Leave a word in the source language."""
        at = self.choose(words, lambda w: core(w) in self.lexicon, 1)
        if at is None:
            return None
        return put(words, at, [replace(words[at], self.lexicon[core(words[at])])])

    def wrong_word(self, words: Words) -> Error | None:
        """Replace a content word by another one with the same ending."""
        at = self.choose(words, lambda w: w[:1].islower() and self._content(w), 1)
        if at is None:
            return None
        old = core(words[at])
        others = [w for w in self.vocabulary.by_ending.get(old[-2:], ()) if w[:4] != old[:4]]
        return put(words, at, [replace(words[at], self.rng.choice(others))]) if others else None

    def repetition(self, words: Words) -> Error | None:
        """Repeat a phrase, once to three times."""
        size = self.rng.randint(3, 6)
        start = self.rng.randrange(1, max(2, len(words) - size))
        piece = words[start : start + size]
        return insert(words, start + len(piece), piece * self.rng.randint(1, 3))

    def dropped_word(self, words: Words) -> Error | None:
        """Leave out a content word."""
        at = self.choose(words, self._content, 1)
        return None if at is None else drop(words, at, at + 1)

    def word_order(self, words: Words) -> Error | None:
        """Exchange two neighboring words."""
        common = [word.isalpha() and word in self.vocabulary.common for word in words]
        after = [word.isalpha() and self._content(word) for word in words[1:]]
        fits = [k for k in range(1, len(words) - 2) if common[k] and after[k]]
        if not fits:
            return None
        at = self.rng.choice(fits)
        return put(words, at, [words[at + 1], words[at]], 2)

    def misspelling(self, words: Words) -> Error | None:
        """Exchange two letters within a word."""
        at = self.choose(words, lambda w: w.isalpha() and len(w) > 4)
        if at is None:
            return None
        word = words[at]
        places = [k for k in range(1, len(word) - 1) if word[k] != word[k + 1]]
        if not places:
            return None
        k = self.rng.choice(places)
        new = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
        return [*words[:at], new, *words[at + 1 :]], {at}

    def doubled_word(self, words: Words) -> Error | None:
        """Repeat one word."""
        at = self.choose(words[:-1], str.isalpha)
        return None if at is None else insert(words, at + 1, [words[at]])

    def casing(self, words: Words) -> Error | None:
        """Write everything in lower case."""
        low = [word.lower() for word in words]
        wrong = {k for k, word in enumerate(words) if word != low[k]}
        return (low, wrong) if len(wrong) > 1 else None

    def markup(self, words: Words) -> Error | None:
        """Add marks of a text format."""
        before, after = self.rng.choice((("**", "**"), ("- ", ""), ("## ", ""), ("```", "```")))
        return (before + " ".join(words) + after).split(), {0}

    def remark(self, words: Words) -> Error | None:
        """Add a remark about the translation."""
        if self.rng.random() < 0.5:
            return insert(words, 0, self.rng.choice(BEFORE).split())
        return insert(words, len(words), self.rng.choice(AFTER).split())

    def punctuation(self, words: Words) -> Error | None:
        """Remove a mark, or replace it by another one."""
        at = self.choose(words, lambda w: w[-1:] in ",;" and len(w) > 1)
        if words[-1][-1:] in ".?!" and (at is None or self.rng.random() < 0.5):
            at = len(words) - 1
        if at is None:
            return None
        new = {",": ("", ";"), ".": ("", ","), "?": (".",), "!": (".",), ";": ("",)}
        mark = self.rng.choice(new[words[at][-1]])
        return [*words[:at], words[at][:-1] + mark, *words[at + 1 :]], {at}

    def truncation(self, words: Words) -> Error | None:
        """Cut off the end: a third to two thirds of the sentence."""
        return words[: max(2, int(len(words) * self.rng.uniform(0.35, 0.65)))], set()

    def antonym(self, words: Words) -> Error | None:
        """Replace a word by its opposite."""
        known = ANTONYMS["en"]
        weak = ("with", "without", "before", "after")
        places = [
            k
            for k, word in enumerate(words)
            if core(word) in known
            and not (k and word[:1].isupper())
            and not (core(word) in weak and not word.isalpha())
            and has_opposite([core(w) for w in words], k)
        ]
        if not places:
            return None
        content = [k for k in places if core(words[k]) not in weak]
        at = self.rng.choice(content or places)
        return put(words, at, [replace(words[at], known[core(words[at])][-1])])

    def negation(self, words: Words) -> Error | None:
        """Remove a negation, or add one behind an auxiliary verb."""
        plain = [core(w).replace("’", "'") for w in words]
        fixed = ("only", "just", "yet", "all", "until", "least", "even")
        for at in range(1, len(words)):
            after = plain[at + 1] if at + 1 < len(words) else ""
            if plain[at] in CONTRACTIONS:
                return put(words, at, [replace(words[at], CONTRACTIONS[plain[at]][0])])
            if plain[at] == "not" and plain[at - 1] in AUXILIARIES and after not in fixed:
                return [*words[:at], *words[at + 1 :]], {at - 1}
        negative = {"not", "never", "no", "nothing", "nobody", "neither", "none"} & set(plain)
        if words[-1].endswith("?") or negative or plain[0] in CONTRACTIONS:
            return None
        places = [
            k
            for k in range(1, len(words) - 1)
            if words[k] in AUXILIARIES
            and plain[k + 1] not in ("also", "always", *SUBJECTS)
            and (
                words[k] not in ("has", "have", "had", "does", "did")
                or plain[k + 1].endswith("ed")
                or plain[k + 1] in PARTICIPLES
            )
            and plain[k - 1] not in ("to", *AUXILIARIES)
        ]
        return insert(words, self.rng.choice(places) + 1, ["not"]) if places else None

    def pronoun(self, words: Words) -> Error | None:
        """Replace a pronoun by one for a thing, a person, or several persons."""
        error = self.listed(words, read_phrases(ENGLISH["pronouns"]))
        if error is None:
            return None
        (at,) = error[1]
        after = core(words[at + 1]) if at + 1 < len(words) else ""
        verb = after in AUXILIARIES or after in CONTRACTIONS or after.endswith(("ed", "s"))
        first = at == 0 or not words[at - 1].isalpha()
        if core(words[at]) == "it" and not verb and not first:
            return put(words, at, [replace(words[at], self.rng.choice(("him", "them")))])
        return error

    def gender(self, words: Words) -> Error | None:
        """Replace a noun or pronoun by that of the other gender."""
        at = self.choose(words, lambda w: core(w) in GENDER or core(w) in ("him", "his", "her"))
        if at is None:
            return None
        after = words[at + 1] if at + 1 < len(words) else ""
        ends = not after[:1].isalpha() or words[at][-1:] in ".,;:!?" or core(after) in PREPOSITIONS
        listed = {"him": "her", "his": "hers" if ends else "her", "her": "him" if ends else "his"}
        new = listed.get(core(words[at])) or GENDER[core(words[at])][-1]
        return put(words, at, [replace(words[at], new)])

    def function_word(self, words: Words) -> Error | None:
        """Replace a preposition, or remove or replace an article."""
        known = (*PREPOSITIONS, *ARTICLES)
        at = self.choose(words[:-1], lambda w: core(w) in known and w.isalpha(), 1)
        if at is None:
            return None
        old = core(words[at])
        if old not in ARTICLES:
            new = self.rng.choice([p for p in PREPOSITIONS if p != old])
        elif self.rng.random() < 0.5:
            return drop(words, at, at + 1)
        else:
            vowel = core(words[at + 1])[:1] in tuple("aeiou")
            new = "the" if old != "the" else "an" if vowel else "a"
        return [*words[:at], replace(words[at], new), *words[at + 1 :]], {at}

    def addition(self, words: Words) -> Error | None:
        """Add a phrase of another sentence before a punctuation mark."""
        places = [k for k, w in enumerate(words) if k > 2 and w[-1:] in ",.;" and w[:-1].isalpha()]
        if not places or not self.vocabulary.phrases:
            return None
        at = self.rng.choice(places)
        new = self.rng.choice(self.vocabulary.phrases).split()
        new[-1] += words[at][-1]
        return insert([*words[:at], words[at][:-1], *words[at + 1 :]], at + 1, new)

    def inflection(self, words: Words) -> Error | None:
        """Remove or add an ending."""
        at = self.choose(words, lambda w: w.isalpha() and w.islower() and len(w) > 4, 1)
        if at is None:
            return None
        word = words[at]
        for ending, other in (("ies", "y"), ("ing", ""), ("ed", "ing"), ("s", ""), ("ly", "")):
            if word.endswith(ending) and not word.endswith(("ss", "us", "is", "thing", "ied")):
                return put(words, at, [word[: -len(ending)] + other])
        return put(words, at, [word + "s"]) if word[-1] not in "sxzygd" else None


BEFORE_AFTER: dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("few", "many"): (("a", "too", "so", "as", "how"), ()),
    ("more", "less"): (("no", "not", "nothing"), ()),
    ("it",): ((), ("seems", "takes", "turns", "appears")),
    ("while", "if"): (("a", "as", "even", "only"), ()),
    ("but",): (("nothing", "not"), ("also",)),
}
"""English words that can't be replaced after some words or before others."""
BE = ("is", "are", "was", "were")


def allows(plain: Words, at: int, size: int) -> bool:
    """Return whether a listed English word can be replaced here."""
    word, before = plain[at], plain[at - 1] if at else ""
    after = plain[at + size] if at + size < len(plain) else ""
    for own, (previous, following) in BEFORE_AFTER.items():
        if word in own and (before in previous or after in following):
            return False
    if word == "almost":
        return after.isdigit() or after in ("half", "all")
    if word in BE and (at == 0 or (size == 1 and after in ("not", "been"))):
        return False
    return not (size == 1 and word in ("all", "most", "some", "both", "none"))


def has_opposite(plain: Words, at: int) -> bool:
    """Return whether an English word has its opposite here: not in fixed phrases."""
    word, before = plain[at], plain[at - 1] if at else ""
    if word == "possible" and "as" in plain[max(0, at - 3) : at]:
        return False
    if word in ("later", "earlier", "late", "day", "night") and before not in ("the", "a"):
        return False
    return not (word in ("better", "good") and before in ("had", "as"))


def other_digit(rng: random.Random, digit: str) -> str:
    """Return another digit."""
    return rng.choice([d for d in "123456789" if d != digit])


class UnspacedErrors:
    """Errors in a script without spaces."""

    def __init__(self, rng: random.Random, texts: Iterable[str], language: str) -> None:
        self.rng, self.language = rng, language
        self.chunks = sorted({c for text in texts for c in _CHUNK.findall(text)})
        self.lexicon: Mapping[str, str] = {}
        self.types: dict[str, Callable[[str], str | None]] = {
            "antonym": lambda text: self.listed(text, ANTONYMS),
            "negation": lambda text: self.listed(text, NEGATIONS),
            "number": self.number,
            "dropped clause": self.dropped_clause,
            "dropped word": lambda text: self.chunk(text, [""]),
            "untranslated word": lambda text: self.chunk(text, sorted(self.lexicon)),
            "wrong word": lambda text: self.chunk(text, self.chunks),
            "repetition": self.repetition,
            "remark": lambda text: f"{rng.choice(BEFORE)} {text}",
            "truncation": lambda text: text[: int(len(text) * rng.uniform(0.35, 0.65))],
        }

    def make(self, text: str, kind: str, lexicon: Mapping[str, str] | None = None) -> str | None:
        """Return a text with one error of this type, or None."""
        self.lexicon = lexicon or {}
        found = self.types[kind](text) if len(text) >= FEWEST else None
        return found if found and found != text else None

    def listed(self, text: str, tables: Mapping[str, Phrases]) -> str | None:
        """Replace a word of a list."""
        known = tables.get(self.language, {})
        fits = [word for word in known if word in text]
        if not fits:
            return None
        word = self.rng.choice(fits)
        return text.replace(word, self.rng.choice(known[word]), 1)

    def number(self, text: str) -> str | None:
        """Change a digit."""
        places = [k for k, c in enumerate(text) if c.isascii() and c.isdigit()]
        if not places:
            return None
        k = self.rng.choice(places)
        return text[:k] + other_digit(self.rng, text[k]) + text[k + 1 :]

    def dropped_clause(self, text: str) -> str | None:
        """Leave out what ends with a comma."""
        parts = re.split(r"(?<=[，、,；])", text)
        long = [k for k, part in enumerate(parts[:-1]) if 4 <= len(part) <= 0.6 * len(text)]
        k = self.rng.choice(long) if long else -1
        return "".join(parts[:k] + parts[k + 1 :]) if long else None

    def chunk(self, text: str, others: Sequence[str]) -> str | None:
        """Replace two characters."""
        spans = list(_CHUNK.finditer(text))
        if not spans or not others:
            return None
        span = self.rng.choice(spans)
        return text[: span.start()] + self.rng.choice(others) + text[span.end() :]

    def repetition(self, text: str) -> str | None:
        """Repeat some characters."""
        spans = list(_CHUNK.finditer(text))
        if not spans:
            return None
        at = self.rng.choice(spans).start()
        again = text[at:][: self.rng.randint(4, 10)]
        return text[:at] + again * self.rng.randint(2, 4) + text[at + len(again) :]


Errors = ErrorMaker | UnspacedErrors


def make_errors(rng: random.Random, texts: Sequence[str], language: str) -> Errors:
    """Return what makes errors in a language."""
    if language in UNSPACED:
        return UnspacedErrors(rng, texts, language)
    return ErrorMaker(rng, Vocabulary(texts), language)


def align_words(
    pairs: Sequence[tuple[str, str]], language: str, least: float = 0.3
) -> list[dict[str, str]]:
    """Return for each (source, translation) source words by the content words they translate to.

    By Dice's coefficient over all pairs. For a source without spaces: any characters of it. For a
    translation without spaces: words of the source."""
    if language in UNSPACED:
        return [dict.fromkeys(re.findall(r"[a-z]{5,}", source), "") for source, _ in pairs]
    ones: Counter[str] = Counter()
    others: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    cut = []
    for source, target in pairs:
        mine = {core(w): w for w in source.split() if len(core(w)) > 3 and core(w).isalpha()}
        theirs = {core(w) for w in target.split() if len(core(w)) > 4 and core(w).isalpha()}
        cut.append((mine, theirs))
        ones.update(mine.keys())
        others.update(theirs)
        both.update((s, t) for s in mine for t in theirs)
    lexicons = []
    for (source, target), (mine, theirs) in zip(pairs, cut, strict=True):
        han = _HAN.findall(source)
        if han:
            lexicons.append({t: han[k % len(han)] for k, t in enumerate(sorted(theirs))})
            continue
        own: dict[str, str] = {}
        there = {core(w) for w in target.split()}
        for t in sorted(theirs):
            fits = [s for s in mine if s[:3] != t[:3] and s not in there and both[s, t] > 1]
            scored = [(2 * both[s, t] / (ones[s] + others[t]), s) for s in fits]
            best, word = max(scored, default=(0.0, ""))
            if best >= least:
                own[t] = mine[word].strip(MARKS)
        lexicons.append(own)
    return lexicons


def by_quota(counts: Counter[str], kinds: Iterable[str], rng: random.Random) -> list[str]:
    """Return types in the order in which they are most needed."""
    return sorted(kinds, key=lambda kind: (counts[kind] / SHARES.get(kind, 1.0), rng.random()))
