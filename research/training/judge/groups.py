"""Groups of translations of one reference, made from judged segments: what `judge` learns from.

Kinds of groups:

- judged: human judgments, with each human reference in turn (another human translation that was
  judged is one of the translations);
- synthetic: a system output and the same with one error, each with the MQM points that it costs;
- unjudged: system outputs without judgments, for distillation;
- contrast: good and bad translations of a test set, never for training;
- soft: scores of free metrics in place of judgments;
- paragraph: neighboring segments of a document joined, their judgments added up;
- identity: a reference against itself, and a text that isn't a translation of it;
- probe: a reference, the same with one major error, and another translation; for testing only.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from training.judge.segments import Pairs, Segment, Span
from training.synthetic import (
    FEWEST,
    LEAST,
    MAJOR,
    NOTHING,
    POINTS,
    REFUSALS,
    UNSPACED,
    align_words,
    by_quota,
    make_errors,
)

KINDS = ("judged", "synthetic", "unjudged", "contrast", "soft", "paragraph", "identity", "probe")
SURE = 99.0
"""The gap of a preference that no margin should drop."""
WORTHLESS = -40.0
"""The level of a text that isn't a translation."""
APART = {"mqm": 1.0, "assessed": 0.1, "soft": 0.35}
"""Difference of levels between two translations that counts as a preference."""
LONGEST = 500
"""Subwords of a paragraph and its reference."""
UNJUDGED = 0.6
"""The share of a document's systems whose unjudged outputs are taken."""
SYNTHETIC = {"wmt12": 0.31, "wmt13": 0.31}
"""The share of a set's segments that get synthetic errors; 0.75 if not listed."""
ERRORS = 2
"""Synthetic errors per segment, each in the same output."""
POOREST = {"wmt21": -0.5, "remedy22": -0.5, "remedy23": -0.5, "remedy24": -0.5}
"""The lowest level of an output that gets a synthetic error; -8 MQM points if not listed."""
TWICE = {"newstest20": 8, "newstest21": 1}
"""Sets with two references that are probed, each n-th segment."""
DEV_SHARE, DEV_SALT = 16, 4
"""One document in sixteen; the salt was chosen so that every set but TED (five talks) has its
share."""


@dataclass(slots=True)
class Group:
    """One reference and translations of it; pairs are (better, worse, count, gap)."""

    data: str
    key: str
    kind: str
    document: str
    reference: str
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    levels: list[float | None] = field(default_factory=list)
    errors: list[list[Span] | None] = field(default_factory=list)
    pairs: list[tuple[int, int, float, float]] = field(default_factory=list)
    parts: list[list[tuple[str, str]]] = field(default_factory=list)
    """Of a paragraph's translations: the segments, each with its reference."""

    def add(
        self, name: str, text: str, level: float | None = None, errors: list[Span] | None = None
    ) -> int:
        """Add a translation; return its number."""
        self.names.append(name)
        self.texts.append(text)
        self.levels.append(level)
        self.errors.append(errors)
        return len(self.texts) - 1

    def prefer(self, gaps: Callable[[str, str], float], least: float, sure: bool = False) -> None:
        """Add the pairs of translations whose gap is large enough."""
        for (a, one), (b, other) in combinations(enumerate(self.names), 2):
            gap = gaps(one, other)
            if abs(gap) >= least and self.texts[a] != self.texts[b]:
                better, worse = (a, b) if gap > 0 else (b, a)
                self.pairs.append((better, worse, 1.0, SURE if sure else abs(gap)))

    @property
    def dev(self) -> bool:
        """Whether it is kept from training, for choices. Whole documents are."""
        return zlib.crc32(f"{DEV_SALT}{self.document}".encode()) % DEV_SHARE == 0


def plain(text: str) -> str:
    """Return a text by its letters and digits alone: what two spellings of one text share."""
    return re.sub(r"\W+", "", text.casefold())


