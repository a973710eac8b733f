"""Word alignment: error rate and seconds of the embedded aligner, beside eflomal's.

    python benchmarks/aligner.py                  # needs eflomal for the second row
    python benchmarks/aligner.py --lines 6000     # a quicker look

Both train on the same English-French sentence pairs of Europarl with the 447 pairs of the
Hansards that have hand-made alignments, and are scored on the latter (Och and Ney, 2003).
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from pathlib import Path

from _common import arguments, show, timed

from albeit.errors import MissingExtraError
from albeit.parsing.alignment import Aligner, Link, eflomal_align

_WORD = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
Gold = tuple[set[Link], set[Link]]


def europarl(data: Path, limit: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentence pairs in lower case; those with lost characters are left out."""
    sides = []
    for name in ("en", "fr"):
        with gzip.open(data / "bitext" / "en-fr" / f"{name}.txt.gz", "rt", encoding="utf-8") as f:
            sides.append(f.read().split("\n")[:limit])
    kept = [(a, b) for a, b in zip(*sides, strict=True) if "\ufffd" not in a + b]
    return (
        [_WORD.findall(a.lower()) for a, _ in kept],
        [_WORD.findall(b.lower()) for _, b in kept],
    )


def hansards(data: Path) -> tuple[list[list[str]], list[list[str]], list[Gold]]:
    """The hand-aligned pairs with their sure and possible links."""
    folder = data / "hansards-gold-en-fr"
    pairs = [
        line.split(" ||| ")
        for line in (folder / "src-tgt.txt").read_text("utf-8").lower().split("\n")[:-1]
    ]
    gold: list[Gold] = []
    for line in (folder / "gold.txt").read_text("utf-8").split("\n")[:-1]:
        sure: set[Link] = set()
        possible: set[Link] = set()
        for item in line.split():
            first, mark, second = re.split(r"([-p])", item)
            link = int(first) - 1, int(second) - 1
            (possible if mark == "p" else sure).add(link)
        gold.append((sure, possible | sure))
    return [a.split() for a, _ in pairs], [b.split() for _, b in pairs], gold


def error_rate(found: Sequence[Sequence[Link]], gold: Sequence[Gold]) -> tuple[float, float, float]:
    """Alignment error rate, precision and recall, in percent."""
    size = sum(len(links) for links in found)
    right = sum(len(p & set(links)) for links, (_, p) in zip(found, gold, strict=True))
    sure = sum(len(s & set(links)) for links, (s, _) in zip(found, gold, strict=True))
    wanted = sum(len(s) for s, _ in gold)
    return 100 * (1 - (right + sure) / (size + wanted)), 100 * right / size, 100 * sure / wanted


def main() -> None:
    """Run from the command line."""
    parser = arguments("Word alignment: error rate and seconds, beside eflomal's.")
    parser.add_argument("--lines", type=int, default=60000)
    options = parser.parse_args()
    source, target = europarl(options.data, options.lines)
    test_source, test_target, gold = hansards(options.data)
    source += test_source
    target += test_target
    Aligner.fit(source[:50], target[:50]).align(source[:50], target[:50])  # compile
    rows = []

    def embedded() -> list[list[Link]]:
        return Aligner.fit(source, target).align(source, target)

    def eflomal() -> list[list[Link]]:
        return eflomal_align(source, target)

    def alone() -> list[list[Link]]:
        return Aligner.fit(test_source, test_target).align(test_source, test_target)

    def fixed() -> list[list[Link]]:
        known = len(source) - len(gold)
        return Aligner.fit(source[:known], target[:known]).align(test_source, test_target)

    for name, work in (
        ("albeit", embedded),
        ("eflomal", eflomal),
        ("albeit, trained on the test pairs alone", alone),
        ("albeit, test pairs unseen", fixed),
    ):
        try:
            found, seconds = timed(work)
        except MissingExtraError as error:
            print(f"{name}: {error}")
            continue
        rate, precision, recall = error_rate(found[-len(gold) :], gold)
        rows.append(
            {
                "aligner": name,
                "AER %": rate,
                "precision %": precision,
                "recall %": recall,
                "seconds": seconds,
            }
        )
    show(rows, options.format)


if __name__ == "__main__":
    main()
