"""How well are documents without lines cut to the reference's segments, and what does it cost?

    PYTHONPATH=src python research/experiments/resegment.py [--data DIR] [--peer PYTHON] [-f text|json|…]

The lines of real system outputs are joined into documents and cut again. "Exact" is the share
of cuts between two segments of a document that fall on the very place where the lines were
joined. Damaged documents have 5 % of their segments merged with the next (no stop, lower
case), split in two, dropped, swapped with the next, or doubled; the cut inside a swapped pair
has no right place and does not count. ``--peer`` is the Python of an environment with
mweralign, which is run as it is, and on text whose punctuation is split off, on documents
without damage. ``--systems`` takes so many systems of each set, evenly spread over their names;
``--parts`` takes some of the sets, or the timing of long documents (``long``), alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from random import Random

import numpy as np
from _common import arguments, shared_folder
from _page import add_option, publish

import albeit
from albeit.data import Document, EvalSet, read
from albeit.data.loose import LooseSet, LooseText
from albeit.errors import AlbeitWarning
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.resegment import resegment
from albeit.stats.correlation import kendall, pearson

SETS = {
    "wmt12": ("WMT12 fr-en", "wmt12/fr-en"),
    "wmt21": ("WMT21 ja-en", "wmt21/ja-en"),
    "wmt23": ("WMT23 zh-en", "discourse/wmt23-mqm/zh-en"),
    "ted": ("TED zh-en", "ted-mqm/zh-en"),
}
LONG = "long"
DAMAGES = ("none", "merged", "split", "dropped", "swapped", "doubled")
RATE = 0.05


@dataclass(frozen=True)
class Trial:
    """Documents of a set with known pieces: ``pieces[system]`` are its lines, maybe damaged."""

    base: EvalSet
    pieces: Mapping[str, tuple[str, ...]]
    counted: Mapping[str, np.ndarray]
    """Whether the cut after each segment counts."""

    def loose(self) -> LooseSet:
        """The lines of each document joined."""
        return LooseSet(
            self.base,
            {
                name: tuple(LooseText(d, joined(lines[d.rows])) for d in self.base.documents)
                for name, lines in self.pieces.items()
            },
        )


def joined(lines: Sequence[str]) -> str:
    """The running text of some lines."""
    return " ".join(line for line in lines if line)


def load(data: Path, folder: str, systems: int | None) -> EvalSet:
    """A test set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        evalset = read(shared_folder(data, folder))
    names = list(evalset.systems)
    if systems is not None and systems < len(names):
        names = [names[int(i)] for i in np.linspace(0, len(names) - 1, systems)]
    lines = {n: tuple(" ".join(unescape(x).split()) for x in evalset.systems[n]) for n in names}
    first = next(iter(evalset.references))
    return evalset.select(names, [first]).with_systems(lines)


def trial(evalset: EvalSet, damage: str) -> Trial:
    """The set with damaged translations, the same places in every run."""
    pieces, counted = {}, {}
    for name, lines in evalset.systems.items():
        made, counts = list(lines), np.ones(len(lines), bool)
        random = Random(f"{name} {damage}")
        for d in evalset.documents:
            counts[d.stop - 1] = False  # a document's end is given
            i = d.start
            while i < d.stop and damage != "none":
                if random.random() < RATE:
                    i += _damage(made, counts, i, i + 1 < d.stop, damage, random)
                i += 1
        pieces[name], counted[name] = tuple(made), counts
    return Trial(evalset.with_systems({}), pieces, counted)


def _damage(
    lines: list[str], counts: np.ndarray, i: int, more: bool, damage: str, random: Random
) -> int:
    """Damage segment ``i``; how many more segments were used."""
    if damage == "dropped":
        lines[i] = ""
    elif damage == "doubled":
        lines[i] = joined([lines[i], lines[i]])
    elif damage == "split":
        words = lines[i].split()
        if len(words) > 5:
            at = random.randrange(2, len(words) - 2)
            words[at - 1] = words[at - 1].rstrip(",.;:") + "."
            lines[i] = " ".join(
                [*words[:at], words[at][:1].upper() + words[at][1:], *words[at + 1 :]]
            )
    elif more and damage == "swapped":
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
        counts[i] = False
        return 1
    elif more and damage == "merged":
        lines[i] = lines[i].rstrip(".!? ") + ","
        lines[i + 1] = lines[i + 1][:1].lower() + lines[i + 1][1:]
        return 1
    return 0


def exact(trial: Trial, cut: Mapping[str, Sequence[str]]) -> float:
    """The share of cuts on their very place, counted in characters without white space."""
    good = total = 0
    for name, lines in trial.pieces.items():
        ours, theirs = (
            np.cumsum([len("".join(line.split())) for line in side]) for side in (lines, cut[name])
        )
        counts = trial.counted[name]
        good += int((ours == theirs)[counts].sum())
        total += int(counts.sum())
    return good / total


def by_peer(trial: Trial, python: str, punctuation: bool) -> dict[str, tuple[str, ...]]:
    """mweralign's pieces."""
    jobs = []
    tidy = _apart if punctuation else str
    reference = next(iter(trial.base.references.values()))
    for lines in trial.pieces.values():
        for d in trial.base.documents:
            segments = [tidy(x) for x in reference[d.rows]]
            jobs.append(json.dumps({"segments": segments, "text": tidy(joined(lines[d.rows]))}))
    done = subprocess.run(
        [python, str(Path(__file__).with_name("resegment_peer.py"))],
        input="\n".join(jobs),
        capture_output=True,
        text=True,
        check=True,
    )
    found = iter(done.stdout.splitlines())
    return {
        name: tuple(
            piece
            for d in trial.base.documents
            for piece in (json.loads(next(found)) + [""] * len(d))[: len(d)]
        )
        for name in trial.pieces
    }


