"""BLEU, chrF and TER beside sacreBLEU's: the same statistics, and how much sooner.

    python benchmarks/lexical.py [--data DIR] [-f text|json] [--segments N] [--systems N]

Both sides run in one process and one thread on the same lines (WMT12 French-English, the
first systems by name). Compiled code is loaded beforehand on a few lines, as a second run
of albeit finds it. ``unlike`` counts the statistics that differ, over all segments;
``score`` is the largest difference of a system's score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import add_size, arguments, news, show, timed
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.registry import metric

PEERS: dict[str, Any] = {
    "bleu": lambda: BLEU(force=True),
    "bleu(tokenize=intl)": lambda: BLEU(force=True, tokenize="intl"),
    "chrf": lambda: CHRF(),
    "chrf++": lambda: CHRF(word_order=2),
    "ter": lambda: TER(),
    "ter(normalized=yes)": lambda: TER(normalized=True),
}


def main() -> None:
    """Run every pair of metrics and print one row each."""
    parser = arguments(__doc__ or "")
    add_size(parser, segments=3000, systems=1)
    options = parser.parse_args()
    reference, systems = news(options)
    evalset = EvalSet({"ref": tuple(reference)}, {n: tuple(t) for n, t in systems.items()})
    warm = EvalSet({"ref": tuple(reference[:9])}, {"s": tuple(reference[1:10])})
    rows = []
    for spec, peer in PEERS.items():
        ours = metric(spec)
        score(warm, [ours])
        table, seconds = timed(lambda ours=ours: score(evalset, [ours]))
        theirs = peer()

        def peers(theirs: Any = theirs) -> list[Any]:
            theirs._ref_cache = theirs._cache_references([reference])
            return [theirs._extract_corpus_statistics(t, None) for t in systems.values()]

        statistics, peer_seconds = timed(peers)
        found = table[ours].statistics
        if found is None:
            raise RuntimeError("scores that were computed here come with statistics")
        unlike = int((found != np.array(statistics)).sum())
        scores = [theirs._aggregate_and_compute(rows).score for rows in statistics]
        rows.append(
            {
                "metric": spec,
                "segments": len(reference) * len(systems),
                "albeit s": seconds,
                "sacrebleu s": peer_seconds,
                "times as fast": peer_seconds / seconds,
                "unlike": unlike,
                "score": float(np.abs(table[ours].system - scores).max()),
            }
        )
    show(rows, options.format)


if __name__ == "__main__":
    main()
