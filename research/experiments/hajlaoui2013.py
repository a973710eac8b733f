"""ACT: tables 1 and 2 of Hajlaoui (WMT 2013), and manually labeled cases.

    python research/experiments/hajlaoui2013.py                 # ACTa per system and the paper's
    python research/experiments/hajlaoui2013.py labels          # cases against manual labels

The paper has 21 English-German and 23 English-French systems on newstest2013. The labels
(``tests/golden/act-labels-*.tsv``: system, line, occurrence, case) were made by reading source,
reference, and translation before the matcher was compared with them. How far the agreement depends
on the lexicon, and how many connectives are translated, was measured with commit 678f4ef8.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from _common import ROOT, arguments, publish
from scipy.stats import kendalltau, pearsonr, spearmanr

from albeit.data import EvalSet, read
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.base import Metric
from albeit.metrics.connectives.act import Act, Preset
from albeit.report import Heading, Table
from albeit.report.act import assess

PAIRS = ("en-de", "en-fr")
PRESETS: tuple[Preset, ...] = ("classic", "careful")
AGREEMENT = ("mean abs. difference", "Pearson r", "Spearman", "Kendall")


def load(data: Path, pair: str) -> EvalSet:
    """Read newstest2013 as it is."""
    source, target = pair.split("-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return read(data / "wmt13" / pair, source_lang=source, target_lang=target)


def agreement(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return mean absolute difference, Pearson's r, Spearman's rho, and Kendall's tau-b."""
    correlations = (f(ours, theirs).statistic for f in (pearsonr, spearmanr, kendalltau))
    return [float(np.abs(np.subtract(ours, theirs)).mean()), *map(float, correlations)]


def tables(data: Path, pair: str, preset: Preset, paper: Mapping[str, float]) -> list[Table]:
    """Return our columns with the paper's, and how far they agree."""
    evalset = load(data, pair).select(list(paper))
    metrics: list[Metric] = [Act(preset=preset, alignment=how) for how in ("no", "yes")]
    table = score(evalset, metrics)
    columns = {"position": table[metrics[0]], "aligned": table[metrics[1]]}
    rows = [
        (name, printed, *(float(column.system[n]) for column in columns.values()))
        for n, (name, printed) in enumerate(paper.items())
    ]
    main = Table.of(
        ["system", *(Heading(t, decimals=3) for t in ("paper", *columns))],
        rows,
        caption=f"ACTa, {pair}, preset {preset}",
        notes=[str(column.signature) for column in columns.values()],
    )
    close = Table.of(
        ["column", *(Heading(t, decimals=4) for t in AGREEMENT)],
        [(k, *agreement(c.system.tolist(), list(paper.values()))) for k, c in columns.items()],
        caption=f"Agreement with the paper, {pair}",
    )
    return [main, close]


def labels(data: Path, pair: str) -> Table:
    """Return how many manually labeled cases each setting gets right."""
    path = ROOT / "tests" / "golden" / f"act-labels-{pair}.tsv"
    given = [r.split("\t") for r in path.read_text("utf-8").splitlines() if not r.startswith("#")]
    truth = {(name, int(at) - 1, int(n) - 1): int(case) for name, at, n, case in given}
    evalset = load(data, pair)
    rows = []
    for metric in (
        Act(),
        Act(alignment="no"),
        Act(preset="classic"),
        Act(preset="classic", sense="compatible"),
    ):
        verdicts = assess(evalset, metric).verdicts
        right = [
            [v for v in verdicts[system] if v.line == line][number].case == case
            for (system, line, number), case in truth.items()
        ]
        rows.append((str(metric), sum(right), len(right)))
    return Table.of(["metric", "correct", "of"], rows, caption=f"Manually labeled cases, {pair}")


def main() -> None:
    """Run from the command line."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", nargs="?", default="tables", choices=("tables", "labels"))
    parser.add_argument("--pairs", nargs="+", choices=PAIRS, default=PAIRS)
    parser.add_argument("--preset", choices=PRESETS, default="classic")
    args = parser.parse_args()
    printed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    shown: list[Table] = []
    for pair in args.pairs:
        if args.action == "tables":
            shown += tables(args.data, pair, args.preset, printed[pair])
        else:
            shown.append(labels(args.data, pair))
    publish(shown, args)


if __name__ == "__main__":
    main()
