"""Scores of other tools as columns of tables and combinations.

The files are mt-metrics-eval's ``NAME.seg.score``, ``.doc.score`` and ``.sys.score``, folders of
them, tables with a header, and submissions to WMT's metrics task, whose lines are metric, language
pair, test set, system, (segment,) score. Scores are joined with a set by the systems' names and the
set's own numbers of segments. A missing score is an error; systems that aren't in the set are
skipped with a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

from albeit.data import language_pair, named_path
from albeit.data import scores as score_files
from albeit.data.textio import read_text, split_lines, warn, whole_number
from albeit.metrics import EvalSet, FloatArray, InputError, Level, MetricError, Signature, Unit
from albeit.metrics.base import Batch, Context, MeanMetric, Metric, mean_statistics
from albeit.metrics.table import Column

READ = "read from a file"
"""The mark of such scores, in signatures and wherever they are shown."""

Files = Mapping[Level, score_files.ScoreFile]
"""The files of one metric."""
_SUBMISSION = {5: False, 6: True, 7: False, 8: True}
"""Fields of a submission's line, and whether it scores segments."""


def external_columns(
    evalset: EvalSet,
    paths: Iterable[str | Path],
    *,
    lower_is_better: Collection[str] = (),
    segments: Sequence[int] | None = None,
) -> list[Column]:
    """Read columns from score files; files of one metric at several levels become one column.

    If only segments are scored, a system's score is the mean of its segments. Metrics named in
    ``lower_is_better`` count errors. ``NAME=FILE`` gives the metric a name. ``segments`` (from 0)
    are those to select: files have the numbers of the whole set, columns those of
    ``evalset.take(segments)``.
    """
    levels: dict[str, dict[Level, score_files.ScoreFile]] = {}
    others: dict[str, None] = {}
    files = _files(paths, f"{evalset.source_lang}-{evalset.target_lang}")
    for found in (found for path in files for found in read_external(path, evalset)):
        others |= dict.fromkeys(s for s in found.scores if s not in evalset.systems)
        first = levels.setdefault(found.name, {}).setdefault(found.level, found)
        if first is not found:
            reason = f"scores {found.level}s with {found.name}, as {first.path} does."
            raise InputError(reason, path=found.path)
    for name in lower_is_better:
        if name not in levels:
            raise InputError(
                f"no score file has a metric {name!r}; there are {', '.join(levels) or 'none'}."
            )
    if others:
        named = ", ".join(map(repr, others))
        warn(f"scores of systems that are not compared here: {named}; ignored.", count=len(others))
    if segments is not None:
        levels = {name: _select(files, segments) for name, files in levels.items()}
        evalset = evalset.take(segments)
    return [
        _column(evalset, name, files, name not in lower_is_better) for name, files in levels.items()
    ]


def scores_at(
    evalset: EvalSet, columns: Iterable[Column], system: str, place: int | str
) -> dict[str, float]:
    """Return other tools' scores of one segment (number from 1) or document (id) of a system."""
    row = list(evalset.systems).index(system)
    if isinstance(place, int):
        return {column.name: float(column.at("segment")[row, place - 1]) for column in columns}
    at = [document.id for document in evalset.documents].index(place)
    return {column.name: float(column.at("document")[row, at]) for column in columns}


def _files(paths: Iterable[str | Path], pair: str) -> Iterator[str | Path]:
    """Yield the files, and of a folder all of its score files except human scores (HUMAN).

    A folder can have one folder per language pair.
    """
    for argument in paths:
        name, path = named_path(argument)
        if name is not None or not Path(path).is_dir():
            yield argument
            continue
        folder = Path(path, pair) if Path(path, pair).is_dir() else Path(path)
        files = filter(score_files.split_score_name, sorted(folder.iterdir()))
        found = [file for file in files if not file.name.startswith("HUMAN")]
        if not found:
            raise InputError("has no file like NAME.seg.score.", path=path)
        yield from found


def _select(files: Files, segments: Sequence[int]) -> dict[Level, score_files.ScoreFile]:
    """Return the scores of some segments; those of documents and systems follow from them."""
    found = files.get("segment")
    if found is None:
        first = next(iter(files.values()))
        what = f"scores {first.level}s as wholes, and only a part of their segments is wanted."
        hint = "Give segment scores (NAME.seg.score), or omit --judged-only."
        raise InputError(what, path=first.path, hint=hint)
    kept = {s: tuple(values[i] for i in segments) for s, values in found.scores.items()}
    return {"segment": replace(found, scores=kept)}


