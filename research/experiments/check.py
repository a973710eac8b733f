"""How many planted faults ``albeit check`` finds, and how often it is wrong about references.

    python research/experiments/check.py                  # newstest20, the test
    python research/experiments/check.py --part dev       # WMT13, WMT21, newstest21
    python research/experiments/check.py --sample 40      # findings on systems' output, to be read

Faults are planted into references (``_plants.py``), one at a time; found is what a finding of the
right kind overlaps. False alarms are findings on the untouched references; some of
them are true faults of the reference, which only a reader can tell. Systems' output is what the
sample is drawn from, each finding with its line.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from albeit.data import EvalSet
from albeit.diagnose.check import LEAST, Finding, Passage, check_named, check_set
from experiments._common import arguments, commit, shared_folder
from experiments._plants import KINDS, SEED, Plant, plants

PARTS = {
    "test": (
        ("judgments", "newstest20-mqm/zh-en", ("ref",)),
        ("judgments", "newstest20-mqm/en-de", ("ref",)),
    ),
    "dev": (
        ("discourse", "newstest21-mqm/zh-en", ("ref", "ref-B")),
        ("discourse", "newstest21-mqm/en-de", ("ref", "ref-B", "ref-C")),
        ("", "wmt13/en-de", ("ref",)),
        ("", "wmt13/en-fr", ("ref",)),
        ("", "wmt13/de-en", ("ref",)),
        ("", "wmt13/fr-en", ("ref",)),
        ("", "wmt13/cs-en", ("ref",)),
        ("", "wmt12/es-en", ("ref",)),
        ("", "wmt21/ru-en", ("ref",)),
    ),
}
READ = (
    ("", "wmt13/de-en"),
    ("", "wmt13/fr-en"),
    ("judgments", "newstest20-mqm/zh-en"),
    ("judgments", "newstest20-mqm/en-de"),
)
"""Whose systems' output is read."""
SYSTEMS = 1
"""How many systems of each set are read in one draw, by the seed."""
LIMIT = 200
"""How many faults of a kind are planted into a text, at most."""


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


def _folder(data: Path, archive: str, folder: str) -> Path:
    return shared_folder(data, f"{archive}/{folder}" if archive else folder)


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
    for archive, folder in READ:
        path = _folder(data, archive, folder)
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
    """Print the figures of a part, or a sample to be read."""
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--part", choices=tuple(PARTS), default="test")
    parser.add_argument("--sample", type=int, metavar="N", help="findings per kind, to be read")
    parser.add_argument("--draw", type=int, default=0, help="which systems the sample is from")
    args = parser.parse_args()
    if args.sample:
        sample(args.data, args.sample, args.draw)
        return
    figures = {}
    for archive, folder, references in PARTS[args.part]:
        path = _folder(args.data, archive, folder)
        for name in references:
            file = next(
                p for p in (path / f"{name}.txt", *sorted(path.glob("ref*.txt"))) if p.exists()
            )
            texts = read_texts(path, file.name)
            figures[texts.name] = measure(texts)
            if args.format != "json":
                print(texts.name, json.dumps(figures[texts.name]), flush=True)
    if args.format == "json":
        print(json.dumps({"commit": commit(), **figures}, indent=1))


if __name__ == "__main__":
    main()
