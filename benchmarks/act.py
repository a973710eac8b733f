"""Seconds of ACT over newstest2013: all systems, without and with the embedded aligner.

    python benchmarks/act.py

The limits are 10 s without alignment and 90 s with the aligner trained on the test set.
"""

from __future__ import annotations

import warnings
from time import process_time

from _common import arguments, show, timed

from albeit.data import read
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.connectives.act import Act
from albeit.parsing.alignment import Aligner


def main() -> None:
    """Run from the command line."""
    parser = arguments("Seconds of ACT over newstest2013, without and with alignment.")
    parser.add_argument("--pairs", nargs="+", default=["en-de", "en-fr"])
    options = parser.parse_args()
    Aligner.fit([["a", "b"]], [["c", "d"]]).align([["a"]], [["c"]])  # compile
    rows = []
    for pair in options.pairs:
        source, target = pair.split("-")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AlbeitWarning)
            evalset = read(options.data / "wmt13" / pair, source_lang=source, target_lang=target)
        for alignment, limit in (("no", 10), ("yes", 90)):
            metric = Act(alignment=alignment)
            before = process_time()
            _, seconds = timed(lambda m=metric, e=evalset: score(e, [m]))  # type: ignore[misc]
            used = process_time() - before
            rows.append(
                {
                    "pair": pair,
                    "systems": len(evalset.systems),
                    "lines": len(evalset),
                    "alignment": alignment,
                    "CPU seconds": used,
                    "seconds": seconds,
                    "limit": limit,
                    "limit / seconds": limit / seconds,
                }
            )
    show(rows, options.format)


if __name__ == "__main__":
    main()
