"""Read all sets in all languages and write the training data of `judge-many`.

    python -m training.many.prepare --gguf gemma.gguf --data ../shared/data --discourse D --judgments J \\
        --newer J2 --remedy R [--teachers research/training/judge/kept/teachers.npz.xz]

Human judgments, soft labels of ReMedy (`training.many.soft`), and synthetic errors in system outputs. Into
English: the groups of `judge`, with the scores of those teachers that never saw WMT23 (fold `b` of `judge`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from albeit.metrics.judge.chunking import facts
from training.judge import keep, targets
from training.judge.groups import Group, judged, softly
from training.judge.prepare import read_groups
from training.judge.segments import Segment
from training.judge.store import Cutter, save
from training.judge.store import load as load_english
from training.judge.teachers import reasons
from training.many.base import opened, tokenizer
from training.many.segments import read_all
from training.many.soft import newer, remedy
from training.many.store import Entry, packed
from training.many.synthetic import synthesize

EVERY = {"synthetic": 2, "unjudged": 4}
"""Of the groups into English, by kind: every n-th."""
SHARES = {"bio": 1.0, "newstest20": 0.5, "newstest21": 1.0, "ted": 1.0}
SHARES |= {"remedy22": 0.25, "remedy23": 0.3, "remedy24": 0.4}
"""The share of segments that get synthetic errors, by set; none if not listed."""
ASSESSED = 1.0
"""Standard deviations of direct assessment between two translations that count as a preference."""
FOLD = "b"
"""The fold of `judge` whose teachers score translations into English: it never saw WMT23."""
TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")


def into_english(
    groups: list[Group], sources: dict[str, str], kinds: tuple[str, ...]
) -> Iterator[Entry]:
    """The groups of `judge` of these kinds."""
    at = 0
    seen: Counter[str] = Counter()
    for group in groups:
        start, at = at, at + len(group.texts)
        key = group.key.split("|")[0]
        seen[group.kind] += 1
        if (
            group.kind not in kinds
            or group.data in ("bio", "wmt16")
            or key not in sources
            or seen[group.kind] % EVERY.get(group.kind, 1)
        ):
            continue
        if group.data == "wmt21" and group.kind == "judged":
            group.pairs = [p for p in group.pairs if p[3] >= ASSESSED]
        entry = Entry(key.split(":")[0], sources[key], group, start)
        if entry.first:
            yield entry


def others(segments: list[tuple[str, Segment]]) -> Iterator[Entry]:
    """Human judgments of translations into other languages, against each reference; and of abstracts
    into English, which `judge` only tests on."""
    for pair, segment in segments:
        if segment.data in ("mlqe", "wmt23-soft") or (
            pair.endswith("-en") and segment.data != "bio"
        ):
            continue
        for group in judged(segment):
            if group.texts and group.reference.strip():
                yield Entry(f"{segment.data}/{pair}", segment.source, group)


def labeled(segments: list[tuple[str, Segment]]) -> Iterator[Entry]:
    """Soft labels: preferences within a segment, and the standardized scores themselves."""
    for pair, segment in segments:
        for group in softly(segment):
            targets = tuple(segment.levels[name] for name in group.names)
            yield Entry(f"{segment.data}/{pair}", segment.source, group, targets=targets)


def synthetic(segments: list[tuple[str, Segment]]) -> Iterator[Entry]:
    """Synthetic errors in system outputs of other languages than English."""
    chosen = [(p, s) for p, s in segments if s.data in SHARES and not p.endswith("-en")]
    for pair, segment, group in synthesize(chosen, SHARES):
        yield Entry(f"{segment.data}/{pair}", segment.source, group)


def taught(english: Path, kept: Path, entries: list[Entry]) -> list[Entry]:
    """The entries, those into English with the mean score of the teachers that are used."""
    store = load_english(english)
    with tempfile.TemporaryDirectory() as folder:
        keep.back(kept, Path(folder))
        paths = sorted(Path(folder).glob(f"t-{FOLD}-*"))
        checks = {p.name: json.loads((p / "check.json").read_text()) for p in paths}
        used = [Path(folder) / name for name, reason in reasons(checks).items() if not reason]
        found = targets.make(store, [path / "scores.npy" for path in used], FOLD)
    print(f"teachers {[path.name for path in used]}, {found.spread:.3f} logits per unit")
    made = []
    for e in entries:
        own = found.score[e.english : e.english + len(e.group.texts)].tolist()
        made.append(e._replace(targets=tuple(own)) if e.english >= 0 else e)
    return made


def main() -> None:
    """Read, cut into pieces, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    parser.add_argument("--newer", type=Path, required=True, help="judgments-2.tar.xz, unpacked")
    parser.add_argument("--remedy", type=Path, required=True, help="remedy.tar.xz, unpacked")
    parser.add_argument("--english", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--teachers", type=Path, help="scores kept by training.judge.keep")
    parser.add_argument("--every", type=int, default=1, help="every n-th document, for a trial")
    parser.add_argument("--out", type=Path, default=Path("research/data/many/store.npz.xz"))
    args = parser.parse_args()
    segments = read_all(args.data, args.discourse, args.judgments)
    sources = {segment.key: segment.source for _, segment in segments}
    soft, chosen = remedy(args.remedy), newer(args.newer)
    segments, soft, chosen = (
        [(p, s) for p, s in own if zlib.crc32(s.document.encode()) % args.every == 0]
        for own in (segments, soft, chosen)
    )
    cutter = Cutter(TOKENIZER)
    groups = read_groups(args.data, args.discourse, args.judgments, cutter, args.every)
    kinds = ("judged", "synthetic", "unjudged") if args.teachers else ("judged", "synthetic")
    entries = list(into_english(groups, sources, kinds))
    if args.teachers:
        entries = taught(args.english, args.teachers, entries)
    entries += [*others(segments), *others(chosen), *labeled(soft), *synthetic([*segments, *soft])]
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
    arrays = packed(entries, ids, number, characters, newline)
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
    known = int(np.isfinite(arrays["target"]).sum())
    print(f"{known} of {len(pairs)} pairs have a soft label or teachers' scores")
    print(f"{len(arrays['pieces'])} pieces occur, {len(arrays['ids'])} in all")
    print(f"{args.out} {args.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
