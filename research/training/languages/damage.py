"""Made-up damage in any language: what is lost, said twice, moved, exchanged, or no translation at all."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from training.judge.groups import SURE, WORTHLESS, Group
from training.judge.segments import Segment

_UNIT = re.compile(r"[぀-ヿ㐀-䶿一-鿿]{1,2}|[^\s぀-ヿ㐀-䶿一-鿿]+\s*")
"""What is lost or moved: words, or one or two characters where there are no spaces."""


class Breaker:
    """Damages the texts of one set; `others` are texts of the same language to take words from."""

    def __init__(self, others: Sequence[str], rng: random.Random) -> None:
        self.others, self.rng = others, rng

    def __call__(self, segment: Segment, name: str) -> Group:
        """One reference and one machine translation, whole and damaged."""
        reference = segment.references[name]
        group = Group(segment.data, f"{segment.key}|{name}", "damage", segment.document, reference)
        copy = group.add("copy", reference, 0.0)
        machine = group.add("machine", segment.outputs[self.rng.choice(sorted(segment.outputs))])
        broken = []
        for whole, count in ((copy, 2), (machine, 2)):
            for kind in self.rng.sample(KINDS, count):
                text = self.damaged(group.texts[whole], kind)
                if text.strip() and text != group.texts[whole]:
                    at = group.add(kind, text)
                    group.pairs.append((whole, at, 1.0, SURE))
                    broken.append(at)
        if group.texts[machine] != reference:
            group.pairs.append((copy, machine, 0.3, SURE))
        nothing = self.rng.choice(("another", "source"))
        text = segment.source if nothing == "source" else self.rng.choice(self.others)
        if text.strip() and text != reference:
            last = group.add(nothing, text, WORTHLESS)
            group.pairs += [(k, last, 1.0, SURE) for k in (copy, machine, *broken)]
        return group

    def damaged(self, text: str, kind: str) -> str:
        """The text with one thing wrong."""
        units = _UNIT.findall(text)
        if len(units) < 3:
            return text
        size = self.rng.randint(1, max(1, min(4, len(units) // 3)))
        at = self.rng.randrange(len(units) - size)
        part = units[at : at + size]
        rest = units[:at] + units[at + size :]
        if kind == "dropped":
            return "".join(rest)
        if kind == "cut":
            return "".join(units[: max(1, len(units) * self.rng.randint(40, 90) // 100)])
        if kind == "repeated":
            return "".join([*units[: at + size], *part, *units[at + size :]])
        if kind == "moved":
            to = self.rng.randrange(len(rest) + 1)
            return "".join([*rest[:to], *part, *rest[to:]])
        theirs = _UNIT.findall(self.rng.choice(self.others)) or part
        start = self.rng.randrange(len(theirs))
        new = theirs[start : start + size]
        if kind == "added":
            return "".join([*units[:at], *new, *units[at:]])
        return "".join([*units[:at], *new, *units[at + size :]])


KINDS = ("dropped", "cut", "repeated", "moved", "added", "exchanged")
