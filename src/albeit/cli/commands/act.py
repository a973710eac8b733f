"""Score how connectives are translated (ACT), and judge by hand what a machine cannot.

albeit act score ref.txt -i a.txt b.txt --source src.txt --source-lang en --lang de
albeit act report ref.txt -i a.txt b.txt --source src.txt --source-lang en --lang fr --system a
albeit act annotate ref.txt -i a.txt --source src.txt --source-lang en --lang de -o sheet.html
albeit act merge sheet-anna.tsv sheet-ben.tsv
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError, check_value

if TYPE_CHECKING:
    from albeit.data.evalset import EvalSet
    from albeit.metrics.connectives.act import Assessment
    from albeit.parsing.alignment import Aligner
    from albeit.report import Table

_ABOUT = {
    "score": "ACTa, ACTa5+6 and its coverage, and the six cases of every system",
    "report": "one system in detail: connectives, senses, confusions; systems compared",
    "annotate": "write a sheet of case 5 and 6 instances for people to judge",
    "merge": "read judged sheets back: ACTm with bounds, and the annotators' agreement",
}


def configure(parser: Parser) -> None:
    """Add the options of ``albeit act``."""
    score, report, annotate, merge = options.add_actions(parser, _ABOUT)
    merge.file("sheets", nargs="+", metavar="SHEET", help="judged sheets")
    for action in (score, report, annotate):
        options.add_inputs(action)
        _add_settings(action)
    for action in (score, report, merge):
        options.add_output(action)
    annotate.output(
        "-o",
        "--output",
        ours=r'<!doctype html>(?s:.{0,80})<meta name="generator" content="albeit sheet ',
        help="the sheet (.html: a page; default: TSV on stdout)",
    )
    annotate.flag("--case-4", help="list case 4 too (no verdict)")
    score.output(
        "--decisions",
        ours=r"system\tline\t",
        help="also write what was found for each connective, and why",
    )
    report.option("--system", metavar="NAME", help="which system (default: the first)")
    report.number("--least", help="confusions seen at least so often", default=2)
    report.number("--resamples", help="how many resamples", default=1000)
    options.add_seed(report)


def _add_settings(parser: Parser) -> None:
    group = parser.group("connectives")
    group.option(
        "--preset",
        choices=("careful", "classic"),
        default="careful",
        help="our matcher, or the paper's procedure",
    )
    group.option(
        "--sense",
        choices=("strict", "compatible", "graded", "covering"),
        help="when translations are synonyms (default: the preset's)",
    )
    group.option(
        "--connectives",
        choices=("eight", "all"),
        default="eight",
        help="those of the paper, or all in the lexicon",
    )
    group.file(
        "--lexicon",
        help="a lexicon of your own, or connectives of the side that is not English (DiMLex XML)",
    )
    group.file(
        "--aligner",
        default="yes",
        metavar="yes|no|eflomal|FILE",
        help="train an aligner on source and references, go by position, use eflomal, or load one",
    )
    group.file(
        "--bitext",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="train the aligner on these sentence pairs too",
    )
    group.output("--save-aligner", ours="PK\x03\x04", help="keep the trained aligner in a file")
    group.file(
        "--alignments",
        nargs="+",
        metavar="NAME=FILE",
        help="Pharaoh or GIZA++ files, one for every reference and system",
    )


def run(args: Namespace) -> None:
    """Do what was asked."""
    if args.action == "merge":
        _merge(args)
        return
    assessment = _assess(args)
    if args.action == "annotate":
        _annotate(args, assessment)
        return
    from albeit.report import render

    tables = [_score_table(assessment)] if args.action == "score" else _report(args, assessment)
    if args.action == "score" and args.decisions:
        _write_decisions(args.decisions, assessment)
    sys.stdout.write(render(tables, args.format))


def _write_decisions(path: str, assessment: Assessment) -> None:
    from albeit.data.textio import write_text
    from albeit.report.act import decision_rows

    rows = decision_rows(assessment)
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    write_text("\n".join(lines) + "\n", path)


def _assess(args: Namespace) -> Assessment:
    from dataclasses import replace

    from albeit.cli.inputs import load_evalset
    from albeit.data.build import named_path
    from albeit.metrics.connectives.act import Act
    from albeit.report.act import assess

    check_value("--aligner", args.aligner)
    metric = Act(
        preset=args.preset,
        sense=args.sense or "auto",
        alignment=args.aligner,
        connectives=args.connectives,
        lexicon=args.lexicon or "",
    )
    files: dict[str, str] = {}
    for item in args.alignments or ():
        name, path = named_path(item)
        if name is None:
            raise UsageError(f"{item!r}: alignments are given as NAME=FILE.")
        files[name] = path
    evalset = load_evalset(args)
    if evalset.target_lang == "en" and evalset.source_lang not in (None, "en"):
        metric = replace(metric, target_sense="model")
    return assess(evalset, metric, files, _trained(args, evalset))


def _trained(args: Namespace, evalset: EvalSet) -> Aligner | None:
    """An aligner trained on source, references and a bitext, kept in a file where one is named."""
    if not args.bitext and not args.save_aligner:
        return None
    if args.aligner != "yes" or args.alignments:
        raise UsageError(
            "--bitext and --save-aligner train an aligner: use them with --aligner yes."
        )
    if evalset.source is None or evalset.source_lang is None:
        return None  # the metric says what is missing
    from albeit.data.build import read_pairs
    from albeit.metrics.alignments import train

    references = evalset.references.values()
    pairs = [pair for lines in references for pair in zip(evalset.source, lines, strict=True)]
    bitext = read_pairs(*args.bitext) if args.bitext else ()
    aligner = train([*pairs, *bitext], (evalset.source_lang, evalset.target_lang))
    if args.save_aligner:
        aligner.save(args.save_aligner)
    return aligner


def _score_table(assessment: Assessment) -> Table:
    from albeit.metrics.connectives.assess import CASE_NAMES
    from albeit.report.act import score_rows, table

    named = ", ".join(f"{n} {name}" for n, name in enumerate(CASE_NAMES, 1))
    notes = (
        f"Cases: {named}. Coverage is the share of connectives that the reference translates,",
        "of which ACTa5+6 speaks. In brackets: Wilson's 95 % interval.",
        str(assessment.signature),
    )
    return table(score_rows(assessment), "Accuracy of connective translation", notes)


def _report(args: Namespace, assessment: Assessment) -> list[Table]:
    from albeit.report.act import comparison_rows, confusion_rows, group_rows, table

    system = args.system or next(iter(assessment.verdicts))
    if system not in assessment.verdicts:
        known = ", ".join(assessment.verdicts)
        raise UsageError(f"there is no system {system!r}; there are {known}.")
    verdicts = assessment.verdicts[system]
    tables = [
        _score_table(assessment),
        table(group_rows(verdicts, assessment, "connective"), f"{system}: by connective"),
        table(group_rows(verdicts, assessment, "sense"), f"{system}: by sense"),
    ]
    confusions = confusion_rows(verdicts, args.least)
    if confusions:
        tables.append(table(confusions, f"{system}: forms in reference and candidate"))
    if len(assessment.verdicts) > 1:
        rows = comparison_rows(assessment, args.resamples, args.seed)
        note = "Difference in ACTa to the baseline; bootstrap over lines; McNemar's exact test."
        tables.append(table(rows, "Systems compared", (note,)))
    return tables


def _annotate(args: Namespace, assessment: Assessment) -> None:
    from albeit.cli.outputs import write_output
    from albeit.metrics.connectives.assess import Case
    from albeit.metrics.connectives.scores import instances, write_tsv
    from albeit.report.act import sheet_page

    cases = [Case.ONLY_CANDIDATE, Case.NEITHER, *([Case.ONLY_REFERENCE] if args.case_4 else [])]
    chosen = instances(assessment, cases)
    page = args.output is not None and args.output.lower().endswith((".html", ".htm"))
    text = (sheet_page if page else write_tsv)(assessment, chosen)
    write_output(text, args.output)


def _merge(args: Namespace) -> None:
    from albeit.metrics.connectives.scores import agreement, merge, read_sheet
    from albeit.report import render
    from albeit.report.act import table

    sheets = [read_sheet(path) for path in args.sheets]
    note = "Low and high: all open instances wrong, or correct."
    tables = [table(merge(sheets), "ACT with people's verdicts", (note,))]
    if pairs := agreement(sheets):
        tables.append(table(pairs, "Agreement (Cohen's kappa)"))
    sys.stdout.write(render(tables, args.format))
