"""Read all sets in all languages and write the training data of `judge-many`.

    python -m training many.prepare --gguf gemma.gguf --discourse D --judgments J \\
        --newer J2 --remedy R [--teachers research/training/judge/kept/teachers.npz.xz]

Human judgments, soft labels of ReMedy (`training.judge.segments`), and synthetic errors in system
outputs. Into English: the groups of `judge`, with the scores of those teachers that never saw
WMT23 (fold `b` of `judge`).
"""

from __future__ import annotations

import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sentencepiece import SentencePieceProcessor

from albeit.metrics.judge.chunking import facts
from albeit.metrics.judge.gemma import open_base
from training.judge import keep, targets
from training.judge.groups import Group, judged, softly, synthesize
from training.judge.prepare import read_groups
from training.judge.segments import Pairs, read_languages
from training.judge.segments import newer as read_newer
from training.judge.segments import remedy as read_remedy
from training.judge.store import Cutter, compress
from training.judge.store import load as load_english
from training.judge.teachers import reasons
from training.many.base import CHECKSUM
from training.many.store import Entry, pack
from training.options import DATA, WEIGHTS

EVERY = {"synthetic": 2, "unjudged": 4}
"""Of the groups into English, by kind: every n-th."""
SHARES = {"bio": 1.0, "newstest20": 0.5, "newstest21": 1.0, "ted": 1.0}
SHARES |= {"remedy22": 0.25, "remedy23": 0.3, "remedy24": 0.4}
"""The share of segments that get synthetic errors, by set; none if not listed."""
ASSESSED = 1.0
"""Standard deviations of direct assessment between two translations that count as a preference."""
FOLD = "b"
"""The fold of `judge` whose teachers score translations into English: it never saw WMT23."""


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


def others(segments: Pairs) -> Iterator[Entry]:
    """Human judgments of translations into other languages, against each reference; and of
    abstracts
    into English, which `judge` only tests on."""
    for pair, segment in segments:
        if pair.endswith("-en") and segment.data != "bio":
            continue
        for group in judged(segment):
            if group.texts and group.reference.strip():
                yield Entry(f"{segment.data}/{pair}", segment.source, group)


def label(segments: Pairs) -> Iterator[Entry]:
    """Soft labels: preferences within a segment, and the standardized scores themselves."""
    for pair, segment in segments:
        for group in softly(segment):
            targets = tuple(segment.levels[name] for name in group.names)
            yield Entry(f"{segment.data}/{pair}", segment.source, group, targets=targets)


def add_errors(segments: Pairs) -> Iterator[Entry]:
    """Synthetic errors in system outputs of other languages than English."""
    chosen = [(p, s) for p, s in segments if s.data in SHARES and not p.endswith("-en")]
    for pair, segment, group in synthesize(chosen, SHARES):
        yield Entry(f"{segment.data}/{pair}", segment.source, group)


def add_teachers(english: Path, kept: Path, entries: list[Entry]) -> list[Entry]:
    """The entries, those into English with the mean score of the teachers that are used."""
    store = load_english(english)
    with tempfile.TemporaryDirectory() as folder:
        keep.restore(kept, Path(folder))
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


def main(
    *,
    gguf: Path,
    data: Path = DATA,
    discourse: Path,
    judgments: Path,
    newer: Path,
    remedy: Path,
    english: Path = Path("research/data/judge.npz.xz"),
    teachers: Path | None = None,
    every: int = 1,
    out: Path = Path("research/data/many/store.npz.xz"),
) -> None:
    """Read, cut into pieces, write: of every n-th document."""
    every_set = read_languages(data, discourse, judgments)
    sources = {segment.key: segment.source for _, segment in every_set}
    segments, soft, chosen = (
        [(p, s) for p, s in own if zlib.crc32(s.document.encode()) % every == 0]
        for own in (every_set, read_remedy(remedy), read_newer(newer))
    )
    cutter = Cutter(WEIGHTS / "tokenizer.json")
    groups = read_groups(data, discourse, judgments, cutter, every)
    kinds = ("judged", "synthetic", "unjudged") if teachers else ("judged", "synthetic")
    entries = list(into_english(groups, sources, kinds))
    if teachers:
        entries = add_teachers(english, teachers, entries)
    entries += [*others(segments), *others(chosen), *label(soft), *add_errors([*segments, *soft])]
    texts = dict.fromkeys(text for entry in entries for text in entry.all_texts)
    number = {text: k for k, text in enumerate(texts)}
    vocabulary = open_base(str(gguf), CHECKSUM).vocabulary
    cut = SentencePieceProcessor(model_proto=vocabulary)
    pairs = [(text, entry.group.reference) for entry in entries for text in entry.group.texts]
    characters = facts([one for one, _ in pairs], [other for _, other in pairs])
    newline = cut.piece_to_id("\n")
    assert cut.encode("\n") == [newline], "the tokenizer does not know the end of a line"
    arrays = pack(entries, cut.encode(list(texts)), number, characters, newline)
    compress(arrays, out)
    made = Counter(entry.subset for entry in entries)
    size = np.bincount(arrays["group_set"][arrays["pair_group"]])
    for name, n in zip(sorted(made), size, strict=True):
        print(f"{name:20} {made[name]:6} groups {n:7} pairs")
    for name in sorted(arrays):
        if name.startswith("use_"):
            print(f"{name}: {int(arrays[name].sum())} of {len(entries)} groups")
    known = int(np.isfinite(arrays["target"]).sum())
    print(f"{known} of {len(pairs)} pairs have a soft label or teachers' scores")
    print(f"{out} {out.stat().st_size / 2**20:.1f} MiB, {len(arrays['pieces'])} pieces occur")
