"""Groups of translations of one reference, made from judged segments: what `judge` learns from.

Kinds of groups:

- judged: human judgments, with each human reference in turn (another human translation that was judged is
  one of the translations);
- synthetic: a system output and the same output with one error, each with the MQM points that it costs;
- unjudged: system outputs without judgments, for distillation;
- contrast: good and bad translations of a test set, never for training;
- soft: scores of free metrics in place of judgments, for teachers;
- paragraph: neighboring segments of a document joined, their judgments added up;
- identity: a reference against itself, and a text that isn't a translation of it;
- probe: a reference, the same with one major error, and another human translation; for testing only.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from training.judge.segments import Segment, Span
from training.judge.synthetic import LEAST as FEWEST
from training.judge.synthetic import MAJOR, POINTS, Vocabulary, alignments, by_quota
from training.judge.synthetic_english import EnglishErrors
from training.judge.synthetic_words import REFUSALS

KINDS = ("judged", "synthetic", "unjudged", "contrast", "soft", "paragraph", "identity", "probe")
SURE = 99.0
"""The gap of a preference that no margin should drop."""
WORTHLESS = -40.0
"""The level of a text that isn't a translation."""
LEAST = 1.0
"""MQM points between two translations that count as a preference."""
LEAST_SOFT = 0.35
LONGEST = 500
"""Subwords of a paragraph and its reference."""
UNJUDGED = 0.6
"""The share of a document's systems whose unjudged outputs are taken."""
SYNTHETIC = {"wmt12": 0.31, "wmt13": 0.31}
"""The share of a set's segments that get synthetic errors; 0.75 if not listed."""
ERRORS = 2
"""Synthetic errors per segment, each in the same output."""
POOREST = {"wmt21": -0.5}
"""The lowest level of an output that gets a synthetic error; -8 MQM points if not listed."""
TWICE = {"newstest20": 8, "newstest21": 1}
"""Sets with two references that are probed, each n-th segment."""
NOTHING = "non-translation"
DEV_SHARE, DEV_SALT = 16, 4
"""One document in sixteen; the salt was chosen so that every set but TED (five talks) has its share."""


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
    """Of a paragraph's translations: the segments, each beside its reference."""

    def add(
        self, name: str, text: str, level: float | None = None, errors: list[Span] | None = None
    ) -> int:
        """One more translation; its number."""
        self.names.append(name)
        self.texts.append(text)
        self.levels.append(level)
        self.errors.append(errors)
        return len(self.texts) - 1

    @property
    def dev(self) -> bool:
        """Whether it is kept from training, for choices. Whole documents are."""
        return zlib.crc32(f"{DEV_SALT}{self.document}".encode()) % DEV_SHARE == 0


def plain(text: str) -> str:
    """A text by its letters and digits alone: what two spellings of one text share."""
    return re.sub(r"\W+", "", text.casefold())


def _levelled(group: Group, segment: Segment, names: Iterable[str], mqm: bool) -> None:
    """Add translations with their levels, and the pairs that follow from them."""
    start = len(group.texts)
    for name in names:
        level = segment.levels[name]
        group.add(name, segment.text(name), level if mqm else None, segment.errors.get(name))
    least = LEAST if mqm else 0.1
    names = group.names[start:]
    for (a, first), (b, second) in combinations(enumerate(names, start), 2):
        gap = segment.levels[first] - segment.levels[second]
        if abs(gap) >= least and group.texts[a] != group.texts[b]:
            group.pairs.append((a, b, 1.0, gap) if gap > 0 else (b, a, 1.0, -gap))


def judged(segment: Segment) -> Iterator[Group]:
    """Human judgments, for each human reference."""
    if segment.pairs:
        group = Group(
            segment.data, segment.key, "judged", segment.document, segment.references["ref"]
        )
        at = {
            n: group.add(n, segment.outputs[n])
            for n in sorted({n for p in segment.pairs for n in p})
        }
        group.pairs = [(at[a], at[b], float(n), SURE) for (a, b), n in segment.pairs.items()]
        yield group
    elif segment.levels:
        mqm = segment.data != "wmt21"
        for name, reference in segment.references.items():
            if not mqm and name == "refB":
                continue
            group = Group(
                segment.data, f"{segment.key}|{name}", "judged", segment.document, reference
            )
            known = [*segment.outputs, *(r for r in segment.references if r != name)]
            _levelled(group, segment, [n for n in known if n in segment.levels], mqm)
            yield group


