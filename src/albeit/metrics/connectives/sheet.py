"""Annotation sheets: instances of cases 5 and 6 for people to judge, as TSV.

The first lines, ``#: system=… total=… credit=…``, have the counts that ACTm needs, so that a sheet
can be merged without the texts. ``albeit.report.act`` makes a sheet as a page. Judged sheets are
read back: ACTm of every system with bounds, and the annotators' agreement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from pathlib import Path

from albeit.data.textio import read_lines
from albeit.errors import InputError
from albeit.metrics.connectives.act import Assessment
from albeit.metrics.connectives.assess import Case, Verdict
from albeit.metrics.connectives.scores import CaseCounts
from albeit.metrics.connectives.words import cut

__all__ = [
    "COLUMNS",
    "Agreement",
    "Instance",
    "Merged",
    "Sheet",
    "agreement",
    "instances",
    "kappa",
    "merge",
    "read_sheet",
    "sheet_header",
    "write_tsv",
]


@dataclass(frozen=True)
class Instance:
    """One connective to be judged; ``[[ ]]`` marks it in the source."""

    id: str
    system: str
    line: int
    connective: str
    case: int
    source: str
    reference: str
    candidate: str


COLUMNS = (*(field.name for field in fields(Instance)), "verdict")


def instances(
    assessment: Assessment, cases: Sequence[Case] = (Case.ONLY_CANDIDATE, Case.NEITHER)
) -> list[Instance]:
    """Return the instances of these cases, system by system, in order of lines."""
    evalset = assessment.evalset
    source = evalset.source or ()
    references = list(evalset.references.values())
    return [
        Instance(
            f"{system}:{verdict.line + 1}:{verdict.connective.tokens[0] + 1}",
            system,
            verdict.line + 1,
            verdict.connective.name,
            int(verdict.case),
            _mark(source[verdict.line], verdict, evalset.source_lang or "en"),
            references[verdict.reference][verdict.line],
            evalset.systems[system][verdict.line],
        )
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
        if verdict.case in cases
    ]


def _mark(text: str, verdict: Verdict, language: str) -> str:
    words = cut(text, language)
    start = words.offsets[verdict.connective.tokens[0]][0]
    stop = words.offsets[verdict.connective.tokens[-1]][1]
    return f"{text[:start]}[[{text[start:stop]}]]{text[stop:]}"


def write_tsv(assessment: Assessment, chosen: Iterable[Instance]) -> str:
    """Return the sheet as TSV with an empty column ``verdict``, for ``correct`` or ``wrong``."""
    lines = [*sheet_header(assessment), "\t".join(COLUMNS)]
    for instance in chosen:
        cells = (*astuple(instance), "")
        lines.append("\t".join(" ".join(str(cell).split()) for cell in cells))
    return "\n".join(lines) + "\n"


def sheet_header(assessment: Assessment) -> list[str]:
    """Return the lines above a sheet's rows: the signature, and the counts of each system."""
    lines = [f"# {assessment.signature}"]
    for system, verdicts in assessment.verdicts.items():
        counts = CaseCounts.of(verdicts)
        five, six = counts.cases[4:]
        lines.append(
            f"#: system={system} total={counts.total} credit={counts.credit:g}"
            f" case5={five} case6={six}"
        )
    return lines


_VERDICTS = {"correct": True, "wrong": False, "1": True, "0": False, "y": True, "n": False}


@dataclass(frozen=True)
class Sheet:
    """One annotator's answers: instance to verdict, ``None`` for a missing one.

    ``rater`` is the annotator's name, if the sheet has it.
    """

    path: str
    systems: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, bool | None]
    rater: str = ""


@dataclass(frozen=True)
class Merged:
    """ACTm of a system with its bounds.

    Instances that aren't judged, or judged as often wrong as correct, are wrong in ``low`` and
    correct in ``high``.
    """

    system: str
    act_a: float
    act_m: float
    low: float
    high: float
    judged: int
    open: int


@dataclass(frozen=True)
class Agreement:
    """The agreement of two annotators on the instances that both judged."""

    first: str
    second: str
    shared: int
    observed: float
    kappa: float


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet: the columns ``id`` and ``verdict``, and the systems' counts above them."""
    systems: dict[str, dict[str, float]] = {}
    verdicts: dict[str, bool | None] = {}
    columns: list[str] = []
    rater = ""
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("#: rater="):
            rater = line.partition("=")[2].strip()
        elif line.startswith("#:"):
            name, counts = _counts(line, path, number)
            systems[name] = counts
        elif line.startswith("#") or not line.strip():
            continue
        elif not columns:
            columns = line.split("\t")
            if "id" not in columns or "verdict" not in columns:
                raise InputError(
                    "the columns id and verdict are not there.",
                    path=path,
                    line=number,
                    hint="Keep the first row of the sheet as 'albeit act annotate' wrote it.",
                )
        else:
            _read_row(line, columns, verdicts, path, number)
    if not systems or not columns:
        raise InputError(
            "is not a sheet of 'albeit act annotate': the lines '#: system=…' are missing.",
            path=path,
        )
    return Sheet(str(path), systems, verdicts, rater)


