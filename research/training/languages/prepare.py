"""Read all judged sets and write the training data of the judge of sixteen languages.

python -m training.languages.prepare --data ../shared/data --discourse UNPACKED --out research/data/triples.npz.xz
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

from training.judge import store as files
from training.judge.groups import crossed, judged
from training.judge.segments import Segment
from training.languages import store
from training.languages.damage import Breaker
from training.languages.segments import KNOWN, read_all
from training.languages.store import Judged

MOST = {"wmt12": 0.75, "wmt13": 0.25}
"""The share of a plentiful set's segments that is kept, by whole documents' luck of the draw."""
DAMAGED = 0.35
"""The share of references that are damaged."""


def groups(segments: list[tuple[str, Segment]], seed: int = 20) -> list[Judged]:
    """All groups, with source and language pair."""
    rng = random.Random(seed)
    texts: dict[str, list[str]] = defaultdict(list)
    for pair, segment in segments:
        texts[pair.split("-")[1]] += segment.references.values()
    breakers = {lang: Breaker(known, rng) for lang, known in texts.items()}
    found: list[Judged] = []
    for pair, segment in segments:
        before, after = pair.split("-")
        source = segment.source if before in KNOWN else ""
        if rng.random() >= MOST.get(segment.data, 1.0):
            continue
        made = [*judged(segment), *crossed(segment, rng)]
        if segment.outputs and rng.random() < DAMAGED:
            name = rng.choice(sorted(segment.references))
            if segment.references[name].strip():
                made.append(breakers[after](segment, name))
        found += [
            Judged(group, pair, source)
            for group in made
            if group.texts and group.reference.strip() and group.pairs
        ]
    return found


def main() -> None:
    """Read, make groups, pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--out", type=Path, default=Path("research/data/triples.npz.xz"))
    parser.add_argument(
        "--limit", type=int, default=0, help="every n-th segment, to try things out"
    )
    args = parser.parse_args()
    segments = read_all(args.data, args.discourse)
    made = groups(segments[:: args.limit or 1])
    arrays = store.pack(made)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    files.save(arrays, args.out)
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in made:
        name = f"{one.group.data}/{one.pair}"
        counts[name, one.group.kind, "groups"] += 1
        counts[name, one.group.kind, "texts"] += len(one.group.texts)
        counts[name, one.group.kind, "preferences"] += len(one.group.pairs)
    for (name, kind, what), count in sorted(counts.items()):
        print(f"{name:18} {kind:8} {count:8} {what}")
    for name in store.MODELS:
        print(f"{name}: learns from {int(arrays[f'use_{name}'].sum())} of {len(made)} groups")
    print(f"{args.out.stat().st_size / 2**20:.1f} MiB, {len(arrays['ids'])} subwords")


if __name__ == "__main__":
    main()