def read_external(argument: str | Path, evalset: EvalSet) -> tuple[score_files.ScoreFile, ...]:
    """Read all metrics of one file, for this set; ``NAME=FILE`` renames a file's only metric."""
    name, path = named_path(argument)
    lines = split_lines(read_text(path))
    first = lines[0].split("\t")
    if score_files.split_score_name(path) and len(first) not in _SUBMISSION:
        found: tuple[score_files.ScoreFile, ...] = (score_files.read_scores(path, evalset),)
    elif "system" in first:
        found = score_files.read_score_table(path, evalset)
    else:
        found = _submission(path, lines, evalset)
    if name is None:
        return found
    if len({f.name for f in found}) > 1:
        raise InputError("has several metrics, which can't share one name.", path=path)
    return tuple(replace(f, name=name) for f in found)


def _submission(path: str, lines: list[str], evalset: EvalSet) -> tuple[score_files.ScoreFile, ...]:
    pair = evalset.source_lang, evalset.target_lang
    scores: dict[str, dict[str, dict[int, float | None]]] = {}
    by_segment: bool | None = None
    size = len(evalset)
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        kind = _SUBMISSION.get(len(fields))
        if kind is None or by_segment not in (None, kind):
            what = f"the line has {len(fields)} fields, so its format isn't known."
            hint = "See docs/metaeval.md for those it reads."
            raise InputError(what, path=path, line=number, hint=hint)
        by_segment = kind
        metric, languages, _, system, first = fields[:5]
        if language_pair(languages) != pair:
            continue
        own = scores.setdefault(metric, {}).setdefault(system, {})
        segment = whole_number(first) - 1 if by_segment else 0
        if not 0 <= segment < size:
            reason = f"{first!r} is not the number of a segment (1 to {size})."
            raise InputError(reason, path=path, line=number)
        if segment in own:
            raise InputError(f"scores {system!r} again.", path=path, line=number)
        own[segment] = score_files.parse_score(fields[5] if by_segment else first, path, number)
    if not scores:
        raise InputError(f"has no scores for {pair[0]}-{pair[1]}.", path=path)
    size, level = (size, "segment") if by_segment else (1, "system")
    files = []
    for metric, systems in scores.items():
        for system, own in systems.items():
            if own.keys() != set(range(size)):
                what = f"{metric} has {len(own)} scores for {system!r}"
                raise InputError(f"{what}, but {evalset.name} needs {size}.", path=path)
        values = {system: tuple(own[i] for i in range(size)) for system, own in systems.items()}
        files.append(score_files.ScoreFile(metric, cast("Level", level), values, path=path))
    return tuple(files)


def _column(evalset: EvalSet, name: str, files: Files, higher: bool) -> Column:
    arrays: dict[str, FloatArray] = {}
    for level, found in files.items():
        for system in evalset.systems:
            values = found.scores.get(system)
            if values is None or None in values:
                gap = "" if values is None else f" for {level} {values.index(None) + 1}"
                what = f"{name} has no score of system {system!r}{gap}."
                hint = "Exclude that system, or add its scores."
                raise InputError(what, path=found.path, hint=hint)
        stacked = np.array([found.scores[system] for system in evalset.systems], dtype=np.float64)
        arrays[level] = stacked[:, 0] if level == "system" else stacked
    if "system" not in arrays:
        arrays["system"] = arrays["segment" if "segment" in arrays else "document"].mean(axis=1)
    if "document" not in arrays and "segment" in arrays:
        starts, sizes = zip(*((d.start, len(d)) for d in evalset.documents), strict=True)
        arrays["document"] = np.add.reduceat(arrays["segment"], starts, axis=1) / sizes
    metric, statistics = _to_statistics(name, arrays)
    signature = Signature(name, ((READ, ""),), version="")
    levels = arrays["system"], arrays.get("document"), arrays.get("segment")
    return Column(name, signature, higher, *levels, metric, statistics)


def _to_statistics(
    name: str, arrays: Mapping[str, FloatArray]
) -> tuple[Metric | None, FloatArray | None]:
    """Return rows to resample: segments or documents whose mean is the system's score.

    A system's score that was computed otherwise isn't known for other text.
    """
    for unit in (Unit.SEGMENT, Unit.DOCUMENT):
        scores = arrays.get(unit)
        if scores is not None and np.allclose(scores.mean(axis=1), arrays["system"], rtol=1e-6):
            return Recorded(recorded=name, unit=unit), mean_statistics(scores)
    return None, None


@dataclass(frozen=True)
class Recorded(MeanMetric):
    """Scores that another tool gave to segments or documents: read, not computed."""

    recorded: str = ""
    unit: Unit = Unit.SEGMENT  # type: ignore[misc]

    name: ClassVar[str] = "recorded"
    summary: ClassVar[str] = "scores of another tool"

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Raise: there is nothing to compute."""
        raise MetricError(f"{self.recorded} was {READ} and scores no other text.")

    def __str__(self) -> str:
        """Return the name of the tool's metric."""
        return self.recorded
