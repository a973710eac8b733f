"""Scores of every metric, recorded to be compared with those of another source tree.

    PYTHONPATH=src python tools/record_scores.py record new.npz [--data DIR] [--cases CASE ...]
    python tools/record_scores.py compare old.npz new.npz
    python tools/record_scores.py against ../old-checkout [--data DIR] [--cases CASE ...]
    PYTHONPATH=src python tools/record_scores.py golden tests/golden/demo-scores.json

``record`` scores, at all levels, the demonstration set, 300 segments of three systems of WMT12
French-English, the first documents (about 300 segments) of five systems of WMT13 French-English,
and two documents each for ACT and cohesion, with whatever ``albeit`` is on the path; ``--cases``
names those to take. ``compare`` prints every score that is not the same to the last bit, and
fails if there is one; metrics that only one of the two trees has are listed apart. ``against`` records with another checkout and with this one on the same machine, then
compares. ``golden`` keeps the demonstration set's scores for the tests, which allow for
processors that round otherwise.

Only names of the package's public API are used, so that old and new trees can both run this.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import albeit
from albeit.errors import AlbeitWarning
from albeit.metrics import registry

ROOT = Path(__file__).resolve().parents[1]
DIGITS = 9
"""What golden values keep after the point."""
LEVELS = ("system", "document", "segment")

VARIANTS = (
    "bleu(lowercase=yes)",
    "chrf(word_order=2)",
    "ter(match=synonym)",
    "rouge-l(stem=yes)",
    "cp-stm(depth=3,single=yes)",
    "dp-or(type=nsubj)",
    "sr-or(type=*)",
    "sr-mr(missing=backoff)",
    "ne-oe(**)",
    "sim(weights=set)",
    "sim(weights=equal,tail=.5)",
    "dr(consensus=mean)",
    "dr-lex(words=stem)",
    "dr-lex(words=pos)",
    "hybrid(chrf)",
    "hybrid(dr,cohesion=rc)",
    "cohesion(average=f)",
    "cohesion(wordnet=hypernyms)",
    "cohesion(content=pos)",
    "cohesion(entities=yes)",
    "cohesion(realign=no,tolerance=1)",
    "cohesion(consensus=weighted)",
    "cohesion(word)",
)
"""Settings that take other ways through the code than the defaults do."""

ACT = (
    "act",
    "act(preset=classic)",
    "act(variant=a56)",
    "act(alignment=no)",
    "act-free",
    "act-free(source_sense=any)",
)
COHESION = ("cohesion", "cohesion(realign=no)", "rc", "hybrid(chrf)")
OTHERS = ("comet", "comet-qe", "program", "function")
NOT_HERE = ("act", "act-free", "hybrid", "judge-many", "meteor-pa", *OTHERS)
"""Metrics that the English sets cannot try: they have their own set, must be given a part, need
a table or weights that do not ship, or run what others wrote."""

Scores = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Case:
    """A set, and the metrics that score it."""

    name: str
    evalset: albeit.EvalSet
    metrics: tuple[str, ...]


def demonstration() -> Case:
    """Four systems, two references, three documents; every metric that reads English."""
    folder = ROOT / "examples" / "demo"
    evalset = albeit.build_evalset(
        sorted(folder.glob("ref.*.txt")),
        sorted(folder.glob("systems/*.txt")),
        source=folder / "src.txt",
        docs=folder / "docids.txt",
        source_lang="de",
        target_lang="en",
    )
    return Case("demo", evalset, english())


def english() -> tuple[str, ...]:
    """Every metric that scores translations into English, and some of their settings."""
    return tuple(name for name in registry.names() if name not in NOT_HERE) + VARIANTS


CASES = ("demo", "wmt12-fr-en", "wmt13-fr-en", "wmt13-en-fr", "wmt13-en-de")


def cases(names: Collection[str], data: Path) -> Iterator[Case]:
    """The demonstration set and parts of the evaluation data, those that are named."""
    if "demo" in names:
        yield demonstration()
    if "wmt12-fr-en" in names:
        news = albeit.read(data / "wmt12" / "fr-en")
        yield Case("wmt12-fr-en", part(news, 300, 3), english())
    if "wmt13-fr-en" in names:
        news = albeit.read(data / "wmt13" / "fr-en")
        stop = max(document.stop for document in news.documents if document.stop <= 350)
        yield Case("wmt13-fr-en", part(news, stop, 5), english())
    for pair in ("en-fr", "en-de"):
        if f"wmt13-{pair}" in names:
            whole = albeit.read(data / "wmt13" / pair)
            stop = whole.documents[1].stop
            yield Case(f"wmt13-{pair}", part(whole, stop, 3), ACT + COHESION)


def part(whole: albeit.EvalSet, segments: int, systems: int) -> albeit.EvalSet:
    """The first segments of the first systems; the last document may be cut short."""
    documents = tuple(
        albeit.Document(d.id, d.start, min(d.stop, segments))
        for d in whole.documents
        if d.start < segments
    )
    return albeit.EvalSet(
        {name: lines[:segments] for name, lines in whole.references.items()},
        {name: whole.systems[name][:segments] for name in list(whole.systems)[:systems]},
        whole.source[:segments] if whole.source else None,
        documents,
        whole.source_lang,
        whole.target_lang,
        whole.name,
    )


def scores(chosen: Iterable[Case]) -> Scores:
    """Every score by set, metric and level."""
    found: Scores = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        for case in chosen:
            table = albeit.score(case.evalset, case.metrics)
            for name, column in zip(case.metrics, table.columns.values(), strict=True):
                for level in LEVELS:
                    values = getattr(column, level)
                    if values is not None:
                        found[f"{case.name} {name} {level}"] = values
    return found


def differences(old: Path, new: Path) -> list[str]:
    """What is not the same to the last bit, and how far apart it is."""
    found = []
    with np.load(old) as before, np.load(new) as after:
        both = {*before.files} & {*after.files}
        for key in sorted(both):
            left, right = before[key], after[key]
            if left.shape != right.shape:
                found.append(f"{key}: {left.shape} became {right.shape}")
            elif left.tobytes() != right.tobytes():
                found.append(f"{key}: up to {np.nanmax(np.abs(left - right)):.3g} apart")
        for tree, files in (("old", before.files), ("new", after.files)):
            alone = sorted({key.split(" ")[1] for key in {*files} - both})
            if alone:
                print(f"only in the {tree} tree: {', '.join(alone)}")
        metrics = {key.split(" ")[1] for key in both}
        print(f"{len(both)} columns of {len(metrics)} metrics compared, {len(found)} differ")
    return found


def compare(old: Path, new: Path) -> int:
    """Print differences; the exit status."""
    found = differences(old, new)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


def against(tree: Path, data: Path, names: Sequence[str]) -> int:
    """Record with both trees, each with a cache of its own, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name, root in (("old", tree.resolve()), ("new", ROOT)):
            made[name] = Path(folder) / f"{name}.npz"
            subprocess.run(
                [
                    *(sys.executable, __file__, "record", str(made[name])),
                    *("--data", str(data), "--cases", *names),
                ],
                env=os.environ
                | {"PYTHONPATH": str(root / "src"), "ALBEIT_CACHE": str(Path(folder) / name)},
                check=True,
            )
        return compare(made["old"], made["new"])


def golden(path: Path) -> None:
    """The demonstration set's scores as JSON, a line a column."""
    rows = scores([demonstration()])
    lines = [
        f"{json.dumps(key)}: {json.dumps(values.round(DIGITS).tolist())}"
        for key, values in rows.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Do what was asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("record", "compare", "against", "golden"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    args = parser.parse_args()
    if len(args.paths) != (2 if args.action == "compare" else 1):
        parser.error(
            f"{args.action} takes {'two files' if args.action == 'compare' else 'one path'}"
        )
    if args.action == "compare":
        return compare(*args.paths)
    if args.action == "against":
        return against(args.paths[0], args.data, args.cases)
    if args.action == "golden":
        golden(args.paths[0])
    else:
        found = scores(cases(args.cases, args.data))
        np.savez_compressed(args.paths[0], allow_pickle=False, **found)
        print(f"{len(found)} columns recorded by {Path(albeit.__file__).parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
