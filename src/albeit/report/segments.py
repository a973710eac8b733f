"""Write rows to files by their ending, segment scores with their texts, and resegmented texts."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albeit.data import Corpus, counted, write_text
from albeit.data.plugins import import_extra
from albeit.data.resegment import CutText, Resegmented, Span
from albeit.data.word_edits import stems_of
from albeit.evaluation.scoring import Part
from albeit.metrics import AlbeitWarning, EvalSet, InputError, Level, MetricError, ScoreTable, Unit
from albeit.metrics.registry import metric
from albeit.parsing.content import match_sentences
from albeit.parsing.sentences import splitter
from albeit.report.formats import render, write_json
from albeit.report.scores import score_table
from albeit.report.table import Heading, Table, plain

if TYPE_CHECKING:
    from albeit.evaluation.identity import Run

Sentence = tuple[int, Span]
"""The index of a segment, and offsets."""
RowValues = Mapping[str, Any]
"""One row of a file: column to value."""
ENDINGS = (".jsonl", ".tsv", ".csv", ".parquet")
ROW_GROUP = 10_000


def ending_of(path: str | Path) -> str:
    """Return the format that a file's ending names; a table has tabs by default."""
    name = Path(path).name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    if ending in ("", ".txt", ".tab", ".scores"):
        return ".tsv"
    if ending not in ENDINGS or name.endswith(".parquet.gz"):
        hint = "End it in .tsv, .csv, .jsonl or .parquet."
        raise InputError("has no ending of a format.", path=path, hint=hint)
    return ending