def first(segment: Segment) -> tuple[str, str]:
    """The name and text of the reference that counts."""
    return next(iter(segment.references.items()))


def unjudged(segment: Segment, chosen: Iterable[str]) -> Iterator[Group]:
    """Outputs of these systems that have no judgments."""
    seen = {name for pair in segment.pairs for name in pair} | set(segment.levels)
    rest = [name for name in chosen if name in segment.outputs and name not in seen]
    if rest:
        name, reference = first(segment)
        group = Group(
            segment.data, f"{segment.key}|{name}", "unjudged", segment.document, reference
        )
        for system in rest:
            group.add(system, segment.outputs[system])
        yield group


def softly(segment: Segment) -> Iterator[Group]:
    """Scores of free metrics as levels, and the preferences that follow from them."""
    name, reference = first(segment)
    key = f"{segment.key}|{name}"
    group = Group(segment.data, key, "soft", segment.document, reference)
    systems = [system for system in segment.outputs if system in segment.levels]
    for system in systems:
        group.add(system, segment.outputs[system])
    for (a, one), (b, other) in combinations(enumerate(systems), 2):
        gap = segment.levels[one] - segment.levels[other]
        if abs(gap) >= LEAST_SOFT and group.texts[a] != group.texts[b]:
            group.pairs.append((a, b, 1.0, SURE) if gap > 0 else (b, a, 1.0, SURE))
    yield group


class Synthesizer:
    """Makes the groups of one set that have no human judgments of their own."""

    def __init__(self, segments: Sequence[Segment], rng: random.Random) -> None:
        self.rng = rng
        self.references = [first(s)[1] for s in segments if s.references]
        self.errors = EnglishErrors(rng, Vocabulary(self.references))
        self.counts: Counter[str] = Counter()
        pairs = [(s.source, first(s)[1]) for s in segments]
        self.lexicons = dict(zip((s.key for s in segments), alignments(pairs), strict=True))
        self.documents: dict[str, list[str]] = {}
        for segment in segments:
            self.documents.setdefault(segment.document, []).append(first(segment)[1])

    def __call__(self, segment: Segment) -> Iterator[Group]:
        """An output of one system, without an error and with one error of several types."""
        name, reference = first(segment)
        least = POOREST.get(segment.data, -8.0)
        systems = [s for s in sorted(segment.outputs) if segment.levels.get(s, 0.0) >= least]
        if not systems or not reference.strip():
            return
        text = segment.outputs[self.rng.choice(systems)]
        if len(text.split()) < FEWEST or text == reference:
            return
        key = f"{segment.key}|{name}"
        group = Group(segment.data, key, "synthetic", segment.document, reference)
        good = group.add("original", text)
        for kind in by_quota(self.counts, POINTS, self.rng):
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
        """A text with one error of this type."""
        if kind == NOTHING:
            return self.nothing(segment, text)
        return self.errors.make(text, kind, self.lexicons[segment.key])

    def nothing(self, segment: Segment, text: str) -> str:
        """A text that isn't a translation: mostly a fluent sentence, often of the same document."""
        choice, size = self.rng.random(), len(text.split())
        own = [t for t in self.documents[segment.document] if t not in segment.references.values()]
        if choice < 0.45 and own:
            return self.rng.choice(own)
        if choice < 0.75:
            other = self.rng.choice(self.references)
            while len(other.split()) < 0.6 * size:
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
        """Joined references against themselves, or a few words of one; and a non-translation."""
        text = " ".join(first(segment)[1] for segment in segments)
        if words:
            cut = text.split()
            at = self.rng.randrange(max(1, len(cut) - words + 1))
            text = " ".join(cut[at : at + words])
        data, document = segments[0].data, segments[0].document
        group = Group(data, segments[0].key, "identity", document, text)
        whole = group.add("identity", text, 0.0)
        source = replace(segments[0], source=" ".join(s.source for s in segments))
        other = self.nothing(source, text)
        if other != text:
            group.pairs.append((whole, group.add(NOTHING, other, WORTHLESS), 1.0, SURE))
        return group


