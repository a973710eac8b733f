"""How useful each segment is by the methods of subset2evaluate, for ``select_segments.py``.

    ENVIRONMENT/bin/python research/experiments/select_segments_peer.py < items.json > utilities.json

It runs in an environment of its own, where subset2evaluate is installed, and prints for each method
one number per item. Methods that download a model (PreCOMET, sentinels, k-means and DiffUse over
sentence vectors) or need another package (IRT) are not run.
"""

from __future__ import annotations

import json
import sys

from subset2evaluate.methods import METHODS


def main() -> None:
    """Read items, print utilities."""
    items = json.load(sys.stdin)
    metrics = list(next(iter(items[0]["scores"].values())))
    found = {
        f"{method} ({metric})": METHODS[method](items, metric=metric)
        for method in ("metric_avg", "metric_var", "metric_cons")
        for metric in metrics
    }
    found["diversity (unigram)"] = METHODS["diversity"](items, metric="unigram")
    json.dump({name: list(map(float, values)) for name, values in found.items()}, sys.stdout)


if __name__ == "__main__":
    main()
