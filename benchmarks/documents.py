"""Analysing documents beside analysing their lines: speed, and memory as documents grow.

    python benchmarks/documents.py [speed parts memory metric] [--documents N] [--sentences N]

``speed``   raw text → coreference, against raw text → RST trees of the
            same lines: the same text, threads and model, taking turns; the best of three
            (``--turns``), with ``--group N`` of every N documents by themselves, which a busy
            machine disturbs less. A second row makes of the lines trees and dependencies
``parts``   which networks the processor time of documents goes to, and what is left for Python
``memory``  one document of 500, 1,000, 2,000 … sentences, each in a fresh process: the most
            memory and the seconds, which must grow about as the document does
``metric``  the same for scoring it by a metric (``-m``, default ``pronouns-free(by=antecedents)``)

Documents are neighbouring lines of WMT12 and WMT13 system outputs. The cache is off.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

from _common import arguments, lines, show

from albeit.parsing import annotate, annotate_documents
from albeit.parsing.layers import COREFERENCE, DEPENDENCIES, RST, AnyLayer
from albeit.parsing.model import Networks, load_document_model, threads

Row = dict[str, Any]
LINKED = frozenset({COREFERENCE})


def documents(data: Path, count: int, size: int) -> list[tuple[str, ...]]:
    """So many documents of so many neighbouring lines, no line twice."""
    files = chain(*(sorted(data.glob(f"wmt{y}/*-en/systems/*.txt")) for y in (12, 13)))
    texts = list(dict.fromkeys(line for path in files for line in lines(path) if line.strip()))
    if len(texts) < count * size:
        sys.exit(f"{data} holds {len(texts)} distinct lines, not {count * size}.")
    return [tuple(texts[n * size : (n + 1) * size]) for n in range(count)]


def best_of(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least processor seconds of each task, taking turns."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - start)
    return best


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


def parts(options: Any) -> Iterator[Row]:
    """The time inside each network, of the sentence model and over documents."""
    texts = documents(options.data, options.documents, options.sentences)
    work = _documents_as(LINKED, texts)
    spent: Counter[str] = Counter()
    run = Networks.head

    def timed(self: Networks, name: str, *inputs: Any) -> Any:
        start = time.process_time()
        found = run(self, name, *inputs)
        over = "documents" if self is load_document_model() else "sentences"
        spent[f"{name} ({over})"] += time.process_time() - start
        return found

    _documents_as(LINKED, texts[:2])()
    with patch.object(Networks, "head", timed):
        start = time.process_time()
        work()
        whole = time.process_time() - start
    spent["everything else"] = whole - spent.total()
    for name, seconds in spent.most_common():
        yield {"what": name, "share of processor time": f"{seconds / whole:.1%}"}


def memory(options: Any) -> Iterator[Row]:
    """Analysing one long document, in fresh processes."""
    code = (
        "from albeit.parsing import annotate_documents\n"
        "annotate_documents([('He came.', 'He left.')], LINKED)\n",
        "annotate_documents([text], LINKED)[text]",
    )
    return _grown(options, *code)


def metric(options: Any) -> Iterator[Row]:
    """Scoring one long document, in fresh processes."""
    code = (
        "from albeit.data.evalset import Document, EvalSet\n"
        "from albeit.evaluation import score\nfrom albeit.metrics.registry import metric\n"
        "def scored(text):\n"
        "    one = EvalSet({'ref': text}, {'sys': text}, documents=(Document('d', 0, len(text)),))\n"
        f"    return score(one, [metric({options.metric!r})])\n"
        "scored(('He came.', 'He left.'))\n",
        "print(scored(text), file=sys.stderr)",
    )
    return _grown(options, *code)


def _grown(options: Any, before: str, work: str) -> Iterator[Row]:
    """Seconds and memory of some work on one ``text`` of each size."""
    code = (
        "import resource, sys, time\nsys.path.insert(0, 'benchmarks')\n"
        f"from pathlib import Path\nfrom documents import LINKED, documents\n{before}"
        "text = documents(Path(sys.argv[1]), 1, int(sys.argv[2]))[0]\n"
        "least = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"start = time.process_time()\n{work}\nseconds = time.process_time() - start\n"
        "most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(seconds, least * 1024, most * 1024)"
    )
    for size in options.sizes:
        done = subprocess.run(
            [sys.executable, "-c", code, str(options.data), str(size)],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, least, most = map(float, done.stdout.split())
        yield {
            "lines": size,
            "processor seconds": round(seconds, 1),
            "milliseconds a line": round(1000 * seconds / size, 1),
            "MB more than before": round((most - least) / 1e6),
        }


PARTS = {f.__name__: f for f in (speed, parts, memory, metric)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed"])
    parser.add_argument("--documents", type=int, default=1000, metavar="N")
    parser.add_argument("--sentences", type=int, default=20, metavar="N", help="lines a document")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 3000])
    parser.add_argument("--group", type=int, default=0, metavar="N", help="documents a turn")
    parser.add_argument("--turns", type=int, default=3, metavar="N")
    parser.add_argument("-m", "--metric", default="pronouns-free(by=antecedents)")
    options = parser.parse_args()
    os.environ["ALBEIT_CACHE"] = "off"
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
