"""Does choosing among systems' outputs by a metric give translations that people rate higher?

    PYTHONPATH=src python research/experiments/rerank.py [--data DIR] [--segments N] [-f text|json|…]

The candidates of a segment are the outputs of the judged systems. Each metric chooses by
minimum Bayes risk: the reference is not looked at. What people said of the chosen translation
is set beside a random choice (the mean of all candidates) and beside the system that people
rated best overall, with 95 % bootstrap intervals over segments. The choices are then scored
with the reference by other metrics: a metric that only fools itself would win there alone.
The shipped ``judge`` has seen all of these sets; ``--judge DIR`` chooses by another, such as a
student that left a set out (``research/training/judge``).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import arguments, shared_folder
from _page import add_option, publish

import albeit
from albeit.data.judgments import Ratings
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.metrics.registry import metric
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.rerank import CandidateList, CandidateSet, rerank

SETS = {
    "WMT12 fr-en": ("wmt12/fr-en", "share of wins"),
    "WMT21 ja-en": ("wmt21/ja-en", "z"),
    "WMT23 zh-en": ("discourse/wmt23-mqm/zh-en", "MQM"),
}
CHOOSERS: Mapping[str, tuple[str, ...]] = {
    "chrf": ("chrf",),
    "chrf, fast": ("chrf",),
    "bleu": ("bleu",),
    "sim": ("sim",),
    "sim, fast": ("sim",),
    "dr-lex": ("dr-lex",),
    "sim + chrf + dr-lex": ("sim", "chrf", "dr-lex"),
    "judge": ("judge",),
}
CHECKS = ("chrf", "bleu", "sim", "dr-lex")
"""Metrics that score the choices with the reference."""
RESAMPLES = 1000


@dataclass(frozen=True)
class Judged:
    """Candidates with what people said of each: ``human[i][c]``, and which system each is."""

    candidates: CandidateSet
    human: Sequence[np.ndarray]
    systems: Sequence[Sequence[str]]
    segments: Sequence[int]


def load(data: Path, folder: str, count: int, seed: int = 1) -> Judged:
    """Whole documents in random order until there are enough segments with candidates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        found = albeit.read_judged(shared_folder(data, folder), unescape=True)
    evalset, judgments = found.evalset, found.judgments
    ratings = judgments if isinstance(judgments, Ratings) else judgments.ratings(len(evalset))
    human = ratings.matrix(len(evalset))
    names = list(evalset.systems)
    reference = next(iter(evalset.references.values()))
    random = np.random.default_rng(seed)
    lists, scores, systems, segments = [], [], [], []
    for d in random.permutation(len(evalset.documents)):
        if len(lists) >= count:
            break
        document = evalset.documents[d]
        for i in range(document.start, document.stop):
            judged = np.flatnonzero(~np.isnan(human[:, i]))
            if len(judged) < 3:
                continue
            texts = tuple(evalset.systems[names[s]][i] for s in judged)
            lists.append(CandidateList(str(i + 1), texts, references=(reference[i],)))
            scores.append(human[judged, i])
            systems.append([names[s] for s in judged])
            segments.append(i + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return Judged(CandidateSet(tuple(lists)), scores, systems, segments)


def interval(values: np.ndarray, seed: int = 1) -> tuple[float, float]:
    """A 95 % bootstrap interval of the mean over segments."""
    random = np.random.default_rng(seed)
    means = [values[random.integers(0, len(values), len(values))].mean() for _ in range(RESAMPLES)]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def choices(judged: Judged, name: str, judge: str) -> list[int]:
    """What a chooser chooses."""
    metrics = [(metric(judge if m == "judge" else m), 1.0) for m in CHOOSERS[name]]
    found = rerank(judged.candidates, metrics, fast="fast" in name)
    return [choice.index for choice in found]


def outcome(
    title: str,
    name: str,
    judged: Judged,
    chosen: Sequence[int],
    checks: Mapping[str, list[np.ndarray]],
) -> Row:
    """A row: what people and other metrics say of the choices."""
    human = np.array([h[c] for h, c in zip(judged.human, chosen, strict=True)])
    random = np.array([h.mean() for h in judged.human])
    best = best_system(judged)
    at = [(i, s.index(best)) for i, s in enumerate(judged.systems) if best in s]
    rival = np.array([judged.human[i][c] for i, c in at])
    own = human[[i for i, _ in at]]
    gain, lead = human - random, own - rival
    others = [
        float(np.mean([s[c] for s, c in zip(checks[m], chosen, strict=True)])) for m in CHECKS
    ]
    return Row(
        (
            Cell(name),
            Cell(float(human.mean())),
            Cell(float(gain.mean()), interval=interval(gain)),
            Cell(float(lead.mean()), interval=interval(lead)),
            Cell(float(((own > rival) + 0.5 * (own == rival)).mean())),
            *map(Cell, others),
        ),
        group=title,
    )


def best_system(judged: Judged) -> str:
    """The system whose judged translations people rated highest on average."""
    totals: dict[str, list[float]] = {}
    for scores, systems in zip(judged.human, judged.systems, strict=True):
        for score, system in zip(scores, systems, strict=True):
            totals.setdefault(system, []).append(float(score))
    enough = min(30, max(map(len, totals.values())))
    return max((s for s in totals if len(totals[s]) >= enough), key=lambda s: np.mean(totals[s]))


def against_reference(judged: Judged) -> dict[str, list[np.ndarray]]:
    """Every candidate's score with the reference, by every checking metric."""
    found = {}
    for name in CHECKS:
        choices = rerank(judged.candidates, [(metric(name), 1.0)], against="references")
        found[name] = [np.array(choice.ratings) for choice in choices]
    return found


def segments_table(
    data: Path, count: int, sets: Sequence[str], choosers: Sequence[str], judge: str
) -> Iterator[Row]:
    """Choosers on sets."""
    for title in sets:
        folder, kind = SETS[title]
        judged = load(data, folder, count)
        checks = against_reference(judged)
        label = f"{title} ({kind}, {len(judged.segments)} segments)"
        best = best_system(judged)
        people = [int(np.argmax(h)) for h in judged.human]
        single = [s.index(best) if best in s else None for s in judged.systems]
        yield _random(label, judged, checks)
        if None not in single:
            yield outcome(
                label, f"best system: {best}", judged, [c for c in single if c is not None], checks
            )
        for name in choosers:
            try:
                chosen = choices(judged, name, judge)
            except AlbeitError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            print(title, name, file=sys.stderr, flush=True)
            yield outcome(label, f"MBR by {name}", judged, chosen, checks)
        yield outcome(label, "what people rated highest", judged, people, checks)


def _random(title: str, judged: Judged, checks: Mapping[str, list[np.ndarray]]) -> Row:
    """A random choice is worth the mean of all candidates."""
    human = float(np.mean([h.mean() for h in judged.human]))
    others = [float(np.mean([s.mean() for s in checks[m]])) for m in CHECKS]
    cells = (Cell("a random choice"), Cell(human), Cell(0.0), Cell(), Cell(), *map(Cell, others))
    return Row(cells, group=title)


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument(
        "--segments", type=int, default=300, metavar="N", help="about so many a set"
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument(
        "--choosers",
        nargs="+",
        choices=CHOOSERS,
        default=[n for n in CHOOSERS if n != "judge"],
        metavar="NAME",
        help="judge takes seconds a segment, and must be asked for",
    )
    parser.add_argument("--judge", type=Path, metavar="DIR", help="weights of another judge")
    add_option(parser)
    options = parser.parse_args()
    heads = [
        Heading("Choice", align="left"),
        Heading("People", decimals=3),
        Heading("over random", decimals=3),
        Heading("over the best system", decimals=3),
        Heading("win rate", decimals=3),
        *(Heading(m, group="with the reference", decimals=3) for m in CHECKS),
    ]
    judge = f"judge(weights={options.judge})" if options.judge else "judge"
    rows = segments_table(options.data, options.segments, options.sets, options.choosers, judge)
    tables = [Table(tuple(heads), tuple(rows), "What people and other metrics say of the choices")]
    publish(tables, options.format, options.page)


if __name__ == "__main__":
    main()
