"""Read all judged sets, out of English and into it, and write what the judge of many languages reads.

    python -m training.many.prepare --gguf gemma.gguf --data ../shared/data --discourse D --judgments J

Judged translations alone; of the plentiful sets into English every n-th segment, beside the first
reference.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from albeit.metrics.judge.characters import facts
from training.judge.groups import Group, judged, softly
from training.judge.segments import Segment
from training.judge.store import FIRST, save
from training.languages.segments import read_all
from training.many.base import opened, tokenizer
from training.many.store import packed

EVERY = {"wmt13": 2, "wmt21": 3, "wmt23-soft/zh-en": 4, "mlqe": 0}
"""By set, or set and direction: every n-th segment, 0 for none."""
ASSESSED = 1.0
"""Standard deviations of direct assessment between two translations that count as a preference."""


def groups_of(pair: str, segment: Segment) -> Iterator[Group]:
    """Groups of one segment: out of English beside each reference, into English beside the first."""
    if segment.data == "wmt23-soft":
        made = list(softly(segment))
    else:
        made = list(judged(segment))
    if segment.data == "wmt21":
        for group in made:
            group.pairs = [p for p in group.pairs if p[3] >= ASSESSED]
    for group in made:
        if group.texts and group.reference.strip():
            yield group
            if pair.endswith("-en"):
                return


def main() -> None:
    """Read, cut into pieces, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    parser.add_argument("--out", type=Path, default=Path("research/data/many/store.npz.xz"))
    parser.add_argument("--every", type=int, default=1, help="every n-th segment, to try things")
    args = parser.parse_args()
    groups: list[Group] = []
    subsets: list[str] = []
    seen: Counter[str] = Counter()
    for pair, segment in read_all(args.data, args.discourse, args.judgments):
        name = f"{segment.data}/{pair}"
        every = EVERY.get(name, EVERY.get(segment.data, 1)) * args.every
        seen[name] += 1
        if every and seen[name] % every == 0:
            own = list(groups_of(pair, segment))
            groups += own
            subsets += [name] * len(own)
    keys = [group.key.split("|") for group in groups]
    first = [len(key) == 1 or key[1] in FIRST for key in keys]
    texts = dict.fromkeys(text for group in groups for text in (group.reference, *group.texts))
    number = {text: k for k, text in enumerate(texts)}
    cut = tokenizer(opened(args.gguf))
    ids = [cut.encode(" ".join(text.split())) for text in texts]
    pairs = [(text, group.reference) for group in groups for text in group.texts]
    told = facts([one for one, _ in pairs], [other for _, other in pairs])
    newline = cut.piece_to_id("\n")
    assert cut.encode("\n") == [newline], "the tokenizer does not know the end of a line"
    arrays = packed(groups, subsets, first, ids, number, told, newline)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save(arrays, args.out)
    made = Counter(subsets)
    size = np.bincount(arrays["group_set"][arrays["pair_group"]])
    likes = np.bincount(arrays["group_set"][arrays["pair_group"][arrays["better"]]])
    for name, n, m in zip(sorted(made), size, likes, strict=True):
        print(f"{name:18} {made[name]:6} groups {n:7} pairs {m:8} preferences")
    for name in sorted(arrays):
        if name.startswith("use_"):
            print(f"{name}: {int(arrays[name].sum())} of {len(groups)} groups")
    print(f"{len(arrays['pieces'])} pieces occur, {len(arrays['ids'])} in all")
    print(f"{args.out} {args.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
