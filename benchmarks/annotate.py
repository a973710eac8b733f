"""The analyser: speed beside the bare encoder, memory, start-up, sameness, cache, words.

    python benchmarks/annotate.py [speed layers variant start cache words same memory] [--sentences N]

``speed``   raw text → RST trees beside the encoder alone (the floor): the same sentences,
            threads and batches, taking turns; the best of three
``layers``  each layer alone, and all of them, beside the same floor
``variant`` raw text → RST trees with other weights (``--weights DIR``) beside the shipped ones
``start``   a fresh process: import, load, and a first tree
``cache``   a second run over the same texts, and what the cache holds
``words``   words and sentence starts beside the treebanks' own, on raw text
``same``    scores and layers in shuffled order, and in two worker processes
``memory``  the most memory of a process that analyses many sentences

Distinct lines of WMT12 and WMT13 system outputs. The cache is off unless it is measured.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from _common import arguments, lines, show
from _treebanks import score_words

from albeit.parsing import annotate
from albeit.parsing.encoder import encode
from albeit.parsing.layers import MODEL_LAYERS, RST, SENTENCES, TOKENS, VECTORS, AnyLayer
from albeit.parsing.model import Model, load_model, threads
from albeit.parsing.pipeline import analyse
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

TREES = frozenset({RST})
DECODED = frozenset(MODEL_LAYERS) - {VECTORS}
Row = dict[str, Any]


def distinct_lines(data: Path, count: int) -> list[str]:
    """The first so many distinct lines of the systems' outputs."""
    files = chain(*(sorted(data.glob(f"wmt{y}/*-en/systems/*.txt")) for y in (12, 13)))
    texts = dict.fromkeys(line for path in files for line in lines(path) if line.strip())
    return random.Random(1).sample(list(texts), min(count, len(texts)))


def sentences_of(texts: list[str]) -> list[tuple[str, ...]]:
    """The distinct sentences of some texts, as words."""
    found: dict[tuple[str, ...], None] = {}
    for text in texts:
        tokens = tokenize(text)
        for first, stop in split_sentences(tokens.forms, tokens.offsets):
            found[tokens.forms[first:stop]] = None
    return list(found)


def clock(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the wall and of processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def beside_floor(texts: list[str], wanted: dict[str, frozenset[AnyLayer]]) -> Iterator[Row]:
    """Sentences a second for each set of layers, beside the encoder alone."""
    model = load_model()
    sentences = sentences_of(texts)
    annotate(texts[:64], frozenset(MODEL_LAYERS))
    encoded = model.subwords(sentences)

    def bare() -> None:
        for _ in encode(encoded, model):
            pass

    def full(layers: frozenset[AnyLayer]) -> Callable[[], None]:
        def work() -> None:
            found = annotate(texts, layers)
            for text in texts:
                found[text]

        return work

    tasks = {"bare encoder": bare} | {name: full(layers) for name, layers in wanted.items()}
    best = dict.fromkeys(tasks, (float("inf"), float("inf")))
    for _ in range(3):
        for name, task in tasks.items():
            wall, cpu = clock(task)
            best[name] = min(best[name][0], wall), min(best[name][1], cpu)
    for name, (wall, cpu) in best.items():
        yield {
            "what": name,
            "sentences": len(sentences),
            "threads": threads(),
            "sentences/s": round(len(sentences) / wall, 1),
            "of the floor, wall": f"{best['bare encoder'][0] / wall:.0%}",
            "of the floor, processor": f"{best['bare encoder'][1] / cpu:.0%}",
        }


def speed(options: Any) -> Iterator[Row]:
    """Raw text → RST trees."""
    texts = distinct_lines(options.data, options.sentences)
    yield from beside_floor(texts, {"raw text → RST trees": TREES})


def layers(options: Any) -> Iterator[Row]:
    """Every layer."""
    each = {str(layer): frozenset({layer}) for layer in (TOKENS, SENTENCES, *MODEL_LAYERS)}
    texts = distinct_lines(options.data, options.sentences)
    yield from beside_floor(texts, each | {"all but vectors": DECODED})


def variant(options: Any) -> Iterator[Row]:
    """The shipped weights and others, taking turns; one thread each."""
    os.environ["ALBEIT_THREADS"] = "1"
    texts = distinct_lines(options.data, options.sentences)
    models = {"shipped": Model(), "variant": Model(options.weights)}
    best = dict.fromkeys(models, float("inf"))
    for model in models.values():
        for _ in analyse(texts[:64], TREES, model):
            pass
    for _ in range(3):
        for name, model in models.items():
            _, cpu = clock(partial(deque, analyse(texts, TREES, model), maxlen=0))
            best[name] = min(best[name], cpu)
    for name, model in models.items():
        yield {
            "weights": f"{name} ({model.version})",
            "texts": len(texts),
            "texts/s of processor time": round(len(texts) / best[name], 1),
            "beside shipped": round(best["shipped"] / best[name], 2),
        }


def start(options: Any) -> Iterator[Row]:
    """A fresh process, its compiled code in place."""
    code = (
        "import time; a = time.perf_counter()\n"
        "from albeit.parsing import annotate\nfrom albeit.parsing.layers import RST\n"
        "from albeit.parsing.model import load_model\n"
        "import albeit.parsing.pipeline\n"
        "m = load_model(); m.subwords([['a']]); [m.session(n) for n in ('encoder', 'edus', 'rst')]\n"
        "b = time.perf_counter()\n"
        "annotate(['He left because it rained.'], frozenset({RST}))\n"
        "c = time.perf_counter(); print(b - a, c - a)"
    )
    runs = []
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        runs.append([float(part) for part in done.stdout.split()])
    best = [min(column) for column in zip(*runs, strict=True)]
    for what, seconds in zip(("import and load", "and a first tree"), best, strict=True):
        yield {"what": what, "seconds": round(seconds, 2), "at most": 2.0}


def cache(options: Any) -> Iterator[Row]:
    """Twice over the same texts."""
    texts = distinct_lines(options.data, options.sentences)
    model = load_model()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ALBEIT_CACHE"] = folder
        for what in ("first run", "second run"):
            calls = model.calls
            found: Any = None

            def look() -> None:
                nonlocal found
                found = annotate(texts, DECODED)

            look_up, _ = clock(look)
            unpack, _ = clock(lambda: [found[text] for text in texts])  # noqa: B023
            size = sum(path.stat().st_size for path in Path(folder).iterdir())
            yield {
                "what": what,
                "texts": len(texts),
                "seconds": round(look_up, 2),
                "unpacking": round(unpack, 2),
                "encoder calls": model.calls - calls,
                "bytes a text": round(size / len(texts)),
            }
    os.environ["ALBEIT_CACHE"] = "off"


def words(options: Any) -> Iterator[Row]:
    """Our words and sentence starts beside the treebanks' own."""
    yield from score_words(options.data)


def _digests(texts: list[str]) -> list[bytes]:
    """A digest of each text's packed layers, vectors included."""
    packed = dict(analyse(texts, MODEL_LAYERS, load_model()))
    return [blake2b(b"|".join(packed[text].values())).digest() for text in texts]


def same(options: Any) -> Iterator[Row]:
    """Does an analysis depend on its neighbours, or on the number of processes?"""
    texts = distinct_lines(options.data, options.sentences)
    mixed = random.Random(2).sample(texts, len(texts))
    first = dict(zip(texts, _digests(texts), strict=True))
    again = dict(zip(mixed, _digests(mixed), strict=True))
    yield _differences("shuffled", first, again, _score_gap(texts, mixed))
    half = len(mixed) // 2
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(_digests, [mixed[:half], mixed[half:]]))
    two = dict(zip(mixed, chain(*parts), strict=True))
    yield _differences("two processes", first, two, None)