def first(segment: Segment) -> tuple[str, str]:
    """Return the name and text of the reference that counts."""
    return next(iter(segment.references.items()))


def make_group(segment: Segment, kind: str, reference: str = "") -> Group:
    """Return an empty group of a segment against a reference, by default the first."""
    name = reference or first(segment)[0]
    key = f"{segment.key}|{name}"
    return Group(segment.data, key, kind, segment.document, segment.references[name])


def judged(segment: Segment) -> Iterator[Group]:
    """Yield human judgments, for each human reference."""
    if segment.pairs:
        group = make_group(segment, "judged")
        group.key = segment.key
        names = sorted({n for pair in segment.pairs for n in pair})
        at = {name: group.add(name, segment.outputs[name]) for name in names}
        group.pairs = [(at[a], at[b], float(n), SURE) for (a, b), n in segment.pairs.items()]
        yield group
        return
    mqm = segment.data != "wmt21"
    for reference in segment.references if segment.levels else ():
        if not mqm and reference == "refB":
            continue
        group = make_group(segment, "judged", reference)
        for name in (*segment.outputs, *(r for r in segment.references if r != reference)):
            if name in segment.levels:
                level = segment.levels[name] if mqm else None
                group.add(name, segment.text(name), level, segment.errors.get(name))
        group.prefer(segment.gap, APART["mqm" if mqm else "assessed"])
        yield group


def unjudged(segment: Segment, chosen: Iterable[str]) -> Iterator[Group]:
    """Yield outputs of these systems that have no judgments."""
    seen = {name for pair in segment.pairs for name in pair} | set(segment.levels)
    rest = [name for name in chosen if name in segment.outputs and name not in seen]
    if rest:
        group = make_group(segment, "unjudged")
        for system in rest:
            group.add(system, segment.outputs[system])
        yield group


def softly(segment: Segment) -> Iterator[Group]:
    """Yield scores of metrics as levels, and the preferences that follow from them."""
    group = make_group(segment, "soft")
    for system, text in segment.outputs.items():
        if system in segment.levels:
            group.add(system, text)
    group.prefer(segment.gap, APART["soft"], sure=True)
    yield group


