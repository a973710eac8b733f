"""ACT in full: every verdict of a set by the engine's own batches, and tables of them.

The verdicts are those that the metric's rows count, so a score here is the score of ``albeit
score``: ACTa and ACTa5+6 both follow from the same counts.

Connectives to be judged by people are one page, made of the report's components. Whoever judges
does not see which system a translation is from: no name is shown, and the systems of a line stand
in an order of their own. The names are in the page's data, because the answers that it saves must
say them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from albeit.data.evalset import UNNAMED, EvalSet
from albeit.evaluation import Evaluation
from albeit.evaluation.identity import signature_of
from albeit.evaluation.scoring import make_batches, split
from albeit.metrics.connectives.act import Act, Assessment
from albeit.metrics.connectives.assess import CASE_NAMES, Verdict, decision
from albeit.metrics.connectives.scores import (
    CaseCounts,
    Instance,
    compare,
    confusion,
    group_counts,
    sheet_header,
    wilson,
)
from albeit.parsing.alignment import Aligner
from albeit.report.page import shell
from albeit.report.table import Cell, Heading, Row, Table

__all__ = [
    "CASE_NAMES",
    "assess",
    "comparison_rows",
    "confusion_rows",
    "decision_rows",
    "group_rows",
    "score_rows",
    "sheet_page",
    "table",
]

Record = dict[str, object]
_LEFT = {"system", "baseline", "connective", "sense", "reference", "candidate", "first", "second"}


def assess(
    evalset: EvalSet,
    metric: Act,
    alignments: Mapping[str, str | Path] | None = None,
    aligner: Aligner | None = None,
) -> Assessment:
    """Assess all systems of a set.

    ``alignments`` maps references and systems, by name, to alignment files; either all
    texts have one or none has. ``aligner`` is one trained already, such as on a bitext.
    """
    evaluation = Evaluation(evalset)
    evaluation.check([metric])
    own = bool(alignments) or aligner is not None
    scored = replace(metric, alignment="no") if own else metric
    job = evaluation.job([scored])
    context = metric.prepare(evalset, alignments, aligner) if own else job.context(scored)
    verdicts: dict[str, list[Verdict]] = {name: [] for name in evalset.systems}
    for partition in split(evalset, job):
        batches = make_batches(job, partition.evalset)
        for found, batch in zip(verdicts.values(), batches, strict=True):
            for line in metric.verdicts(batch.seen_by(metric), context):
                found += [replace(each, line=each.line + partition.first) for each in line]
    signature = signature_of(evalset, metric, context)
    every = {name: tuple(found) for name, found in verdicts.items()}
    return Assessment(evalset, metric, context, every, signature)


def table(rows: Sequence[Mapping[str, object]], caption: str, notes: Sequence[str] = ()) -> Table:
    """A table of records that share their keys; an ``interval`` belongs to the number before it."""
    keys = [key for key in rows[0] if key != "interval"]
    columns = tuple(
        Heading(key, align="left" if key in _LEFT else "right", decimals=3) for key in keys
    )
    made = []
    for row in rows:
        cells: list[Cell] = []
        for key, value in row.items():
            if key == "interval":
                cells[-1] = Cell(cells[-1].value, interval=value)  # type: ignore[arg-type]
            else:
                cells.append(Cell(value))  # type: ignore[arg-type]
        made.append(Row(tuple(cells)))
    return Table(columns, tuple(made), caption, tuple(notes))


def score_rows(assessment: Assessment, confidence: float = 0.95) -> list[Record]:
    """One row per system: ACTa with its interval, ACTa5+6 with its coverage, the six cases."""
    return [
        {"system": name, **_scores(CaseCounts.of(verdicts), confidence)}
        for name, verdicts in assessment.verdicts.items()
    ]


def group_rows(verdicts: tuple[Verdict, ...], assessment: Assessment, by: str) -> list[Record]:
    """One row a source connective, or a sense of the reference's translation."""
    lexicon = assessment.context.assessor.lexicon

    def sense(verdict: Verdict) -> str:
        hit = verdict.in_reference.hit
        senses = () if hit is None else lexicon.senses(verdict.connective.name, hit.form)
        return senses[0] if senses else "implicit"

    key = sense if by == "sense" else lambda verdict: verdict.connective.name
    groups = group_counts(verdicts, key)
    return [{by: name, **_scores(counts, 0.95)} for name, counts in groups.items()]


def confusion_rows(verdicts: tuple[Verdict, ...], least: int = 1) -> list[Record]:
    """One row per pair of forms in reference and candidate, the commonest first."""
    return [
        {"connective": name, "reference": ref or "–", "candidate": cand or "–", "count": count}
        for (name, ref, cand), count in confusion(verdicts).most_common()
        if count >= least
    ]


def decision_rows(assessment: Assessment) -> list[Record]:
    """Every connective of every system: what was found in reference and candidate, and why."""
    return [
        {
            "system": system,
            "line": verdict.line + 1,
            **decision(verdict),
        }
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
    ]


def comparison_rows(assessment: Assessment, resamples: int, seed: int) -> list[Record]:
    """Every system beside the first: McNemar's test and the paired bootstrap over lines."""
    (baseline, base), *others = assessment.verdicts.items()
    return [
        {
            "system": name,
            "baseline": baseline,
            **compare(base, verdicts, resamples=resamples, seed=seed),
        }
        for name, verdicts in others
    ]


def _scores(counts: CaseCounts, confidence: float) -> Record:
    cases = {f"case {n}": count for n, count in enumerate(counts.cases, 1)}
    return {
        "ACTa": counts.act_a,
        "interval": wilson(counts.credit, counts.total, confidence),
        "ACTa5+6": counts.act_a56,
        "coverage": counts.coverage,
        "connectives": counts.total,
        **cases,
    }


def sheet_page(assessment: Assessment, chosen: Iterable[Instance]) -> str:
    """The page: it keeps answers in the browser and saves them for ``albeit act merge``."""
    header = sheet_header(assessment)
    key = hashlib.sha256("\n".join(header).encode()).hexdigest()[:16]
    items = sorted(chosen, key=lambda item: (item.line, item.connective, _shuffled(key, item)))
    evalset = assessment.evalset
    data = {
        "title": "" if evalset.name == UNNAMED else evalset.name,
        "key": key,
        "source_lang": evalset.source_lang or "en",
        "target_lang": evalset.target_lang,
        "header": header,
        "items": [_item(item) for item in items],
    }
    title = f"Connectives to judge: {evalset.name}"
    return shell(title, ("base.js", "sheet.js"), kind="sheet", data=data)


def _shuffled(key: str, item: Instance) -> str:
    """Something to sort by that says nothing of the system and is the same at every run."""
    return hashlib.sha256(f"{key} {item.id}".encode()).hexdigest()


def _item(item: Instance) -> dict[str, object]:
    before, _, rest = item.source.partition("[[")
    word, _, after = rest.partition("]]")
    return {
        "id": item.id,
        "line": item.line,
        "connective": item.connective,
        "source": [before, word, after],
        "reference": item.reference,
        "candidate": item.candidate,
    }
