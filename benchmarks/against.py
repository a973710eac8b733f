"""This checkout beside another one: annotation, families, cohesion, kernel, shared parts.

    python benchmarks/against.py ../other-checkout [--data DIR] [-f text|json] [--rounds N]

Both trees score the same lines of WMT12 French-English through ``albeit.score``, in processes
of their own that take turns, one thread each. Counted is processor time, so that other work on
the machine does not, and of each tree the least of all rounds. ``×`` is how many times as fast
this checkout is; .97 and more counts as no slower.

``annotation``  trees, roles and constituents from raw text, the cache off
``families``    nine metrics over syntax, roles and meaning, their analyses in the cache
``cohesion``    lexical chains of documents from raw text, the cache off
``kernel``      dr and dr-lex, their analyses in the cache
``shared``      dr-lex and discotk-light, which contains it, their analyses in the cache
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from _common import FAMILIES, ROOT, arguments, lines, seconds_by, show, timed

REPEAT = 4
"""How often a process scores; the least time counts."""


@dataclass(frozen=True)
class Part:
    """What is timed: metrics over so many segments of so many systems."""

    metrics: tuple[str, ...]
    segments: int
    systems: int
    cached: bool


PARTS = {
    "annotation": Part(("dr", "sr-or", "cp-stm"), 150, 2, cached=False),
    "families": Part(FAMILIES, 500, 4, cached=True),
    "cohesion": Part(("cohesion",), 3003, 6, cached=False),
    "kernel": Part(("dr", "dr-lex"), 500, 8, cached=True),
    "shared": Part(("dr-lex", "discotk-light"), 500, 2, cached=True),
}


def main() -> None:
    """Let both trees take turns; print a row a part."""
    parser = arguments(__doc__ or "")
    parser.add_argument("other", type=Path, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=list(PARTS))
    options = parser.parse_args()
    trees = {"other": options.other.resolve(), "this": ROOT}
    with tempfile.TemporaryDirectory() as cache:
        rows = []
        for name in options.parts:
            least = dict.fromkeys(trees, float("inf"))
            for _ in range(options.rounds):
                for tree, root in trees.items():
                    spent = in_process(root, name, options.data, Path(cache) / tree)
                    least[tree] = min(least[tree], spent)
            rows.append(
                {
                    "part": name,
                    "other, s": least["other"],
                    "this, s": least["this"],
                    "×": least["other"] / least["this"],
                }
            )
    show(rows, options.format)


def in_process(root: Path, name: str, data: Path, cache: Path) -> float:
    """Processor seconds of one part, by the package of a checkout."""
    kept = str(cache) if PARTS[name].cached else "off"
    return seconds_by(root, __file__, name, str(data), cache=kept)


def measure(name: str, data: Path) -> float:
    """Score a little first, so that nothing is compiled or loaded while the clock runs."""
    import albeit
    from albeit.data import documents_from_ids

    part = PARTS[name]
    folder = data / "wmt12" / "fr-en"
    ids = lines(folder / "docids.txt", part.segments)
    documents = documents_from_ids([line.split("\t")[0] for line in ids])
    paths = sorted((folder / "systems").glob("*.txt"))[: part.systems]
    evalset = albeit.EvalSet(
        {"ref": tuple(lines(folder / "ref.txt", part.segments))},
        {path.stem: tuple(lines(path, part.segments)) for path in paths},
        documents=documents,
    )
    first = albeit.EvalSet(
        {name: text[:20] for name, text in evalset.references.items()},
        {name: text[:20] for name, text in evalset.systems.items()},
        documents=(albeit.Document("one", 0, 10), albeit.Document("two", 10, 20)),
    )
    warnings.simplefilter("ignore")
    albeit.score(evalset if part.cached else first, part.metrics)
    repeat = REPEAT if part.cached else 1  # words of raw text are remembered in the process
    return timed(lambda: albeit.score(evalset, part.metrics), repeat, time.process_time)[1]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    else:
        main()
