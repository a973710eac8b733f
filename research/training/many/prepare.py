"""Read all judged sets, out of English and into it, and write what the judge of many languages reads.

    python -m training.many.prepare --gguf gemma.gguf --data ../shared/data --discourse D --judgments J

Judged translations out of English beside each reference; into English the groups of the English judge,
beside the first reference, with what its teachers said of them (`training/judge/kept/teachers.npz.xz`):
of each fold those teachers that had not seen what the fold leaves out. And made-up damage in all languages
there are texts in. Each translation has its source.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from albeit.metrics.judge.pairs import facts
from training.judge import keep, targets
from training.judge.groups import Group, judged, softly
from training.judge.prepare import read_groups
from training.judge.segments import Segment, standardised
from training.judge.store import Array, Cutter, save
from training.judge.store import load as load_english
from training.many.base import opened, tokenizer
from training.many.damage import AGAIN, broken
from training.many.segments import read_all
from training.many.store import Entry, packed

EVERY = {"damage": 3, "soft": 3}
"""Of the groups into English, by kind: every n-th."""
MADE = {"wmt12": 6, "wmt13": 6, "wmt21": 1, "bio": 2, "wmt16": 2, "newstest20": 4}
"""Made-up damage, by set: of every n-th segment, else of every third."""
ASSESSED = 1.0
"""Standard deviations of direct assessment between two translations that count as a preference."""
TEACHERS = {"a": ("t-b-1", "t-b-2"), "b": ("t-a-1", "t-a-2"), "all": ("t-all-1",)}
"""Of each fold: teachers of the English judge that saw nothing that it leaves out. The second one of
`all` did not learn: it says what chrF says (r .997)."""
TOKENIZER = Path("src/albeit/annotate/weights/tokenizer.json")
TURNED = ("cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en")


def into_english(
    groups: list[Group], sources: dict[str, str], seen: Counter[str]
) -> Iterator[Entry]:
    """The English judge's groups that are learnt from."""
    at = 0
    for group in groups:
        start, at = at, at + len(group.texts)
        key = group.key.split("|")[0]
        seen[group.kind] += 1
        if (
            group.kind not in ("judged", "unlabelled", "damage", "soft")
            or group.data in ("bio", "wmt16")
            or key not in sources
            or seen[group.kind] % EVERY.get(group.kind, 1)
        ):
            continue
        if group.data == "wmt21" and group.kind == "judged":
            group.pairs = [p for p in group.pairs if p[3] >= ASSESSED]
        subset = key.split(":")[0]
        subset = subset.replace("/", "-soft/") if group.kind == "soft" else subset
        entry = Entry(subset, sources[key], group, start)
        if entry.first:
            yield entry


def others(segments: list[tuple[str, Segment]]) -> Iterator[Entry]:
    """Out of English beside each reference; abstracts into English, whose groups the English judge
    has with a system that the references were made from, beside the first."""
    for pair, segment in segments:
        if segment.data == "mlqe" or (pair.endswith("-en") and segment.data != "bio"):
            continue
        made = softly(segment) if segment.data == "wmt23-soft" else judged(segment)
        for group in made:
            if group.texts and group.reference.strip():
                yield Entry(f"{segment.data}/{pair}", segment.source, group)


def damaged(segments: list[tuple[str, Segment]], judgments: Path) -> Iterator[Entry]:
    """Made-up damage."""
    extra = [(pair, s) for pair in TURNED for s in standardised(judgments / "wmt16-da" / pair)]
    chosen = []
    seen: Counter[str] = Counter()
    for pair, segment in [*segments, *extra]:
        seen[segment.data] += 1
        if segment.data in ("mlqe", "wmt23-soft") or seen[segment.data] % MADE.get(segment.data, 3):
            continue
        chosen.append((pair, segment))
    for language, source, group in broken(chosen):
        yield Entry(f"{AGAIN}{group.data.removeprefix(AGAIN)}/{language}", source, group)


def taught(english: Path, kept: Path, entries: list[Entry]) -> dict[str, Array]:
    """What the teachers of each fold say of pairs, on the English judge's scale; `nan`: nothing."""
    store = load_english(english)
    found: dict[str, Array] = {}
    with tempfile.TemporaryDirectory() as folder:
        keep.back(kept, Path(folder))
        for fold, names in TEACHERS.items():
            paths = [Path(folder) / name / "scores.npy" for name in names]
            told = targets.make(store, paths, names[0].split("-")[1])
            print(f"fold {fold}: teachers {names}, {told.spread:.3f} logits a unit")
            parts = [
                told.score[e.english : e.english + len(e.group.texts)]
                if e.english >= 0
                else np.full(len(e.group.texts), np.nan, np.float32)
                for e in entries
            ]
            found[f"target_{fold}"] = np.concatenate(parts).astype(np.float16)
    return found


def main() -> None:
    """Read, cut into pieces, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    parser.add_argument("--english", type=Path, default=Path("research/data/judge.npz.xz"))
    kept = Path("research/training/judge/kept/teachers.npz.xz")
    parser.add_argument("--teachers", type=Path, default=kept)
    parser.add_argument("--out", type=Path, default=Path("research/data/many/store.npz.xz"))
    args = parser.parse_args()
    segments = read_all(args.data, args.discourse, args.judgments)
    sources = {segment.key: segment.source for _, segment in segments}
    groups = read_groups(args.data, args.discourse, args.judgments, Cutter(TOKENIZER))
    whole = sum(len(group.texts) for group in groups)
    entries = list(into_english(groups, sources, Counter()))
    entries += [*others(segments), *damaged(segments, args.judgments)]
    told = taught(args.english, args.teachers, entries)
    kept_pairs = len(load_english(args.english).sizes)
    assert whole == kept_pairs, f"{args.english} holds {kept_pairs} pairs, not {whole}"
    texts = dict.fromkeys(
        " ".join(text.split())
        for entry in entries
        for text in (entry.source, entry.group.reference, *entry.group.texts)
    )
    number = {text: k for k, text in enumerate(texts)}
    cut = tokenizer(opened(args.gguf))
    ids = cut.encode(list(texts))
    pairs = [(text, entry.group.reference) for entry in entries for text in entry.group.texts]
    characters = facts([one for one, _ in pairs], [other for _, other in pairs])
    newline = cut.piece_to_id("\n")
    assert cut.encode("\n") == [newline], "the tokenizer does not know the end of a line"
    arrays = packed(entries, ids, number, characters, newline) | told
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save(arrays, args.out)
    subsets = [entry.subset for entry in entries]
    made = Counter(subsets)
    size = np.bincount(arrays["group_set"][arrays["pair_group"]])
    likes = np.bincount(
        arrays["group_set"][arrays["pair_group"][arrays["better"]]], minlength=len(made)
    )
    for name, n, m in zip(sorted(made), size, likes, strict=True):
        print(f"{name:20} {made[name]:6} groups {n:7} pairs {m:8} preferences")
    for name in sorted(arrays):
        if name.startswith("use_"):
            print(f"{name}: {int(arrays[name].sum())} of {len(entries)} groups")
        if name.startswith("target_"):
            print(f"{name}: {int(np.isfinite(arrays[name]).sum())} of {len(pairs)} pairs")
    print(f"{len(arrays['pieces'])} pieces occur, {len(arrays['ids'])} in all")
    print(f"{args.out} {args.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
