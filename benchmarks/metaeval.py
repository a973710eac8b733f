"""Agreement and its permutation tests over a million pairs, beside counting pairs anew.

    python benchmarks/metaeval.py [-f text|json] [--pairs N] [--samples N]

The pairs are made up: 15 systems, 3,000 segments, two metrics that are noisy views of one
quality. The floor is the definition itself in NumPy: exchange the scores, look up both
sides of every pair, count; it runs a few exchanges, and its time is scaled up.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from _common import arguments, show, timed

from albeit.metaeval.statistics import (
    PAIRWISE,
    Exchange,
    p_value,
    pair_permutation,
    permutation,
    standardise,
)
from albeit.stats import categories, count_by

SYSTEMS, SEGMENTS, FLOOR = 15, 3000, 5


def main() -> None:
    """Time the three tests."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--pairs", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--samples", type=int, default=1000, metavar="N")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(SYSTEMS, SEGMENTS))
    first = standardise(quality + rng.normal(size=quality.shape))
    second = standardise(quality + 1.01 * rng.normal(size=quality.shape))
    segment = rng.integers(0, SEGMENTS, options.pairs)
    left = rng.integers(0, SYSTEMS, options.pairs)
    right = (left + rng.integers(1, SYSTEMS, options.pairs)) % SYSTEMS
    preference = np.sign(quality[left, segment] - quality[right, segment]).astype(np.int64)

    def tau(scores: np.ndarray) -> float:
        difference = scores[left, segment] - scores[right, segment]
        counts = count_by(categories(difference, preference), segment, SEGMENTS)
        return float(PAIRWISE["tau-wmt12"](counts.sum(axis=0)))

    def test(exchange: Exchange, samples: int) -> float:
        null = pair_permutation(
            PAIRWISE["tau-wmt12"],
            first,
            second,
            (segment, left, right),
            preference,
            exchange=exchange,
            samples=samples,
            rng=np.random.default_rng(1),
        )
        return p_value([null])

    rows = []
    kinds: tuple[Exchange, ...] = ("input", "system", "both")
    for exchange in kinds:
        test(exchange, 1)
        _, seconds = timed(partial(test, exchange, options.samples))
        slow = partial(
            permutation,
            tau,
            first,
            second,
            exchange=exchange,
            samples=FLOOR,
            rng=np.random.default_rng(1),
        )
        _, floor = timed(slow)
        scaled = floor * options.samples / FLOOR
        rows.append(
            {
                "what": f"permutation of {exchange}, {options.samples} exchanges",
                "seconds": seconds,
                "floor s": scaled,
                "times as fast": scaled / seconds,
            }
        )
    show(rows, options.format)


if __name__ == "__main__":
    main()