def write_rows(path: str | Path, rows: Iterable[RowValues]) -> None:
    """Write rows as they come, in the format of the file's ending; all have the same columns.

    The file is complete or doesn't exist.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    write = _write_parquet if ending_of(path) == ".parquet" else _write_lines
    try:
        write(temporary, rows, path)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_lines(temporary: Path, rows: Iterable[RowValues], path: Path) -> None:
    ending, packed = ending_of(path), path.suffix == ".gz"
    with temporary.open("wb") as file:
        binary: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else file
        with io.TextIOWrapper(binary, "utf-8", newline="") as out:
            quoted = csv.writer(out, lineterminator="\n")
            for number, row in enumerate(rows, 1):
                if ending == ".jsonl":
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
                    continue
                cells = ["" if value is None else str(value) for value in row.values()]
                lines = [cells] if number > 1 else [list(row), cells]
                if ending == ".csv":
                    quoted.writerows(lines)
                elif any("\t" in cell for cell in cells):
                    what, hint = "a table can't have a tab in a text.", "Write .jsonl or .parquet."
                    raise InputError(what, path=path, line=number, hint=hint)
                else:
                    out.writelines("\t".join(line) + "\n" for line in lines)


def _write_parquet(temporary: Path, rows: Iterable[RowValues], path: Path) -> None:
    why = f"{path} needs a Parquet writer. Install it"
    pa, parquet = (import_extra(name, why, "scale") for name in ("pyarrow", "pyarrow.parquet"))
    rows = iter(rows)
    group = list(islice(rows, ROW_GROUP))
    types = {str: pa.string(), int: pa.int64()}
    columns = {
        name: next((type(row[name]) for row in group if row[name] is not None), float)
        for name in (group[0] if group else ())
    }
    schema = pa.schema([(name, types.get(kind, pa.float64())) for name, kind in columns.items()])
    with parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        while group:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            group = list(islice(rows, ROW_GROUP))


def write_run(folder: str, path: str, corpus: Corpus) -> None:
    """Write the segments of a run with their texts and scores; skipped ones have no scores."""
    from albeit.evaluation.partitions import RunFolder

    files = RunFolder(folder)
    (run, _), nested = files.read_description(), ending_of(path) == ".jsonl"
    parts = zip(map(files.read, files.names()), corpus.partitions(run.batch), strict=True)
    rows = (_segment_rows(run, part, batch.evalset, nested) for part, batch in parts)
    write_rows(path, chain.from_iterable(rows))


def _segment_rows(run: Run, part: Part, texts: EvalSet, nested: bool) -> Iterator[dict[str, Any]]:
    """Yield one row per segment; references, systems, and scores are objects if ``nested``."""
    metrics = enumerate(map(metric, run.metrics))
    scored = [(n, each) for n, each in metrics if each.unit is Unit.SEGMENT]
    scores = {
        (str(each), system): own.tolist()
        for n, each in scored
        if part.statistics
        for system, own in zip(run.systems, each.segment_score(part.statistics[n]), strict=True)
    }
    numbers = part.segments()
    index = {number: row for row, number in enumerate(numbers)}
    ids = {n: d.id for d in part.documents for n in numbers[d.rows]}
    ids |= {n: d.id for d in part.left_out for n in range(d.start, d.stop)}
    names = [(str(each), system) for _, each in scored for system in run.systems]
    for line, number in enumerate(range(part.first, part.first + part.size)):
        row: dict[str, Any] = {"segment": number + 1}
        if run.has_documents:
            row["doc_id"] = ids[number]
        if texts.source is not None:
            row["source"] = texts.source[line]
        at = index.get(number)
        yield row | _columns(
            nested,
            {name: lines[line] for name, lines in texts.references.items()},
            {name: lines[line] for name, lines in texts.systems.items()},
            {name: None if at is None else scores[name][at] for name in names},
        )


def write_scores(table: ScoreTable, level: Level, path: str) -> None:
    """Write all scores of one level, a row per system and segment or document.

    Metrics without that level are skipped, with a warning.
    """
    missing = [n for n, column in table.columns.items() if getattr(column, level) is None]
    if len(missing) == len(table.columns):
        raise MetricError(f"{', '.join(missing)}: no {level} scores to write to {path}.")
    if missing:
        what = f"{', '.join(missing)}: no {level} scores; not in the file."
        warnings.warn(AlbeitWarning(what, path=path), stacklevel=1)
    kept = table.select([name for name in table.columns if name not in missing])
    shown = score_table(kept, level)
    if ending_of(path) == ".tsv":
        write_text(render(shown, "tsv"), path)
    else:
        names = [heading.name for heading in shown.columns]
        values = ([plain(cell.value) for cell in row.cells] for row in shown.rows)
        write_rows(path, (dict(zip(names, row, strict=True)) for row in values))


def _columns(
    nested: bool,
    references: Mapping[str, str],
    systems: Mapping[str, str],
    scores: Mapping[tuple[str, str], Any],
) -> dict[str, Any]:
    """Return texts and scores as objects if ``nested``, or as columns."""
    if not nested:
        return {
            **{f"ref:{name}": line for name, line in references.items()},
            **{f"sys:{name}": line for name, line in systems.items()},
            **{":".join(names): score for names, score in scores.items()},
        }
    by_system: dict[str, dict[str, Any]] = {}
    for (name, system), score in scores.items():
        by_system.setdefault(system, {})[name] = score
    parts = {"references": references, "systems": systems, "scores": by_system}
    return {key: value for key, value in parts.items() if value}


def match_cut(result: Resegmented, text: CutText) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences that a translation added, and those that it lost.

    Inside each segment the sentences of both sides are matched in order by the words they share.
    Both lists have the index of the segment, and offsets: of an added sentence in the text, of a
    lost one in the reference segment.
    """
    added: list[Sentence] = []
    lost: list[Sentence] = []
    split = splitter(result.loose.base.target_lang)
    pairs = zip(result.segments(text), text.spans, strict=True)
    for n, (segment, (start, stop)) in enumerate(pairs):
        piece = text.text[start:stop]
        left, right = _sentence_spans(segment, split), _sentence_spans(piece, split)
        if len(left) == len(right) == 1:
            continue
        left_words = [stems_of(segment[a:b]) for a, b in left]
        right_words = [stems_of(piece[a:b]) for a, b in right]
        for (i, j), (k, m) in match_sentences(left_words, right_words):
            if i == j:
                added += [(n, (start + a, start + b)) for a, b in right[k:m]]
            if k == m:
                lost += [(n, span) for span in left[i:j]]
    return added, lost


