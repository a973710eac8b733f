"""Unannotated English sentences, parsed by an earlier model: places for distillation to look at.

    python -m training.unlabelled --data ../shared/data --onnx FOLDER --out training/data/silver.jsonl.gz

The earlier model only decides *where* the scores of teachers and student are compared (which spans,
predicates and EDUs); its labels are never targets.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from pathlib import Path

from training import compat

compat.ensure()

from training.batch import Collator, Subwords  # noqa: E402
from training.onnx_backend import OnnxBackend  # noqa: E402
from training.predict import Analyser  # noqa: E402
from training.rows import Item, Row, write_items  # noqa: E402

_TOKEN = re.compile(r"n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,:]\d+)*|\w+?(?=n't\b)|\w+|[^\w\s]", re.I)


def tokenise(text: str) -> list[str]:
    """A rough cut into words as the treebanks have them."""
    return _TOKEN.findall(text.replace("’", "'"))


def sentences(data: Path, count: int, seed: int) -> list[Row]:
    """Europarl sentences of ordinary length."""
    found = []
    with gzip.open(data / "bitext/en-fr/en.txt.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            words = tokenise(line)
            if "\ufffd" not in line and 6 <= len(words) <= 45:
                found.append(Row(f"europarl-{number}", "europarl", "parliament", words))
    return random.Random(seed).sample(found, count)


def main() -> None:
    """Parse and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--prepared", type=Path, default=Path("training/data"))
    parser.add_argument("--onnx", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("training/data/silver.jsonl.gz"))
    parser.add_argument("--count", type=int, default=10000)
    args = parser.parse_args()
    labels = json.loads((args.prepared / "labels.json").read_text())
    collator = Collator(Subwords(args.prepared / "base/tokenizer.json"), labels)
    items = [Item([row]) for row in sentences(args.data, args.count, 3)]
    analysed = Analyser(OnnxBackend(args.onnx), collator)(items, tokens=2000)
    write_items(args.out, (Item(a.rows, a.tree, kind="silver") for a in analysed))


if __name__ == "__main__":
    main()
