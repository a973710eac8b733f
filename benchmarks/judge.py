"""Speed of the learned metric: beside the bare 8-bit encoder on the same pairs, and beside `albeit-party`.

    PYTHONPATH=src python benchmarks/judge.py [speed] [party] [same] [memory] [--pairs N]

`speed`: pairs of WMT12 French-English from text to scores, against the analyser's encoder run over the
very same subwords, already cut and batched: what no pass of a network of this shape can beat. `party`:
whole runs of the engine over the same lines, nothing cached. `same`: whether any score depends on the
order of the pairs. `memory`: the most that fresh processes take for few and for many pairs.
One thread, processor time; the best of three for `speed`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ["ALBEIT_THREADS"] = "1"

import numpy as np
from _common import arguments, news, show, timed

from albeit import score
from albeit.annotate.model import load_model
from albeit.corpus.evalset import EvalSet
from albeit.metrics.judge.network import load_judge
from albeit.metrics.judge.pairs import cut

Row = dict[str, Any]
CASES = 5


def chosen(options: Any) -> tuple[list[str], list[str]]:
    """Translations and their references: all systems of the first segments."""
    options.systems, options.segments = 10, -(-options.pairs // 10)
    reference, systems = news(options)
    ours = [line for lines in systems.values() for line in lines]
    return ours[: options.pairs], (reference * len(systems))[: options.pairs]


def clock(work: Callable[[], object]) -> float:
    """Processor seconds."""
    return timed(work, clock=time.process_time)[1]


def speed(options: Any) -> Iterator[Row]:
    """From text to scores, beside the encoder alone."""
    pairs = list(zip(*chosen(options), strict=True))
    judge, encoder = load_judge(), load_model()
    encoded = judge.subwords([text.split() for pair in pairs for text in pair])
    rows = cut(encoded, [(2 * k, 2 * k + 1) for k in range(len(pairs))], 512)
    inputs = [rows.inputs(encoded, batch, width) for batch, width in rows.batches()]
    inputs = [(ids, mask, np.minimum(cases, CASES)) for ids, mask, cases in inputs]
    ways: dict[str, Callable[[], object]] = {
        "bare encoder": lambda: [encoder.encode(*batch) for batch in inputs],
        "judge": lambda: judge.read(pairs),
    }
    best = dict.fromkeys(ways, float("inf"))
    for turn in range(4):
        for name, work in ways.items():
            seconds = clock(work)
            best[name] = min(best[name], seconds if turn else float("inf"))
    for name, seconds in best.items():
        yield {
            "what": name,
            "pairs": len(pairs),
            "pairs/s": round(len(pairs) / seconds, 1),
            "of the encoder": f"{best['bare encoder'] / seconds:.0%}",
        }


def party(options: Any) -> Iterator[Row]:
    """Whole runs, nothing kept."""
    ours, theirs = chosen(options)
    evalset = EvalSet({"ref": theirs}, {"all": ours}, source_lang="fr", target_lang="en")
    small = EvalSet({"ref": theirs[:8]}, {"all": ours[:8]}, source_lang="fr", target_lang="en")
    taken = {}
    for name in ("judge", "sim", "albeit-party"):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ALBEIT_CACHE"] = folder
            score(small, [name])
            taken[name] = clock(lambda name=name: score(evalset, [name]))  # type: ignore[misc]
    for name, seconds in taken.items():
        yield {
            "metric": name,
            "pairs": len(ours),
            "pairs/s": round(len(ours) / seconds, 1),
            "times albeit-party": round(taken["albeit-party"] / seconds, 1),
        }


def same(options: Any) -> Iterator[Row]:
    """In order, shuffled, one by one."""
    pairs = list(zip(*chosen(options), strict=True))
    order = random.Random(2).sample(range(len(pairs)), len(pairs))
    first = load_judge().read(pairs).scores
    again = load_judge().read([pairs[k] for k in order]).scores
    few = order[:100]
    alone = [load_judge().read([pairs[k]]).scores[0] for k in few]
    yield {"what": "shuffled", "pairs": len(pairs), "unlike": int((first[order] != again).sum())}
    yield {"what": "alone", "pairs": len(few), "unlike": int((first[few] != alone).sum())}


def memory(options: Any) -> Iterator[Row]:
    """Fresh processes."""
    code = (
        "import resource, sys\nsys.path.insert(0, 'benchmarks')\nfrom judge import chosen\n"
        "from argparse import Namespace\nfrom pathlib import Path\n"
        "from albeit.metrics.judge.network import load_judge\n"
        "pairs = list(zip(*chosen(Namespace(data=Path({data!r}), pairs={pairs})), strict=True))\n"
        "load_judge().read(pairs)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    for pairs in (options.pairs // 4, options.pairs):
        command = [sys.executable, "-c", code.format(data=str(options.data), pairs=pairs)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        yield {"pairs": pairs, "MB": round(int(done.stdout) / 1e6)}


PARTS = {f.__name__: f for f in (speed, party, same, memory)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=["speed", "same"])
    parser.add_argument("--pairs", type=int, default=2000, metavar="N")
    options = parser.parse_args()
    for name in options.parts:
        show(list(PARTS[name](options)), options.format)
        print()


if __name__ == "__main__":
    main()
