"""How much of our figures another version of the analyser's word and sentence cuts changes.

    PYTHONPATH=src python research/experiments/cuts.py ../other-checkout

The model's version and the version of its cuts name an analysis (``annotator …-t2``). Where only
the cuts changed, every line that both versions cut alike keeps its analysis and its scores. Counted
for every test set: references and translations that are cut otherwise, and the human preferences
that such a line takes part in. No other preference can turn, so a τ over the set moves by no more
than twice their share. How far τ does move, metric by metric, is then exact: the translations of
the touched preferences are scored in both checkouts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import DA_MARGIN, ROOT, arguments, judged_set
from party import YEARS, candidates

from albeit.corpus.judgments import Pairs
from albeit.judged import JudgedSet
from albeit.metrics.registry import metric
from albeit.report import Heading, Table, render

_CUT = """
import json, sys, zlib
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize
for line in sys.stdin:
    words = tokenize(json.loads(line))
    cut = words.offsets, split_sentences(words.forms, words.offsets)
    print(zlib.crc32(repr(cut).encode()))
"""
Floats = npt.NDArray[np.float64]


def run(checkout: Path, call: Sequence[str], given: str = "") -> str:
    """What Python prints with a checkout's albeit."""
    own = os.environ | {"PYTHONPATH": str(checkout / "src")}
    done = subprocess.run(
        [sys.executable, *call], input=given, env=own, text=True, check=True, stdout=subprocess.PIPE
    )
    return done.stdout


@dataclass(frozen=True)
class Compared:
    """A test set under two checkouts: this one and another."""

    name: str
    judged: JudgedSet
    other: Path

    @cached_property
    def changed(self) -> set[str]:
        """The lines that the two cut otherwise."""
        evalset = self.judged.evalset
        texts = (*evalset.references.values(), *evalset.systems.values())
        lines = sorted({line for text in texts for line in text})
        given = "".join(f"{json.dumps(line)}\n" for line in lines)
        here, there = (run(c, ["-c", _CUT], given).splitlines() for c in (ROOT, self.other))
        return {line for line, a, b in zip(lines, here, there, strict=True) if a != b}

    def _among(self, texts: Mapping[str, Sequence[str]]) -> npt.NDArray[np.bool_]:
        return np.array([[line in self.changed for line in lines] for lines in texts.values()])

    @cached_property
    def pairs(self) -> Pairs:
        """What people preferred."""
        found = self.judged.judgments
        return (found if isinstance(found, Pairs) else found.pairs(DA_MARGIN)).decided()

    @cached_property
    def touched(self) -> Pairs:
        """The preferences that a changed line takes part in."""
        pairs, evalset = self.pairs, self.judged.evalset
        systems = self._among(evalset.systems)
        return pairs.take(
            self._among(evalset.references).any(axis=0)[pairs.segment]
            | systems[pairs.left, pairs.segment]
            | systems[pairs.right, pairs.segment]
        )

    def counts(self) -> list[float]:
        """References, translations and preferences, and how many of each are concerned."""
        references, systems = map(
            self._among, (self.judged.evalset.references, self.judged.evalset.systems)
        )
        sizes = references.size, references.sum(), systems.size, systems.sum()
        touched = len(self.touched) / len(self.pairs)
        return [*map(int, sizes), len(self.pairs), len(self.touched), 2 * touched]

    def moves(self, metrics: Sequence[str]) -> Floats:
        """How far each metric's τ (WMT12's: a tie is an error) moves."""
        if not len(self.touched):
            return np.zeros(len(metrics))
        here, there = (self._right(checkout, metrics) for checkout in (ROOT, self.other))
        return 2.0 * (here - there) / len(self.pairs)

    def _right(self, checkout: Path, metrics: Sequence[str]) -> Floats:
        """How many of the touched preferences each metric gets right in a checkout."""
        pairs, evalset = self.touched, self.judged.evalset
        cells = sorted(
            {*zip(pairs.segment, pairs.left, strict=True)}
            | {*zip(pairs.segment, pairs.right, strict=True)}
        )
        place = {cell: number for number, cell in enumerate(cells)}
        texts = list(evalset.systems.values())
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{n}.txt" for n in range(len(evalset.references) + 1)]
            columns = [[lines[i] for i, _ in cells] for lines in evalset.references.values()]
            columns.append([texts[s][i] for i, s in cells])
            for file, lines in zip(files, columns, strict=True):
                file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            call = [
                "-m",
                "albeit",
                "score",
                *map(str, files[:-1]),
                "-i",
                str(files[-1]),
                "--lang",
                "en",
                "--level",
                "segment",
                "-f",
                "json",
                "-m",
                *metrics,
            ]
            rows = json.loads(run(checkout, call))["rows"]
        scores = np.array([[row[name] for row in rows] for name in metrics], dtype=float)
        scores *= np.array([[1.0 if metric(name).higher_is_better else -1.0] for name in metrics])
        left, right = (
            np.array([place[i, s] for i, s in zip(pairs.segment, side, strict=True)])
            for side in (pairs.left, pairs.right)
        )
        return np.asarray(((scores[:, left] - scores[:, right]) * pairs.preference > 0).sum(axis=1))


def tables(data: Path, other: Path, metrics: Sequence[str]) -> list[Table]:
    """What is cut otherwise, and how far each metric moves."""
    rows: list[list[str | float]] = []
    moved: dict[str, Floats] = {}
    for year, pairs in YEARS.items():
        sets = [Compared(f"{year} {p}", judged_set(data, year, p), other) for p in pairs]
        counts = [each.counts() for each in sets]
        rows += [[each.name, *own] for each, own in zip(sets, counts, strict=True)]
        sums = np.sum(counts, axis=0)
        rows.append([f"{year}, mean of pairs", *map(int, sums[:-1]), float(sums[-1]) / len(counts)])
        moved[year] = np.mean([each.moves(metrics) for each in sets], axis=0)
    heads = [
        "set",
        "references",
        "of these cut otherwise",
        "translations",
        "cut otherwise",
        "preferences",
        "touched",
        Heading("τ moves by at most", decimals=4),
    ]
    years = [Heading(year, decimals=5) for year in moved]
    exact = [
        (name, *(float(moves[n]) for moves in moved.values())) for n, name in enumerate(metrics)
    ]
    return [
        Table.of(heads, rows, caption="Lines cut otherwise"),
        Table.of(["Metric", *years], exact, caption="How far τ moves, mean of pairs"),
    ]


def main() -> None:
    """Cut, count, score, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("other", type=Path, help="a checkout of another version")
    parser.add_argument("-m", "--metrics", nargs="+", help="(default: albeit-party and its parts)")
    args = parser.parse_args()
    metrics = args.metrics or ["albeit-party", *candidates()]
    print(render(tables(args.data, args.other, metrics), args.format), end="")


if __name__ == "__main__":
    main()