def _differences(
    what: str, one: dict[str, bytes], other: dict[str, bytes], gap: float | None
) -> Row:
    unlike = sum(one[text] != other[text] for text in one)
    return {"what": what, "texts": len(one), "unlike": unlike, "largest gap of scores": gap}


def _score_gap(texts: list[str], mixed: list[str]) -> float:
    """The largest difference of any encoder output or EDU score of a sentence."""
    model = load_model()
    gap = 0.0
    seen: dict[tuple[str, ...], Any] = {}
    for group in (texts[:2000], mixed):
        wanted = sentences_of(group)
        for batch in encode(model.subwords(wanted), model):
            for row, number in enumerate(batch.sentences.tolist()):
                if group is mixed and wanted[number] not in seen:
                    continue
                values = batch.words[row, : batch.lengths[row]]
                scores = np.append(model.head("edus", values)[0], values)
                known = seen.setdefault(wanted[number], scores)
                gap = max(gap, float(np.abs(known - scores).max()))
    return gap


def memory(options: Any) -> Iterator[Row]:
    """The most memory of a fresh process that analyses many sentences."""
    code = (
        "import resource, sys\nsys.path.insert(0, 'benchmarks')\n"
        "from annotate import TREES, distinct_lines\nfrom pathlib import Path\n"
        "from albeit.parsing import annotate\n"
        f"texts = distinct_lines(Path({str(options.data)!r}), {options.sentences})\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "found = annotate(texts, TREES)\n"
        "most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(len(found), before * 1024, most * 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, before, most = (int(part) for part in done.stdout.split())
    yield {
        "what": "raw text → RST trees",
        "texts": count,
        "GB": round(most / 1e9, 2),
        "of which before": round(before / 1e9, 2),
        "at most": 1.2,
    }


PARTS = {f.__name__: f for f in (speed, layers, variant, start, cache, words, same, memory)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed", "start"])
    parser.add_argument("--sentences", type=int, default=2000, metavar="N")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="for `variant`")
    options = parser.parse_args()
    if "variant" in options.parts and not options.weights:
        parser.error("`variant` needs --weights DIR, a folder that training.quantise wrote")
    os.environ["ALBEIT_CACHE"] = "off"
    Model()
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
