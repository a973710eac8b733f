"""Step 1: read the corpora into `research/data/*.jsonl.gz`, with labels and foreign words.

python -m training prepare --data ../shared/data --out research/data
"""

from __future__ import annotations

import gzip
import json
import random
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from training.corpora import ewt, gum
from training.options import DATA
from training.rows import Item, write_items

SPLITS = ("train", "dev", "test")
ARCHIVES = ("gum", "gum-sentences", "ewt-propbank")
RARE_ROLE = 5
RARE_BRACKET = 3


def labels(items: Iterable[Item]) -> dict[str, list[str]]:
    """The label inventory of the training data, layer by layer."""
    counts: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("upos", "xpos", "rel", "bracket", "role", "sense", "entity", "rst")
    }
    for item in items:
        for _, _, _, nuclearity, relation in item.tree or []:
            counts["rst"][f"{nuclearity}-{relation}"] += 1
        for row in item.rows:
            counts["upos"].update(row.upos or [])
            counts["xpos"].update(row.xpos or [])
            counts["rel"].update(row.rels or [])
            counts["bracket"].update(label for _, _, label in row.brackets or [])
            counts["sense"].update(label for _, _, label in row.connectives or [])
            counts["entity"].update(label for _, _, label in row.entities or [])
            for frame in row.frames or []:
                counts["role"].update(label for _, _, label in frame.roles)
    least = {"role": RARE_ROLE, "bracket": RARE_BRACKET}
    return {
        name: sorted(label for label, n in count.items() if n >= least.get(name, 1))
        for name, count in counts.items()
    }


def foreign_words(data: Path, size: int, seed: int) -> list[str]:
    """Frequent and rare French, German and Italian words: what MT leaves untranslated."""
    words: set[str] = set()
    for language in ("fr", "de", "it"):
        path = data / f"bitext/en-{language}/{language}.txt.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 5000):
                words.update(w for w in line.split() if w.isalpha() and len(w) > 3)
    return random.Random(seed).sample(sorted(words), size)


def main(*, data: Path = DATA, out: Path = Path("research/data")) -> None:
    """Prepare everything."""
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder)
        for name in ARCHIVES:
            with tarfile.open(data / f"{name}.tar.xz") as archive:
                archive.extractall(unpacked, filter="data")
        everything: list[Item] = []
        for split in SPLITS:
            singles, groups = gum.read(unpacked, split)
            web = ewt.read(unpacked, split)
            for name, items in (("gum", singles), ("groups", groups), ("ewt", web)):
                count = write_items(out / f"{name}.{split}.jsonl.gz", items)
                print(f"{name}.{split}: {count} items")
            if split == "train":
                everything = [*singles, *groups, *web]
    (out / "labels.json").write_text(json.dumps(labels(everything), indent=1) + "\n")
    (out / "foreign.txt").write_text("\n".join(foreign_words(data, 3000, 1)) + "\n")
