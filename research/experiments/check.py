"""Synthetic errors that ``albeit check`` finds, and its false alarms on references.

    python research/experiments/check.py                           # newstest20
    python research/experiments/check.py --sample 60 --draw 6      # findings on outputs, to be read

Errors are put into references, one at a time, by a fixed seed. An error is found if a finding of
the right kind overlaps it. False alarms are findings on the unchanged references; some of them are
real errors of the reference. The sample is drawn from system outputs.
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
READ = ("wmt13/de-en", "wmt13/fr-en", *(f"judgments/{name}" for name in SETS))
"""Whose systems' output is read."""
SYSTEMS = 1
"""How many systems of each set are read in one draw, by the seed."""
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


Planter = Callable[[str, str, random.Random], tuple[str, int, int, str] | None]


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


def _put(line: str, span: tuple[int, int], new: str) -> tuple[str, int, int, str]:
    start, end = span
    return line[:start] + new + line[end:], start, start + len(new), line[start:end]


def _number_changed(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    """One digit becomes another."""
    found = list(_NUMBER.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    digit = rng.choice([d for d in "123456789" if d != match[0][place]])
    return _put(line, match.span(), match[0][:place] + digit + match[0][place + 1 :])


def _digit_dropped(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    found = [match for match in _NUMBER.finditer(line) if sum(map(str.isdigit, match[0])) > 1]
    if not found:
        return None
    match = rng.choice(found)
    place = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    new = match[0][:place] + match[0][place + 1 :]
    if new[0] in "0.," or new[-1] in ".," or re.search("[.,]{2}", new):
        return None
    return _put(line, match.span(), new)


def _word_left(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
    """A word of the source in the place of one of the translation."""
    places = [match.span() for match in _WORD.finditer(line)]
    left = _HAN.findall(source) or [w for w in _SOURCE_WORD.findall(source) if w not in line]
    if not places or not left:
        return None
    return _put(line, rng.choice(places), rng.choice(left))


def _line_left(line: str, source: str, rng: random.Random) -> tuple[str, int, int, str] | None:
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
    """One reference of a set, or one system, as a translation to be checked."""

    name: str
    source: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def langs(self) -> tuple[str, str]:
        """From which language, into which."""
        source, target = self.name.split(" ")[1].split("-")
        return source, target

    def checked(self) -> list[Finding]:
        """The findings on all lines."""
        source, target = self.langs
        texts = EvalSet({}, {"text": self.lines}, self.source, (), source, target)
        return check_set(texts)["text"]

    def finds(self, plant: Plant) -> bool:
        """Whether a plant is found by its check."""
        source, target = self.langs
        passage = Passage((plant.text,), (self.source[plant.line],), target, source)
        return any(
            found.probability >= LEAST and found.start < plant.end and found.end > plant.start
            for found in check_named(plant.found_by).find(passage)
        )


def read_texts(folder: Path, name: str) -> Texts:
    """A file of a set's folder."""
    pair = folder.name
    lines = _lines(folder / name)
    label = f"{folder.parent.name} {pair} {Path(name).stem}"
    return Texts(label, _lines(folder / "src.txt"), lines)


def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def measure(texts: Texts) -> dict[str, object]:
    """False alarms by kind on the untouched text, and the share of plants found, by plant."""
    words = sum(len(line.split()) for line in texts.lines)
    alarms = Counter(found.kind for found in texts.checked())
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


def sample(data: Path, count: int, draw: int) -> None:
    """Findings on systems' output, as many of each kind and set, in random order, with their lines."""
    drawn: list[tuple[str, Finding, str, str]] = []
    rng = random.Random(SEED)
    for folder in READ:
        path = shared_folder(data, folder)
        by_kind: dict[str, list[tuple[str, Finding, str, str]]] = {}
        total = words = 0
        systems = sorted((path / "systems").glob("*.txt"))
        rng.shuffle(systems)
        for system in systems[draw * SYSTEMS :][:SYSTEMS]:
            texts = read_texts(path, f"systems/{system.name}")
            words += sum(len(line.split()) for line in texts.lines)
            for found in texts.checked():
                total += 1
                where = (
                    texts.name,
                    found,
                    texts.lines[found.line - 1],
                    texts.source[found.line - 1],
                )
                by_kind.setdefault(found.kind, []).append(where)
        rates = {kind: round(1000 * len(found) / words, 2) for kind, found in by_kind.items()}
        print(f"# {folder}: {total} findings in {words} words, per 1,000 words: {rates}")
        for found_here in by_kind.values():
            drawn += rng.sample(found_here, min(count // len(READ), len(found_here)))
    rng.shuffle(drawn)
    for name, found, line, source in drawn:
        place = f"{found.line}:{found.start + 1}"
        print(
            f"{found.kind}\t{found.probability}\t{name}\t{place}\t{found.message}\t{line}\t{source}"
        )


def main() -> None:
    """Print the figures of all sets, or a sample to be read."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sample", type=int, metavar="N", help="findings per kind, to be read")
    parser.add_argument("--draw", type=int, default=0, help="which systems the sample is from")
    args = parser.parse_args()
    if args.sample:
        sample(args.data, args.sample, args.draw)
        return
    figures = {}
    for name in SETS:
        texts = read_texts(shared_folder(args.data, f"judgments/{name}"), "ref.txt")
        figures[texts.name] = measure(texts)
    print(json.dumps({"commit": commit(), **figures}, indent=1))


if __name__ == "__main__":
    main()