def _apart(line: str) -> str:
    return " ".join(re.sub(r"([^\w\s])", r" \1 ", line).split())


def cut(trial: Trial) -> Mapping[str, Sequence[str]]:
    """The pieces that albeit makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return resegment(trial.loose()).evalset.systems


def measured(
    data: Path, parts: Sequence[str], systems: int | None, compared: int, peer: str | None
) -> Iterator[tuple[str, Row]]:
    """Rows of two tables: exact cuts, and how far scores move."""
    for title, folder in (SETS[part] for part in parts if part in SETS):
        for damage in DAMAGES:
            made = trial(load(data, folder, systems), damage)
            pieces = cut(made)
            cells: list[float | None] = [exact(made, pieces), None, None]
            if damage == "none" and peer:
                cells[1:] = [exact(made, by_peer(made, peer, apart)) for apart in (False, True)]
            print(title, damage, cells, file=sys.stderr, flush=True)
            head = (Cell(title), Cell(damage), Cell(len(made.pieces)))
            yield "cuts", Row((*head, *map(Cell, cells)))
            for metric, values in _moved(made, pieces, ("chrf", "bleu")):
                yield "scores", Row((*head, Cell(metric), *map(Cell, values)))
        if not compared:
            continue
        made = trial(load(data, folder, compared), "none")
        for metric, values in _moved(made, cut(made), ("sim",)):
            cells = [title, "none", compared, metric, *values]
            yield "scores", Row(tuple(map(Cell, cells)))
        print(title, "scored", file=sys.stderr, flush=True)


def _moved(
    trial: Trial, pieces: Mapping[str, Sequence[str]], metrics: Sequence[str]
) -> Iterator[tuple[str, list[float]]]:
    """How far system scores move: mean, lowest, highest; Kendall of systems, Pearson of segments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        right = albeit.score(trial.base.with_systems(trial.pieces), metrics)
        ours = albeit.score(
            trial.base.with_systems({n: tuple(lines) for n, lines in pieces.items()}), metrics
        )
    for metric in metrics:
        a, b = right[metric].system, ours[metric].system
        s, t = (np.asarray(x[metric].segment).ravel() for x in (right, ours))
        change = b - a
        told = ", ".join(f"{n} {c:+.3f}" for n, c in zip(right.systems, change, strict=True))
        print(f"  {metric}: {told}", file=sys.stderr, flush=True)
        yield (
            metric,
            [
                float(np.abs(change).mean()),
                float(change.min()),
                float(change.max()),
                float(kendall(a, b)),
                float(pearson(s, t)),
            ],
        )


def speeds(data: Path) -> Iterator[Row]:
    """CPU seconds for one long document: the lines of WMT12, then of WMT13, as one text."""
    sets = [load(data, folder, 1) for folder in ("wmt12/fr-en", "wmt13/fr-en")]
    reference = [line for s in sets for lines in s.references.values() for line in lines]
    lines = [line for s in sets for own in s.systems.values() for line in own]
    for size in (1000, 3003, len(lines)):
        text = joined(lines[:size])
        base = EvalSet({"ref": tuple(reference[:size])}, {})
        one = LooseSet(base, {"system": (LooseText(Document("all", 0, size), text),)})
        resegment(one)
        start = time.process_time()
        resegment(one)
        seconds = time.process_time() - start
        yield Row((Cell(size), Cell(len(text.split())), Cell(seconds)))


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--peer", metavar="PYTHON", help="Python of an environment with mweralign")
    parser.add_argument("--systems", type=int, metavar="N", help="at most so many systems a set")
    parser.add_argument(
        "--sim",
        type=int,
        default=4,
        metavar="N",
        help="systems scored by sim",
    )
    parser.add_argument("--parts", nargs="+", choices=(*SETS, LONG), default=[*SETS, LONG])
    add_option(parser)
    options = parser.parse_args()
    rows = list(measured(options.data, options.parts, options.systems, options.sim, options.peer))
    timed = tuple(speeds(options.data)) if LONG in options.parts else ()
    text = (*(Heading(h, align="left") for h in ("Set", "Damage")), Heading("Systems", decimals=0))
    ways = ("albeit", "mweralign", "mweralign, punctuation apart")
    tables = [
        Table(
            (*text, *(Heading(h, decimals=3) for h in ways)),
            tuple(row for kind, row in rows if kind == "cuts"),
            "Share of cuts found exactly",
        ),
        Table(
            (
                *text,
                Heading("Metric", align="left"),
                Heading("mean |Δ|", decimals=3),
                Heading("lowest Δ", decimals=3),
                Heading("highest Δ", decimals=3),
                Heading("Kendall of systems", decimals=3),
                Heading("Pearson of segments", decimals=3),
            ),
            tuple(row for kind, row in rows if kind == "scores"),
            "Scores of re-cut texts against those of the true lines",
        ),
        Table(
            (
                Heading("Segments", decimals=0),
                Heading("Words", decimals=0),
                Heading("CPU seconds", decimals=2),
            ),
            timed,
            "One document",
        ),
    ]
    publish([table for table in tables if table.rows], options.format, options.page)


if __name__ == "__main__":
    main()
