"""Annotation: speed next to the bare encoder, memory, sameness, and words.

    python benchmarks/annotate.py [speed words same memory] [--sentences N]

``speed``   raw text → RST trees next to the encoder alone (the floor): the same sentences,
            threads and batches, taking turns; the best of three
``words``   words and sentence starts next to the treebanks' own, on raw text
``same``    scores and layers in shuffled order, and in two worker processes
``memory``  the most memory of a process that annotates many sentences

Distinct lines of WMT12 and WMT13 system outputs. The cache is off. Start-up, single layers, other
weights, and the cache were measured with commit 678f4ef8.
"""

from __future__ import annotations

import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from _common import arguments, best_of, lines, peak, show
from _treebanks import score_words

from albeit.parsing import annotate
from albeit.parsing.encoder import encode
from albeit.parsing.layers import MODEL_LAYERS, RST
from albeit.parsing.model import load_model, threads
from albeit.parsing.pipeline import analyse
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

TREES = frozenset({RST})
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


def speed(options: Any) -> Iterator[Row]:
    """Yield sentences per second of raw text → RST trees, next to the encoder alone."""
    texts = distinct_lines(options.data, options.sentences)
    model, sentences = load_model(), sentences_of(texts)
    annotate(texts[:64], frozenset(MODEL_LAYERS))
    encoded = model.subwords(sentences)

    def parse() -> None:
        found = annotate(texts, TREES)
        for text in texts:
            found[text]

    tasks: dict[str, Callable[[], object]] = {
        "bare encoder": lambda: deque(encode(encoded, model), maxlen=0),
        "raw text → RST trees": parse,
    }
    walls, cpus = best_of(tasks, 3, time.perf_counter), best_of(tasks, 3, time.process_time)
    for name, wall in walls.items():
        yield {
            "what": name,
            "sentences": len(sentences),
            "threads": threads(),
            "sentences/s": round(len(sentences) / wall, 1),
            "of the floor, wall": f"{walls['bare encoder'] / wall:.0%}",
            "of the floor, processor": f"{cpus['bare encoder'] / cpus[name]:.0%}",
        }


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
    """Yield the most memory of a fresh process that annotates many sentences."""
    before, most = peak(
        "from annotate import TREES, annotate, distinct_lines\n"
        f"texts = distinct_lines(Path({str(options.data)!r}), {options.sentences})",
        "annotate(texts, TREES)",
    )[1:]
    yield {
        "what": "raw text → RST trees",
        "texts": options.sentences,
        "GB": round(most / 1e9, 2),
        "of which before": round(before / 1e9, 2),
        "at most": 1.2,
    }


PARTS = {f.__name__: f for f in (speed, words, same, memory)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed"])
    parser.add_argument("--sentences", type=int, default=2000, metavar="N")
    options = parser.parse_args()
    os.environ["ALBEIT_CACHE"] = "off"
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