def _counts(line: str, path: str | Path, number: int) -> tuple[str, dict[str, float]]:
    head, *rest = line[2:].strip().rsplit(" ", 4)
    try:
        counts = {key: float(value) for key, value in (item.split("=") for item in rest)}
        if not {"total", "credit", "case5", "case6"} <= counts.keys():
            raise ValueError
    except ValueError:
        raise InputError("cannot read the counts of a system.", path=path, line=number) from None
    return head.removeprefix("system="), counts


def _read_row(
    line: str,
    columns: Sequence[str],
    verdicts: dict[str, bool | None],
    path: str | Path,
    number: int,
) -> None:
    """Add the verdict of one row."""
    cells = line.split("\t")
    if len(cells) != len(columns):
        raise InputError(
            f"{len(cells)} cells under {len(columns)} columns.", path=path, line=number
        )
    row = dict(zip(columns, cells, strict=True))
    if row["id"] in verdicts:
        raise InputError(f"{row['id']} is there twice.", path=path, line=number)
    written = row["verdict"].strip().casefold()
    if written and written not in _VERDICTS:
        raise InputError(
            f"{row['verdict']!r} is not a verdict.",
            path=path,
            line=number,
            hint="Write correct or wrong.",
        )
    verdicts[row["id"]] = _VERDICTS.get(written)


def merge(sheets: Sequence[Sheet]) -> list[Merged]:
    """Return ACTm of each system by the majority of the annotators; a draw stays open."""
    first = sheets[0]
    for one, two in combinations(sheets, 2):
        _check_different(one, two)
    for sheet in sheets[1:]:
        if sheet.systems != first.systems:
            raise InputError(
                f"this sheet is of other systems or scores than {first.path}.",
                path=sheet.path,
                hint="Merge sheets that came from one run of 'albeit act annotate'.",
            )
    merged: list[Merged] = []
    for system, counts in first.systems.items():
        votes: Counter[str] = Counter()
        for sheet in sheets:
            for instance, verdict in sheet.verdicts.items():
                if verdict is not None and instance.rsplit(":", 2)[0] == system:
                    votes[instance] += 1 if verdict else -1
        judged = sum(vote != 0 for vote in votes.values())
        correct = sum(vote > 0 for vote in votes.values())
        total, credit = counts["total"], counts["credit"]
        unjudged = int(counts["case5"] + counts["case6"]) - judged
        scale = 1 / total if total else math.nan
        act_m = (credit + correct) * scale
        high = (credit + correct + unjudged) * scale
        merged.append(Merged(system, credit * scale, act_m, act_m, high, judged, unjudged))
    return merged


def _check_different(one: Sheet, two: Sheet) -> None:
    """Raise if two sheets are one annotator's, whose votes would count twice."""
    if Path(one.path).absolute() == Path(two.path).absolute() or Path(one.path).samefile(two.path):
        raise InputError("is given twice.", path=two.path, hint="Give each annotator's sheet once.")
    if one.rater and one.rater.casefold() == two.rater.casefold():
        raise InputError(
            f"holds answers of {two.rater!r}, as {one.path} does.",
            path=two.path,
            hint="Give one sheet an annotator, the latest.",
        )


def kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Return Cohen's kappa of two annotators' verdicts on the same instances.

    It is not a number for no instances, and 1 if both always have the same one verdict.
    """
    total = len(first)
    if total == 0:
        return math.nan
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / total
    one, two = sum(first) / total, sum(second) / total
    expected = one * two + (1 - one) * (1 - two)
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def agreement(sheets: Sequence[Sheet]) -> list[Agreement]:
    """Return the agreement of every pair of annotators."""
    found: list[Agreement] = []
    for one, two in combinations(sheets, 2):
        shared = [
            (a, b)
            for instance, a in one.verdicts.items()
            if a is not None and (b := two.verdicts.get(instance)) is not None
        ]
        first, second = [a for a, _ in shared], [b for _, b in shared]
        observed = sum(a == b for a, b in shared) / len(shared) if shared else math.nan
        names = one.rater or one.path, two.rater or two.path
        found.append(Agreement(*names, len(shared), observed, kappa(first, second)))
    return found
