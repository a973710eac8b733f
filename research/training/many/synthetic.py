"""Synthetic errors in system outputs of any language.

Types that need word lists (antonym, negation) exist for de, fr, es, ru and zh. In scripts without spaces
an error concerns two characters, or what is between two commas.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from training.judge.groups import ERRORS, NOTHING, POOREST, WORTHLESS, Group, first
from training.judge.segments import Segment
from training.judge.synthetic import LEAST, POINTS, ErrorMaker, Vocabulary, alignments, by_quota
from training.judge.synthetic_words import BEFORE, REFUSALS
from training.many.synthetic_words import ANTONYMS, NEGATIONS

UNSPACED = frozenset({"ja", "zh"})
UNSPACED_TYPES = (
    "antonym",
    "negation",
    "number",
    "dropped clause",
    "dropped word",
    "untranslated word",
    "wrong word",
    "repetition",
    "remark",
    "truncation",
)
POOREST_SOFT = -0.5
"""The lowest standardized soft label of an output that gets a synthetic error."""
FEWEST = 12
"""Characters of a text without spaces that gets an error."""
_CHUNK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2}")


class ListedErrors(ErrorMaker):
    """Errors in a language with spaces."""

    fixed_order = True

    def __init__(self, rng: random.Random, vocabulary: Vocabulary, language: str) -> None:
        super().__init__(rng, vocabulary)
        if language == "de":  # all nouns have capitals
            del self.types["name"]
        if language in ANTONYMS:
            self.types["antonym"] = lambda words: self.listed(words, ANTONYMS[language])
            self.types["negation"] = lambda words: self.listed(words, NEGATIONS[language])


class UnspacedErrors:
    """Errors in a script without spaces."""

    def __init__(self, rng: random.Random, texts: Sequence[str], language: str) -> None:
        self.rng, self.language = rng, language
        self.chunks = sorted({c for text in texts for c in _CHUNK.findall(text)})
        self.types = UNSPACED_TYPES

    def make(self, text: str, kind: str, lexicon: Mapping[str, str] | None = None) -> str | None:
        """A text with one error of this type, or None."""
        if len(text) < FEWEST:
            return None
        found = self._make(text, kind, lexicon or {})
        return found if found and found != text else None

    def _make(self, text: str, kind: str, lexicon: Mapping[str, str]) -> str | None:
        rng = self.rng
        spans = list(_CHUNK.finditer(text))
        if kind in ("antonym", "negation"):
            known = (ANTONYMS if kind == "antonym" else NEGATIONS).get(self.language, {})
            fits = [word for word in known if word in text]
            word = rng.choice(fits) if fits else ""
            return text.replace(word, rng.choice(known[word]), 1) if word else None
        if kind == "number":
            places = [k for k, c in enumerate(text) if c.isascii() and c.isdigit()]
            if not places:
                return None
            k = rng.choice(places)
            return text[:k] + rng.choice([d for d in "123456789" if d != text[k]]) + text[k + 1 :]
        if kind == "dropped clause":
            parts = re.split(r"(?<=[，、,；])", text)
            long = [k for k, part in enumerate(parts[:-1]) if 4 <= len(part) <= 0.6 * len(text)]
            k = rng.choice(long) if long else -1
            return "".join(parts[:k] + parts[k + 1 :]) if long else None
        if kind == "remark":
            return f"{rng.choice(BEFORE)} {text}"
        if kind == "truncation":
            return text[: int(len(text) * rng.uniform(0.35, 0.65))]
        if not spans:
            return None
        span = rng.choice(spans)
        before, own, after = text[: span.start()], span.group(), text[span.end() :]
        if kind == "repetition":
            again = (own + after)[: rng.randint(4, 10)]
            return before + again * rng.randint(2, 4) + (own + after)[len(again) :]
        new = {"dropped word": "", "wrong word": rng.choice(self.chunks)}.get(kind)
        if kind == "untranslated word":
            new = rng.choice(sorted(lexicon)) if lexicon else None
        return None if new is None else before + new + after


class Synthesizer:
    """Makes groups with synthetic errors in the system outputs of one target language."""

    def __init__(self, segments: Sequence[Segment], language: str, seed: int = 18) -> None:
        self.rng = random.Random(f"{seed}{language}")
        self.references = [first(segment)[1] for segment in segments]
        self.unspaced = language in UNSPACED
        self.counts: Counter[str] = Counter()
        if self.unspaced:
            words = [re.findall(r"[a-z]{5,}", segment.source) for segment in segments]
            lexicons: Sequence[Mapping[str, str]] = [dict.fromkeys(own, "") for own in words]
            self.errors: ErrorMaker | UnspacedErrors = UnspacedErrors(
                self.rng, self.references, language
            )
        else:
            lexicons = alignments([(s.source, first(s)[1]) for s in segments])
            self.errors = ListedErrors(self.rng, Vocabulary(self.references), language)
        self.lexicons = dict(zip((id(s) for s in segments), lexicons, strict=True))

    def __call__(self, segment: Segment) -> Iterator[Group]:
        """An output of one system, without an error and with one error of several types."""
        name, reference = first(segment)
        soft = segment.data.startswith("remedy")
        least = POOREST_SOFT if soft else POOREST.get(segment.data, -8.0)
        systems = [s for s in sorted(segment.outputs) if segment.levels.get(s, 0.0) >= least]
        if not systems or not reference.strip():
            return
        text = segment.outputs[self.rng.choice(systems)]
        size = len(text) if self.unspaced else len(text.split())
        if size < (FEWEST if self.unspaced else LEAST) or text == reference:
            return
        key = f"{segment.key}|{name}"
        group = Group(segment.data, key, "synthetic", segment.document, reference)
        good = group.add("original", text)
        for kind in by_quota(self.counts, [*self.errors.types, NOTHING], self.rng):
            if kind == NOTHING:
                bad: str | None = self.nothing(segment)
            else:
                bad = self.errors.make(text, kind, self.lexicons[id(segment)])
            if bad is None or bad == reference:
                continue
            at = group.add(kind, bad, WORTHLESS if kind == NOTHING else None)
            group.pairs.append((good, at, 1.0, POINTS[kind]))
            self.counts[kind] += 1
            if len(group.pairs) == ERRORS:
                yield group
                break

    def nothing(self, segment: Segment) -> str:
        """A text that isn't a translation: another sentence, the source, or a refusal."""
        choice = self.rng.random()
        if choice < 0.6:
            other = self.rng.choice(self.references)
            return other if other not in segment.references.values() else segment.source
        return segment.source if choice < 0.85 else self.rng.choice(REFUSALS)


def synthesize(
    segments: Sequence[tuple[str, Segment]], shares: Mapping[str, float]
) -> Iterator[tuple[str, Segment, Group]]:
    """(language pair, segment, group) for a share of the segments, 1 if a set isn't listed."""
    by_language: dict[str, list[tuple[str, Segment]]] = {}
    for pair, segment in segments:
        if segment.references and segment.outputs:
            by_language.setdefault(pair.split("-")[1], []).append((pair, segment))
    for language, own in sorted(by_language.items()):
        make = Synthesizer([segment for _, segment in own], language)
        for pair, segment in own:
            if make.rng.random() < shares.get(segment.data, 1.0):
                for group in make(segment):
                    yield pair, segment, group
