"""Annotating documents next to annotating their lines: speed, and memory as documents grow.

    python benchmarks/documents.py [speed memory] [--documents N] [--sentences N]

``speed``   raw text → coreference, against raw text → RST trees of the same lines: the same text,
            threads and model, taking turns; the best of three (``--turns``), with ``--group N`` of
            every N documents by themselves, which a busy machine disturbs less. A second row makes
            trees and dependencies of the lines
``memory``  one document of 500, 1,000, 2,000 … sentences, each in a fresh process: the most memory
            and the seconds, which must grow about as the document does

Documents are neighboring lines of WMT12 and WMT13 system outputs. The cache is off.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from _common import arguments, best_of, lines, peak, show

from albeit.parsing import annotate, annotate_documents
from albeit.parsing.layers import COREFERENCE, DEPENDENCIES, RST, AnyLayer
from albeit.parsing.model import threads

Row = dict[str, Any]
LINKED = frozenset({COREFERENCE})


def documents(data: Path, count: int, size: int) -> list[tuple[str, ...]]:
    """So many documents of so many neighbouring lines, no line twice."""
    files = chain(*(sorted(data.glob(f"wmt{y}/*-en/systems/*.txt")) for y in (12, 13)))
    texts = list(dict.fromkeys(line for path in files for line in lines(path) if line.strip()))
    if len(texts) < count * size:
        sys.exit(f"{data} holds {len(texts)} distinct lines, not {count * size}.")
    return [tuple(texts[n * size : (n + 1) * size]) for n in range(count)]


def _lines_as(layers: frozenset[AnyLayer], texts: list[str]) -> Callable[[], None]:
    def work() -> None:
        found = annotate(texts, layers)
        for text in texts:
            found[text]

    return work


def _documents_as(layers: frozenset[AnyLayer], texts: list[tuple[str, ...]]) -> Callable[[], None]:
    def work() -> None:
        found = annotate_documents(texts, layers)
        for text in texts:
            found[text]

    return work


def _tasks(texts: list[tuple[str, ...]]) -> dict[str, Callable[[], object]]:
    """What is compared."""
    flat = [line for text in texts for line in text]
    return {
        "lines → RST trees": _lines_as(frozenset({RST}), flat),
        "lines → RST trees, dependencies": _lines_as(frozenset({RST, DEPENDENCIES}), flat),
        "documents → coreference": _documents_as(LINKED, texts),
    }


def speed(options: Any) -> Iterator[Row]:
    """Documents beside lines, some documents at a time."""
    texts = documents(options.data, options.documents, options.sentences)
    annotate(texts[0], frozenset({RST, DEPENDENCIES}))
    annotate_documents(texts[:4], LINKED)
    best: Counter[str] = Counter()
    size = options.group or len(texts)
    for start in range(0, len(texts), size):
        best.update(best_of(_tasks(texts[start : start + size]), options.turns))
    base = best["lines → RST trees"]
    for name, seconds in best.items():
        yield {
            "what": name,
            "documents × lines": f"{options.documents} × {options.sentences}",
            "threads": threads(),
            "lines/s of processor time": round(len(texts) * options.sentences / seconds, 1),
            "of the lines' trees": f"{base / seconds:.0%}",
        }


def memory(options: Any) -> Iterator[Row]:
    """Yield seconds and memory for one long document of each size, in fresh processes."""
    for size in options.sizes:
        before = (
            "from documents import LINKED, annotate_documents, documents\n"
            "annotate_documents([('He came.', 'He left.')], LINKED)\n"
            f"text = documents(Path({str(options.data)!r}), 1, {size})[0]"
        )
        seconds, least, most = peak(before, "annotate_documents([text], LINKED)[text]")
        yield {
            "lines": size,
            "processor seconds": round(seconds, 1),
            "milliseconds per line": round(1000 * seconds / size, 1),
            "MB more than before": round((most - least) / 1e6),
        }


PARTS = {f.__name__: f for f in (speed, memory)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed"])
    parser.add_argument("--documents", type=int, default=1000, metavar="N")
    parser.add_argument("--sentences", type=int, default=20, metavar="N", help="lines a document")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 3000])
    parser.add_argument("--group", type=int, default=0, metavar="N", help="documents a turn")
    parser.add_argument("--turns", type=int, default=3, metavar="N")
    options = parser.parse_args()
    os.environ["ALBEIT_CACHE"] = "off"
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
