"""Read translations with marked errors, as campaigns publish them.

- WMT's human evaluation since 2025: JSON lines with ``doc_id``, ``src_text``, ``tgt_text``, and
  ``scores``. It is a test set, too, as is the input of WMT's metrics task of 2026.
- Appraise's export of ESA: CSV without a header, with one rating per row.
- Google's MQM: TSV with one marked error per row, with ``<v>…</v>`` around it.
- Tables: TSV with ``system``, ``segment``, ``severity``, and the marked words (``span``) or their
  place (``start``, ``end``), and optionally ``rater``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from albeit.data import textio
from albeit.data.build import language_pair
from albeit.data.evalset import EvalSet, documents_from_ids
from albeit.data.files import AnyPath, beginning, shown
from albeit.data.judgment_files import HUMAN
from albeit.data.textio import Row
from albeit.errors import InputError

_SEVERITIES = {"minor": "minor", "major": "major", "critical": "major"}
_NO_ERROR = ("neutral", "no-error", "no error", "undecided")
_FREE = ("no-error", "no error", "source issue", "creative reinterpretation")
"""How categories of MQM begin that are no errors of the translation."""
_TEST = "hotw"
"""How severities begin that mark attention checks (``HOTW-test``)."""
_ESA_FIELDS = 12
_ESA_TYPES = ("TGT", "BAD", "REF", "CHK")
_MARK = re.compile(r"</?v>")
_PARTS = {"tgt_text": ("doc_id", "_#_"), "hyps": ("item_id", "_###_")}
"""The key of the translations, the key of the identifier, and what separates its parts."""


class Span(NamedTuple):
    """Marked characters of a translation, from ``start`` up to ``end``, and how bad they are."""

    start: int
    end: int
    severity: str


class Annotation(NamedTuple):
    """One rating of a translation: segment from 0, score (NaN if none), and marked errors.

    ``errors`` counts also errors without a place in the translation, such as omissions.
    """

    system: str
    segment: int
    line: int
    score: float
    rater: str
    errors: int
    spans: tuple[Span, ...]


class Record(NamedTuple):
    """A line of WMT's JSON lines: languages, document, texts, and ratings by system."""

    line: int
    pair: tuple[str, str]
    document: str
    source: str
    references: Mapping[str, str]
    systems: Mapping[str, str]
    scores: Mapping[str, Sequence[Mapping[str, Any]]]


def _severity(name: str) -> str | None:
    """Return minor or major, "" for what is no error, and None for what is not known."""
    return "" if name.lower() in _NO_ERROR else _SEVERITIES.get(name.lower())


def read_records(path: AnyPath, wanted: str | None = None) -> list[Record]:
    """Read WMT's JSON lines; of several language pairs, one must be chosen."""
    lines = textio.split_lines(textio.read_text(path))
    records = [_parse_record(line, shown(path), n) for n, line in enumerate(lines, 1)]
    pairs = list(dict.fromkeys(record.pair for record in records))
    pair = pairs[0] if len(pairs) == 1 else language_pair(wanted or "")
    if pair not in pairs:
        what = f"has {len(pairs)} language pairs: {', '.join(map('-'.join, pairs))}."
        raise InputError(what, path=path, hint="Choose one with --language-pair (-l).")
    return [record for record in records if record.pair == pair]


