"""Synthetic translation errors: one error of a known type, with the MQM points that it costs.

`ErrorMaker` has the types that need no knowledge of the language, `EnglishErrors`
(`training.judge.synthetic_english`) all types. Each type
takes the words of a sentence and returns the words with one error and the positions of the wrong words,
or None where the type does not apply.

The types come from the error categories of MQM and from common failures of translation systems. They were
not modeled on DEMETR, which tests `judge`. But they were not written blindly either: the names of DEMETR's
16 types, the description of its file, and the beginnings of two rows had been read before.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from training.judge.synthetic_words import AFTER, BEFORE, NATIONS, NUMBERS

Words = list[str]
Error = tuple[Words, set[int]]
"""The words with the error, and the positions of the wrong ones (none where words are missing)."""

POINTS: dict[str, float] = {
    "antonym": 5,
    "negation": 5,
    "number": 5,
    "name": 5,
    "dropped clause": 5,
    "quantifier": 5,
    "untranslated word": 5,
    "wrong word": 5,
    "repetition": 5,
    "connective": 4,
    "pronoun": 4,
    "person": 4,
    "gender": 4,
    "addition": 4,
    "dropped word": 3,
    "tense": 2,
    "word order": 2,
    "remark": 2,
    "function word": 1,
    "inflection": 1,
    "misspelling": 1,
    "doubled word": 1,
    "casing": 1,
    "markup": 1,
    "punctuation": 0.3,
    "truncation": 10,
    "non-translation": 15,
}
"""MQM points by type. A non-translation costs 25, but nothing can cost more than the translation had; 15
is what separates it from an average translation."""
SHARES = {"antonym": 2.0, "negation": 2.0, "number": 2.0, "name": 2.0, "dropped clause": 1.5}
SHARES |= dict.fromkeys(("misspelling", "doubled word", "casing", "markup", "remark"), 0.4)
SHARES |= {"punctuation": 0.6, "truncation": 0.5, "inflection": 0.6, "non-translation": 1.5}
"""How many errors of a type are made, compared with other types; 1 if not listed."""
MAJOR = ("antonym", "negation", "number", "name")
"""The types of the figure *points lost for one error*."""
COMMON = 150
"""The most frequent words of a vocabulary aren't content words."""
LEAST, MOST = 6, 70
"""Words of a sentence that gets an error."""
CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.S)
_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2,4}")


def core(word: str) -> str:
    """A word without the punctuation around it, in lower case."""
    found = CORE.match(word)
    return found.group(2).lower() if found else ""


def replace(word: str, new: str) -> str:
    """Replace a word; keep its casing and the punctuation around it."""
    found = CORE.match(word)
    assert found
    before, old, after = found.groups()
    if old.isupper() and len(old) > 1:
        new = new.upper()
    elif old[:1].isupper():
        new = new[:1].upper() + new[1:]
    return before + new + after


def put(words: Words, at: int, new: Sequence[str], size: int = 1) -> Error:
    """Replace `size` words by others; correct the article before them."""
    out = [*words[:at], *new, *words[at + size :]]
    if at and core(out[at - 1]) in ("a", "an") and core(out[at]):
        article = "an" if core(out[at])[0] in "aeiou" else "a"
        out[at - 1] = replace(out[at - 1], article)
    return out, set(range(at, at + len(new)))


def drop(words: Words, start: int, stop: int) -> Error:
    """Remove words; keep the capital at the beginning and the mark at the end of the sentence."""
    out = [*words[:start], *words[stop:]]
    if not out:
        return out, set()
    if start == 0 and words[0][:1].isupper():
        out[0] = out[0][:1].upper() + out[0][1:]
    if stop == len(words):
        end = re.search(r"[.!?。！？]['\"”’)]*$", words[-1])
        out[-1] = out[-1].rstrip(",;:") + (end.group() if end else "")
    return out, set()


class Vocabulary:
    """Names, content words and phrases of a collection of texts, as material for errors."""

    def __init__(self, texts: Iterable[str]) -> None:
        lower: Counter[str] = Counter()
        upper: Counter[str] = Counter()
        after: Counter[str] = Counter()
        phrases: Counter[str] = Counter()
        for text in texts:
            words = text.split()
            for k, word in enumerate(words):
                plain = word.strip(".,;:!?\"'()[]“”‘’")
                if not plain.isalpha():
                    continue
                if plain[0].isupper():
                    if k and not words[k - 1].endswith((".", ":", "!", "?", '"', "“")):
                        upper[plain] += 1
                        after[plain] += core(words[k - 1]) in ("in", "from", "near", "at", "to")
                else:
                    lower[plain] += 1
            phrases.update(
                re.findall(
                    r"\b(?:in|for|after|at|near) the [a-z]{4,}(?: [a-z]{4,})?(?=[,.;])", text
                )
            )
        names = {w: n for w, n in upper.items() if n > 1 and len(w) > 2 and not w.isupper()}
        calendar = {w.lower() for own in NUMBERS for w in own}
        known = sorted(w for w in names if not lower[w.lower()] and w.lower() not in calendar)
        self.names: dict[str, str] = {}
        for word in known:
            nation = word.lower().endswith(NATIONS)
            place = 2 * after[word] >= names[word]
            self.names[word] = "nation" if nation else "place" if place else "person"
        self.common = frozenset(word for word, _ in lower.most_common(COMMON))
        self.by_ending: dict[str, list[str]] = {}
        for word in sorted(w for w, n in lower.items() if len(w) > 4 and n > 1):
            self.by_ending.setdefault(word[-2:], []).append(word)
        self.phrases = sorted(phrases)


