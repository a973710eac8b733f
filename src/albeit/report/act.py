"""ACT in full: all verdicts of a set, as tables, and as a page on which a person judges them.

The verdicts are those of the metric's statistics, so scores are those of ``albeit score``. The page
doesn't show which system a translation is from, and systems of a line are in an order of their own.
The page's data has the names, because saved answers need them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from albeit.data.evalset import UNNAMED, EvalSet
from albeit.evaluation import Evaluation, make_batches, split
from albeit.evaluation.identity import signature_of
from albeit.metrics.connectives import scores
from albeit.metrics.connectives.act import Act, Assessment
from albeit.metrics.connectives.assess import CASE_NAMES, Verdict, decision
from albeit.parsing.alignment import Aligner
from albeit.report.page import shell
from albeit.report.table import Cell, Heading, Table

Record = dict[str, Any]
_LEFT = {"system", "baseline", "connective", "sense", "reference", "candidate", "first", "second"}


def assess(
    evalset: EvalSet,
    metric: Act,
    alignments: Mapping[str, str | Path] | None = None,
    aligner: Aligner | None = None,
) -> Assessment:
    """Assess all systems of a set.

    :param alignments: reference or system to alignment file; either all texts have one, or none
    :param aligner: an aligner that is trained already, such as on a bitext
    """
    evaluation = Evaluation(evalset)
    evaluation.check([metric])
    supplied = bool(alignments) or aligner is not None
    scored = replace(metric, alignment="no") if supplied else metric
    job = evaluation.job([scored])
    context = metric.prepare(evalset, alignments, aligner) if supplied else job.context(scored)
    verdicts: dict[str, list[Verdict]] = {name: [] for name in evalset.systems}
    for partition in split(evalset, job):
        batches = make_batches(job, partition.evalset)
        for own, batch in zip(verdicts.values(), batches, strict=True):
            for line in metric.verdicts(batch.seen_by(metric), context):
                own += [replace(each, line=each.line + partition.first) for each in line]
    signature = signature_of(evalset, metric, context)
    systems = {name: tuple(own) for name, own in verdicts.items()}
    return Assessment(evalset, metric, context, systems, signature)


def _table(rows: Sequence[Mapping[str, Any]], caption: str, notes: Sequence[str] = ()) -> Table:
    """Build a table of records with the same keys; ``interval`` is that of the number before it."""
    columns = [
        Heading(key, align="left" if key in _LEFT else "right", decimals=3)
        for key in rows[0]
        if key != "interval"
    ]
    lines = []
    for row in rows:
        cells: list[Cell] = []
        for key, value in row.items():
            if key == "interval":
                cells[-1] = cells[-1]._replace(interval=value)
            else:
                cells.append(Cell(value))
        lines.append(cells)
    return Table.of(columns, lines, caption, notes)


def score_table(assessment: Assessment) -> Table:
    """Build one row per system: ACTa with its interval, ACTa5+6 with its coverage, the cases."""
    rows = [
        {"system": name, **_scores(scores.CaseCounts.of(verdicts))}
        for name, verdicts in assessment.verdicts.items()
    ]
    named = ", ".join(f"{n} {name}" for n, name in enumerate(CASE_NAMES, 1))
    notes = (
        f"Cases: {named}. Coverage is the share of connectives that the reference translates,",
        "on which ACTa5+6 is computed. In brackets: Wilson's 95 % interval.",
        str(assessment.signature),
    )
    return _table(rows, "Accuracy of connective translation", notes)


def system_tables(assessment: Assessment, system: str, least: int = 1) -> list[Table]:
    """Build tables of one system: scores by connective and sense, and at least so many confusions.

    A confusion is a pair of forms in reference and candidate.
    """
    verdicts = assessment.verdicts[system]
    lexicon = assessment.context.assessor.lexicon

    def sense(verdict: Verdict) -> str:
        hit = verdict.in_reference.hit
        senses = () if hit is None else lexicon.senses(verdict.connective.name, hit.form)
        return senses[0] if senses else "implicit"

    def name(verdict: Verdict) -> str:
        return verdict.connective.name

    tables = []
    for by, key in (("connective", name), ("sense", sense)):
        groups = scores.group_counts(verdicts, key)
        rows = [{by: group, **_scores(counts)} for group, counts in groups.items()]
        tables.append(_table(rows, f"{system}: by {by}"))
    confusions = [
        {"connective": name, "reference": ref or "–", "candidate": cand or "–", "count": count}
        for (name, ref, cand), count in scores.confusion(verdicts).most_common()
        if count >= least
    ]
    if confusions:
        tables.append(_table(confusions, f"{system}: forms in reference and candidate"))
    return tables


def comparison_tables(assessment: Assessment, resamples: int, seed: int) -> list[Table]:
    """Compare each system with the first: McNemar's test and the paired bootstrap over lines."""
    (baseline, base), *others = assessment.verdicts.items()
    rows = [
        {"system": name, "baseline": baseline}
        | scores.compare(base, verdicts, resamples=resamples, seed=seed)
        for name, verdicts in others
    ]
    note = "Difference in ACTa to the baseline; bootstrap over lines; McNemar's exact test."
    return [_table(rows, "Systems compared", (note,))] if rows else []


def sheet_tables(sheets: Sequence[scores.Sheet]) -> list[Table]:
    """Build tables of judged sheets: ACTm with bounds, and the annotators' agreement."""
    note = "Low and high: all open instances wrong, or correct."
    tables = [_table(scores.merge(sheets), "ACT with human verdicts", (note,))]
    if pairs := scores.agreement(sheets):
        tables.append(_table(pairs, "Agreement (Cohen's kappa)"))
    return tables


def decisions_tsv(assessment: Assessment) -> str:
    """Write one row per connective and system: the words in reference and candidate, and why."""
    rows = [
        {"system": system, "line": verdict.line + 1, **decision(verdict)}
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
    ]
    lines = [rows[0], *(map(str, row.values()) for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)


def _scores(counts: scores.CaseCounts) -> Record:
    return {
        "ACTa": counts.act_a,
        "interval": scores.wilson(counts.credit, counts.total, 0.95),
        "ACTa5+6": counts.act_a56,
        "coverage": counts.coverage,
        "connectives": counts.total,
        **{f"case {n}": count for n, count in enumerate(counts.cases, 1)},
    }


def sheet_page(assessment: Assessment, chosen: Iterable[scores.Instance]) -> str:
    """Write the page on which a person judges; it saves answers for ``albeit act merge``."""
    header = scores.sheet_header(assessment)
    key = hashlib.sha256("\n".join(header).encode()).hexdigest()[:16]

    def hidden_order(item: scores.Instance) -> str:
        return hashlib.sha256(f"{key} {item.id}".encode()).hexdigest()

    items = sorted(chosen, key=lambda item: (item.line, item.connective, hidden_order(item)))
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


def _item(item: scores.Instance) -> dict[str, object]:
    before, _, rest = item.source.partition("[[")
    word, _, after = rest.partition("]]")
    parts = {"source": [before, word, after]}
    names = ("id", "line", "connective", "source", "reference", "candidate")
    return {name: parts.get(name) or getattr(item, name) for name in names}
