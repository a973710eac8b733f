"""Facts of all judged translations: what the judge of sixteen languages is fitted on.

    python -m training.languages.facts --data ../shared/data --discourse D --judgments J --out facts.npz

Each judged translation of a set is one row, beside the first reference and beside the source. Of
the plentiful sets every n-th segment is taken. `D` and `J` are the archives of discourse data and of
judgments, unpacked.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from albeit.annotate.multilingual.states import Text, read_texts
from albeit.metrics.judge.facts import (
    BESIDE_REFERENCE,
    BESIDE_SOURCE,
    beside_reference,
    beside_source,
    chrf_scores,
)
from training.judge.segments import Segment
from training.judge.store import FIRST
from training.languages.segments import KNOWN, read_all

EVERY = {
    "wmt12": 8,
    "wmt13": 16,
    "wmt21": 6,
    "wmt13/fr-en": 5,
    "ted/zh-en": 2,
    "newstest21/zh-en": 2,
    "wmt23/zh-en": 2,
    "newstest20/zh-en": 4,
    "wmt23-soft/zh-en": 4,
    "bio/de-en": 2,
    "bio/es-en": 2,
    "bio/fr-en": 2,
    "mlqe": 3,
}
"""By set and direction, or by set."""
PORTION = 24
"""Segments whose texts are in memory at the same time."""


def judged(segment: Segment) -> list[str]:
    """The systems that somebody judged and that wrote something."""
    names = {name for pair in segment.pairs for name in pair} | set(segment.levels)
    return [name for name in segment.outputs if name in names]


def rows(portion: list[tuple[str, Segment]]) -> list[dict[str, object]]:
    """The rows of some segments."""
    found: list[dict[str, object]] = []
    for pair, segment in portion:
        reference = next((segment.references[n] for n in FIRST if n in segment.references), "")
        found += [
            {"pair": pair, "segment": segment, "name": name, "reference": reference}
            for name in judged(segment)
        ]
    texts = dict.fromkeys(
        text
        for row in found
        for text in (row["segment"].text(row["name"]), row["reference"], row["segment"].source)  # type: ignore[attr-defined]
    )
    known: dict[str, Text] = dict(zip(texts, read_texts(list(texts)), strict=True))
    ours = [row["segment"].text(row["name"]) for row in found]  # type: ignore[attr-defined]
    theirs = [str(row["reference"]) for row in found]
    scores = chrf_scores(list(zip(ours, theirs, strict=True)))
    for row, text, reference, score in zip(found, ours, theirs, scores, strict=True):
        mine, other = known[text], known[reference]
        source = known[row["segment"].source]  # type: ignore[attr-defined]
        readable = str(row["pair"]).split("-")[0] in KNOWN
        row["facts"] = (
            beside_reference(mine, other, score)
            if len(mine.ids) and len(other.ids)
            else [np.nan] * len(BESIDE_REFERENCE)
        ) + (
            beside_source(mine, source)
            if readable and len(mine.ids) and len(source.ids)
            else [np.nan] * len(BESIDE_SOURCE)
        )
        characters = (len(text), len(str(row["segment"].source)))  # type: ignore[attr-defined]
        row["characters"] = characters
    return found


def main() -> None:
    """Read, count, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True)
    parser.add_argument("--judgments", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="only these, as wmt23/en-de")
    args = parser.parse_args()
    seen: dict[str, int] = {}
    chosen: list[tuple[str, Segment]] = []
    for pair, segment in read_all(args.data, args.discourse, args.judgments):
        if not judged(segment) or (args.sets and f"{segment.data}/{pair}" not in args.sets):
            continue
        seen[f"{segment.data}/{pair}"] = number = seen.get(f"{segment.data}/{pair}", -1) + 1
        every = EVERY.get(f"{segment.data}/{pair}", EVERY.get(segment.data, 1))
        if number % every == 0:
            chosen.append((pair, segment))
    started = time.time()
    facts, subset, number, name, level, characters = [], [], [], [], [], []
    preferences: list[tuple[int, int, float]] = []
    for at in range(0, len(chosen), PORTION):
        place: dict[tuple[int, str], int] = {}
        for row in rows(chosen[at : at + PORTION]):
            segment = row["segment"]
            assert isinstance(segment, Segment)
            place[id(segment), str(row["name"])] = len(facts)
            facts.append(row["facts"])
            subset.append(f"{segment.data}/{row['pair']}")
            number.append(segment.key)
            name.append(row["name"])
            characters.append(row["characters"])
            level.append(segment.levels.get(str(row["name"]), np.nan))
        for _, segment in chosen[at : at + PORTION]:
            for (better, worse), count in segment.pairs.items():
                a, b = place.get((id(segment), better)), place.get((id(segment), worse))
                if a is not None and b is not None:
                    preferences.append((a, b, float(count)))
        if at % (PORTION * 20) == 0:
            print(f"{at}/{len(chosen)} {time.time() - started:.0f}s", file=sys.stderr, flush=True)
    np.savez_compressed(
        args.out,
        facts=np.array(facts, np.float32),
        subset=np.array(subset),
        segment=np.array(number),
        name=np.array(name),
        level=np.array(level, np.float32),
        characters=np.array(characters, np.int32),
        preferences=np.array(preferences, np.float64).reshape(-1, 3),
    )


if __name__ == "__main__":
    main()