class ErrorMaker:
    """Errors that need no knowledge of the language."""

    fixed_order = False
    """Whether a function word must precede its content word."""

    def __init__(self, rng: random.Random, vocabulary: Vocabulary) -> None:
        self.rng, self.vocabulary = rng, vocabulary
        self.lexicon: Mapping[str, str] = {}
        """The source words of the current sentence, by their translations."""
        self.types: dict[str, Callable[[Words], Error | None]] = {
            "number": self.number,
            "name": self.name,
            "dropped clause": self.dropped_clause,
            "untranslated word": self.untranslated_word,
            "wrong word": self.wrong_word,
            "repetition": self.repetition,
            "dropped word": self.dropped_word,
            "word order": self.word_order,
            "misspelling": self.misspelling,
            "doubled word": self.doubled_word,
            "casing": self.casing,
            "markup": self.markup,
            "remark": self.remark,
            "punctuation": self.punctuation,
            "truncation": self.truncation,
        }

    def make(self, text: str, kind: str, lexicon: Mapping[str, str] | None = None) -> str | None:
        """A text with one error of this type, or None."""
        words = text.split()
        self.lexicon = lexicon or {}
        if not LEAST <= len(words) <= MOST:
            return None
        found = self.types[kind](words)
        if found is None or not found[0] or found[0] == words:
            return None
        return " ".join(found[0])

    def _place(self, words: Words, fits: Callable[[str], bool], start: int = 0) -> int | None:
        places = [k for k in range(start, len(words)) if fits(words[k])]
        return self.rng.choice(places) if places else None

    def listed(self, words: Words, known: Mapping[str, Sequence[str]]) -> Error | None:
        """Replace one to three words by a phrase of a list."""
        plain = [core(w) for w in words]
        places = [
            (k, size)
            for size in (3, 2, 1)
            for k in range(len(words) - size + 1)
            if (" ".join(plain[k : k + size]) in known or " ".join(words[k : k + size]) in known)
            and self.allowed(words, plain, k, size)
            and not (words[k].isupper() and len(words[k]) > 1)
        ]
        if not places:
            return None
        longest = max(size for _, size in places)
        at, size = self.rng.choice([place for place in places if place[1] == longest])
        old = " ".join(plain[at : at + size])
        new = self.rng.choice(known.get(old) or known[" ".join(words[at : at + size])]).split()
        new[0] = replace(CORE.sub(r"\1\2", words[at]), new[0])
        tail = CORE.match(words[at + size - 1])
        assert tail
        new[-1] += tail.group(3)
        return put(words, at, new, size)

    @staticmethod
    def allowed(words: Words, plain: Words, at: int, size: int) -> bool:
        """Whether a listed phrase can be replaced here: not where punctuation divides it."""
        return not any(CORE.sub(r"\3", word) for word in words[at : at + size - 1])

    def _content(self, word: str) -> bool:
        return len(core(word)) > 4 and core(word) not in self.vocabulary.common

    def number(self, words: Words) -> Error | None:
        """Change a digit, or a number word, day or month."""
        named = {w.lower(): own for own in NUMBERS for w in own}
        at = self._place(words, lambda w: any(c.isdigit() for c in w) or core(w) in named)
        if at is None:
            return None
        word = words[at]
        digits = [k for k, c in enumerate(word) if c.isdigit()]
        if digits:
            k = self.rng.choice(digits[:3])
            other = self.rng.choice([d for d in "123456789" if d != word[k]])
            return put(words, at, [word[:k] + other + word[k + 1 :]])
        if core(word) == "march" and not word[:1].isupper():
            return None
        others = [w for w in named[core(word)] if w.lower() != core(word)]
        return put(words, at, [replace(word, self.rng.choice(others))])

    def name(self, words: Words) -> Error | None:
        """Another name of the same kind: place or person."""
        known = self.vocabulary
        bare = [
            word.strip(".,;:!?\"'()[]“”‘’").removesuffix("'s").removesuffix("’s") for word in words
        ]
        places = [k for k in range(1, len(words)) if bare[k] in known.names]
        if not places:
            return None
        at = self.rng.choice(places)
        kind = known.names[bare[at]]
        others = [name for name, own in known.names.items() if own == kind and name != bare[at]]
        if not others:
            return None
        return put(words, at, [words[at].replace(bare[at], self.rng.choice(others), 1)])

    def dropped_clause(self, words: Words) -> Error | None:
        """Leave out what is between two commas, before the first, or after the last one."""
        commas = [
            -1,
            *(k for k, w in enumerate(words[:-1]) if w.endswith((",", ";"))),
            len(words) - 1,
        ]
        spans = [(a + 1, b + 1) for a, b in pairwise(commas)]
        fits = [(a, b) for a, b in spans if 3 <= b - a <= 0.6 * len(words)]
        if len(commas) < 3 or not fits:
            return None
        return drop(words, *self.rng.choice(fits))

    def untranslated_word(self, words: Words) -> Error | None:
        """Leave a word in the source language."""
        at = self._place(words, lambda w: core(w) in self.lexicon, 1)
        if at is None:
            return None
        return put(words, at, [replace(words[at], self.lexicon[core(words[at])])])

    def wrong_word(self, words: Words) -> Error | None:
        """Another content word with the same ending."""
        known = self.vocabulary.by_ending
        at = self._place(words, lambda w: w[:1].islower() and self._content(w), 1)
        if at is None:
            return None
        others = [w for w in known.get(core(words[at])[-2:], ()) if w[:4] != core(words[at])[:4]]
        return put(words, at, [replace(words[at], self.rng.choice(others))]) if others else None

    def repetition(self, words: Words) -> Error | None:
        """Say a phrase again, once to three times."""
        size = self.rng.randint(3, 6)
        start = self.rng.randrange(1, max(2, len(words) - size))
        piece = words[start : start + size]
        again = piece * self.rng.randint(1, 3)
        stop = start + len(piece)
        return [*words[:stop], *again, *words[stop:]], set(range(stop, stop + len(again)))

    def dropped_word(self, words: Words) -> Error | None:
        """Leave out a content word."""
        at = self._place(words, self._content, 1)
        return None if at is None else drop(words, at, at + 1)

    def word_order(self, words: Words) -> Error | None:
        """Exchange two neighboring words."""
        fits = [
            k
            for k in range(1, len(words) - 2)
            if words[k].isalpha()
            and self._content(words[k + 1])
            and words[k + 1].isalpha()
            and (words[k] in self.vocabulary.common or not self.fixed_order)
        ]
        if not fits:
            return None
        at = self.rng.choice(fits)
        return put(words, at, [words[at + 1], words[at]], 2)

    def misspelling(self, words: Words) -> Error | None:
        """Exchange two letters within a word."""
        at = self._place(words, lambda w: w.isalpha() and len(w) > 4)
        if at is None:
            return None
        word = words[at]
        places = [k for k in range(1, len(word) - 1) if word[k] != word[k + 1]]
        if not places:
            return None
        k = self.rng.choice(places)
        return [*words[:at], word[:k] + word[k + 1] + word[k] + word[k + 2 :], *words[at + 1 :]], {
            at
        }

    def doubled_word(self, words: Words) -> Error | None:
        """Say one word twice."""
        at = self._place(words[:-1], lambda w: w.isalpha())
        return None if at is None else ([*words[: at + 1], *words[at:]], {at + 1})

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
            new = self.rng.choice(BEFORE).split()
            return [*new, *words], set(range(len(new)))
        new = self.rng.choice(AFTER).split()
        return [*words, *new], set(range(len(words), len(words) + len(new)))

    def punctuation(self, words: Words) -> Error | None:
        """Remove a mark, or replace it by another one."""
        at = self._place(words, lambda w: w[-1:] in ",;" and len(w) > 1)
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


def alignments(pairs: Sequence[tuple[str, str]], least: float = 0.3) -> list[dict[str, str]]:
    """For each (source, translation): source words by the content words that they are the
    translation of, by Dice's coefficient over all pairs. In a script without spaces, any
    characters of the source."""
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
    found = []
    for (source, target), (mine, theirs) in zip(pairs, cut, strict=True):
        own: dict[str, str] = {}
        han = _HAN.findall(source)
        there = {core(w) for w in target.split()}
        for t in sorted(theirs):
            if han:
                own[t] = han[len(own) % len(han)]
                continue
            scored = [
                (2 * both[s, t] / (ones[s] + others[t]), s)
                for s in mine
                if s[:3] != t[:3] and s not in there and both[s, t] > 1
            ]
            best, word = max(scored, default=(0.0, ""))
            if best >= least:
                own[t] = mine[word].strip(".,;:!?\"'()[]“”«»„")
        found.append(own)
    return found


def by_quota(counts: Counter[str], kinds: Iterable[str], rng: random.Random) -> list[str]:
    """Types in the order in which they are most needed."""
    return sorted(kinds, key=lambda kind: (counts[kind] / SHARES.get(kind, 1.0), rng.random()))
