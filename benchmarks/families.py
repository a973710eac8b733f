"""The syntactic, role and semantic families: scoring once annotated, and what their layers cost.

    PYTHONPATH=src python benchmarks/families.py [--data DIR] [--segments N] [--workers 2]

Two figures. First, seconds to score all WMT12 segments (or the first N of each system) with
every metric of the families from cached analyses, which are made first where they are
missing. Second, processor time to annotate 400 sentences with all layers, as a multiple of
RST alone, without the cache. Both floors are measured in the same run.
"""

from __future__ import annotations

import os
import time
import warnings

from _common import FAMILIES, arguments, show

from albeit.data import EvalSet, read
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.registry import metric
from albeit.parsing import annotate
from albeit.parsing.layers import (
    CONNECTIVES,
    CONSTITUENTS,
    DEPENDENCIES,
    ENTITIES,
    ROLES,
    RST,
    AnyLayer,
)

PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
FAMILY_LAYERS = frozenset({DEPENDENCIES, CONSTITUENTS, ROLES})


def main() -> None:
    """Time scoring from the cache, then annotation without it."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--segments", type=int, help="only the first N of each pair")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    seconds, segments = 0.0, 0
    for pair in PAIRS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AlbeitWarning)
            evalset = cut(read(args.data / "wmt12" / pair), args.segments)
        texts = {line for lines in evalset.systems.values() for line in lines}
        texts.update(line for lines in evalset.references.values() for line in lines)
        annotate(sorted(texts), FAMILY_LAYERS)
        start = time.perf_counter()
        score(evalset, [metric(name) for name in FAMILIES], workers=args.workers)
        seconds += time.perf_counter() - start
        segments += len(evalset) * len(evalset.systems)
    os.environ["ALBEIT_CACHE"] = "off"
    sample = sorted(texts)[:: max(1, len(texts) // 400)][:400]
    annotate(sample[:20], FAMILY_LAYERS | {RST})
    least = dict.fromkeys(["", *LAYERS], float("inf"))
    for _ in range(4):  # taking turns, so that other work on the machine hits all alike
        for name in least:
            spent = processor(sample, TREES | LAYERS.get(name, frozenset()))
            least[name] = min(least[name], spent)
    shares = {name: least[name] / least[""] for name in LAYERS}
    show(
        [
            {"figure": "segments scored by nine metrics", "value": segments},
            {
                "figure": f"seconds, {args.workers} workers, from the cache",
                "value": round(seconds, 1),
            },
            {
                "figure": "seconds for 147,147 segments at this rate",
                "value": round(seconds * 147_147 / segments, 1),
            },
            *(
                {
                    "figure": f"annotation of RST and {name}, as a multiple of RST alone",
                    "value": round(share, 2),
                }
                for name, share in shares.items()
            ),
        ],
        args.format,
    )


TREES = frozenset({RST})
LAYERS = {
    **{layer.name: frozenset({layer}) for layer in sorted(FAMILY_LAYERS)},
    "all layers": FAMILY_LAYERS | {CONNECTIVES, ENTITIES},
}


def processor(texts: list[str], layers: frozenset[AnyLayer]) -> float:
    """Processor seconds to annotate."""
    start = time.process_time()
    annotate(texts, layers)
    return time.process_time() - start


def cut(evalset: EvalSet, size: int | None) -> EvalSet:
    """The first segments of a set, without its documents."""
    if size is None:
        return evalset
    return EvalSet(
        {name: lines[:size] for name, lines in evalset.references.items()},
        {name: lines[:size] for name, lines in evalset.systems.items()},
        target_lang="en",
    )


if __name__ == "__main__":
    main()
