"""Score translations: systems are rows, metrics columns, signatures below.

albeit score ref.txt -i a.txt b.txt -m bleu ter
albeit score refA.txt refB.txt -i a.txt --docs docids.txt -m bleu --confidence
albeit score newstest.xml -m chrf --systems online-A online-B -f json
albeit score 'ref-*.zst' -i mt='mt-*.zst' -m chrf ter --out RUN/ --workers 0
albeit score ref.txt -i a.txt --lang de -m dr --annotations ref=ref.rs3 a=a.rs3
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit score``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    options.add_metrics(parser)
    options.add_scores(parser.add_argument_group("scores of other tools"))
    parser.set_defaults(metrics=None)
    group = options.add_output(parser)
    group.add_argument(
        "--level",
        choices=("system", "document", "segment"),
        default="system",
        help="what is scored in the table (default: %(default)s)",
    )
    options.output_argument(
        group,
        "--segment-scores",
        ours=options.SEGMENT_SCORES,
        help="also write all segment scores (TSV; with --out .jsonl, .tsv or .parquet, and the"
        " texts beside them)",
    )
    options.output_argument(
        group,
        "--document-scores",
        ours=r"system\tdocument\t",
        help="also write all document scores (TSV)",
    )
    group = parser.add_argument_group("confidence")
    options.add_resampling(group)
    options.add_batches(parser.add_argument_group("large sets"))
    options.add_on_error(options.add_common(parser))


def run(args: Namespace) -> None:
    """Read, score, print."""
    from albeit.cli.batches import check_arguments, scored_in_batches
    from albeit.cli.inputs import load_evalset, load_metrics, scored_with_confidence
    from albeit.cli.outputs import write_scores
    from albeit.corpus.levels import Unit
    from albeit.report import render
    from albeit.report.scores import score_table

    check_arguments(args)
    metrics = load_metrics(args)
    whole = [str(metric) for metric in metrics if metric.unit is Unit.DOCUMENT]
    none_left = args.segment_scores and len(whole) == len(metrics)
    if whole and (args.level == "segment" or none_left):
        raise UsageError(f"{', '.join(whole)} has no segment scores: it scores whole documents.")
    if args.on_error == "skip" and args.scores:
        raise UsageError("--on-error skip may leave out segments that --scores has.")
    if args.out:
        merged = scored_in_batches(args, metrics)
        if merged is not None:
            shown = score_table(merged, decimals=args.decimals)
            sys.stdout.write(render(shown, args.format))
        return
    table = scored_with_confidence(args, load_evalset(args), metrics)
    shown = score_table(table, args.level, decimals=args.decimals)
    write_scores(table, "segment", args.segment_scores)
    write_scores(table, "document", args.document_scores)
    sys.stdout.write(render(shown, args.format))
