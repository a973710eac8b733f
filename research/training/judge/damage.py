"""Made-up damage: what a judge must see, and what it must not mind.

Each kind takes the words of an English sentence and gives other words, with the places that are now
wrong, or None where it does not apply. The kinds are those of machine translation old (words dropped,
doubled, moved) and new (refusals, remarks, markdown), written from what goes wrong in translation.
They were not modelled on DEMETR, which tests the judge. But they are not blind to it either: before
they were written, the description of its file was read, and the beginnings of two of its rows were
seen while the columns were looked up. Nothing was changed after figures on it, which name its kinds.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from training.judge.damage_words import (
    AFTER,
    AUXILIARIES,
    BEFORE,
    CONNECTIVES,
    HARMLESS,
    NUMBERS,
    OPPOSITES,
    PREPOSITIONS,
    PRONOUNS,
    REFUSALS,
    VERBS,
    bare,
    like,
)

Words = list[str]
Damaged = tuple[Words, set[int]]
"""The words after the damage, and which of them are wrong."""


def _put(words: Words, at: int, new: Sequence[str]) -> Damaged:
    return [*words[:at], *new, *words[at + 1 :]], set(range(at, at + len(new)))


class Damager:
    """Damages sentences; names and content words come from a vocabulary of the set's own."""

    def __init__(self, rng: random.Random, names: Sequence[str], content: Sequence[str]) -> None:
        self.rng, self.names, self.content = rng, names, content
        self.kinds: dict[str, Callable[[Words], Damaged | None]] = {
            "dropped": self.dropped,
            "several dropped": self.several_dropped,
            "doubled": self.doubled,
            "swapped": self.swapped,
            "moved": self.moved,
            "negated": self.negated,
            "connective exchanged": self.connective,
            "connective dropped": self.connective_dropped,
            "pronoun": self.pronoun,
            "name": self.name,
            "number": self.number,
            "preposition": self.preposition,
            "verb form": self.verb,
            "opposite": self.opposite,
            "other word": self.other_word,
            "word put in": self.put_in,
            "inflection": self.inflection,
            "misspelt": self.misspelt,
            "shuffled": self.shuffled,
            "truncated": self.truncated,
            "half lost": self.half,
            "repeated": self.repeated,
            "remark": self.remark,
            "markdown": self.markdown,
            "lower case": self.lower,
            "clause lost": self.clause,
        }

    def __call__(self, text: str, kind: str) -> tuple[str, list[tuple[int, int]]] | None:
        """The damaged text and where it is wrong, in characters; None where the kind does not fit."""
        words = text.split()
        found = self.kinds[kind](words) if len(words) > 2 else None
        if found is None or found[0] == words or not found[0]:
            return None
        changed, wrong = found
        spans, at = [], 0
        for number, word in enumerate(changed):
            if number in wrong:
                spans.append((at, at + len(word)))
            at += len(word) + 1
        return " ".join(changed), spans

    def _place(self, words: Words, fits: Callable[[str], bool]) -> int | None:
        places = [k for k, word in enumerate(words) if fits(word)]
        return self.rng.choice(places) if places else None

    def dropped(self, words: Words) -> Damaged:
        """A word is missing, the longer the likelier."""
        at = self.rng.choices(range(len(words)), [len(bare(w)) + 0.5 for w in words])[0]
        return [*words[:at], *words[at + 1 :]], set()

    def several_dropped(self, words: Words) -> Damaged:
        """A fifth of the words is missing."""
        kept = [word for word in words if self.rng.random() > 0.2]
        return kept, set()

    def doubled(self, words: Words) -> Damaged:
        """A word or a phrase stands twice."""
        at = self.rng.randrange(len(words))
        size = self.rng.choice((1, 1, 2, 3))
        piece = words[at : at + size]
        at += len(piece)
        return [*words[:at], *piece, *words[at:]], set(range(at, at + len(piece)))

    def swapped(self, words: Words) -> Damaged:
        """Two neighbours have changed places."""
        at = self.rng.randrange(len(words) - 1)
        out = list(words)
        out[at], out[at + 1] = out[at + 1], out[at]
        return out, {at, at + 1}

    def moved(self, words: Words) -> Damaged:
        """A phrase stands elsewhere."""
        size = self.rng.randint(1, max(1, len(words) // 4))
        at = self.rng.randrange(len(words) - size + 1)
        rest = [*words[:at], *words[at + size :]]
        to = self.rng.randrange(len(rest) + 1)
        out = [*rest[:to], *words[at : at + size], *rest[to:]]
        return out, set(range(to, to + size))

    def negated(self, words: Words) -> Damaged | None:
        """A negation comes or goes."""
        for at, word in enumerate(words):
            if bare(word) in ("not", "never", "no"):
                return [*words[:at], *words[at + 1 :]], {max(0, at - 1)}
            if word.lower().endswith("n't"):
                return _put(words, at, [word[:-3]])
        place = self._place(words[:-1], lambda w: w in AUXILIARIES)
        if place is None:
            return None
        return [*words[: place + 1], "not", *words[place + 1 :]], {place + 1}

    def connective(self, words: Words) -> Damaged | None:
        """Another connective."""
        at = self._place(words, lambda w: bare(w) in CONNECTIVES)
        if at is None:
            return None
        others = [c for c in CONNECTIVES if c != bare(words[at])]
        return _put(words, at, [like(words[at], self.rng.choice(others))])

    def connective_dropped(self, words: Words) -> Damaged | None:
        """A connective is missing."""
        at = self._place(words, lambda w: bare(w) in CONNECTIVES)
        return None if at is None else ([*words[:at], *words[at + 1 :]], set())

    def _exchanged(self, words: Words, sets: Sequence[Sequence[str]]) -> Damaged | None:
        at = self._place(words, lambda w: any(bare(w) in s for s in sets))
        if at is None:
            return None
        own = self.rng.choice([s for s in sets if bare(words[at]) in s])
        other = self.rng.choice([w for w in own if w != bare(words[at])])
        return _put(words, at, like(words[at], other).split())

    def pronoun(self, words: Words) -> Damaged | None:
        """Another pronoun of the same case."""
        return self._exchanged(words, PRONOUNS)

    def verb(self, words: Words) -> Damaged | None:
        """Another tense or modality."""
        return self._exchanged(words, VERBS)

    def opposite(self, words: Words) -> Damaged | None:
        """The opposite of a word."""
        return self._exchanged(words, OPPOSITES)

    def preposition(self, words: Words) -> Damaged | None:
        """Another preposition."""
        return self._exchanged(words, (PREPOSITIONS,))

    def name(self, words: Words) -> Damaged | None:
        """Another name."""
        found = self._place(words[1:], lambda w: w[:1].isupper() and len(bare(w)) > 2)
        if found is None or not self.names:
            return None
        return _put(words, found + 1, [like(words[found + 1], self.rng.choice(self.names))])

    def number(self, words: Words) -> Damaged | None:
        """Another number, day or month."""
        at = self._place(
            words,
            lambda w: any(c.isdigit() for c in w) or any(bare(w) == n.lower() for n in NUMBERS),
        )
        if at is None:
            return None
        word = words[at]
        if any(c.isdigit() for c in word):
            digits = [k for k, c in enumerate(word) if c.isdigit()]
            k = self.rng.choice(digits)
            other = self.rng.choice([d for d in "123456789" if d != word[k]])
            return _put(words, at, [word[:k] + other + word[k + 1 :]])
        named = [n for n in NUMBERS if n.lower() != bare(word)]
        alike = [n for n in named if n[0].isupper() == word[:1].isupper()]
        return _put(words, at, [like(word, self.rng.choice(alike or named))])

    def other_word(self, words: Words) -> Damaged | None:
        """A content word of another sentence instead of the right one."""
        at = self._place(words, lambda w: len(bare(w)) > 4)
        if at is None or not self.content:
            return None
        return _put(words, at, [like(words[at], self.rng.choice(self.content))])

    def put_in(self, words: Words) -> Damaged | None:
        """A word, or a few, that nobody said."""
        if not self.content:
            return None
        at = self.rng.randrange(len(words))
        new = [self.rng.choice(self.content) for _ in range(self.rng.choice((1, 1, 2, 4)))]
        return [*words[:at], *new, *words[at:]], set(range(at, at + len(new)))

    def inflection(self, words: Words) -> Damaged | None:
        """An ending comes or goes."""
        at = self._place(words, lambda w: w.isalpha() and w.islower() and len(w) > 4)
        if at is None:
            return None
        word = words[at]
        for ending, other in (("ing", ""), ("ed", "ing"), ("ies", "y"), ("s", ""), ("ly", "")):
            if word.endswith(ending):
                return _put(words, at, [word[: -len(ending)] + other])
        return _put(words, at, [word + self.rng.choice(("s", "ing", "ed"))])

    def misspelt(self, words: Words) -> Damaged | None:
        """Letters exchanged within words."""
        at = self._place(words, lambda w: w.isalpha() and len(w) > 4)
        if at is None:
            return None
        word = words[at]
        k = self.rng.randrange(1, len(word) - 2)
        return _put(words, at, [word[:k] + word[k + 1] + word[k] + word[k + 2 :]])

    def shuffled(self, words: Words) -> Damaged:
        """All words in another order."""
        out = list(words)
        self.rng.shuffle(out)
        return out, set(range(len(out)))

    def truncated(self, words: Words) -> Damaged:
        """The end is missing."""
        return words[: max(1, int(len(words) * self.rng.uniform(0.3, 0.9)))], set()

    def half(self, words: Words) -> Damaged:
        """The beginning is missing."""
        return words[max(1, int(len(words) * self.rng.uniform(0.2, 0.7))) :], set()

    def clause(self, words: Words) -> Damaged | None:
        """What stands between two commas, or after the last one, is missing."""
        places = [k for k, word in enumerate(words[:-1]) if word.endswith(",")]
        if not places:
            return None
        at = self.rng.randrange(len(places))
        stop = places[at + 1] + 1 if at + 1 < len(places) else len(words)
        return [*words[: places[at] + 1], *words[stop:]], set()

    def repeated(self, words: Words) -> Damaged:
        """The sentence, or its end, again and again."""
        piece = words[-self.rng.choice((3, 5, len(words))) :]
        again = piece * self.rng.choice((1, 2, 3))
        return [*words, *again], set(range(len(words), len(words) + len(again)))

    def remark(self, words: Words) -> Damaged:
        """Something said about the translation."""
        if self.rng.random() < 0.5:
            new = self.rng.choice(BEFORE).split()
            return [*new, *words], set(range(len(new)))
        new = self.rng.choice(AFTER).split()
        return [*words, *new], set(range(len(words), len(words) + len(new)))

    def markdown(self, words: Words) -> Damaged:
        """Marks of a text format."""
        out = list(words)
        form = self.rng.choice(("bold", "all", "item", "head", "code"))
        if form == "bold":
            at = self.rng.randrange(len(out))
            out[at] = f"**{out[at]}**"
            return out, {at}
        before, after = {
            "all": ("**", "**"),
            "item": ("- ", ""),
            "head": ("## ", ""),
            "code": ("```", "```"),
        }[form]
        return (before + " ".join(out) + after).split(), {0}

    def lower(self, words: Words) -> Damaged | None:
        """No capitals."""
        low = [word.lower() for word in words]
        wrong = {k for k, word in enumerate(words) if word != low[k]}
        return (low, wrong) if len(wrong) > 1 else None

    def refusal(self) -> str:
        """An answer that is no translation."""
        return self.rng.choice(REFUSALS)

    def harmless(self, text: str) -> str | None:
        """The same said a little differently."""
        fits = [
            pair[::turn]
            for pair in HARMLESS
            for turn in (1, -1)
            if re.search(rf"(?<!\w){re.escape(pair[::turn][0])}(?!\w)", text)
        ]
        if not fits:
            return None
        old, new = self.rng.choice(fits)
        return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, count=1)
