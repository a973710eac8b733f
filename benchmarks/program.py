"""What `program(...)` costs over the program alone: the same lines by a pipe and by `albeit.score`.

    PYTHONPATH=src python benchmarks/program.py [--segments N] [--repeat N]

The program is sacreBLEU's sentence chrF++ in a Python process of its own: as light as anything that
people would call by this door, since learned metrics take longer. Both ways are timed in turn, in
processor seconds of the program and of this process, and the least of each count; by albeit nothing
is kept from one turn to the next. The program does the same work either way, so what albeit costs is
what this process does more; on a busy machine the program's own seconds differ by more than that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import arguments, lines, show, timed

import albeit
from albeit.data.evalset import EvalSet

SCORER = """
import sys
from sacrebleu.metrics import CHRF
metric = CHRF(word_order=2)
for line in sys.stdin:
    reference, translation = line.rstrip("\\n").split("\\t")
    print(metric.sentence_score(translation, [reference]).score)
"""


def main() -> None:
    """Print the seconds of both ways and their ratio."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--segments", type=int, default=10_000, metavar="N")
    parser.add_argument("--repeat", type=int, default=5, metavar="N")
    options = parser.parse_args()
    folder = options.data / "wmt12" / "fr-en"
    reference = lines(folder / "ref.txt")
    paths = sorted((folder / "systems").glob("*.txt"))
    pairs = [pair for path in paths for pair in zip(reference, lines(path), strict=True)]
    pairs = list(dict.fromkeys(pairs))[: options.segments]
    theirs, ours = zip(*pairs, strict=True)
    with tempfile.TemporaryDirectory() as place:
        scorer = Path(place) / "scorer.py"
        scorer.write_text(SCORER)
        os.environ["ALBEIT_CACHE"] = str(Path(place) / "cache")
        text = "".join(f"{a}\t{b}\n" for a, b in pairs).encode()
        evalset = EvalSet({"ref": theirs}, {"all": ours})
        name = f'program(command="{sys.executable} {scorer}")'

        def alone() -> list[float]:
            made = subprocess.run(
                [sys.executable, str(scorer)], input=text, stdout=subprocess.PIPE, check=True
            )
            return [float(line) for line in made.stdout.split()]

        def by_albeit() -> list[float]:
            shutil.rmtree(os.environ["ALBEIT_CACHE"], ignore_errors=True)
            (column,) = albeit.score(evalset, [name]).columns.values()
            return [float(value) for value in column.at("segment")[0]]

        program = {"alone": float("inf"), "by albeit": float("inf")}
        here = dict(program)
        for _ in range(options.repeat):
            for way, work in (("alone", alone), ("by albeit", by_albeit)):
                before = sum(os.times()[2:4])
                scores, seconds = timed(work, clock=time.process_time)
                program[way] = min(program[way], sum(os.times()[2:4]) - before)
                here[way] = min(here[way], seconds)
                if way == "alone":
                    expected = scores
        if scores != expected:
            sys.exit("the two ways do not give the same scores.")
    show(
        [
            {
                "way": way,
                "segments": len(pairs),
                "program's seconds": program[way],
                "seconds here": seconds,
                "over the program alone": f"{(seconds - here['alone']) / program['alone']:+.1%}",
            }
            for way, seconds in here.items()
        ],
        options.format,
    )


if __name__ == "__main__":
    main()
