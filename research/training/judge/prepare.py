"""Read all judged sets and write the judge's training data.

python -m training.judge.prepare --data ../shared/data --discourse UNPACKED --out research/data/judge.npz.xz
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from training.judge import store
from training.judge.groups import Group, contrast, make
from training.judge.segments import by_data, contrasts, read_all


def main() -> None:
    """Read, make groups, pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--tokenizer", type=Path, default=Path("research/data/base/tokenizer.json"))
    parser.add_argument("--out", type=Path, default=Path("research/data/judge.npz.xz"))
    args = parser.parse_args()
    groups: list[Group] = []
    for segments in by_data(read_all(args.data, args.discourse)).values():
        groups += make(segments)
    groups = [group for group in groups if group.texts and group.reference.strip()]
    groups += contrast(contrasts(args.discourse))
    arrays = store.pack(groups, args.tokenizer)
    store.save(arrays, args.out)
    made: Counter[tuple[str, str, str]] = Counter()
    for g in groups:
        made[g.data, g.kind, "groups"] += 1
        made[g.data, g.kind, "texts"] += len(g.texts)
        made[g.data, g.kind, "preferences"] += len(g.pairs)
    for (data, kind, what), count in sorted(made.items()):
        print(f"{data:12} {kind:10} {count:7} {what}")
    for name in store.MODELS:
        print(f"{name}: learns from {int(arrays[f'use_{name}'].sum())} of {len(groups)} groups")
    print(f"{args.out.stat().st_size / 2**20:.1f} MiB, {len(arrays['ids'])} subwords")


if __name__ == "__main__":
    main()
