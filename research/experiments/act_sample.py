"""Draw the instances that are labelled by hand, and compare the matcher with the labels.

    python research/experiments/act_sample.py draw --pair en-de          # texts to read, one instance each
    python research/experiments/act_sample.py score --pair en-de         # our cases beside the labels

The labels (``tests/golden/act-labels-*.tsv``: system, line, occurrence, case) were made by
reading source, reference and translation, and committed before the matcher saw them.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from albeit.data import EvalSet
from albeit.metrics.connectives.act import Act
from albeit.metrics.connectives.lexicon import CLASSIC, Detector
from albeit.metrics.connectives.load import inventory
from albeit.metrics.connectives.words import cut
from albeit.parsing.alignment import Aligner
from albeit.report.act import assess

ROOT = Path(__file__).resolve().parents[2]
SEED = 2013


def read(path: Path) -> list[str]:
    """The lines of a text; a byte order mark is no part of it."""
    return path.read_text(encoding="utf-8-sig").split("\n")[:-1]


def draw(folder: Path, size: int, seed: int) -> list[tuple[str, int, int]]:
    """(system, line from 0, number of the connective in the line), in random order."""
    detect = Detector(inventory("en"), CLASSIC)
    source = read(folder / "src.txt")
    places = [
        (line, number)
        for line, text in enumerate(source)
        for number in range(len(detect(cut(text, "en"))))
    ]
    systems = sorted(path.stem for path in (folder / "systems").glob("*.txt"))
    generator = random.Random(seed)
    everything = [(system, *place) for system in systems for place in places]
    return generator.sample(everything, size)


def show(folder: Path, sample: list[tuple[str, int, int]]) -> None:
    """Print the instances for reading."""
    detect = Detector(inventory("en"), CLASSIC)
    source, reference = read(folder / "src.txt"), read(folder / "ref.txt")
    for count, (system, line, number) in enumerate(sample, 1):
        candidate = read(folder / "systems" / f"{system}.txt")[line]
        words = cut(source[line], "en")
        tokens = detect(words)[number].tokens
        start, stop = words.offsets[tokens[0]][0], words.offsets[tokens[-1]][1]
        marked = f"{source[line][:start]}[[{source[line][start:stop]}]]{source[line][stop:]}"
        print(f"{count}\n S {marked}\n R {reference[line]}\n C {candidate}")


def labels(pair: str) -> dict[tuple[str, int, int], int]:
    """The cases read by hand, by system, line and connective (both from 0)."""
    path = ROOT / "tests" / "golden" / f"act-labels-{pair}.tsv"
    rows = [r.split("\t") for r in path.read_text("utf-8").splitlines() if not r.startswith("#")]
    return {(name, int(at) - 1, int(n) - 1): int(case) for name, at, n, case in rows}


def compare(folder: Path, pair: str, saved: Path | None) -> None:
    """Print how many cases each preset gets right, and where the careful one is wrong."""
    truth = labels(pair)
    evalset = EvalSet(
        {"ref": tuple(read(folder / "ref.txt"))},
        {p.stem: tuple(read(p)) for p in sorted((folder / "systems").glob("*.txt"))},
        tuple(read(folder / "src.txt")),
        source_lang="en",
        target_lang=pair[3:],
    )
    aligner = None if saved is None else Aligner.load(saved)
    for metric in (
        Act(),
        Act(alignment="no"),
        Act(preset="classic"),
        Act(preset="classic", sense="compatible"),
    ):
        own = None if metric.alignment == "no" else aligner
        assessed = assess(evalset, metric, aligner=own)
        wrong = []
        for (system, line, number), case in truth.items():
            verdict = [v for v in assessed.verdicts[system] if v.line == line][number]
            if verdict.case != case:
                wrong.append(
                    f"  line {line + 1} of {system}: read as {case}, found {int(verdict.case)}"
                    f" ({verdict.in_reference.reason}; {verdict.in_candidate.reason})"
                )
        print(f"{pair} {metric}: {len(truth) - len(wrong)} of {len(truth)}")
        if metric == Act():
            print("\n".join(wrong))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["draw", "score"])
    parser.add_argument("--pair", default="en-de")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--aligner", type=Path, help="a saved aligner, in place of training one")
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    folder = options.data / "wmt13" / options.pair
    if options.action == "draw":
        show(folder, draw(folder, options.size, options.seed))
    else:
        compare(folder, options.pair, options.aligner)


if __name__ == "__main__":
    main()
