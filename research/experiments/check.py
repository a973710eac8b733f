"""Synthetic errors that ``albeit check`` finds, and its false alarms on references.

    python research/experiments/check.py

Errors are put into references, one at a time, by a fixed seed. An error is found if a finding of
the right kind overlaps it. False alarms are findings on the unchanged references; some of them are
real errors of the reference. Findings on system outputs were drawn with commit 678f4ef8.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import arguments, commit, shared_folder

from albeit.data import EvalSet
from albeit.diagnose.check import LEAST, Finding, Passage, check_named, check_set

SETS = ("newstest20-mqm/zh-en", "newstest20-mqm/en-de")
"""The references that errors are put into."""
LIMIT = 200
"""How many faults of a kind are planted into a text, at most."""


SEED = 30
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)")
_WORD = re.compile(r"\b[^\W\d_]{2,}\b")
_SOURCE_WORD = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")
_HAN = re.compile("[\u4e00-\u9fff]{2,4}")


@dataclass(frozen=True)
class Plant:
    """A line with a fault: which kind, which line (from 0), where, and what was there before."""

    kind: str
    found_by: str
    line: int
    text: str
    start: int
    end: int
    was: str


Planted = tuple[str, int, int, str]
"""The line with the error, its span, and what was there before."""
Planter = Callable[[str, str, random.Random], Planted | None]


def plants(kind: str, references: Sequence[str], sources: Sequence[str], limit: int) -> list[Plant]:
    """Plants of a kind, each in another line, at most so many."""
    found_by, planter = KINDS[kind]
    rng = random.Random(f"{SEED} {kind}")
    made: list[Plant] = []
    for line in rng.sample(range(len(references)), len(references)):
        planted = planter(references[line], sources[line], rng)
        if planted is not None and len(made) < limit:
            text, start, end, was = planted
            made.append(Plant(kind, found_by, line, text, start, end, was))
    return made


def _put(line: str, span: tuple[int, int], new: str) -> Planted:
    start, end = span
    return line[:start] + new + line[end:], start, start + len(new), line[start:end]


def _number_changed(line: str, source: str, rng: random.Random) -> Planted | None:
    """One digit becomes another."""
    found = list(_NUMBER.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    digit = rng.choice([d for d in "123456789" if d != match[0][place]])
    return _put(line, match.span(), match[0][:place] + digit + match[0][place + 1 :])


def _digit_dropped(line: str, source: str, rng: random.Random) -> Planted | None:
    found = [match for match in _NUMBER.finditer(line) if sum(map(str.isdigit, match[0])) > 1]
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    new = match[0][:place] + match[0][place + 1 :]
    if new[0] in "0.," or new[-1] in ".," or re.search("[.,]{2}", new):
        return None
    return _put(line, match.span(), new)


def _word_left(line: str, source: str, rng: random.Random) -> Planted | None:
    """A word of the source in the place of one of the translation."""
    places = [match.span() for match in _WORD.finditer(line)]
    left = _HAN.findall(source) or [w for w in _SOURCE_WORD.findall(source) if w not in line]
    if not places or not left:
        return None
    return _put(line, rng.choice(places), rng.choice(left))


def _line_left(line: str, source: str, rng: random.Random) -> Planted | None:
    """The whole line is its source."""
    if len(source.split()) < 4 and not _HAN.search(source):
        return None
    return source, 0, len(source), line


KINDS: dict[str, tuple[str, Planter]] = {
    "number changed": ("numbers", _number_changed),
    "digit dropped": ("numbers", _digit_dropped),
    "source word left": ("untranslated", _word_left),
    "line left": ("untranslated", _line_left),
}
"""What is planted, which kind of finding should find it, and how it is planted."""


@dataclass(frozen=True)
class Texts:
    """The reference of a set, as a translation to be checked."""

    pair: str
    source: tuple[str, ...]
    lines: tuple[str, ...]

    def check(self) -> list[Finding]:
        """Return the findings on all lines."""
        source, target = self.pair.split("-")
        return check_set(EvalSet({}, {"text": self.lines}, self.source, (), source, target))["text"]

    def finds(self, plant: Plant) -> bool:
        """Return whether an error is found by its check."""
        source, target = self.pair.split("-")
        passage = Passage((plant.text,), (self.source[plant.line],), target, source)
        return any(
            found.probability >= LEAST and found.start < plant.end and found.end > plant.start
            for found in check_named(plant.found_by).find(passage)
        )


def read_texts(folder: Path) -> Texts:
    """Read the reference of a set's folder, and its source."""
    source, lines = (
        tuple((folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        for name in ("src.txt", "ref.txt")
    )
    return Texts(folder.name, source, lines)


def measure(texts: Texts) -> dict[str, object]:
    """False alarms by kind on the untouched text, and the share of plants found, by plant."""
    words = sum(len(line.split()) for line in texts.lines)
    alarms = Counter(found.kind for found in texts.check())
    figures: dict[str, object] = {
        "words": words,
        "false alarms per 1,000 words": round(1000 * sum(alarms.values()) / words, 2),
        "false alarms": dict(sorted(alarms.items())),
    }
    for kind in KINDS:
        made = plants(kind, texts.lines, texts.source, LIMIT)
        figures[kind] = _share([texts.finds(plant) for plant in made])
    return figures


def _share(hits: list[bool]) -> str:
    return f"{sum(hits) / len(hits):.3f} of {len(hits)}" if hits else "none planted"


def main() -> None:
    """Print the figures of all sets."""
    args = arguments(__doc__ or "").parse_args()
    figures = {}
    for name in SETS:
        texts = read_texts(shared_folder(args.data, f"judgments/{name}"))
        figures[texts.pair] = measure(texts)
    print(json.dumps({"commit": commit(), **figures}, indent=1))


if __name__ == "__main__":
    main()
