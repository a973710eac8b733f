"""What the experiments share: test sets with judgments, and scores kept on disk.

Scores are kept under ``work-data/scores`` (ignored by git), keyed by the text of the set,
the metric's signature and the source of its module, so that tables are made again in
seconds while nothing stale is ever used unseen (``--fresh`` scores anew).
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import subprocess
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path

import numpy as np

from albeit.corpus import Document, EvalSet, documents_from_ids, read
from albeit.corpus.judgments import Pairs, Ratings, read_judgments
from albeit.engine.local import score
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.judged import Task
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = ["PAIRS", "Scores", "arguments", "commit", "judged_set", "judged_table", "load_task"]

ROOT = Path(__file__).resolve().parents[1]
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
_ESCAPED = ("onlineB", "online-B")
"""Systems whose files hold HTML entities, which are resolved here."""
_DA_MARGIN = 25.0
"""Two raw direct assessments differ where they are more than this apart (WMT's daRR)."""


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that every experiment takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--cache", type=Path, default=ROOT / "work-data" / "scores")
    parser.add_argument("--fresh", action="store_true", help="score anew, whatever is kept")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "-f", "--format", default="text",
        choices=("text", "json", "tsv", "latex", "markdown", "html"),
    )  # fmt: skip
    return parser


def commit() -> str:
    """The commit that the numbers belong to."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"


def judged_set(data: Path, year: str, pair: str) -> tuple[EvalSet, Pairs | Ratings]:
    """A test set of the shared data with its judgments; only systems that were judged."""
    folder = data / year / pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        evalset = read(folder)
    systems = {
        name: tuple(map(unescape, lines)) if name in _ESCAPED else lines
        for name, lines in evalset.systems.items()
    }
    evalset = replace(evalset.with_systems(systems), name=year)
    files = ("judgments.csv", "pairwise.tsv", "human_seg_remapped.tsv", "human_seg.tsv")
    path = next(folder / name for name in files if (folder / name).exists())
    column = "raw" if path.name == "human_seg_remapped.tsv" else None
    judgments = read_judgments(path, column=column)
    judged = set(judgments.judged_systems())
    return evalset.select([name for name in evalset.systems if name in judged]), judgments


@dataclass
class Scores:
    """Scores of sets by metrics, computed once and kept; metrics that fail are gaps."""

    cache: Path
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
        columns: dict[str, Column] = {}
        wanted: list[Metric] = []
        for name in self.available(names):
            metric = registry.metric(name)
            path = self._path(evalset, metric)
            if path.exists() and not self.fresh:
                columns[name] = self._load(evalset, metric, path)
            else:
                wanted.append(metric)
        for group in self._runnable(evalset, wanted):
            print(f"scoring {evalset.name} {evalset.source_lang}-{evalset.target_lang}:"
                  f" {', '.join(map(str, group))}", file=sys.stderr)  # fmt: skip
            for column in score(evalset, group, workers=self.workers).columns.values():
                columns[column.name] = column
                if column.metric is not None and column.statistics is not None:
                    self._save(self._path(evalset, column.metric), column)
        ordered = [columns[name] for name in self.available(names) if name in columns]
        return ScoreTable.build(evalset, ordered)

    def _runnable(self, evalset: EvalSet, metrics: list[Metric]) -> list[list[Metric]]:
        """Metrics that can score this set, those that read analyses together."""
        good: list[Metric] = []
        for metric in metrics:
            try:
                metric.check(evalset)
                if metric.requires:
                    self._try(evalset, metric)
                good.append(metric)
            except (AlbeitError, ImportError) as error:
                self.gaps[str(metric)] = str(error).split(". ")[0]
        plain = [m for m in good if not m.requires]
        deep = [m for m in good if m.requires]
        return [group for group in (plain, deep) if group]

    @staticmethod
    def _try(evalset: EvalSet, metric: Metric) -> None:
        """One sentence, so that a layer nobody can make yet is found before the work.

        It is a document where the set has documents, which some metrics ask for.
        """
        name, lines = next(iter(evalset.systems.items()))
        reference, other = next(iter(evalset.references.items()))
        documents = (Document(evalset.documents[0].id, 0, 1),) if evalset.has_documents else ()
        one = EvalSet(
            {reference: other[:1]}, {name: lines[:1]}, evalset.source and evalset.source[:1],
            documents, evalset.source_lang, evalset.target_lang,
        )  # fmt: skip
        score(one, [metric])

    def _path(self, evalset: EvalSet, metric: Metric) -> Path:
        source = inspect.getsource(inspect.getmodule(type(metric)) or type(metric))
        key = hashlib.sha256(
            "\n".join((_digest(evalset), metric.signature(), source)).encode()
        ).hexdigest()[:20]
        safe = "".join(c if c.isalnum() or c in "-+._" else "_" for c in str(metric))
        return self.cache / f"{evalset.name}.{evalset.source_lang}.{safe[:60]}.{key}.npz"

    @staticmethod
    def _load(evalset: EvalSet, metric: Metric, path: Path) -> Column:
        with np.load(path) as kept:
            column = Column.from_statistics(metric, kept["statistics"], evalset.documents, None)
            return replace(column, signature=str(kept["signature"]))

    @staticmethod
    def _save(path: Path, column: Column) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        statistics = column.statistics
        if statistics is not None:
            np.savez_compressed(path, statistics=statistics, signature=column.signature)


def _digest(evalset: EvalSet) -> str:
    text = hashlib.sha256()
    for name, lines in (*evalset.references.items(), *evalset.systems.items()):
        text.update("\n".join((name, *lines)).encode())
    return text.hexdigest()


def judged_table(
    evalset: EvalSet, judgments: Pairs | Ratings, metrics: Sequence[str], scores: Scores
) -> ScoreTable:
    """Scores of the judged translations alone (a seventh of WMT12), NaN for the others.

    They are scored as the lines of one made-up system, each beside its own reference.
    """
    aligned = judgments.align(tuple(evalset.systems), len(evalset))
    if isinstance(aligned, Pairs):
        decided = aligned.decided()
        segment = np.concatenate([decided.segment, decided.segment])
        system = np.concatenate([decided.left, decided.right])
    else:
        segment, system = aligned.segment, aligned.system
    cells = np.unique(np.stack([segment, system]), axis=1)
    texts, ids = list(evalset.systems.values()), evalset.document_ids()
    lines = tuple(texts[s][i] for i, s in cells.T)
    flat = EvalSet(
        {name: tuple(text[i] for i in cells[0]) for name, text in evalset.references.items()},
        {"judged": lines},
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
    evalset, judgments = judged_set(data, year, pair)
    if judged:
        table = judged_table(evalset, judgments, metrics, scores)
    else:
        table = scores.table(evalset, metrics)
    lengths = [len(line.split()) for line in next(iter(evalset.references.values()))]
    margin = _DA_MARGIN if isinstance(judgments, Ratings) else 0.0
    return Task(table, judgments, lengths, margin)