def _parse_record(text: str, path: str, line: int) -> Record:
    row = Row.of({}, path, line)
    try:
        from albeit.data.tables import unique_object

        content = json.loads(text, object_pairs_hook=unique_object)
    except (ValueError, RecursionError) as error:
        raise row.error(f"is not JSON: {error}.") from None
    key = next((key for key in _PARTS if isinstance(content, dict) and key in content), None)
    if key is None:
        hint = "Lines of WMT's JSON have doc_id, src_text, tgt_text, or item_id, src, hyps."
        raise row.error("is not a line of WMT's JSON.", hint)
    name, separator = _PARTS[key]
    parts = _text(content.get(name), name, row).split(separator)
    languages = parts[1:3] if key == "hyps" else parts[0].split("-", 1)
    pair = _parse_pair(languages, row) if len(parts) > 3 else None
    if pair is None:
        raise row.error(f"{name} is {content[name]!r}, which isn't parts joined by {separator!r}.")
    systems = {s: _text(t, f"{key} of {s!r}", row) for s, t in _dict(content[key], key, row)}
    if key == "hyps":
        refs = {"ref": content.get("ref")} if content.get("ref") else {}
        references = {r: _text(dict(_dict(v, r, row)).get("text"), r, row) for r, v in refs.items()}
        source = _text(content.get("src"), "src", row)
    else:
        found = _dict(content.get("refs") or {}, "refs", row)
        references = {r: _text(dict(_dict(v, r, row)).get("ref"), r, row) for r, v in found}
        source = _text(content.get("src_text"), "src_text", row)
    scores = dict(_dict(content.get("scores") or {}, "scores", row))
    if unknown := scores.keys() - systems.keys():
        raise row.error(f"scores are of {min(unknown)!r}, which has no text.")
    document = separator.join(parts[:-1])
    return Record(line, pair, document, source, references, systems, scores)


def _parse_pair(languages: Sequence[str], row: Row) -> tuple[str, str] | None:
    try:
        source, target = (textio.parse_language(tag, row.path, row.line) for tag in languages)
    except ValueError:
        return None
    return source, target


def _dict(value: object, what: str, row: Row) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise row.error(f"{what} is not an object of names and values.")
    yield from value.items()


def _text(value: object, what: str, row: Row) -> str:
    """Return a text as one line; a line break becomes a space, so that places stay."""
    if not isinstance(value, str):
        raise row.error(f"{what} is not a string.")
    return re.sub("[\n\r\0]", " ", value)


def read_wmtjson(path: Path, *, unescape: bool, language_pair: str | None = None) -> EvalSet:
    """Read a test set from WMT's JSON lines; every line must have the same texts."""
    records = read_records(path, language_pair)
    first = records[0]
    texts: dict[str, dict[str, list[str]]] = {"references": {}, "systems": {}}
    for record in records:
        for kind, columns in texts.items():
            own, expected = getattr(record, kind), getattr(first, kind)
            if odd := sorted(own.keys() ^ expected.keys()):
                verb = "has" if odd[0] in own else "lacks"
                what = f"the line {verb} {odd[0]!r} of {kind}, unlike line {first.line}."
                raise InputError(what, path=path, line=record.line)
            for name, text in own.items():
                columns.setdefault(name, []).append(text)
    source = [record.source for record in records]
    if unescape:
        source = list(map(textio.unescape_line, source))
        for own in (own for columns in texts.values() for own in columns.values()):
            own[:] = map(textio.unescape_line, own)
    else:
        every = [source, *(own for columns in texts.values() for own in columns.values())]
        textio.warn_entities(sum(map(textio.count_entities, every)), path)
    references, systems = (
        {name: tuple(own) for name, own in texts[kind].items()}
        for kind in ("references", "systems")
    )
    documents = documents_from_ids([record.document for record in records])
    about = (*first.pair, path.name.partition(".")[0])
    return EvalSet(references, systems, tuple(source), documents, *about)


def read_human_json(path: AnyPath, pair: str | None = None) -> list[Annotation]:
    """Read the ratings of WMT's human evaluation."""
    found = []
    for segment, record in enumerate(read_records(path, pair)):
        row = Row.of({}, shown(path), record.line)
        for system, ratings in record.scores.items():
            if not isinstance(ratings, list):
                raise row.error(f"scores of {system!r} is not a list.")
            for rating in ratings:
                own = dict(_dict(rating, f"a score of {system!r}", row))
                score = _number(own.get("score"), row)
                rater = str(own.get("human", own.get("annotator", "")))
                errors, spans = _spans(own.get("errors") or [], len(record.systems[system]), row)
                where = system, segment, record.line
                found.append(Annotation(*where, score, rater, errors, spans))
    return found


def _number(value: object, row: Row) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise row.error(f"a score is {value!r}, not a number from 0 to 100.")
    return float(value)