class Synthesizer:
    """Makes the groups that have no human judgments, of segments with one target language."""

    def __init__(
        self, segments: Sequence[Segment], rng: random.Random, language: str = "en"
    ) -> None:
        self.rng, self.language = rng, language
        self.references = [first(s)[1] for s in segments if s.references]
        self.errors = make_errors(rng, self.references, language)
        self.counts: Counter[str] = Counter()
        lexicons = align_words([(s.source, first(s)[1]) for s in segments], language)
        self.lexicons = dict(zip((s.key for s in segments), lexicons, strict=True))
        self.documents: dict[str, list[str]] = {}
        for segment in segments:
            self.documents.setdefault(segment.document, []).append(first(segment)[1])

    def __call__(self, segment: Segment) -> Iterator[Group]:
        """Yield an output of one system, without an error and with one error of several types."""
        _, reference = first(segment)
        least = POOREST.get(segment.data, -8.0)
        systems = [s for s in sorted(segment.outputs) if segment.levels.get(s, 0.0) >= least]
        if not systems or not reference.strip():
            return
        text = segment.outputs[self.rng.choice(systems)]
        unspaced = self.language in UNSPACED
        short = len(text) < FEWEST if unspaced else len(text.split()) < LEAST
        if short or text == reference:
            return
        group = make_group(segment, "synthetic")
        good = group.add("original", text)
        for kind in by_quota(self.counts, [*self.errors.types, NOTHING], self.rng):
            bad = self.wrong(segment, text, kind)
            if bad is None or bad == reference:
                continue
            at = group.add(kind, bad, WORTHLESS if kind == NOTHING else None)
            group.pairs.append((good, at, 1.0, POINTS[kind]))
            self.counts[kind] += 1
            if len(group.pairs) == ERRORS:
                yield group
                break

    def wrong(self, segment: Segment, text: str, kind: str) -> str | None:
        """Return a text with one error of this type."""
        if kind == NOTHING:
            return self.nothing(segment, text)
        return self.errors.make(text, kind, self.lexicons[segment.key])

    def nothing(self, segment: Segment, text: str) -> str:
        """Return a text that isn't a translation: mostly fluent, often of the same document."""
        choice, size = self.rng.random(), len(text.split())
        own = [t for t in self.documents[segment.document] if t not in segment.references.values()]
        if choice < 0.45 and own:
            return self.rng.choice(own)
        if choice < 0.75:
            other = self.rng.choice(self.references)
            while len(other.split()) < 0.6 * size and self.language not in UNSPACED:
                other = f"{other} {self.rng.choice(self.references)}"
            return other if other not in segment.references.values() else REFUSALS[0]
        if choice < 0.83:
            return self.rng.choice(REFUSALS)
        if choice < 0.91:
            return segment.source
        if choice < 0.95:
            words = [word for word in text.split() if word.isalpha()] or ["the"]
            return " ".join([self.rng.choice(words)] * self.rng.randint(2, max(2, size)))
        return self.rng.choice(("", ".", "-", "...", "?"))

    def identity(self, segments: Sequence[Segment], words: int = 0) -> Group:
        """Return joined references, or a few words of one, against themselves."""
        text = " ".join(first(segment)[1] for segment in segments)
        if words:
            cut = text.split()
            at = self.rng.randrange(max(1, len(cut) - words + 1))
            text = " ".join(cut[at : at + words])
        one = segments[0]
        group = Group(one.data, one.key, "identity", one.document, text)
        whole = group.add("identity", text, 0.0)
        other = self.nothing(replace(one, source=" ".join(s.source for s in segments)), text)
        if other != text:
            group.pairs.append((whole, group.add(NOTHING, other, WORTHLESS), 1.0, SURE))
        return group


def synthesize(
    segments: Pairs, shares: Mapping[str, float]
) -> Iterator[tuple[str, Segment, Group]]:
    """Yield (language pair, segment, group) for a share of the segments of each set."""
    languages: dict[str, Pairs] = {}
    for pair, segment in segments:
        if segment.references and segment.outputs:
            languages.setdefault(pair.split("-")[1], []).append((pair, segment))
    for language, own in sorted(languages.items()):
        make = Synthesizer([s for _, s in own], random.Random(f"18{language}"), language)
        for pair, segment in own:
            if make.rng.random() < shares.get(segment.data, 1.0):
                for group in make(segment):
                    yield pair, segment, group


def probe(segment: Segment, make: Synthesizer) -> Iterator[Group]:
    """Yield a reference, the same with one major error of each type, and another translation."""
    if len(segment.references) < 2:
        return
    (_, reference), (other, text) = list(segment.references.items())[:2]
    group = make_group(segment, "probe")
    group.add("identity", reference)
    group.add(other, text)
    for kind in (*MAJOR, NOTHING):
        bad = make.wrong(segment, reference, kind)
        if bad is not None and bad != reference:
            group.pairs.append((0, group.add(kind, bad), 1.0, POINTS[kind]))
    if group.pairs:
        yield group


def probes(segments: Sequence[Segment], synthesize: Synthesizer | None = None) -> Iterator[Group]:
    """Yield the probes of one set's segments."""
    every = TWICE.get(segments[0].data, 0) if segments else 0
    if every:
        synthesize = synthesize or Synthesizer(segments, random.Random(16))
        for segment in segments[::every]:
            yield from probe(segment, synthesize)


def runs(segments: Sequence[Segment], rng: random.Random, most: int) -> Iterator[list[Segment]]:
    """Cut each document into runs of neighboring segments, two to `most`."""
    at = 0
    while at < len(segments):
        stop = at + rng.randint(2, most)
        run = [s for s in segments[at:stop] if s.document == segments[at].document]
        yield run
        at += len(run)


