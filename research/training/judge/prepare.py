"""Read all judged sets and write the judge's training data.

python -m training.judge.prepare --data ../shared/data --discourse UNPACKED --judgments UNPACKED \
    --out research/data/judge.npz.xz
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from pathlib import Path

from training.judge import store
from training.judge.groups import Group, contrast, judged, make, probes, softly
from training.judge.segments import Segment, by_data, contrasts, read_all, read_more, soft


def read_groups(
    data: Path, discourse: Path, judgments: Path, cutter: store.Cutter, every: int = 1
) -> list[Group]:
    """All groups into English, always in the same order: of every n-th document."""

    def some(segments: list[Segment]) -> list[Segment]:
        return [s for s in segments if zlib.crc32(s.document.encode()) % every == 0]

    groups: list[Group] = []
    sets = by_data(read_all(data, discourse))
    for segment in some(soft(sets["wmt23"], judgments / "wmt23-metric-scores/zh-en")):
        groups += softly(segment)
    for segments in sets.values():
        groups += make(some(segments), cutter.size)
    more = by_data(read_more(judgments))
    for segment in (s for own in more.values() for s in some(own)):
        groups += judged(segment)
    groups += probes(some(more["newstest20"]))
    groups = [group for group in groups if group.texts and group.reference.strip()]
    return groups + list(contrast(contrasts(discourse)[::every]))


def main() -> None:
    """Read, make groups, pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    parser.add_argument(
        "--tokenizer", type=Path, default=Path("src/albeit/parsing/weights/tokenizer.json")
    )
    parser.add_argument("--out", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--every", type=int, default=1, help="every n-th document, to try things")
    args = parser.parse_args()
    cutter = store.Cutter(args.tokenizer)
    groups = read_groups(args.data, args.discourse, args.judgments, cutter, args.every)
    arrays = store.pack(groups, cutter)
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
