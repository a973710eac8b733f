"""From judged segments to what the judge learns from: groups of translations of one reference.

A group is one reference, translations of it, and which of them is better. Kinds:

- judged: what people said, with each human reference in turn (another human translation, where it
  was judged, is one of the translations: people as systems);
- crossed: a faultless machine translation, or the other human one, stands as the reference, and the
  human translation is judged beside machines: a free, right translation must not lose to a literal one;
- damage: made-up errors, and changes of form that are ties;
- unlabelled: outputs that nobody judged, for distillation;
- contrast: tests of two translations, never for training;
- soft: what free metrics said, for teachers;
- paragraph: neighbouring segments of a document joined, their judgments added up;
- identity: a reference beside itself, of any length, and what is no translation of it.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from training.judge.damage import Damager
from training.judge.damage_words import bare
from training.judge.segments import Segment, Span

KINDS = (
    "judged",
    "crossed",
    "damage",
    "unlabelled",
    "contrast",
    "soft",
    "paragraph",
    "identity",
)
SURE = 99.0
"""The gap of a preference that no margin should drop."""
WORTHLESS = -40.0
"""The level of what is no translation at all."""
LEAST = 1.0
"""MQM points between two translations that count as a preference."""
LEAST_SOFT = 0.35
FLAWLESS = -1.0
LONGEST = 500
"""Subwords of a paragraph and its reference."""
UNJUDGED = 0.4
"""The share of a document's systems whose unjudged outputs are taken."""
NOTHING = (
    "another sentence",
    "refusal",
    "again",
    "another language",
    "source",
    "mark",
    "empty",
)
"""What is no translation."""
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
    """What people said, for each human reference."""
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


def crossed(segment: Segment, rng: random.Random) -> Iterator[Group]:
    """The human translation as a candidate, beside machines, against another reference."""
    systems = [name for name in segment.outputs if name in segment.levels]
    if segment.data == "wmt21":
        # `HUMAN` is one of the two references, which one is not known: both are taken for it
        if len(segment.references) < 2 or "HUMAN" not in segment.levels:
            return
        for name, other in (("refA", "refB"), ("refB", "refA")):
            group = Group(
                segment.data,
                f"{segment.key}|{other}",
                "crossed",
                segment.document,
                segment.references[other],
            )
            _levelled(group, segment, rng.sample(systems, min(6, len(systems))), False)
            human = group.add(name, segment.references[name])
            for k, system in enumerate(group.names[:human]):
                gap = segment.levels["HUMAN"] - segment.levels[system]
                if gap > 0:
                    group.pairs.append((human, k, 1.0, gap))
            yield group
    elif segment.levels:
        humans = {segment.references[name] for name in segment.references}
        good = [
            name
            for name in systems
            if segment.levels[name] >= FLAWLESS and segment.outputs[name] not in humans
        ]
        if not good:
            return
        chosen = rng.choice(good)
        reference = segment.outputs[chosen]
        group = Group(
            segment.data, f"{segment.key}|{chosen}", "crossed", segment.document, reference
        )
        others = [name for name in systems if segment.outputs[name] != reference]
        people = [name for name in segment.references if name in segment.levels]
        _levelled(group, segment, people + rng.sample(others, min(7, len(others))), True)
        yield group


def first(segment: Segment) -> tuple[str, str]:
    """The name and text of the reference that counts."""
    return next(iter(segment.references.items()))


def unlabelled(segment: Segment, chosen: Iterable[str]) -> Iterator[Group]:
    """Outputs that nobody judged, of these systems."""
    seen = {name for pair in segment.pairs for name in pair} | set(segment.levels)
    rest = [name for name in chosen if name in segment.outputs and name not in seen]
    if rest:
        name, reference = first(segment)
        group = Group(
            segment.data, f"{segment.key}|{name}", "unlabelled", segment.document, reference
        )
        for system in rest:
            group.add(system, segment.outputs[system])
        yield group


def softly(segment: Segment) -> Iterator[Group]:
    """What free metrics said: levels that are no people's, and pairs that follow from them."""
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