Size = Callable[[str], int]


def paragraph(
    run: Sequence[Segment], systems: Iterable[str], size: Size, rng: random.Random, most: int
) -> Iterator[Group]:
    """Yield segments joined, as far as they fit; judgments of the same systems added up."""
    chosen = [name for name in systems if all(name in s.outputs for s in run)]
    chosen = rng.sample(chosen, min(most, len(chosen)))
    while len(run) > 1:
        longest = max((sum(size(s.outputs[n]) for s in run) for n in chosen), default=0)
        if longest + sum(size(first(s)[1]) for s in run) + 3 <= LONGEST:
            break
        run = run[:-1]
    if len(run) < 2 or len(chosen) < 2:
        return
    group = make_group(run[0], "paragraph")
    group.reference = " ".join(first(s)[1] for s in run)
    for system in chosen:
        group.add(system, " ".join(s.outputs[system] for s in run))
        group.parts.append([(s.outputs[system], first(s)[1]) for s in run])

    def gap(one: str, other: str) -> float:
        if all(n in s.levels for s in run for n in (one, other)):
            apart = sum(s.levels[one] - s.levels[other] for s in run)
            return apart / max(APART["mqm"], APART["mqm"] * len(run) / 2)
        return float(sum(s.pairs[one, other] - s.pairs[other, one] for s in run))

    group.prefer(gap, 1.0, sure=True)
    yield group


def make(segments: Sequence[Segment], size: Size, seed: int = 16) -> Iterator[Group]:
    """Yield all groups of one set's segments."""
    rng = random.Random(seed)
    synthesize = Synthesizer(segments, rng)
    taken: dict[tuple[str, str], set[str]] = {}
    for segment in segments:
        yield from judged(segment)
        place = segment.key.split(":")[0], segment.document
        if place not in taken:
            taken[place] = {name for name in sorted(segment.outputs) if rng.random() < UNJUDGED}
        yield from unjudged(segment, sorted(taken[place]))
        if rng.random() < SYNTHETIC.get(segment.data, 0.75):
            yield from synthesize(segment)
    whole = [s for s in segments if s.outputs and first(s)[1].strip()]
    yield from _make_paragraphs(whole, taken, size, rng)
    yield from _make_identities(whole, synthesize, size)
    yield from probes(segments, synthesize)


def _make_paragraphs(
    whole: list[Segment], taken: Mapping[tuple[str, str], set[str]], size: Size, rng: random.Random
) -> Iterator[Group]:
    levelled = any(s.levels for s in whole)
    for _ in range(3 if levelled else 1):
        for run in runs(whole, rng, 6):
            systems = taken.get((run[0].key.split(":")[0], run[0].document), set())
            if levelled and all(s.levels for s in run):
                systems = set(run[0].outputs)
            yield from paragraph(run, sorted(systems), size, rng, 6 if levelled else 4)


def _make_identities(whole: list[Segment], synthesize: Synthesizer, size: Size) -> Iterator[Group]:
    rng, levelled = synthesize.rng, any(s.levels for s in whole)
    for run in runs(whole, rng, 14):
        texts = [size(first(s)[1]) for s in run]
        while sum(texts) > LONGEST // 2:
            texts.pop()
        if texts and rng.random() < (0.6 if levelled else 0.25):
            yield synthesize.identity(run[: len(texts)])
        if rng.random() < 0.3:
            yield synthesize.identity(run[:1], words=rng.randint(1, 8))


def contrast(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Group]:
    """Yield good and bad translations of a test set."""
    for number, (kind, reference, good, bad) in enumerate(rows):
        group = Group("demetr", f"demetr:{number}", "contrast", kind, reference)
        better, worse = group.add("good", good), group.add(kind, bad)
        group.pairs.append((better, worse, 1.0, SURE))
        yield group
