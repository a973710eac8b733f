"""Time mbrs on lists of candidates, in an environment of its own: JSON in, JSON out.

``benchmarks/rerank.py --peer PYTHON`` runs this file. Standard input holds one list of texts
a line; standard output the CPU seconds, workers included, for the expected chrF of all candidates with all as
references: with mbrs's default settings, and with its ``fastchrf``; pairwise, and aggregated.
"""

import json
import os
import sys

from mbrs.metrics import MetricChrF


def main() -> None:
    """Time it."""
    lists = [json.loads(line) for line in sys.stdin]
    found = {}
    for name, fast in (("default", False), ("fastchrf", True)):
        metric = MetricChrF(MetricChrF.Config(fastchrf=fast))
        for way in ("expected_scores", "expected_scores_reference_aggregation"):
            work = getattr(metric, way)
            work(lists[0][:4], lists[0][:4])
            best = float("inf")
            for _ in range(3 if fast else 1):
                start = sum(os.times()[:4])
                scores = [work(texts, texts).tolist() for texts in lists]
                best = min(best, sum(os.times()[:4]) - start)
            found[f"{name} {way}"] = {"seconds": best, "scores": scores[0][:3]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
