"""Count how often `judge-many` scores a translation with one wrong word below a correct paraphrase.

    PYTHONPATH=src:research python -m training many.minimal_pairs [--base gemma.gguf]

`minimal_pairs.tsv` has 40 sentences in five languages, written for this test: a source, a
reference, a correct paraphrase with other words, and the reference with one word of the opposite
meaning. The paraphrase shares fewer words with the reference than the error does, so chrF prefers
the error. No such word is in the lists of `training/synthetic.toml`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.sequence import Texts, load_sequences
from training.judge.segments import table

FILE = Path(__file__).with_suffix(".tsv")


class MinimalPair(NamedTuple):
    """A sentence, a correct paraphrase of its translation, and a wrong translation."""

    language: str
    source: str
    reference: str
    paraphrase: str
    error: str


def read(path: Path = FILE) -> list[MinimalPair]:
    """All minimal pairs."""
    return [MinimalPair(**row) for row in table(path)]


def main(*, weights: Path = WEIGHTS / "many", base: str = "installed") -> None:
    """Score with the reference alone, and with source and reference; count and print."""
    network = load_sequences(weights, base)
    pairs = read()
    for name in ("reference", "source and reference"):
        source = name != "reference"
        texts = []
        for pair in pairs:
            given = pair.reference, pair.source if source else None
            texts += [Texts(pair.paraphrase, *given), Texts(pair.error, *given)]
        scores = network.read(texts).scores.reshape(-1, 2)
        better = zip(pairs, scores[:, 0] > scores[:, 1], strict=True)
        right = Counter(pair.language for pair, found in better if found)
        print(f"{name}: {right.total()} of {len(pairs)}, {dict(right)}")
