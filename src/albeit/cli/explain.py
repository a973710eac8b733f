"""Show why a segment's discourse trees score as they do: both trees, and what was lost where.

albeit explain ref.txt -i a.txt b.txt --segment 12
albeit explain ref.txt -i a.txt --segment 12 -m 'dr-lex(lambda=.1)' -f html > segment12.html
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit explain``."""
    options.add_inputs(parser)
    options.add_annotations(parser)
    parser.add_argument(
        "-n", "--segment", type=options.whole_number(1), required=True, metavar="N",
        help="which segment (the line number, from 1)",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--metric", default="dr", metavar="METRIC",
        help="dr, dr-lex or another tree kernel with one tree form (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "-f", "--format", choices=("text", "svg", "html"), default="text",
        help="(default: %(default)s); SVG and HTML show the first system against the first"
        " reference",
    )  # fmt: skip
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings")


def run(args: Namespace) -> None:
    """Annotate one segment, compare, draw."""
    from albeit.annotate import annotate
    from albeit.annotate.given import read_given
    from albeit.cli.inputs import load_evalset
    from albeit.metrics.registry import metric
    from albeit.metrics.rst.dr import TreeKernelMetric
    from albeit.metrics.rst.explain import explain
    from albeit.report.trees import to_html, to_svg, to_text

    chosen = metric(args.metric)
    if not isinstance(chosen, TreeKernelMetric):
        raise UsageError(f"{chosen} compares no discourse trees. Try: -m dr or -m dr-lex")
    evalset = load_evalset(args)
    chosen.check(evalset)
    given = read_given(args.annotations, evalset) or None
    if args.segment > len(evalset):
        raise UsageError(f"there is no segment {args.segment}: the set has {len(evalset)}.")
    at = args.segment - 1
    reference = next(iter(evalset.references.values()))[at]
    translations = {name: lines[at] for name, lines in evalset.systems.items()}
    found = annotate(
        [reference, *translations.values()], chosen.requires, evalset.target_lang, given=given
    )
    explained = {
        name: explain(chosen, found[reference], found[text]) for name, text in translations.items()
    }
    if args.format == "text":
        for name, explanation in explained.items():
            print(f"== {name}, segment {args.segment}")
            print(to_text(explanation, colour=sys.stdout.isatty()))
        return
    first = next(iter(explained.values()))
    sys.stdout.write(to_svg(first) if args.format == "svg" else to_html(first))
