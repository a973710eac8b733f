"""Record the scores of all metrics, to compare them with those of another source tree.

    python tools/record_scores.py against [COMMIT|DIR] [--data DIR] [--cases CASE ...]
    python tools/record_scores.py record NEW.npz [--tree DIR] [--data DIR] [--cases CASE ...]
    python tools/record_scores.py compare OLD.npz NEW.npz

``record`` scores every case at all levels with the tree in ``--tree`` (default: this one).
``compare`` fails if a score isn't bit-identical and ``tools/removed.txt`` has no ``value scores``
for it, or if a column is missing and that file doesn't list its metric or parameter. ``against``
does both for a commit (default: the one in ``tools/baseline.txt``) or folder and for this tree.

Only public names of ``import albeit`` are used, and the metrics are listed in
``tools/cases/scores.toml``. So the cases are the same for every tree.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

import numpy as np
import numpy.typing as npt

import albeit
from tools.baseline import ROOT, Removed, open_tree, read_baseline, tree_environment

LEVELS = ("system", "document", "segment")

LISTS = tomllib.loads((ROOT / "tools" / "cases" / "scores.toml").read_text(encoding="utf-8"))
METRICS = {name: tuple(text.split()) for name, text in LISTS.items()}
CASES = ("demo", "demo-more", "wmt12-fr-en", "wmt13-fr-en", "wmt13-en-fr", "wmt13-en-de")

PARAPHRASES = "0.1\ntown parliament\ncity council\n0.1\nto shut\nto close\n"
SCORER = """\
import sys

if __name__ == "__main__":
    for line in sys.stdin:
        print(len(line.split()))


def count_shared(translations, references):
    pairs = zip(translations, references, strict=True)
    return [len({*t.split()} & {*" ".join(r).split()}) for t, r in pairs]
"""
TINY = ROOT / "tests" / "metrics" / "judge" / "many"
"""A made-up network of two layers, with a made-up base, for ``judge-many``."""

Scores = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Case:
    """A test set, and the metrics that score it: by name, or by a name and how it is called."""

    name: str
    evalset: albeit.EvalSet
    metrics: tuple[str, ...]
    calls: dict[str, str] = field(default_factory=dict)


def demonstration() -> Case:
    """Return the demonstration set: four systems, two references, four documents."""
    evalset = albeit.read(ROOT / "examples" / "demo").relabel(source_lang="de")
    return Case("demo", evalset, METRICS["english"])


def external(folder: Path) -> dict[str, str]:
    """Write what metrics need that use files or other programs; return how they are called."""
    table, scorer = folder / "paraphrases.txt", folder / "scorer.py"
    table.write_text(PARAPHRASES, encoding="utf-8")
    scorer.write_text(SCORER, encoding="utf-8")
    program = f'program(command="{sys.executable} {scorer}"'
    return {
        "meteor-pa": f"meteor-pa(table={table})",
        "program": program + ")",
        "program(texts=source+translation)": program + ",texts=source+translation,better=lower)",
        "function": f"function({scorer}:count_shared)",
        "judge-many": f"judge-many(weights={TINY},base={TINY / 'base.gguf'})",
    }


def cases(names: Collection[str], data: Path, folder: Path) -> Iterator[Case]:
    """Yield the named cases: the demonstration set and parts of the evaluation data."""
    if "demo" in names:
        yield demonstration()
    if "demo-more" in names:
        calls = external(folder)
        yield Case("demo-more", demonstration().evalset, METRICS["more"] + tuple(calls), calls)
    if "wmt12-fr-en" in names:
        news = albeit.read(data / "wmt12" / "fr-en")
        yield Case("wmt12-fr-en", part(news, 300, 3), METRICS["english"])
    if "wmt13-fr-en" in names:
        news = albeit.read(data / "wmt13" / "fr-en")
        stop = max(document.stop for document in news.documents if document.stop <= 350)
        yield Case("wmt13-fr-en", part(news, stop, 5), METRICS["english"])
    for pair in ("en-fr", "en-de"):
        if f"wmt13-{pair}" in names:
            whole = albeit.read(data / "wmt13" / pair)
            stop = whole.documents[1].stop
            yield Case(f"wmt13-{pair}", part(whole, stop, 3), METRICS["act"] + METRICS["cohesion"])


def part(whole: albeit.EvalSet, segments: int, systems: int) -> albeit.EvalSet:
    """Return the first segments of the first systems; the last document may be cut short."""
    return whole.take(range(segments)).select(list(whole.systems)[:systems])


def scores(chosen: Iterable[Case]) -> Scores:
    """Return the scores by set, metric, and level; a metric that can't score here has none."""
    columns: Scores = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in chosen:
            for name, column in score_case(case).items():
                for level in LEVELS:
                    values = getattr(column, level)
                    if values is not None:
                        columns[f"{case.name} {name} {level}"] = values
    return columns


