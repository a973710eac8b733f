"""Score translations: systems are rows, metrics columns, signatures below.

albeit score ref.txt -i a.txt b.txt -m bleu ter
albeit score refA.txt refB.txt -i a.txt --docs docids.txt -m bleu --confidence
albeit score newstest.xml -m chrf --systems online-A online-B -f json
albeit score 'ref-*.zst' -i mt='mt-*.zst' -m chrf ter --out RUN/ --workers 0
albeit score ref.txt -i a.txt --lang de -m dr --annotations ref=ref.rs3 a=a.rs3
albeit score ref.txt -i a.txt -m judge chrf --fail-under judge=80
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from albeit.cli import options
from albeit.cli.gate import add_fail_under, check_names, status_under
from albeit.cli.parser import Parser, UsageError

if TYPE_CHECKING:
    from albeit.metrics.base import Metric


def configure(parser: Parser) -> None:
    """Add the options of ``albeit score``."""
    options.add_scored(parser)
    group = options.add_output(parser)
    group.option(
        "--level",
        choices=("system", "document", "segment"),
        default="system",
        help="what is scored in the table",
    )
    group.output(
        "--segment-scores",
        ours=options.SEGMENT_SCORES,
        help="also write all segment scores, as the name's ending says: .tsv, .csv, .jsonl or"
        " .parquet; with --out the texts stand beside them",
    )
    group.output(
        "--document-scores",
        ours=options.DOCUMENT_SCORES,
        help="also write all document scores (.tsv, .csv, .jsonl, .parquet)",
    )
    add_fail_under(parser.group("conditions"))
    options.add_resampling(parser.group("confidence"))
    options.add_batches(parser.group("large sets"))
    options.add_on_error(options.add_common(parser))


def run(args: Namespace) -> int:
    """Read, score, print; the status is 3 where ``--fail-under`` says so."""
    from albeit.cli.batches import check_arguments, scored_in_batches
    from albeit.cli.inputs import load_evalset, load_stream
    from albeit.cli.outputs import write_scores
    from albeit.cli.scoring import load_metrics, or_recommended, scored_with_confidence
    from albeit.report import render
    from albeit.report.scores import score_table

    check_arguments(args)
    if args.on_error == "skip" and args.scores:
        raise UsageError("--on-error skip may leave out segments that --scores has.")
    named = load_metrics(args)
    _check_metrics(args, named)
    if args.out:
        stream = load_stream(args)
        metrics = named or or_recommended(args, named, next(stream.partitions(1)).evalset)
        _check_metrics(args, metrics)
        merged = scored_in_batches(args, stream, metrics)
        if merged is None:
            return 0
        shown = score_table(merged, decimals=args.decimals)
        sys.stdout.write(render(shown, args.format))
        return status_under(merged, args.fail_under)
    evalset = load_evalset(args)
    metrics = or_recommended(args, named, evalset)
    _check_metrics(args, metrics)
    table = scored_with_confidence(args, evalset, metrics)
    shown = score_table(table, args.level, decimals=args.decimals)
    write_scores(table, "segment", args.segment_scores)
    write_scores(table, "document", args.document_scores)
    sys.stdout.write(render(shown, args.format))
    return status_under(table, args.fail_under)


def _check_metrics(args: Namespace, metrics: Sequence[Metric]) -> None:
    """Raise where metrics, once they are known, do not go with what is asked of their scores."""
    from albeit.data.levels import Unit

    whole = [str(metric) for metric in metrics if metric.unit is Unit.DOCUMENT]
    none_left = args.segment_scores and len(whole) == len(metrics)
    if whole and (args.level == "segment" or none_left):
        raise UsageError(f"{', '.join(whole)} has no segment scores: it scores whole documents.")
    if metrics and not args.scores:
        check_names("--fail-under", dict(args.fail_under), list(map(str, metrics)))
