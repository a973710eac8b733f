"""How fast candidates are compared with each other: chrF beside mbrs, and 1,000 trees.

    PYTHONPATH=src python benchmarks/rerank.py [--peer PYTHON] [--data DIR] [-f text|json]

64 candidates of a segment are its translations by the 49 systems of WMT12 into English, which
share their reference, and 15 of them with the first word left out. Times are CPU seconds, those
of worker processes included, so that what else the machine does matters less.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from _common import arguments, lines, show, timed

from albeit.metrics.registry import metric
from albeit.rerank import CandidateList, CandidateSet, pairwise
from albeit.rerank.choose import Comparer

SIZE = 64


def candidates(data: Path, segments: int) -> list[list[str]]:
    """Lists of 64 candidates."""
    files = [
        p
        for pair in ("cs-en", "de-en", "es-en", "fr-en")
        for p in sorted((data / "wmt12" / pair / "systems").glob("*.txt"))
    ]
    texts = [lines(path, segments) for path in files]
    made = []
    for n in range(segments):
        own = [text[n] for text in texts]
        own += [line.partition(" ")[2] for line in own[: SIZE - len(own)]]
        made.append(own[:SIZE])
    return made


def main() -> None:
    """Time it."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--peer", metavar="PYTHON", help="Python of an environment with mbrs")
    parser.add_argument("--segments", type=int, default=10, metavar="N")
    parser.add_argument("--trees", type=int, default=1000, metavar="N", help="texts for dr-lex")
    options = parser.parse_args()
    lists = candidates(options.data, options.segments)
    peers = {}
    if options.peer:
        done = subprocess.run(
            [options.peer, str(Path(__file__).with_name("rerank_peer.py"))],
            check=True,
            text=True,
            input="\n".join(map(json.dumps, lists)),
            capture_output=True,
        )
        peers = json.loads(done.stdout.splitlines()[-1])
    rows = []
    for name, rate, peer in (
        ("chrf, all pairs", Comparer.expect, "expected_scores"),
        ("chrf, mean counts", Comparer.expect_fast, "expected_scores_reference_aggregation"),
    ):

        def work(rate=rate):  # type: ignore[no-untyped-def]
            made = [CandidateList(str(n), tuple(own)) for n, own in enumerate(lists)]
            return [rate(Comparer(metric("chrf"), CandidateSet((one,))), one) for one in made]

        work()
        _, seconds = timed(work, repeat=3, clock=time.process_time)
        row = {"what": f"{name}, {len(lists)} x {SIZE} x {SIZE}", "albeit CPU s": seconds}
        for kind in ("default", "fastchrf"):
            found = peers.get(f"{kind} {peer}")
            row[f"mbrs {kind} CPU s"] = found["seconds"] if found else "-"
            row[f"times faster than {kind}"] = found["seconds"] / seconds if found else "-"
        rows.append(row)
    trees = lines(options.data / "wmt12" / "fr-en" / "ref.txt", options.trees)
    pairwise(trees, "dr-lex")  # analyses are kept
    _, seconds = timed(lambda: pairwise(trees, "dr-lex"), clock=time.process_time)
    blank = dict.fromkeys(list(rows[0])[2:], "-")
    rows.append({"what": f"dr-lex, {len(trees)} x {len(trees)}", "albeit CPU s": seconds, **blank})
    show(rows, options.format)


if __name__ == "__main__":
    main()
