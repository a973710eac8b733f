"""Score how connectives are translated (ACT), and build lexicons of connectives."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from albeit.cli import tool_options as options
from albeit.cli.inputs import load_evalset
from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError, check_value, choose_systems
from albeit.data import named_path, read_pairs, write_text
from albeit.metrics import EvalSet
from albeit.metrics.alignments import train
from albeit.metrics.connectives import CLASSIC, build, load, scores
from albeit.metrics.connectives.act import Act, Assessment
from albeit.metrics.connectives.assess import Case
from albeit.parsing.alignment import Aligner
from albeit.report import act


def act_score(args: options.ActScoreOptions) -> None:
    """Run ``albeit act score``."""
    assessment = _assess(args)
    if args.decisions:
        write_text(act.decisions_tsv(assessment), args.decisions)
    print_tables(args, [act.score_table(assessment)])


def act_report(args: options.ActReportOptions) -> None:
    """Run ``albeit act report``."""
    assessment = _assess(args)
    system, *_ = choose_systems(assessment.verdicts, [args.system] if args.system else None)
    tables = [
        act.score_table(assessment),
        *act.system_tables(assessment, system, args.least),
        *act.comparison_tables(assessment, args.resamples, args.seed),
    ]
    print_tables(args, tables)


def act_annotate(args: options.ActAnnotateOptions) -> None:
    """Run ``albeit act annotate``."""
    assessment = _assess(args)
    cases = [Case.ONLY_CANDIDATE, Case.NEITHER, *([Case.ONLY_REFERENCE] if args.case_4 else [])]
    page = args.output is not None and args.output.lower().endswith((".html", ".htm"))
    write = act.sheet_page if page else scores.write_tsv
    write_text(write(assessment, scores.instances(assessment, cases)), args.output or "-")


def act_merge(args: options.ActMergeOptions) -> None:
    """Run ``albeit act merge``."""
    sheets = [scores.read_sheet(path) for path in args.sheets]
    print_tables(args, act.sheet_tables(sheets))


def _assess(args: options.ActOptions) -> Assessment:
    """Assess all connectives of a set."""
    check_value("--aligner", args.aligner)
    named = [named_path(item) for item in args.alignments]
    files = {name: path for name, path in named if name}
    if len(files) < len(named):
        raise UsageError("alignments are given as NAME=FILE, each with its own name.")
    metric = Act(
        preset=args.preset,
        sense=args.sense or "auto",
        alignment=args.aligner,
        connectives=args.connectives,
        lexicon=args.lexicon or "",
    )
    evalset = load_evalset(args)
    if evalset.target_lang == "en" and evalset.source_lang not in (None, "en"):
        metric = replace(metric, target_sense="model")
    return act.assess(evalset, metric, files, _train_aligner(args, evalset))


def _train_aligner(args: options.ActOptions, evalset: EvalSet) -> Aligner | None:
    """Train an aligner on source, references and a bitext; save it if a file is named."""
    if not args.bitext and not args.save_aligner:
        return None
    if args.aligner != "yes" or args.alignments:
        raise UsageError("--bitext and --save-aligner train an aligner: use --aligner yes.")
    if evalset.source is None or evalset.source_lang is None:
        return None  # the metric raises an error for what is missing
    references = evalset.references.values()
    pairs = [pair for lines in references for pair in zip(evalset.source, lines, strict=True)]
    bitext = read_pairs(*args.bitext) if args.bitext else ()
    aligner = train([*pairs, *bitext], (evalset.source_lang, evalset.target_lang))
    if args.save_aligner:
        aligner.save(args.save_aligner)
    return aligner


def lexicon_check(args: options.LexiconCheckOptions) -> int:
    """Run ``albeit lexicon check``."""
    errors = 0
    for path in args.lexicons or [str(load.DATA / f"{pair}.tsv") for pair in load.pairs()]:
        findings = build.check(path, load.inventory("en"))
        for finding in findings:
            print(f"{path}:{finding}")
        errors += sum(finding.level == "error" for finding in findings)
        if not findings:
            entries = load.read_lexicon(path).entries
            counts = f"{len(entries)} connectives, {sum(map(len, entries.values()))} translations"
            print(f"{Path(path).name}: {counts}, no findings")
    return int(bool(errors))


def lexicon_count(args: options.LexiconCountOptions) -> None:
    """Run ``albeit lexicon count``."""
    pairs = read_pairs(*args.bitext)
    lexicon = load.read_lexicon(args.lexicon)
    evidence = build.gather(lexicon, load.inventory(lexicon.source_lang), pairs)
    sys.stdout.write(build.annotate_counts(args.lexicon, evidence))


def lexicon_induce(args: options.LexiconInduceOptions) -> None:
    """Run ``albeit lexicon induce``."""
    pairs = read_pairs(*args.bitext)
    known = load.read_dimlex(args.dimlex, args.source_lang) if args.dimlex else None
    source = known or load.inventory(args.source_lang)
    names = args.connectives or (source.connectives if args.all or args.dimlex else CLASSIC)
    languages = (args.source_lang, args.lang)
    proposals = build.induce(source, tuple(names), pairs, languages, least=args.least)
    sys.stdout.write(build.write_proposals(proposals, languages))