def _sentence_spans(text: str, split: Callable[[str], Sequence[str]]) -> list[Span]:
    """Return the offsets of the sentences of a text; a line break ends one, too."""
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        for sentence in filter(str.strip, split(line)):
            start = text.index(sentence, at)
            at = start + len(sentence)
            spans.append((start, at))
    return spans


def summarize_cuts(result: Resegmented) -> Iterator[str]:
    """Yield a line per system: how it was cut, and how many sentences have no partner."""
    for name, texts in result.systems.items():
        spans = [span for text in texts for span in text.spans]
        added, lost = zip(*(match_cut(result, text) for text in texts), strict=True)
        yield (
            f"system {name!r}: cut to {counted(len(spans), 'segment')},"
            f" {sum(a == b for a, b in spans)} of them without text; sentences added"
            f" {sum(map(len, added))}, lost {sum(map(len, lost))}."
        )


def _cut_records(result: Resegmented) -> Iterator[dict[str, Any]]:
    """Make one record per text: its segments, and sentences without a counterpart."""
    for system, texts in result.systems.items():
        for text in texts:
            segments, first = result.segments(text), text.document.start + 1
            added, lost = match_cut(result, text)
            rows = enumerate(zip(segments, text.spans, text.pieces(), strict=True), first)
            yield {
                "system": system,
                "document": text.document.id,
                "reference": text.reference,
                "confidence": round(text.confidence, 4),
                "empty": sum(start == stop for start, stop in text.spans),
                "segments": [
                    {"segment": n, "start": a, "stop": b, "reference": segment, "text": piece}
                    for n, (segment, (a, b), piece) in rows
                ],
                "added": [{"segment": first + n, "text": text.text[a:b]} for n, (a, b) in added],
                "lost": [{"segment": first + n, "text": segments[n][a:b]} for n, (a, b) in lost],
            }


def _cut_head(record: Mapping[str, Any]) -> str:
    return (
        f"{record['system']}, document {record['document']}: cut along"
        f" {record['reference']}, {record['confidence']:.0%} of words shared"
    )


def _cut_json(result: Resegmented, warnings: Sequence[str]) -> str:
    texts = list(_cut_records(result))
    return write_json({"resegment": result.how, "texts": texts, "warnings": warnings})


def _cut_text(result: Resegmented, _: Sequence[str]) -> str:
    """Write each segment above its translation, then sentences without a partner, and a summary."""
    lines: list[str] = []
    for record in _cut_records(result):
        lines += [_cut_head(record), ""]
        for row in record["segments"]:
            lines.append(f"{row['segment']:>6}  {row['reference']}")
            lines.append(f"        {row['text'] or '(nothing)'}")
        lines += [f"    +   {row['segment']}: {row['text']}" for row in record["added"]]
        lines += [f"    -   {row['segment']}: {row['text']}" for row in record["lost"]]
        lines.append("")
    return "\n".join([*lines, *summarize_cuts(result)]) + "\n"


def _cut_html(result: Resegmented, warnings: Sequence[str]) -> str:
    """Write one self-contained page."""
    columns = [Heading("segment"), *(Heading(n, align="left") for n in ("reference", "text"))]
    keys = ("segment", "reference", "text")
    tables = []
    for record in _cut_records(result):
        rows = [[row[key] for key in keys] for row in record["segments"]]
        kinds = [(kind, row) for kind in ("added", "lost") for row in record[kind]]
        notes = [f"{kind} in {row['segment']}: {row['text']}" for kind, row in kinds]
        tables.append(Table.of(columns, rows, _cut_head(record), notes))
    return render(tables, "html", warnings)


RENDERERS: dict[str, Callable[[Resegmented, Sequence[str]], str]] = {
    "text": _cut_text,
    "html": _cut_html,
    "json": _cut_json,
}
"""Format of resegmented texts to the function that writes it, with the warnings."""
