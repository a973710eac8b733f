"""Read all judged sets and write the judge's training data.

python -m training judge.prepare --data ../shared/data --discourse UNPACKED --judgments UNPACKED \
    --out research/data/judge.npz.xz
"""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path

from training.judge import store
from training.judge.groups import Group, contrast, judged, make, probes, softly
from training.judge.segments import Segment, by_data, contrasts, read_all, read_more, soft
from training.options import DATA, WEIGHTS


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


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    judgments: Path,
    tokenizer: Path = WEIGHTS / "tokenizer.json",
    out: Path = Path("research/data/judge.npz.xz"),
    every: int = 1,
) -> None:
    """Read, make groups, pack: of every n-th document."""
    cutter = store.Cutter(tokenizer)
    groups = read_groups(data, discourse, judgments, cutter, every)
    arrays = store.pack(groups, cutter)
    store.compress(arrays, out)
    made: Counter[tuple[str, str, str]] = Counter()
    for g in groups:
        made[g.data, g.kind, "groups"] += 1
        made[g.data, g.kind, "texts"] += len(g.texts)
        made[g.data, g.kind, "preferences"] += len(g.pairs)
    for (name, kind, what), count in sorted(made.items()):
        print(f"{name:12} {kind:10} {count:7} {what}")
    for name in store.MODELS:
        print(f"{name}: learns from {int(arrays[f'use_{name}'].sum())} of {len(groups)} groups")
    print(f"{out.stat().st_size / 2**20:.1f} MiB, {len(arrays['ids'])} subwords")
