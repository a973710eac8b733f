"""METEOR against METEOR's own jar: the same scores, and how much time each takes.

    python benchmarks/meteor.py --jar meteor-1.5.jar [--data ../shared/data] [-f text|json]

Scores all systems of WMT12 French-English (their files end to end, one run of each
program) with each set of matchers, and says how many segment scores agree within 0.001,
how far the system scores are apart, and the CPU and wall time of both as whole processes,
start-up included; the compiled code and the compiled paraphrase table are already on disk,
as they are after the first use. ``--systems N`` takes the first N systems only. The jar
needs ``data/paraphrase-en.gz`` beside it; ``--forms`` leaves forms out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _common import ROOT, arguments, show

FORMS = {
    "ex": ["-m", "exact"],
    "st": ["-m", "exact stem"],
    "sy": ["-m", "exact stem synonym"],
    "pa": [],
}
OURS = """
import sys, json
from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.registry import metric
hyp, ref, spec = sys.argv[1:]
read = lambda path: tuple(open(path, encoding="utf-8").read().split("\\n")[:-1])
table = score(EvalSet({"r": read(ref)}, {"s": read(hyp)}), [metric(spec)])
column = next(iter(table.columns.values()))
print(json.dumps([float(column.system[0]), column.segment[0].tolist()]))
"""


def main() -> None:
    """Run both on every form and print the comparison."""
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--jar", type=Path, required=True, help="METEOR's meteor-1.5.jar")
    parser.add_argument("--systems", type=int, default=15)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    options = parser.parse_args()
    folder = options.data / "wmt12/fr-en"
    paths = sorted((folder / "systems").glob("*.txt"))[: options.systems]
    with tempfile.TemporaryDirectory() as work:
        hyp, ref = Path(work, "hyp"), Path(work, "ref")
        hyp.write_bytes(b"".join(path.read_bytes() for path in paths))
        ref.write_bytes((folder / "ref.txt").read_bytes() * len(paths))
        rows = [_compare(options.jar, hyp, ref, form) for form in options.forms]
    show(rows, options.format)


def _compare(jar: Path, hyp: Path, ref: Path, form: str) -> dict[str, Any]:
    java = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(jar), str(hyp), str(ref)]
    table = jar.parent / "data" / "paraphrase-en.gz"
    spec = f"meteor-pa(table={table})" if form == "pa" else f"meteor-{form}"
    ours = [sys.executable, "-c", OURS]
    one = hyp.parent / "one"
    one.write_text("a\n")
    _timed([*ours, str(one), str(one), spec])  # compiles whatever is not compiled yet
    printed, jar_cpu, jar_wall = _timed([*java, "-l", "en", "-norm", *FORMS[form]])
    theirs = [line.split()[-1] for line in printed.splitlines() if line.startswith("Segment ")]
    final = next(line.split()[-1] for line in printed.splitlines() if line.startswith("Final"))
    printed, our_cpu, our_wall = _timed([*ours, str(hyp), str(ref), spec])
    system, segments = json.loads(printed)
    apart = np.abs(np.array(segments) - np.array(theirs, dtype=np.float64))
    return {
        "form": form,
        "segments": len(segments),
        "within .001": float(np.mean(apart <= 0.001)),
        "system apart": abs(system - float(final)),
        "jar CPU s": jar_cpu,
        "jar s": jar_wall,
        "albeit CPU s": our_cpu,
        "albeit s": our_wall,
        "CPU ratio": jar_cpu / our_cpu,
    }


def _timed(command: list[str]) -> tuple[str, float, float]:
    """What a program prints, its CPU seconds and its wall seconds."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    after, wall = os.times(), time.perf_counter() - start
    cpu = after.children_user + after.children_system
    return done.stdout, cpu - before.children_user - before.children_system, wall


if __name__ == "__main__":
    main()
