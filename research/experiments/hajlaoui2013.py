"""ACT: tables 1 and 2 of Hajlaoui (WMT 2013), manually labeled cases, and coverage of the lexicons.

    python research/experiments/hajlaoui2013.py                 # ACTa per system and the paper's
    python research/experiments/hajlaoui2013.py sensitivity     # what the agreement depends on
    python research/experiments/hajlaoui2013.py labels          # cases against manual labels
    python research/experiments/hajlaoui2013.py coverage        # connectives that are translated

The paper has 21 English-German and 23 English-French systems on newstest2013. The labels
(``tests/golden/act-labels-*.tsv``: system, line, occurrence, case) were made by reading source,
reference, and translation before the matcher was compared with them. Coverage is the share of source
connectives with a listed translation anywhere in the reference. Only Europarl was read for the
lexicons.
"""

from __future__ import annotations

import tarfile
import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import ROOT, arguments, publish
from scipy.stats import kendalltau, pearsonr, spearmanr

from albeit.data import EvalSet, read
from albeit.data.build import read_pairs
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.base import Batch, Metric
from albeit.metrics.connectives.act import Act, Preset, make_assessor
from albeit.metrics.connectives.assess import ActContext, Assessor
from albeit.metrics.connectives.lexicon import CLASSIC, Lexicon, SenseTest, Translation
from albeit.metrics.connectives.load import inventory, lexicon
from albeit.report import Heading, Table
from albeit.report.act import assess

_CONCESSIVE = {
    "en-de": ("allerdings", "dennoch", "trotzdem"),
    "en-fr": ("cependant", "toutefois", "pourtant", "néanmoins"),
}
"""Adverbs that the lexicon gives concession alone, though many dictionaries give contrast too."""
PRESETS: tuple[Preset, ...] = ("classic", "careful")
AGREEMENT = ("mean abs. difference", "Pearson r", "Spearman", "Kendall")
Pair = tuple[str, str]


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


def sensitivity(data: Path, pair: str, paper: Mapping[str, float]) -> Table:
    """Return the agreement with the paper for other lexicons and sense tests, without alignment."""
    evalset = load(data, pair).select(list(paper))
    whole = lexicon(*pair.split("-"))
    choices: list[tuple[str, Lexicon, SenseTest]] = [
        ("classic", whole, "covering"),
        ("symmetric sense test", whole, "compatible"),
        ("strict sense test", whole, "strict"),
        ("contrast and concession as one", _merged(whole), "covering"),
        *((f"{f} as contrast too", _merged(whole, f), "covering") for f in _CONCESSIVE[pair]),
        ("without doubtful entries", _kept(whole, lambda t: not t.doubtful), "covering"),
        ("only entries found in Europarl", _kept(whole, lambda t: bool(t.count)), "covering"),
    ]
    rows: list[tuple[str | float, ...]] = []
    for label, used, test in choices:
        languages = "en", pair.removeprefix("en-")
        assessor = Assessor(languages, inventory("en"), used, CLASSIC, test, careful=False)
        context = ActContext(assessor)
        metric = Act("classic", test, "no")
        ours = []
        for lines in evalset.systems.values():
            batch = Batch(lines, tuple(evalset.references.values()), evalset.source, ())
            ours.append(float(metric.score(metric.statistics(batch, context).sum(axis=0))))
        rows.append((label, float(np.mean(ours)), *agreement(ours, list(paper.values()))))
    heads = ["variant", *(Heading(t, decimals=4) for t in ("mean ACTa", *AGREEMENT))]
    return Table.of(heads, rows, caption=f"Sensitivity of the agreement, {pair}")


def _merged(used: Lexicon, form: str | None = None) -> Lexicon:
    """Give both senses to every form that has one of them, or to one form alone."""
    both = ("Comparison.Contrast", "Comparison.Concession")

    def widened(entry: Translation) -> Translation:
        if form not in (None, entry.text) or not set(entry.senses) & set(both):
            return entry
        return replace(entry, senses=tuple(dict.fromkeys((*entry.senses, *both))))

    return replace(used, entries={k: tuple(map(widened, t)) for k, t in used.entries.items()})


def _kept(used: Lexicon, wanted: Callable[[Translation], bool]) -> Lexicon:
    return replace(used, entries={k: tuple(filter(wanted, t)) for k, t in used.entries.items()})


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


def texts(data: Path, pair: str) -> dict[str, list[Pair]]:
    """Read all texts of a language pair, sentence by sentence."""
    target = pair[3:]
    files = {
        "Europarl": [data / "bitext" / pair / f"{code}.txt.gz" for code in ("en", target)],
        "newstest2013": [data / "wmt13" / pair / f"{name}.txt" for name in ("src", "ref")],
        "TED talks": [data / "ted-mqm" / pair / f"{name}.txt" for name in ("src", "ref_ref")],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        found = {k: read_pairs(*map(str, own)) for k, own in files.items() if own[0].exists()}
    if pair == "en-de":
        with tarfile.open(data / "discourse.tar.xz") as archive:
            sides = []
            for name in ("src", "ref"):
                file = archive.extractfile(f"discourse/wmt23-mqm/en-de/{name}.txt")
                assert file is not None
                sides.append(file.read().decode("utf-8").removesuffix("\n").split("\n"))
            found["WMT23"] = list(zip(*sides, strict=True))
    return found


def coverage(data: Path, pair: str) -> Table:
    """Return how many connectives each text has, and the share that is found."""
    assessors = [make_assessor(("en", pair[3:]), preset) for preset in PRESETS]
    rows: list[tuple[str | int | float, ...]] = []
    for name, pairs in texts(data, pair).items():
        total, found = 0, [0, 0]
        for source, target in pairs:
            for place, assessor in enumerate(assessors):
                connectives = assessor.connectives(source)
                total += len(connectives) * (place == 0)
                decided = assessor.decide(connectives, source, target)
                found[place] += sum(decision.hit is not None for decision in decided)
        rows.append((name, total, *(count / total for count in found)))
    heads = ["text", Heading("connectives"), *(Heading(p, decimals=3) for p in PRESETS)]
    return Table.of(heads, rows, caption=f"Connectives translated in the reference, {pair}")


def main() -> None:
    """Run from the command line."""
    parser = arguments(__doc__ or "")
    actions = ("tables", "sensitivity", "labels", "coverage")
    parser.add_argument("action", nargs="?", default="tables", choices=actions)
    parser.add_argument("--pairs", nargs="+", choices=["en-de", "en-fr", "en-it"])
    parser.add_argument("--preset", choices=PRESETS, default="classic")
    args = parser.parse_args()
    printed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    default = ["en-de", "en-fr", *(["en-it"] if args.action == "coverage" else [])]
    shown: list[Table] = []
    for pair in args.pairs or default:
        if args.action == "tables":
            shown += tables(args.data, pair, args.preset, printed[pair])
        elif args.action == "sensitivity":
            shown.append(sensitivity(args.data, pair, printed[pair]))
        else:
            shown.append((labels if args.action == "labels" else coverage)(args.data, pair))
    publish(shown, args)


if __name__ == "__main__":
    main()
