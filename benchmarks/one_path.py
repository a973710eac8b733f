"""Reports and scores by this checkout beside another one, cold: nothing is in the cache.

    python benchmarks/one_path.py ../other-checkout [--data DIR] [-f text|json] [--rounds N]
                                  [--segments N] [--parts demo wmt13] [--commands report score]

Both trees run the same commands, ``albeit report`` and ``albeit score``, in processes of their
own that take turns, one thread each. A process first makes a small report, so that nothing is
compiled or loaded while the clock runs, and then works with an empty cache. Counted is
processor time, and of each tree the least of all rounds. ``×`` is how many times as fast this
checkout is.

``demo``   the demonstration set with chrf, dr and act, the default profile and explanations
``wmt13``  WMT13 French-English, five systems, five metrics, the default profile and explanations
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from _common import ROOT, arguments, lines, seconds_by, show

SYSTEMS = ("online-A", "online-B", "rbmt-1", "JHU.2684", "uedin-wmt13.2838")
METRICS = {
    "demo": ("chrf", "dr", "act"),
    "wmt13": ("bleu", "chrf", "ter", "dr", "dr-lex"),
}
COMMANDS = ("report", "score")
SMALL = {
    "ref": "Analysts say it rained, because they know.\nThe bank lends money to banks.\n" * 3,
    "one": "Analysts say that it rained.\nThe bank lends, but not to banks.\n" * 3,
    "src": "Analysten sagen, dass es regnete, weil sie es wissen.\nDie Bank verleiht.\n" * 3,
    "docs": "a\na\na\nb\nb\nb\n",
}


def main() -> None:
    """Let both trees take turns; print a row for each part and command."""
    parser = arguments(__doc__ or "")
    parser.add_argument("other", type=Path, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--segments", type=int, default=None, metavar="N", help="of WMT13")
    parser.add_argument("--parts", nargs="+", choices=tuple(METRICS), default=list(METRICS))
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    options = parser.parse_args()
    trees = {"other": options.other.resolve(), "this": ROOT}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            given = (
                demonstration()
                if part == "demo"
                else wmt13(options.data, Path(folder), options.segments)
            )
            for command in options.commands:
                least = dict.fromkeys(trees, float("inf"))
                for _ in range(options.rounds):
                    for tree, root in trees.items():
                        asked = [command, *given, "-m", *METRICS[part], "-q"]
                        least[tree] = min(least[tree], in_process(root, asked))
                rows.append(
                    {
                        "what": f"{command}, {part}",
                        "other, s": least["other"],
                        "this, s": least["this"],
                        "×": least["other"] / least["this"],
                    }
                )
    show(rows, options.format)


def demonstration() -> list[str]:
    """The arguments that name the demonstration set."""
    folder = ROOT / "examples" / "demo"
    systems = sorted(map(str, folder.glob("systems/*.txt")))
    references = sorted(map(str, folder.glob("ref.*.txt")))
    return [*references, "-i", *systems, *_beside(folder / "src.txt", folder / "docids.txt", "de")]


def wmt13(data: Path, folder: Path, segments: int | None) -> list[str]:
    """The arguments that name five systems of WMT13 French-English, or their first segments."""
    whole = data / "wmt13" / "fr-en"
    names = ("ref.txt", "src.txt", "docids.txt", *(f"systems/{name}.txt" for name in SYSTEMS))
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        text = "".join(f"{line}\n" for line in lines(whole / name, segments))
        (folder / name).write_text(text, encoding="utf-8")
    systems = [str(folder / f"systems/{name}.txt") for name in SYSTEMS]
    more = _beside(folder / "src.txt", folder / "docids.txt", "fr")
    return [str(folder / "ref.txt"), "-i", *systems, *more]


def _beside(source: Path, docs: Path, lang: str) -> list[str]:
    return ["--source", str(source), "--source-lang", lang, "--docs", str(docs)]


def in_process(root: Path, command: list[str]) -> float:
    """Processor seconds of a command, by the package of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds_by(root, __file__, folder, json.dumps(command))


def measure(folder: Path, command: list[str]) -> float:
    """Make a small report first, in a cache of its own; then the command, in an empty one."""
    from albeit.cli import main as albeit

    for name, text in SMALL.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    small = {name: str(folder / f"{name}.txt") for name in SMALL}
    page = str(folder / "page.html")
    metrics = sorted({name for some in METRICS.values() for name in some})
    warm = ["report", small["ref"], "-i", small["one"], "-o", page, "-q", "-m", *metrics]
    os.environ["ALBEIT_CACHE"] = str(folder / "small")
    if albeit([*warm, *_beside(Path(small["src"]), Path(small["docs"]), "de")]):
        sys.exit("the small report failed")
    os.environ["ALBEIT_CACHE"] = str(folder / "cold")
    if command[0] == "report":
        Path(page).unlink()
        command = [*command, "-o", page]
    start = time.process_time()
    if albeit(command):
        sys.exit("the command failed")
    return time.process_time() - start


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]), json.loads(sys.argv[3]))))
    else:
        main()
