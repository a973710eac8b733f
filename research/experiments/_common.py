"""What the experiments share: test sets with judgments, and their scores.

The engine keeps statistics by content, so that tables are made again in seconds while
nothing stale is ever used unseen (``--fresh`` scores anew).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from albeit.data import EvalSet, documents_from_ids
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation import check, open_store, score
from albeit.metaeval import JudgedSet, Task, read_judged
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = [
    "DA_MARGIN",
    "PAIRS",
    "Scores",
    "arguments",
    "commit",
    "judged_set",
    "judged_table",
    "load_task",
    "shared_folder",
]

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
DA_MARGIN = 25.0
"""Two raw direct assessments differ where they are at least this far apart (WMT's daRR)."""


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that every experiment takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "work-data", help="where an experiment keeps its own"
    )
    parser.add_argument("--fresh", action="store_true", help="score anew, whatever is kept")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "-f",
        "--format",
        default="text",
        choices=("text", "json", "tsv", "latex", "markdown", "html"),
    )
    return parser


def commit() -> str:
    """The commit that the numbers belong to."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def judged_set(data: Path, year: str, pair: str, column: str | None = None) -> JudgedSet:
    """A test set of the shared data with its judgments, HTML entities resolved.

    Ratings of WMT21 are raw ones unless a ``column`` is named.
    """
    if column is None and year == "wmt21":
        column = "raw"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return read_judged(data / year / pair, column=column, unescape=True)


def shared_folder(data: Path, folder: str) -> Path:
    """A folder of the shared data; those of its two archives are unpacked once, in work-data."""
    archived = folder.split("/")[0]
    if archived not in ("discourse", "judgments"):
        return data / folder
    path = ROOT / "work-data" / folder
    if not path.is_dir():
        with tarfile.open(data / f"{archived}.tar.xz") as archive:
            inside = [member for member in archive if member.name.startswith(folder)]
            archive.extractall(ROOT / "work-data", inside, filter="data")
    return path


@dataclass
class Scores:
    """Scores of sets by metrics; metrics that fail are gaps."""

    fresh: bool = False
    workers: int = 1

    def __post_init__(self) -> None:
        self.gaps: dict[str, str] = {}

    def available(self, names: Iterable[str]) -> list[str]:
        """Those metrics that exist here; the others become gaps with a reason."""
        found = []
        for name in dict.fromkeys(names):
            if name in self.gaps:
                continue
            try:
                found.append(str(registry.metric(name)))
            except (AlbeitError, ImportError) as error:
                self.gaps[name] = str(error).split(". ")[0]
        return found

    def table(self, evalset: EvalSet, names: Sequence[str]) -> ScoreTable:
        """The set scored by every metric that exists and works."""
        metrics = [m for m in map(registry.metric, self.available(names)) if self._fits(evalset, m)]
        if not metrics:
            return ScoreTable.build(evalset, ())
        print(
            f"scoring {evalset.name} {evalset.source_lang}-{evalset.target_lang}:"
            f" {', '.join(map(str, metrics))}",
            file=sys.stderr,
        )
        store = None if self.fresh else open_store()
        return score(evalset, metrics, workers=self.workers, store=store)

    def _fits(self, evalset: EvalSet, metric: Metric) -> bool:
        try:
            check(evalset, [metric])
        except (AlbeitError, ImportError) as error:
            self.gaps[str(metric)] = str(error).split(". ")[0]
            return False
        return True


def judged_table(judged: JudgedSet, metrics: Sequence[str], scores: Scores) -> ScoreTable:
    """Scores of the judged translations alone (a seventh of WMT12), NaN for the others.

    They are scored as the lines of one made-up system, each beside its own reference.
    """
    evalset, judgments = judged.evalset, judged.judgments
    if isinstance(judgments, Pairs):
        judgments = judgments.decided()
    system, segment = np.nonzero(judgments.judged(len(evalset)))
    order = np.lexsort((system, segment))
    cells = np.stack([segment, system])[:, order]
    texts, ids = list(evalset.systems.values()), evalset.document_ids()
    lines = tuple(texts[s][i] for i, s in cells.T)
    flat = EvalSet(
        {name: tuple(text[i] for i in cells[0]) for name, text in evalset.references.items()},
        {"judged": lines},
        source=None if evalset.source is None else tuple(evalset.source[i] for i in cells[0]),
        documents=documents_from_ids([ids[i] for i in cells[0]]),
        source_lang=evalset.source_lang,
        target_lang=evalset.target_lang,
        name=f"{evalset.name}-judged",
    )
    columns = []
    for column in scores.table(flat, metrics).columns.values():
        full = np.full((len(texts), len(evalset)), np.nan)
        full[cells[1], cells[0]] = column.at("segment")[0]
        system_scores = np.nanmean(full, axis=1)
        columns.append(
            Column(
                column.name, column.signature, column.higher_is_better, system_scores, None, full
            )
        )
    return ScoreTable.build(evalset, columns)


def load_task(
    data: Path,
    year: str,
    pair: str,
    metrics: Sequence[str],
    scores: Scores,
    *,
    judged: bool = False,
) -> Task:
    """A set's scores beside its judgments; with ``judged`` only translations that were judged."""
    found = judged_set(data, year, pair)
    if judged:
        table = judged_table(found, metrics, scores)
    else:
        table = scores.table(found.evalset, metrics)
    return found.task(table, DA_MARGIN if isinstance(found.judgments, Ratings) else 0.0)