class Breaker:
    """Makes the groups of made-up damage for one set."""

    def __init__(self, segments: Sequence[Segment], rng: random.Random) -> None:
        self.rng = rng
        references = [text for s in segments for text in s.references.values()]
        words = [word for text in references for word in text.split()[1:]]
        names = sorted({w.strip(".,\"'") for w in words if w[:1].isupper() and w[1:].islower()})
        content = sorted({w for w in words if w.isalpha() and w.islower() and len(bare(w)) > 4})
        self.damager = Damager(rng, names, content)
        self.references = references
        self.foreign: dict[str, list[str]] = {}
        for segment in segments:
            self.foreign.setdefault(segment.key.rsplit(":")[-1], []).append(segment.source)

    def __call__(self, segment: Segment, name: str) -> Group:
        """One reference and one machine translation, where there is one, whole and damaged."""
        reference = segment.references[name]
        group = Group(segment.data, f"{segment.key}|{name}", "damage", segment.document, reference)
        copy = group.add("copy", reference, 0.0)
        damaged = self._damaged(group, copy, reference, 4)
        if segment.outputs:
            system = self.rng.choice(sorted(segment.outputs))
            machine = group.add("machine", segment.outputs[system])
            if segment.outputs[system] != reference:
                group.pairs.append((copy, machine, 0.5, SURE))
            damaged += [machine, *self._damaged(group, machine, segment.outputs[system], 2)]
        self._harmless(group, copy, reference)
        nothing = group.add(*self.nothing(segment, reference), WORTHLESS)
        group.pairs += [(k, nothing, 1.0, SURE) for k in (copy, *damaged)]
        return group

    def _damaged(self, group: Group, whole: int, text: str, count: int) -> list[int]:
        """Damaged forms of a text; every second one is then damaged once more."""
        found = []
        for kind in self.rng.sample(sorted(self.damager.kinds), 2 * count):
            one = self.damager(text, kind)
            if one is None or one[0] == text:
                continue
            at = group.add(kind, one[0])
            group.pairs.append((whole, at, 1.0, SURE))
            found.append(at)
            again = self.damager(
                one[0], self.rng.choice(("other word", "dropped", "moved", "name"))
            )
            if len(found) == 1 and again is not None and again[0] != text:
                twice = group.add("twice", again[0])
                group.pairs += [(at, twice, 1.0, SURE), (whole, twice, 1.0, SURE)]
                found.append(twice)
            if len(found) > count:
                break
        return found

    def _harmless(self, group: Group, copy: int, reference: str) -> None:
        """The same in another form: a tie, which is a preference both ways."""
        same = self.damager.harmless(reference)
        if same is not None and same != reference:
            at = group.add("harmless", same, 0.0)
            group.pairs += [(copy, at, 0.5, SURE), (at, copy, 0.5, SURE)]

    def nothing(self, segment: Segment, reference: str) -> tuple[str, str]:
        """No translation: empty, refused, another sentence, the source, another language, one word
        again and again. As long as the reference, where it can be."""
        kind = self.rng.choice(NOTHING)
        size = len(reference.split())
        if kind == "another sentence":
            other = self.rng.choice(self.references)
            while len(other.split()) < 0.6 * size:
                other = f"{other} {self.rng.choice(self.references)}"
            if other != reference:
                return kind, other
        if kind == "refusal":
            return kind, self.damager.refusal()
        if kind == "again":
            words = [word for word in reference.split() if word.isalpha()] or ["the"]
            return kind, " ".join([self.rng.choice(words)] * self.rng.randint(2, max(2, size)))
        if kind == "another language":
            number = segment.key.rsplit(":")[-1]
            others = [text for text in self.foreign[number] if text != segment.source]
            if others:
                return kind, self.rng.choice(others)
        if kind == "mark":
            return kind, self.rng.choice((".", "-", "...", "?"))
        return ("empty", "") if kind == "empty" else ("source", segment.source)

    def identity(self, segments: Sequence[Segment], words: int = 0) -> Group:
        """Joined references beside themselves, or a few words of one; damaged; and nothing."""
        text = " ".join(first(segment)[1] for segment in segments)
        if words:
            cut = text.split()
            at = self.rng.randrange(max(1, len(cut) - words + 1))
            text = " ".join(cut[at : at + words])
        data, document = segments[0].data, segments[0].document
        group = Group(data, segments[0].key, "identity", document, text)
        whole = group.add("identity", text, 0.0)
        found = [whole, *self._damaged(group, whole, text, 1)]
        source = replace(segments[0], source=" ".join(s.source for s in segments))
        nothing = group.add(*self.nothing(source, text), WORTHLESS)
        group.pairs += [(k, nothing, 1.0, SURE) for k in found if group.texts[k] != group.texts[-1]]
        return group


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
    breaker = Breaker(segments, rng)
    broken: set[str] = set()
    taken: dict[tuple[str, str], set[str]] = {}
    for segment in segments:
        yield from judged(segment)
        place = segment.key.split(":")[0], segment.document
        if place not in taken:
            taken[place] = {name for name in sorted(segment.outputs) if rng.random() < UNJUDGED}
        yield from unlabelled(segment, sorted(taken[place]))
        for name, reference in segment.references.items():
            if reference not in broken and segment.outputs and reference.strip():
                broken.add(reference)
                yield breaker(segment, name)
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
            yield breaker.identity(run[: len(texts)])
        if rng.random() < 0.3:
            yield breaker.identity(run[:1], words=rng.randint(1, 8))


def contrast(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Group]:
    """Tests of a good translation against a damaged one."""
    for number, (kind, reference, good, bad) in enumerate(rows):
        group = Group("demetr", f"demetr:{number}", "contrast", kind, reference)
        better, worse = group.add("good", good), group.add(kind, bad)
        group.pairs.append((better, worse, 1.0, SURE))
        yield group
