"""Tables 1 and 2 of "Are ACT's scores increasing with better translation quality?"

Najeh Hajlaoui, WMT 2013: ACTa of 21 English-German and 23 English-French systems on
newstest2013. Ours stands beside the paper's, with and without word alignment::

    python research/experiments/hajlaoui2013.py                      # both tables, preset classic
    python research/experiments/hajlaoui2013.py --preset careful     # our own matcher on the same data
    python research/experiments/hajlaoui2013.py --sensitivity        # what the agreement depends on
    python research/experiments/hajlaoui2013.py --judgments FILE --pairs en-de

``--judgments`` gives human judgments of the systems in any format that albeit reads, and adds
the correlation of every column with them; none exist here for these pairs.
"""

from __future__ import annotations

import argparse
import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr

from albeit.data import EvalSet, read
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.base import Batch, Metric
from albeit.metrics.connectives.act import Act, ActContext, Preset
from albeit.metrics.connectives.assess import Assessor
from albeit.metrics.connectives.lexicon import CLASSIC, Lexicon, SenseTest, Translation
from albeit.metrics.connectives.load import inventory, lexicon
from albeit.report import Heading, Table, render

_CONCESSIVE = {
    "en-de": ("allerdings", "dennoch", "trotzdem"),
    "en-fr": ("cependant", "toutefois", "pourtant", "néanmoins"),
}
"""Adverbs that the lexicon gives concession alone, though many dictionaries give contrast too."""
ROOT = Path(__file__).resolve().parents[2]


def load(folder: Path, pair: str) -> EvalSet:
    """A test set; byte order marks and entities in it are as they are."""
    source, target = pair.split("-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return read(folder, source_lang=source, target_lang=target)


def agreement(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Mean absolute difference, Pearson's r, Spearman's rho, Kendall's tau-b."""
    return [
        float(np.abs(np.subtract(ours, theirs)).mean()),
        float(pearsonr(ours, theirs).statistic),
        float(spearmanr(ours, theirs).statistic),
        float(kendalltau(ours, theirs).statistic),
    ]


def tables(
    data: Path, pair: str, preset: Preset, paper: Mapping[str, float], judgments: Path | None
) -> list[Table]:
    """Our columns beside the paper's, and how far they agree."""
    evalset = load(data / "wmt13" / pair, pair).select(list(paper))
    metrics: list[Metric] = [Act(preset=preset, alignment=how) for how in ("no", "yes")]
    table = score(evalset, metrics)
    columns = [table[metric] for metric in metrics]
    theirs = list(paper.values())
    rows = [
        (name, printed, *(float(column.system[n]) for column in columns))
        for n, (name, printed) in enumerate(paper.items())
    ]
    heads = ["system", *(Heading(t, decimals=3) for t in ("paper", "position", "aligned"))]
    main = Table.of(
        heads,
        rows,
        caption=f"ACTa, {pair}, preset {preset}",
        notes=[str(column.signature) for column in columns],
    )
    close = Table.of(
        [
            "column",
            *(
                Heading(t, decimals=4)
                for t in ("mean abs. difference", "Pearson r", "Spearman", "Kendall")
            ),
        ],
        [
            (label, *agreement(column.system.tolist(), theirs))
            for label, column in zip(("position", "aligned"), columns, strict=True)
        ],
        caption=f"Agreement with the paper, {pair}",
    )
    if judgments is None:
        return [main, close]
    human = human_scores(judgments, list(paper), len(evalset))
    with_people = Table.of(
        ["column", *(Heading(t, decimals=4) for t in ("Pearson r", "Spearman", "Kendall"))],
        [
            ("paper", *agreement(theirs, human)[1:]),
            *(
                (label, *agreement(column.system.tolist(), human)[1:])
                for label, column in zip(("position", "aligned"), columns, strict=True)
            ),
        ],
        caption=f"Correlation with people, {pair}",
    )
    return [main, close, with_people]


def sensitivity(data: Path, pair: str, paper: Mapping[str, float]) -> Table:
    """Agreement with the paper as the lexicon and the sense test change, without alignment."""
    evalset = load(data / "wmt13" / pair, pair).select(list(paper))
    whole = lexicon(*pair.split("-"))
    choices: list[tuple[str, Lexicon, SenseTest]] = [
        ("classic", whole, "covering"),
        ("symmetric sense test", whole, "compatible"),
        ("strict sense test", whole, "strict"),
        ("contrast and concession as one", _merged(whole), "covering"),
        *(
            (f"{form} as contrast too", _merged(whole, form), "covering")
            for form in _CONCESSIVE[pair]
        ),
        (
            "without what the bitext speaks against",
            _kept(whole, lambda t: not t.doubtful),
            "covering",
        ),
        ("only what the bitext shows", _kept(whole, lambda t: bool(t.count)), "covering"),
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
    heads = ("mean ACTa", "mean abs. difference", "Pearson r", "Spearman", "Kendall")
    return Table.of(
        ["variant", *(Heading(t, decimals=4) for t in heads)],
        rows,
        caption=f"What the agreement depends on, {pair}",
    )


def _merged(used: Lexicon, form: str | None = None) -> Lexicon:
    """Both senses for every form that has one of them, or for one form alone."""
    both = ("Comparison.Contrast", "Comparison.Concession")

    def widened(senses: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*senses, *both))) if set(senses) & set(both) else senses

    entries = {
        name: tuple(
            replace(t, senses=widened(t.senses)) if form in (None, t.text) else t for t in listed
        )
        for name, listed in used.entries.items()
    }
    return replace(used, entries=entries)


def _kept(used: Lexicon, wanted: Callable[[Translation], bool]) -> Lexicon:
    """Only some of the translations."""
    entries = {name: tuple(filter(wanted, listed)) for name, listed in used.entries.items()}
    return replace(used, entries=entries)


def human_scores(path: Path, systems: list[str], segments: int) -> list[float]:
    """A human score a system: its mean rating, or its share of comparisons won."""
    from albeit.data.judgments import read_judgments

    scores = read_judgments(path).align(systems, segments).system_scores()
    return [float(score) for score in scores]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--pairs", nargs="+", default=["en-de", "en-fr"])
    parser.add_argument("--preset", choices=["classic", "careful"], default="classic")
    parser.add_argument("--judgments", type=Path)
    parser.add_argument("--sensitivity", action="store_true")
    parser.add_argument("-f", "--format", default="text", choices=["text", "json", "markdown"])
    options = parser.parse_args()
    printed = tomllib.loads(Path(__file__).with_name("hajlaoui2013.toml").read_text("utf-8"))
    shown: list[Table] = []
    for pair in options.pairs:
        if options.sensitivity:
            shown.append(sensitivity(options.data, pair, printed[pair]))
            continue
        shown += tables(options.data, pair, options.preset, printed[pair], options.judgments)
    print(render(shown, options.format), end="")


if __name__ == "__main__":
    main()
