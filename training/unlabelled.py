"""Unannotated English sentences, parsed by an earlier model: places for distillation to look at.

    python -m training.unlabelled --data ../shared/data --onnx FOLDER --out training/data/silver.jsonl.gz

The earlier model only decides *where* the scores of teachers and student are compared (which spans,
predicates and EDUs); its labels are never targets.
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import random
from pathlib import Path

from training import compat

compat.ensure()

from training.batch import Collator, Subwords  # noqa: E402
from training.corpora.plain import tokenise  # noqa: E402
from training.onnx_backend import OnnxBackend  # noqa: E402
from training.predict import Analyser  # noqa: E402
from training.rows import Item, Row, write_items  # noqa: E402

OUTPUTS = 5000
"""Machine translations among the sentences: what the model will meet."""


def lines(path: Path) -> list[str]:
    """The lines of a plain or gzipped file."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return html.unescape(text.decode("utf-8")).split("\n")


def sentences(data: Path, parliament: int, seed: int) -> list[Row]:
    """Parliament, news, talks and machine translations, of ordinary length; nothing of WMT12."""
    rng = random.Random(seed)
    texts = {
        "europarl": lines(data / "bitext/en-fr/en.txt.gz"),
        "news": lines(data / "wmt13/cs-en/ref.txt"),
        "talks": lines(data / "ted-mqm/zh-en/ref_ref.txt"),
        "outputs": [],
    }
    for pair in ("ru-en", "ja-en", "is-en"):
        texts["news"] += lines(data / f"wmt21/{pair}/refA.txt")
    for pair in ("cs-en", "de-en", "es-en", "fr-en"):
        for path in sorted((data / f"wmt13/{pair}/systems").iterdir()):
            texts["outputs"] += lines(path)
    size = {"europarl": parliament, "outputs": OUTPUTS}
    found = []
    for source, all_lines in texts.items():
        rows = []
        for number, line in enumerate(all_lines):
            words = tokenise(line)
            if "\ufffd" not in line and 4 <= len(words) <= 60:
                rows.append(Row(f"{source}-{number}", source, source, words))
        found += rng.sample(rows, min(size.get(source, len(rows)), len(rows)))
    return found


def main() -> None:
    """Parse and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--prepared", type=Path, default=Path("training/data"))
    parser.add_argument("--onnx", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("training/data/silver.jsonl.gz"))
    parser.add_argument("--count", type=int, default=6000, help="sentences of Europarl")
    args = parser.parse_args()
    labels = json.loads((args.prepared / "labels.json").read_text())
    collator = Collator(Subwords(args.prepared / "base/tokenizer.json"), labels)
    items = [Item([row]) for row in sentences(args.data, args.count, 3)]
    analysed = Analyser(OnnxBackend(args.onnx), collator)(items, tokens=2000)
    write_items(args.out, (Item(a.rows, a.tree, kind="silver") for a in analysed))


if __name__ == "__main__":
    main()
