"""Sheets for people: instances of cases 5 and 6 to be judged, as TSV (``report.sheet`` makes a page).

The first lines, ``#: system=… total=… credit=…``, carry what ACTm needs of each system, so
that a sheet can be merged without the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from albeit.lexicons.words import cut
from albeit.metrics.connectives.assess import Verdict
from albeit.metrics.connectives.assessment import Assessment
from albeit.metrics.connectives.cases import Case
from albeit.metrics.connectives.scores import CaseCounts

__all__ = ["COLUMNS", "Instance", "instances", "sheet_header", "write_tsv"]

COLUMNS = (
    "id",
    "system",
    "line",
    "connective",
    "case",
    "source",
    "reference",
    "candidate",
    "verdict",
)


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


def instances(
    assessment: Assessment, cases: Sequence[Case] = (Case.ONLY_CANDIDATE, Case.NEITHER)
) -> list[Instance]:
    """The instances of these cases, system by system, in order of lines."""
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
            _marked(source[verdict.line], verdict, evalset.source_lang or "en"),
            references[verdict.reference][verdict.line],
            evalset.systems[system][verdict.line],
        )
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
        if verdict.case in cases
    ]


def _marked(text: str, verdict: Verdict, language: str) -> str:
    words = cut(text, language)
    start = words.offsets[verdict.connective.tokens[0]][0]
    stop = words.offsets[verdict.connective.tokens[-1]][1]
    return f"{text[:start]}[[{text[start:stop]}]]{text[stop:]}"


def write_tsv(assessment: Assessment, chosen: Iterable[Instance]) -> str:
    """The sheet as TSV with an empty column ``verdict``: write ``correct`` or ``wrong``."""
    lines = [*sheet_header(assessment), "\t".join(COLUMNS)]
    for i in chosen:
        cells = (
            i.id,
            i.system,
            str(i.line),
            i.connective,
            str(i.case),
            i.source,
            i.reference,
            i.candidate,
            "",
        )
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines) + "\n"


def sheet_header(assessment: Assessment) -> list[str]:
    """The lines above a sheet's rows: how it was made, and what ACTm needs of each system."""
    lines = [f"# {assessment.signature}"]
    for system, verdicts in assessment.verdicts.items():
        counts = CaseCounts.of(verdicts)
        five, six = counts.cases[4:]
        lines.append(
            f"#: system={system} total={counts.total} credit={counts.credit:g}"
            f" case5={five} case6={six}"
        )
    return lines