def _spans(errors: object, size: int | None, row: Row) -> tuple[int, tuple[Span, ...]]:
    """Return the number of errors and their places; ``end_i`` is the last marked character."""
    spans: list[Span] = []
    count = 0
    if not isinstance(errors, list):
        raise row.error("errors is not a list.")
    for each in errors:
        own = dict(_dict(each, "an error", row))
        kind = _severity(severity := str(own.get("severity")))
        if kind is None:
            raise row.error(f"there is no severity {severity!r}.", "Known: minor, major, critical.")
        count += kind != ""
        if kind and own.get("start_i") != "missing":
            spans.append(Span(*_place(own, size, row), kind))
    return count, tuple(spans)


def _place(error: Mapping[str, Any], size: int | None, row: Row) -> tuple[int, int]:
    start, end = error.get("start_i"), error.get("end_i")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= (size or end):
        return start, end + 1
    raise row.error(f"an error is from {start!r} to {end!r}, which is not in the text.")


def is_esa(text: str) -> bool:
    """Return whether a file begins as Appraise's export of ESA."""
    cells: list[str] = []
    with suppress(csv.Error):
        cells = next(csv.reader(io.StringIO(text)), [])
    return len(cells) > 6 and cells[3] in _ESA_TYPES


def read_esa(path: AnyPath) -> list[Annotation]:
    """Read Appraise's export of ESA, without attention checks and tutorials."""
    found = []
    excluded = 0
    reader = csv.reader(io.StringIO(textio.read_text(path), newline=""), strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}.", path=path, line=reader.line_num) from None
    for line, cells in rows:
        row = Row.of({}, shown(path), line)
        if len(cells) != _ESA_FIELDS:
            what = f"the row has {len(cells)} fields; ratings of ESA with spans have {_ESA_FIELDS}."
            raise row.error(what)
        rater, system, item, kind, _, _, points, document, _, marked, *_ = cells
        if kind not in _ESA_TYPES:
            raise row.error(f"there is no type {kind!r}.", f"Known: {', '.join(_ESA_TYPES)}.")
        if kind != "TGT" or "tutorial" in document:
            excluded += 1
            continue
        segment = textio.whole_number(item) - 1
        if segment < 0:
            raise row.error(f"the item is {item!r}, not the number of a segment from 1.")
        score = _number(textio.parse_number(points, row.path, line), row)
        try:
            errors, spans = _spans(json.loads(marked), None, row)
        except (ValueError, RecursionError) as error:
            raise row.error(f"the error spans are not JSON: {error}.") from None
        found.append(Annotation(system, segment, line, score, rater, errors, spans))
    _warn_excluded(excluded, path)
    return found


def _warn_excluded(count: int, path: AnyPath) -> None:
    if count:
        what = f"{textio.counted(count, 'row')} of attention checks or tutorials: excluded."
        textio.warn(what, path=path, count=count)


def is_mqm(names: Sequence[str]) -> bool:
    """Return whether a table has the columns of Google's MQM."""
    return {"category", "severity", "target", "rater"} <= set(names)


def read_mqm(path: AnyPath) -> list[Annotation]:
    """Read Google's MQM: a row has one error, or none if a rater saw no error.

    Scores are 0 or negative: the sum of the errors' weights.
    """
    names, rows = textio.read_table(path)
    number = next((name for name in ("globalSegId", "seg_id", "segment") if name in names), None)
    if number is None or "system" not in names:
        missing = "system" if number else "globalSegId or seg_id or segment"
        raise InputError(f"has no column {missing}; it has {', '.join(names)}.", path, 1)
    found: dict[tuple[str, int, str], Annotation] = {}
    excluded = 0
    for row in rows:
        severity = row["severity"].strip()
        if severity.lower().startswith(_TEST):
            excluded += 1
            continue
        kind = "" if row["category"].lower().startswith(_FREE) else _severity(severity)
        if kind is None:
            hint = "Known: major, minor, neutral, critical, no-error; HOTW-test is excluded."
            raise row.error(f"there is no severity {severity!r}.", hint)
        segment = textio.whole_number(row[number].strip()) - 1
        if segment < 0:
            raise row.error(f"{number} is {row[number]!r}, not the number of a segment from 1.")
        key = row["system"].strip(), segment, row["rater"].strip()
        own = found.get(key) or Annotation(*key[:2], row.line, 0.0, key[2], 0, ())
        spans = (*own.spans, *_marked(row, kind))
        points = _penalty(row["category"].strip().lower(), severity.lower()) if kind else 0.0
        count = own.errors + (kind != "")
        found[key] = own._replace(score=own.score - points, errors=count, spans=spans)
    _warn_excluded(excluded, path)
    return list(found.values())


