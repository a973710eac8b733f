"""Shared parts of the experiments: options, test sets with judgments, scores, and results pages.

Statistics are cached by content, so a second run takes seconds (``--fresh`` doesn't use the cache).
"""

from __future__ import annotations

import argparse
import csv
import platform
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.data import EvalSet, documents_from_ids
from albeit.data.judgments import Pairs
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation import Evaluation, open_store, score
from albeit.metaeval import JudgedSet, read_judged
from albeit.metrics import registry
from albeit.metrics.table import Column, ScoreTable
from albeit.parsing import version
from albeit.report import Table, render

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "work-data"
Floats = npt.NDArray[np.float64]


def arguments(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every experiment has."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for intermediate files")
    parser.add_argument("--fresh", action="store_true", help="don't use cached scores")
    parser.add_argument("--workers", type=int, default=1)
    formats = ("text", "json", "tsv", "latex", "markdown", "html")
    parser.add_argument("-f", "--format", default="text", choices=formats)
    return parser


def publish(tables: Sequence[Table], args: argparse.Namespace) -> None:
    """Print the tables, and on the error stream what the figures belong to."""
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    about = f"commit {commit.strip()}, {date.today():%d %B %Y}, annotator {version()}"
    print(f"{about}, {platform.machine()}, Python {platform.python_version()}", file=sys.stderr)
    sys.stdout.write(render(tables, args.format))


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a file of tab-separated values with a header; no rows if it doesn't exist."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def uncertain(folder: Path) -> set[tuple[str, int]]:
    """Return the (system, line) whose text couldn't be restored with certainty (newstest20)."""
    return {(row["system"], int(row["segment"]) - 1) for row in rows_of(folder / "uncertain.tsv")}


def unpacked(data: Path, name: str, work: Path) -> Path:
    """Unpack an archive once. The folder gets its name when it is complete."""
    folder = work / name
    if not folder.is_dir():
        work.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=work) as own,
            tarfile.open(data / f"{name}.tar.xz") as archive,
        ):
            archive.extractall(own, filter="data")
            (Path(own) / name).rename(folder)
    return folder


def shared_folder(data: Path, folder: str) -> Path:
    """Return a folder of the evaluation data; two archives of it are unpacked once."""
    archive = folder.split("/")[0]
    packed = archive in ("discourse", "judgments")
    return (unpacked(data, archive, WORK).parent if packed else data) / folder


def judged(folder: Path, column: str | None = None, **options: bool) -> JudgedSet:
    """Read a test set with its judgments, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        return read_judged(folder, column=column, **options)


def judged_set(data: Path, year: str, pair: str, column: str | None = None) -> JudgedSet:
    """Read a WMT set with HTML entities resolved; for WMT21 by default the raw ratings."""
    column = "raw" if column is None and year == "wmt21" else column
    return judged(data / year / pair, column, unescape=True)


@dataclass
class Scores:
    """Scores of test sets. Metrics that can't score are listed in ``gaps``, with the reason."""

    fresh: bool = False
    workers: int = 1
    gaps: dict[str, str] = field(default_factory=dict)

    def table(self, evalset: EvalSet, names: Sequence[str]) -> ScoreTable:
        """Score the set with every metric that exists and fits."""
        metrics = []
        for name in dict.fromkeys(names):
            try:
                metric = registry.metric(name)
                Evaluation(evalset).check([metric])
                metrics.append(metric)
            except (AlbeitError, ImportError) as error:
                self.gaps[name] = str(error).split(". ")[0]
        if not metrics:
            return ScoreTable.build(evalset, ())
        print(f"scoring {evalset.name}: {', '.join(map(str, metrics))}", file=sys.stderr)
        store = None if self.fresh else open_store()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AlbeitWarning)
            return score(evalset, metrics, workers=self.workers, store=store)


def flat_set(
    evalset: EvalSet, cells: Sequence[tuple[int, int]], ids: Sequence[str], name: str
) -> EvalSet:
    """Return a set whose one system has these (system, line) of another set, in order."""
    texts = list(evalset.systems.values())
    at = [line for _, line in cells]
    return EvalSet(
        {key: tuple(text[k] for k in at) for key, text in evalset.references.items()},
        {"judged": tuple(texts[system][line] for system, line in cells)},
        source=evalset.source and tuple(evalset.source[k] for k in at),
        documents=documents_from_ids(ids),
        source_lang=evalset.source_lang,
        target_lang=evalset.target_lang,
        name=name,
    )


def judged_table(judged: JudgedSet, metrics: Sequence[str], scores: Scores) -> ScoreTable:
    """Score only translations that were judged (a seventh of WMT12); the others are NaN."""
    evalset, judgments = judged.evalset, judged.judgments
    if isinstance(judgments, Pairs):
        judgments = judgments.decided()
    system, segment = np.nonzero(judgments.judged(len(evalset)))
    order = np.lexsort((system, segment))
    system, segment = system[order], segment[order]
    documents = evalset.document_ids()
    cells = list(zip(system.tolist(), segment.tolist(), strict=True))
    flat = flat_set(evalset, cells, [documents[k] for _, k in cells], f"{evalset.name}-judged")
    columns = []
    for column in scores.table(flat, metrics).columns.values():
        full = np.full((len(evalset.systems), len(evalset)), np.nan)
        full[system, segment] = column.at("segment")[0]
        about = column.name, column.signature, column.higher_is_better
        columns.append(Column(*about, np.nanmean(full, axis=1), None, full))
    return ScoreTable.build(evalset, columns)
