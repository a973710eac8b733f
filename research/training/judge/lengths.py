"""Texts many times as long as the one beside them: how often they occur, and what they score.

    PYTHONPATH=src:research python -m training.judge.lengths --discourse UNPACKED --judgments UNPACKED

Prints how many pairs of translation and reference of all judged sets into English the rule of
`albeit.metrics.judge.chunking.covered` concerns, each of them with what people said of it, and scores of
made-up pairs without the rule and with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.chunking import covered
from albeit.metrics.judge.network import Network, load_judge
from training.judge.segments import Segment, read_all, read_more

SENTENCE = "The bridge was closed for three days after engineers found cracks in its piers."
SHORT = "The bridge was closed today."
MADE_UP = {
    f"{SENTENCE!r}, so many times": [
        (n, " ".join([SENTENCE] * n), SENTENCE) for n in (1, 4, 8, 20, 200)
    ],
    "it, and its last word so many times": [
        (n, SENTENCE + " piers." * n, SENTENCE) for n in (10, 50, 200, 3000)
    ],
    "it, beside itself so many times": [
        (n, SENTENCE, " ".join([SENTENCE] * n)) for n in (4, 8, 20, 200)
    ],
    f"'bridge' so many times beside {SHORT!r}": [
        (n, "bridge " * n, SHORT) for n in (30, 400, 3000)
    ],
}


def main() -> None:
    """Count the pairs, and score the made-up ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    args = parser.parse_args()
    segments = [*read_all(args.data, args.discourse), *read_more(args.judgments)]
    pairs = [pair for segment in segments for pair in _pairs(segment)]
    network = load_judge()
    texts = list(dict.fromkeys(text for *_, ours, theirs in pairs for text in (ours, theirs)))
    sizes = np.diff(network.subwords([text.split() for text in texts]).starts)
    size = dict(zip(texts, sizes.tolist(), strict=True))
    ours, theirs = (np.array([size[pair[k]] for pair in pairs]) for k in (-2, -1))
    part = covered(ours, theirs)
    print(
        f"{len(pairs):,} pairs, {int((part < 1).sum())} of them longer than the other can stand for:"
    )
    for k in np.argsort(part, kind="stable")[: int((part < 1).sum())].tolist():
        name, system, level, text, _ = pairs[k]
        said = "unjudged" if level is None else f"people {level:.1f}"
        print(f"  {ours[k]:4} {theirs[k]:4} {part[k]:.2f} {said:12} {name} {system}: {text[:60]}")
    for name in ("wide", "small"):
        print(f"{name}: score without the rule, and with it")
        for label, made in MADE_UP.items():
            print(f"  {label}: " + ", ".join(_scores(load_judge(WEIGHTS / name), made)))


def _pairs(segment: Segment) -> Iterator[tuple[str, str, float | None, str, str]]:
    for system, text in segment.outputs.items():
        for reference in segment.references.values():
            if text.strip() and reference.strip():
                yield segment.key, system, segment.levels.get(system), text, reference


def _scores(network: Network, made: list[tuple[int, str, str]]) -> Iterator[str]:
    reading = network.read([(ours, theirs) for _, ours, theirs in made])
    share, _ = network.calibration.share(reading.scores)
    for (times, *_), one, part in zip(made, 100 * share, reading.covered, strict=True):
        yield f"{times}: {one:.0f} {one * part:.0f}"


if __name__ == "__main__":
    main()