def _marked(row: Row, severity: str) -> Iterator[Span]:
    """Yield the place that ``<v>…</v>`` marks in the translation, without the marks."""
    marks = [match.start() for match in _MARK.finditer(row["target"])]
    if len(marks) == 2 and severity:
        yield Span(marks[0], marks[1] - len("<v>"), severity)
    elif len(marks) not in (0, 2):
        raise row.error("the target has a <v> without its </v>, or several of them.")


def _penalty(category: str, severity: str) -> float:
    """Return Google's MQM weight of an error.

    A major error is 5, a minor one 1 (0.1 for punctuation), no translation at all 25.
    """
    if category.startswith("non-translation"):
        return 25.0
    minor = 0.1 if category == "fluency/punctuation" else 1.0
    return {"minor": minor, "major": 5.0, "critical": 25.0}[severity]


def read_marks(path: AnyPath, evalset: EvalSet) -> list[Annotation]:
    """Read marked errors of a set's translations, in any format of this module."""
    start = beginning(str(path))
    if HUMAN.search(start):
        return read_human_json(path, f"{evalset.source_lang}-{evalset.target_lang}")
    if is_esa(start):
        return read_esa(path)
    names, rows = textio.read_table(path)
    return read_mqm(path) if is_mqm(names) else _read_table(path, names, rows, evalset)


def _read_table(
    path: AnyPath, names: Sequence[str], rows: Iterator[Row], evalset: EvalSet
) -> list[Annotation]:
    """Read a table with one marked error per row; the words of ``span`` are found in the text."""
    number = next((name for name in ("segment", "line") if name in names), None)
    if (
        number is None
        or "system" not in names
        or not ({"start", "end"} <= set(names) or "span" in names)
    ):
        hint = "It needs columns system, segment, and start and end, or span."
        raise InputError("has no marked errors in a known format.", path, 1, hint)
    found, lost = [], 0
    for row in rows:
        segment, system = textio.whole_number(row[number]) - 1, row["system"]
        if not 0 <= segment < len(evalset):
            raise row.error(
                f"{number} is {row[number]!r}, but the set has {len(evalset)} segments."
            )
        kind = _severity(row.get("severity") or "minor")
        if kind is None:
            raise row.error(f"there is no severity {row['severity']!r}.")
        spans: tuple[Span, ...] = ()
        if kind and system in evalset.systems and not _in_source(row):
            place = _find(row, evalset.systems[system][segment])
            spans = (Span(*place, kind),) if place else ()
            lost += place is None
        rater = row.get("rater", "")
        found.append(Annotation(system, segment, row.line, math.nan, rater, bool(kind), spans))
    if lost:
        what = f"{textio.counted(lost, 'marked error')} not found in the translations; ignored."
        textio.warn(what, path=path, count=lost)
    return found


def _in_source(row: Row) -> bool:
    """Return whether a row marks the source, or, for an omission, probably does."""
    omission = "start" not in row and "omission" in row.get("category", "").lower()
    return omission or row.get("side") == "source" or row.get("is_source_error") == "True"


def _find(row: Row, text: str) -> tuple[int, int] | None:
    if "start" in row:
        start, end = textio.whole_number(row["start"]), textio.whole_number(row["end"])
        if 0 <= start <= end <= len(text):
            return start, end
        raise row.error(f"an error is from {start} to {end}, which is not in the text.")
    start = text.find(row["span"])
    return (start, start + len(row["span"])) if start >= 0 else None
