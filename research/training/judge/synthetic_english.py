"""Synthetic errors in English: the types that need word lists."""

from __future__ import annotations

import random

from training.judge.synthetic import Error, ErrorMaker, Vocabulary, Words, core, drop, put, replace
from training.judge.synthetic_words import (
    ANTONYMS,
    ARTICLES,
    AUXILIARIES,
    CONNECTIVES,
    CONTRACTIONS,
    GENDER,
    PARTICIPLES,
    PERSON,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    SUBJECTS,
    TENSES,
)


class EnglishErrors(ErrorMaker):
    """All types of errors, in English."""

    fixed_order = True

    def __init__(self, rng: random.Random, vocabulary: Vocabulary) -> None:
        super().__init__(rng, vocabulary)
        self.types |= {
            "antonym": self.antonym,
            "negation": self.negation,
            "quantifier": lambda words: self.listed(words, QUANTIFIERS),
            "tense": lambda words: self.listed(words, TENSES),
            "connective": lambda words: self.listed(words, {c: o for c, *o in CONNECTIVES}),
            "pronoun": self.pronoun,
            "person": lambda words: self.listed(words, PERSON),
            "gender": self.gender,
            "function word": self.function_word,
            "addition": self.addition,
            "inflection": self.inflection,
        }

    @staticmethod
    def allowed(words: Words, plain: Words, at: int, size: int) -> bool:
        """Whether a listed word can be replaced here."""
        word, previous = plain[at], plain[at - 1] if at else ""
        after = plain[at + size] if at + size < len(plain) else ""
        if not ErrorMaker.allowed(words, plain, at, size):
            return False
        if word in ("few", "many") and previous in ("a", "too", "so", "as", "how"):
            return False
        if word in ("more", "less") and previous in ("no", "not", "nothing"):
            return False
        if size == 1 and word in ("all", "most", "some", "both", "none"):
            return False
        if word == "almost":
            return after.isdigit() or after in ("half", "all")
        if word in ("is", "are", "was", "were") and at == 0:
            return False
        if size == 1 and word in ("is", "are", "was", "were") and after in ("not", "been"):
            return False
        if word == "it" and after in ("seems", "takes", "turns", "appears"):
            return False
        if word in ("while", "if") and previous in ("a", "as", "even", "only"):
            return False
        return not (word == "but" and (previous in ("nothing", "not") or after == "also"))

    def antonym(self, words: Words) -> Error | None:
        """Replace a word by its opposite."""
        places = []
        for k, word in enumerate(words):
            plain = core(word)
            previous = core(words[k - 1]) if k else ""
            if plain not in ANTONYMS or (k and word[:1].isupper()):
                continue
            if (plain == "possible" and "as" in map(core, words[max(0, k - 3) : k])) or (
                plain in ("later", "earlier", "late", "day", "night")
                and previous not in ("the", "a")
            ):
                continue
            if plain in ("better", "good") and previous in ("had", "as"):
                continue
            if plain in ("with", "without", "before", "after") and not word.isalpha():
                continue
            places.append(k)
        if not places:
            return None
        content = [
            k for k in places if core(words[k]) not in ("with", "without", "before", "after")
        ]
        at = self.rng.choice(content or places)
        return put(words, at, [replace(words[at], ANTONYMS[core(words[at])])])

    def negation(self, words: Words) -> Error | None:
        """Remove a negation, or add one behind an auxiliary verb."""
        plain = [core(w) for w in words]
        fixed = ("only", "just", "yet", "all", "until", "least", "even")
        for at, word in enumerate(words):
            after = plain[at + 1] if at + 1 < len(words) else ""
            if plain[at].replace("’", "'") in CONTRACTIONS and at:
                new = CONTRACTIONS[plain[at].replace("’", "'")]
                return put(words, at, [replace(word, new)])
            if plain[at] == "not" and at and plain[at - 1] in AUXILIARIES and after not in fixed:
                return [*words[:at], *words[at + 1 :]], {at - 1}
        negative = {"not", "never", "no", "nothing", "nobody", "neither", "none"} & set(plain)
        if words[-1].endswith("?") or negative:
            return None
        places = [
            k
            for k in range(1, len(words) - 1)
            if words[k] in AUXILIARIES
            and plain[k + 1] not in ("also", "always", *SUBJECTS)
            and not (
                words[k] in ("has", "have", "had", "does", "did") and not _participle(plain[k + 1])
            )
            and plain[k - 1] not in ("to", *AUXILIARIES)
        ]
        if not places:
            return None
        at = self.rng.choice(places)
        return [*words[: at + 1], "not", *words[at + 1 :]], {at + 1}

    def pronoun(self, words: Words) -> Error | None:
        """Replace a pronoun by one for a thing, a person, or several persons."""
        found = self.listed(words, PRONOUNS)
        if found is None:
            return None
        (at,) = found[1]
        after = core(words[at + 1]) if at + 1 < len(words) else ""
        verb = after in AUXILIARIES or after in CONTRACTIONS or after.endswith(("ed", "s"))
        first = at == 0 or not words[at - 1].isalpha()
        if core(words[at]) == "it" and not verb and not first:
            return put(words, at, [replace(words[at], self.rng.choice(("him", "them")))])
        return found

    def gender(self, words: Words) -> Error | None:
        """Replace a noun or pronoun by that of the other gender."""
        places = [
            k for k, w in enumerate(words) if core(w) in GENDER or core(w) in ("him", "his", "her")
        ]
        if not places:
            return None
        at = self.rng.choice(places)
        after = words[at + 1] if at + 1 < len(words) else ""
        ends = not after[:1].isalpha() or words[at][-1:] in ".,;:!?" or core(after) in PREPOSITIONS
        listed = {"him": "her", "his": "hers" if ends else "her", "her": "him" if ends else "his"}
        new = listed.get(core(words[at])) or GENDER[core(words[at])]
        return put(words, at, [replace(words[at], new)])

    def function_word(self, words: Words) -> Error | None:
        """Replace a preposition, or remove or replace an article."""
        at = self._place(words, lambda w: core(w) in (*PREPOSITIONS, *ARTICLES) and w.isalpha(), 1)
        if at is None or at == len(words) - 1:
            return None
        if core(words[at]) in ARTICLES:
            if self.rng.random() < 0.5:
                return drop(words, at, at + 1)
            vowel = core(words[at + 1])[:1] in tuple("aeiou")
            new = "the" if core(words[at]) != "the" else "an" if vowel else "a"
        else:
            new = self.rng.choice([p for p in PREPOSITIONS if p != core(words[at])])
        return [*words[:at], replace(words[at], new), *words[at + 1 :]], {at}

    def addition(self, words: Words) -> Error | None:
        """Add a phrase of another sentence before a punctuation mark."""
        places = [k for k, w in enumerate(words) if k > 2 and w[-1:] in ",.;" and w[:-1].isalpha()]
        if not places or not self.vocabulary.phrases:
            return None
        at = self.rng.choice(places)
        new = self.rng.choice(self.vocabulary.phrases).split()
        new[-1] += words[at][-1]
        out = [*words[:at], words[at][:-1], *new, *words[at + 1 :]]
        return out, set(range(at + 1, at + 1 + len(new)))

    def inflection(self, words: Words) -> Error | None:
        """Remove or add an ending."""
        at = self._place(words, lambda w: w.isalpha() and w.islower() and len(w) > 4, 1)
        if at is None:
            return None
        word = words[at]
        for ending, other in (("ies", "y"), ("ing", ""), ("ed", "ing"), ("s", ""), ("ly", "")):
            if word.endswith(ending) and not word.endswith(("ss", "us", "is", "thing", "ied")):
                return put(words, at, [word[: -len(ending)] + other])
        return put(words, at, [word + "s"]) if word[-1] not in "sxzygd" else None


def _participle(word: str) -> bool:
    return word.endswith("ed") or word in PARTICIPLES
