"""Unannotated English, parsed by an earlier model: where distillation compares scores.

    python -m training.unlabelled --discourse UNPACKED

Parliament, news, talks, dialogues, and machine translations of ten years (nothing of WMT12). The
shipped model also read definitions of WordNet, licenses, and docstrings (commit 678f4ef8). The
training sentences of GUM and EWT come once more, for the layers that each does not annotate. The
earlier model only decides *where* the scores of teachers and student are compared (which spans,
predicates and EDUs); its labels are never targets.
"""

from __future__ import annotations

import gzip
import html
import json
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import plain_forms, tokenize
from training.options import DATA, WEIGHTS, read_options
from training.predict import Analyser, OnnxBackend
from training.rows import Item, Row, read_items, write_items

SIZES = {"parliament": 24000, "outputs13": 22000, "outputs21": 22000, "outputs23": 12000}
"""The most items of a kind; all there are of the others."""
FILES = {
    "parliament": [f"DATA/bitext/en-{pair}/en.txt.gz" for pair in ("fr", "de", "it")],
    "news": [
        "DATA/wmt13/cs-en/ref.txt",
        *(f"DATA/wmt21/{pair}-en/refA.txt" for pair in ("ru", "ja", "is")),
        *(f"DISCOURSE/newstest21-mqm/{name}.txt" for name in ("zh-en/ref", "zh-en/ref-B")),
        "DISCOURSE/newstest21-mqm/en-de/src.txt",
        *(f"DISCOURSE/wmt23-mqm/{name}.txt" for name in ("zh-en/ref", "en-de/src")),
        "DISCOURSE/wmt24-esa/en-zh/src.txt",
    ],
    "talks": ["DATA/ted-mqm/zh-en/ref_ref.txt"],
    "dialogues": ["DISCOURSE/diabla/en-fr/src.txt"],
    "outputs13": [f"DATA/wmt13/{pair}-en/systems" for pair in ("cs", "de", "es", "fr")],
    "outputs21": [
        *(f"DATA/wmt21/{pair}-en/systems" for pair in ("ru", "ja", "is")),
        "DISCOURSE/newstest21-mqm/zh-en/systems",
        "DATA/ted-mqm/zh-en/systems",
    ],
    "outputs23": ["DISCOURSE/wmt23-mqm/zh-en/systems"],
}
WORDS = range(2, 81)
SENTENCES = 4
CHUNK = 1500


def lines(path: Path) -> list[str]:
    """Return the lines of a plain or gzipped file."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return html.unescape(text.decode("utf-8")).split("\n")


def read_texts(data: Path, discourse: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield everything there is of each kind."""
    for kind, names in FILES.items():
        texts: list[str] = []
        for name in names:
            path = Path(name.replace("DATA", str(data)).replace("DISCOURSE", str(discourse)))
            for file in sorted(path.iterdir()) if path.is_dir() else [path]:
                texts += lines(file)
        yield kind, texts


def make_item(name: str, kind: str, text: str) -> Item | None:
    """Cut a text as the package does; return None if it isn't a text of ordinary size."""
    tokens = tokenize(text)
    spans = split_sentences(tokens.forms, tokens.offsets)
    forms = plain_forms(tokens.forms)
    if "\ufffd" in text or not 1 <= len(spans) <= SENTENCES:
        return None
    if any(stop - start not in WORDS for start, stop in spans):
        return None
    return Item([Row(f"{name}-{k}", kind, kind, forms[a:b]) for k, (a, b) in enumerate(spans)])


def sample(
    kinds: Iterable[tuple[str, Iterable[str]]], seed: int, limit: int | None = None
) -> list[Item]:
    """Draw items of every kind, no text twice."""
    rng = random.Random(seed)
    chosen: list[Item] = []
    for kind, texts in kinds:
        different = list(dict.fromkeys(text for text in texts if text.strip()))
        rng.shuffle(different)
        kept: list[Item] = []
        for k, text in enumerate(different):
            if len(kept) == (limit or SIZES.get(kind, len(different))):
                break
            item = make_item(f"{kind}-{k}", kind, text)
            kept += [item] if item else []
        print(f"{kind}: {len(kept)} of {len(different)}", flush=True)
        chosen += kept
    return chosen


def treebanks(prepared: Path) -> list[Item]:
    """Return the annotated training sentences, as if they were not."""
    return [
        Item([Row(row.id, "treebanks", row.genre, row.words)])
        for name in ("gum", "ewt")
        for each in read_items(prepared / f"{name}.train.jsonl.gz")
        for row in each.rows
        if len(row.words) in WORDS
    ]


@cache
def _analyser(onnx: Path, prepared: Path) -> Analyser:
    labels = json.loads((prepared / "labels.json").read_text())
    return Analyser(OnnxBackend(onnx), prepared / "base/tokenizer.json", labels)


def parse(items: list[Item], onnx: Path, prepared: Path) -> list[Item]:
    """Return the items with all layers, by the earlier model."""
    analysed = _analyser(onnx, prepared)(items)
    return [Item(a.rows, a.tree, kind="silver") for a in analysed]


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    prepared: Path = Path("research/data"),
    onnx: Path = WEIGHTS,
    out: Path = Path("research/data/silver.jsonl.gz"),
    limit: int | None = None,
) -> None:
    """Parse and write."""
    items = sample(read_texts(data, discourse), 3, limit)
    items += treebanks(prepared)[:limit]
    items.sort(key=lambda each: max(len(row.words) for row in each.rows))
    chunks = [items[k : k + CHUNK] for k in range(0, len(items), CHUNK)]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(parse, chunk, onnx, prepared) for chunk in chunks]
        count = write_items(out, (each for job in jobs for each in job.result()))
    print(f"{count} items", flush=True)


if __name__ == "__main__":
    read_options(main)
