"""From judged segments to what the judge learns from: groups of translations of one reference.

A group is one reference, translations of it, and which of them is better. Kinds:

- judged: what people said, with each human reference in turn (another human translation, where it
  was judged, is one of the translations: people as systems);
- crossed: a faultless machine translation, or the other human one, stands as the reference, and the
  human translation is judged beside machines: a free, right translation must not lose to a literal one;
- damage: made-up errors, and changes of form that are ties;
- unlabelled: outputs that nobody judged, for distillation;
- contrast: tests of two translations, never for training.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from training.judge.damage import Damager
from training.judge.damage_words import bare
from training.judge.segments import Segment, Span

KINDS = ("judged", "crossed", "damage", "unlabelled", "contrast")
SURE = 99.0
"""The gap of a preference that no margin should drop."""
WORTHLESS = -40.0
"""The level of what is no translation at all."""
LEAST = 1.0
"""MQM points between two translations that count as a preference."""
FLAWLESS = -1.0
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


def unlabelled(segment: Segment, rng: random.Random, count: int) -> Iterator[Group]:
    """Outputs that nobody judged."""
    seen = {name for pair in segment.pairs for name in pair} | set(segment.levels)
    rest = [name for name in segment.outputs if name not in seen]
    if len(rest) > 1:
        name, reference = next(iter(segment.references.items()))
        group = Group(
            segment.data, f"{segment.key}|{name}", "unlabelled", segment.document, reference
        )
        for system in rng.sample(rest, min(count, len(rest))):
            group.add(system, segment.outputs[system])
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
        """One reference and one machine translation, whole and damaged."""
        reference = segment.references[name]
        group = Group(segment.data, f"{segment.key}|{name}", "damage", segment.document, reference)
        copy = group.add("copy", reference, 0.0, [])
        damaged = self._damaged(group, copy, reference, 4, True)
        system = self.rng.choice(sorted(segment.outputs))
        machine = group.add("machine", segment.outputs[system])
        if segment.outputs[system] != reference:
            group.pairs.append((copy, machine, 0.5, SURE))
        damaged += self._damaged(group, machine, segment.outputs[system], 2, False)
        self._harmless(group, copy, reference)
        nothing = group.add(*self._nothing(segment, reference), WORTHLESS)
        group.pairs += [(k, nothing, 1.0, SURE) for k in (copy, machine, *damaged)]
        return group

    def _damaged(
        self, group: Group, whole: int, text: str, count: int, from_reference: bool
    ) -> list[int]:
        """Damaged forms of a text; every second one is then damaged once more."""
        found = []
        for kind in self.rng.sample(sorted(self.damager.kinds), 2 * count):
            one = self.damager(text, kind)
            if one is None or one[0] == text:
                continue
            at = group.add(kind, one[0], None, one[1] if from_reference else None)
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
            at = group.add("harmless", same, 0.0, [])
            group.pairs += [(copy, at, 0.5, SURE), (at, copy, 0.5, SURE)]

    def _nothing(self, segment: Segment, reference: str) -> tuple[str, str]:
        """No translation: empty, refused, another sentence, the source, another language."""
        kind = self.rng.choice(("empty", "refusal", "another", "source", "language", "mark"))
        if kind == "another":
            other = self.rng.choice(self.references)
            if other != reference:
                return "another sentence", other
        if kind == "refusal":
            return "refusal", self.damager.refusal()
        if kind == "language":
            number = segment.key.rsplit(":")[-1]
            others = [text for text in self.foreign[number] if text != segment.source]
            if others:
                return "another language", self.rng.choice(others)
        if kind in ("source", "language"):
            return "source", segment.source
        return (
            ("mark", self.rng.choice((".", "-", "...", "?"))) if kind == "mark" else ("empty", "")
        )


def make(segments: Sequence[Segment], seed: int = 16) -> Iterator[Group]:
    """All groups of one set's segments."""
    rng = random.Random(seed)
    breaker = Breaker(segments, rng)
    broken: set[str] = set()
    for segment in segments:
        yield from judged(segment)
        yield from crossed(segment, rng)
        yield from unlabelled(segment, rng, 3 if segment.pairs else 6)
        for name, reference in segment.references.items():
            if reference not in broken and segment.outputs and reference.strip():
                broken.add(reference)
                yield breaker(segment, name)


def contrast(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Group]:
    """Tests of a good translation against a damaged one."""
    for number, (kind, reference, good, bad) in enumerate(rows):
        group = Group("demetr", f"demetr:{number}", "contrast", kind, reference)
        better, worse = group.add("good", good), group.add(kind, bad)
        group.pairs.append((better, worse, 1.0, SURE))
        yield group