def score_case(case: Case) -> dict[str, Any]:
    """Score all metrics at once, or one by one if the tree or the environment lacks some."""
    calls = [case.calls.get(name, name) for name in case.metrics]
    try:
        table = albeit.score(case.evalset, calls)
        return dict(zip(case.metrics, table.columns.values(), strict=True))
    except albeit.AlbeitError:
        columns: dict[str, Any] = {}
    for name, call in zip(case.metrics, calls, strict=True):
        try:
            (columns[name],) = albeit.score(case.evalset, [call]).columns.values()
        except albeit.AlbeitError as error:
            print(f"{case.name} {name}: {error}", file=sys.stderr)
    return columns


def find_differences(old: Path, new: Path, removed: Removed) -> list[str]:
    """Return one message per column that is missing or not bit-identical."""
    messages = []
    with np.load(old) as before, np.load(new) as after:
        for key in before.files:
            if key not in after.files:
                if not removed.covers(key, key.split(" ")[1:2]):
                    messages.append(f"{key}: missing in the new tree")
                continue
            left, right = before[key], after[key]
            if left.shape != right.shape:
                messages.append(f"{key}: shape {left.shape} became {right.shape}")
            elif left.tobytes() != right.tobytes() and not removed.allows("value", "scores", key):
                distance = np.nanmax(np.abs(left - right))
                messages.append(f"{key}: differs by up to {distance:.3g}")
        added = [f"{key}: missing in the old tree" for key in after.files if key not in before]
        messages += added
        print(f"{len(before.files)} columns compared, {len(messages)} differences")
    return messages


def compare(old: Path, new: Path) -> int:
    """Print the differences; return the exit status."""
    messages = find_differences(old, new, Removed.read())
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


def record(path: Path, tree: Path, data: Path, names: Sequence[str]) -> None:
    """Record the scores of a tree in a process of its own."""
    words = [sys.executable, __file__, "scores", str(path), "--data", str(data), "--cases", *names]
    with tree_environment(tree) as environment:
        subprocess.run(words, env=environment, check=True)


def against(old: str, data: Path, names: Sequence[str]) -> int:
    """Record with an old tree and with this one, and compare."""
    with tempfile.TemporaryDirectory() as folder, open_tree(old) as tree:
        paths = [Path(folder) / "old.npz", Path(folder) / "new.npz"]
        for path, root in zip(paths, (tree, ROOT), strict=True):
            record(path, root, data, names)
        return compare(*paths)


def write_scores(path: Path, data: Path, names: Sequence[str]) -> None:
    """Record the scores of the tree on the path."""
    with tempfile.TemporaryDirectory() as folder:
        columns = scores(cases(names, data, Path(folder)))
    np.savez_compressed(path, allow_pickle=False, **columns)
    print(f"{len(columns)} columns recorded by {Path(albeit.__file__).parent}")


def main() -> int:
    """Run one action."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("against", "record", "compare", "scores"))
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    args = parser.parse_args()
    if args.action == "against":
        return against((args.paths or [read_baseline()])[0], args.data, args.cases)
    if len(args.paths) != (2 if args.action == "compare" else 1):
        parser.error(f"{args.action}: wrong number of files.")
    paths = [Path(path) for path in args.paths]
    if args.action == "compare":
        return compare(*paths)
    if args.action == "record":
        record(paths[0], args.tree.resolve(), args.data, args.cases)
    else:
        write_scores(paths[0], args.data, args.cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
