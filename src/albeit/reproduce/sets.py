"""What the papers share: published values, test sets of the data folder, and their scores."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import tomllib
import warnings
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from albeit.arrays import IntArray
from albeit.data import EvalSet, documents_from_ids
from albeit.data.judgments import Pairs
from albeit.errors import AlbeitWarning, InputError
from albeit.evaluation import Evaluation, ProgressLine, Workers, open_store
from albeit.metaeval import JudgedSet, read_judged
from albeit.metrics.table import Column, ScoreTable
from albeit.report import Heading

_SOURCES = {
    "wmt": "statmt.org/{}/results.html",
    "ted": "github.com/google/wmt-mqm-human-evaluation",
    "judgments": "github.com/google/wmt-mqm-human-evaluation",
    "discourse": "github.com/google-research/mt-metrics-eval",
}
"""Where test sets can be obtained, by the beginning of their folder."""


@cache
def published(paper: str) -> dict[str, Any]:
    """Return the published values of a paper, with texts for its section."""
    text = files("albeit.reproduce").joinpath(f"{paper}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def decimals(*names: str, group: str = "", digits: int = 3) -> list[Heading]:
    """Return headings of columns of numbers."""
    return [Heading(name, group=group, decimals=digits) for name in names]


@dataclass
class Work:
    """The data folder, the language pairs, and how test sets are scored."""

    data: Path
    pairs: Sequence[str] = ()
    workers: int = 1
    quiet: bool = False
    unpacked: dict[str, Path] = field(default_factory=dict)

    def folder(self, place: str) -> Path:
        """Return the folder of a set; an archive of it (``judgments.tar.xz``) is unpacked."""
        path, top = self.data / place, place.split("/")[0]
        archive = self.data / f"{top}.tar.xz"
        if path.is_dir() or not archive.is_file():
            return path
        if place not in self.unpacked:
            self.unpacked[place] = Path(tempfile.mkdtemp())
            weakref.finalize(self, shutil.rmtree, self.unpacked[place], ignore_errors=True)
            try:
                with tarfile.open(archive) as whole:
                    parts = [m for m in whole if m.name.startswith(f"{place}/")]
                    whole.extractall(self.unpacked[place], parts, filter="data")
            except (tarfile.TarError, EOFError, OSError) as error:
                raise InputError(f"is not a whole archive: {error}.", path=archive) from None
        return self.unpacked[place] / place

    def require(self, places: Sequence[str]) -> None:
        """Raise if a set is missing, and name all that are."""
        gaps = [place for place in places if not self.folder(place).is_dir()]
        if gaps:
            kind = next((k for k in _SOURCES if gaps[0].startswith(k)), "wmt")
            source = _SOURCES[kind].format(gaps[0].split("/")[0])
            what = f"the data folder has no {', '.join(gaps)}."
            hint = f"Get the set from {source}, or name another folder with --data."
            raise InputError(what, path=self.data, hint=hint)

    def judged(self, place: str, column: str | None = None, **options: Any) -> JudgedSet:
        """Read a set with its judgments, with HTML entities resolved."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AlbeitWarning)
            return read_judged(self.folder(place), column=column, unescape=True, **options)

    def score(self, evalset: EvalSet, names: Sequence[str]) -> ScoreTable:
        """Score a set, with progress on stderr."""
        evaluation = Evaluation(evalset, store=open_store(), workers=Workers(self.workers))
        note = f"{evalset.name} {evalset.source_lang}-{evalset.target_lang}"
        with warnings.catch_warnings(), ProgressLine(quiet=self.quiet, note=note) as line:
            warnings.simplefilter("ignore", AlbeitWarning)
            return evaluation.score(list(dict.fromkeys(names)), line)

    def score_judged(self, judged: JudgedSet, names: Sequence[str]) -> ScoreTable:
        """Score only translations that were judged; the others are NaN."""
        evalset, judgments = judged.evalset, judged.judgments
        decided = judgments.decided() if isinstance(judgments, Pairs) else judgments
        segment, system = np.nonzero(decided.judged(len(evalset)).T)
        columns = []
        for column in self.score(_flat(evalset, system, segment), names).columns.values():
            full = np.full((len(evalset.systems), len(evalset)), np.nan)
            full[system, segment] = column.at("segment")[0]
            about = column.name, column.signature, column.higher_is_better
            columns.append(Column(*about, np.nanmean(full, axis=1), None, full))
        return ScoreTable.build(evalset, columns)


def _flat(evalset: EvalSet, system: IntArray, segment: IntArray) -> EvalSet:
    """Return a set whose one system has these translations of another set, in order."""
    texts, ids = list(evalset.systems.values()), evalset.document_ids()
    return EvalSet(
        {key: tuple(text[k] for k in segment) for key, text in evalset.references.items()},
        {"judged": tuple(texts[s][k] for s, k in zip(system, segment, strict=True))},
        source=evalset.source and tuple(evalset.source[k] for k in segment),
        documents=documents_from_ids([ids[k] for k in segment]),
        source_lang=evalset.source_lang,
        target_lang=evalset.target_lang,
        name=f"{evalset.name}-judged",
    )