def probe(segment: Segment, make: Synthesizer) -> Iterator[Group]:
    """A reference, the same with one major error of each type, and another human translation."""
    if len(segment.references) < 2:
        return
    (name, reference), (other, text) = list(segment.references.items())[:2]
    key = f"{segment.key}|{name}"
    group = Group(segment.data, key, "probe", segment.document, reference)
    group.add("identity", reference)
    group.add(other, text)
    for kind in (*MAJOR, NOTHING):
        bad = make.wrong(segment, reference, kind)
        if bad is not None and bad != reference:
            group.pairs.append((0, group.add(kind, bad), 1.0, POINTS[kind]))
    if group.pairs:
        yield group


def runs(segments: Sequence[Segment], rng: random.Random, most: int) -> Iterator[list[Segment]]:
    """Each document cut into runs of neighbouring segments, two to `most`."""
    at = 0
    while at < len(segments):
        stop = at + rng.randint(2, most)
        run = [s for s in segments[at:stop] if s.document == segments[at].document]
        yield run
        at += len(run)


def paragraph(
    run: Sequence[Segment],
    systems: Iterable[str],
    size: Callable[[str], int],
    rng: random.Random,
    most: int,
) -> Iterator[Group]:
    """Segments joined, as far as they fit; judgments of the same systems added up."""
    chosen = [name for name in systems if all(name in s.outputs for s in run)]
    chosen = rng.sample(chosen, min(most, len(chosen)))
    while len(run) > 1:
        longest = max((sum(size(s.outputs[n]) for s in run) for n in chosen), default=0)
        if longest + sum(size(first(s)[1]) for s in run) + 3 <= LONGEST:
            break
        run = run[:-1]
    if len(run) < 2 or len(chosen) < 2:
        return
    name, _ = first(run[0])
    reference = " ".join(first(s)[1] for s in run)
    key = f"{run[0].key}|{name}"
    group = Group(run[0].data, key, "paragraph", run[0].document, reference)
    for system in chosen:
        group.add(system, " ".join(s.outputs[system] for s in run))
        group.parts.append([(s.outputs[system], first(s)[1]) for s in run])
    for (a, one), (b, other) in combinations(enumerate(chosen), 2):
        if all(n in s.levels for s in run for n in (one, other)):
            gap = sum(s.levels[one] - s.levels[other] for s in run)
            least = max(LEAST, LEAST * len(run) / 2)
        else:
            gap = float(sum(s.pairs[one, other] - s.pairs[other, one] for s in run))
            least = 1.0
        if abs(gap) >= least and group.texts[a] != group.texts[b]:
            group.pairs.append((a, b, 1.0, SURE) if gap > 0 else (b, a, 1.0, SURE))
    yield group


def make(
    segments: Sequence[Segment], size: Callable[[str], int], seed: int = 16
) -> Iterator[Group]:
    """All groups of one set's segments."""
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
    levelled = any(s.levels for s in segments)
    for _ in range(3 if levelled else 1):
        for run in runs(whole, rng, 6):
            systems = taken.get((run[0].key.split(":")[0], run[0].document), set())
            if levelled:
                systems = set(run[0].outputs) if all(s.levels for s in run) else systems
            yield from paragraph(run, sorted(systems), size, rng, 6 if levelled else 4)
    for run in runs(whole, rng, 14):
        texts = [size(first(s)[1]) for s in run]
        while sum(texts) > LONGEST // 2:
            texts.pop()
        if texts and rng.random() < (0.6 if levelled else 0.25):
            yield synthesize.identity(run[: len(texts)])
        if rng.random() < 0.3:
            yield synthesize.identity(run[:1], words=rng.randint(1, 8))
    yield from probes(segments, synthesize)


def probes(segments: Sequence[Segment], synthesize: Synthesizer | None = None) -> Iterator[Group]:
    """The probes of one set's segments."""
    every = TWICE.get(segments[0].data, 0) if segments else 0
    if every:
        synthesize = synthesize or Synthesizer(segments, random.Random(16))
        for segment in segments[::every]:
            yield from probe(segment, synthesize)


def contrast(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Group]:
    """Good and bad translations of a test set."""
    for number, (kind, reference, good, bad) in enumerate(rows):
        group = Group("demetr", f"demetr:{number}", "contrast", kind, reference)
        better, worse = group.add("good", good), group.add(kind, bad)
        group.pairs.append((better, worse, 1.0, SURE))
        yield group
