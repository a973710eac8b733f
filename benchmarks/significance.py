"""Paired tests beside sacreBLEU's: the same p-values up to resampling noise, and how much sooner.

    python benchmarks/significance.py [--data DIR] [-f text|json] [--segments N] [--systems N]

Both sides run in one process and one thread on the same lines (WMT12 French-English, the
first systems by name, the first of them as baseline) with the same number of resamples.
Times are end to end, from lines to p-values, with compiled code loaded beforehand.
``p apart`` is the largest difference of two p-values; ``of noise`` the largest share of it
in what two right answers may lie apart (four standard errors of the difference of two
sampled shares), so that at most 1 is agreement.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import add_size, arguments, news, show, timed
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.registry import metric
from albeit.metrics.significance import Test, compare

PEERS: dict[str, Any] = {"bleu": BLEU, "chrf": CHRF}
TESTS: dict[Test, str] = {"randomisation": "ar", "bootstrap": "bs"}


def main() -> None:
    """Run both tests with each metric and print one row a pair."""
    parser = arguments(__doc__ or "")
    add_size(parser, segments=3003, systems=8)
    options = parser.parse_args()
    reference, systems = news(options)
    evalset = EvalSet({"ref": tuple(reference)}, {n: tuple(t) for n, t in systems.items()})
    rows = []
    for spec, peer in PEERS.items():
        ours = metric(spec)
        score(EvalSet({"ref": tuple(reference[:9])}, {"s": tuple(reference[1:10])}), [ours])
        for test, name in TESTS.items():
            found, seconds = timed(
                lambda ours=ours, test=test: compare(score(evalset, [ours]), test=test)
            )
            results, peer_seconds = timed(
                lambda peer=peer, spec=spec, name=name: PairedTest(
                    list(systems.items()), {spec: peer()}, [reference], test_type=name
                )()
            )
            theirs = np.array([r.p_value for r in next(reversed(results[1].values()))[1:]])
            mine = found.p_values[spec][1:]
            resamples = found.resamples
            noise = 4 * np.sqrt(2 * theirs * (1 - theirs) / resamples) + 2 / resamples
            apart = np.abs(mine - theirs)
            rows.append(
                {
                    "metric": spec,
                    "test": test,
                    "resamples": resamples,
                    "albeit s": seconds,
                    "sacrebleu s": peer_seconds,
                    "times as fast": peer_seconds / seconds,
                    "p apart": float(apart.max()),
                    "of noise": float((apart / noise).max()),
                    "p albeit/sacrebleu": " ".join(
                        f"{a:.4f}/{b:.4f}" for a, b in zip(mine, theirs, strict=True)
                    ),
                }
            )
    show(rows, options.format)


if __name__ == "__main__":
    main()
