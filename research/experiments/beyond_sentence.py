"""Correlate document metrics with human judgments: all parts, or some.

    PYTHONPATH=src python research/experiments/beyond_sentence.py [PART …] [--sampled] [-m METRIC …]

``zero_pronouns``  pronouns that Chinese drops, against human judgments (mZPRT)
``ranking``        correlation over documents and segments, alone and given another metric
``inconsistency``  systems that experts marked as inconsistent within a document

No parameter of a metric was chosen here. ``judge`` is trained on all of these judged sets, so it
isn't tested; see `beside_judge.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from _beyond import CONTROLS, SETS, SHARES, JudgedDocuments, load
from _common import arguments, shared_folder
from _marked import marked_table, marks
from _page import add_option, publish
from _ranking import alone, beside
from _zero_pronouns import zero_pronouns

from albeit.report import Table

FORMS = (
    "coref",
    "coref(average=precision)",
    "coref(average=recall)",
    "cohesion",
    "cohesion(average=recall)",
    "cohesion(average=f)",
    "lc",
    "rc",
    "pronouns",
    "pronouns-free(by=antecedents)",
    "terms",
)
"""All forms of discourse metrics that were tried."""
LEXICAL = ("bleu", "chrf", "meteor")
ANALYSED = ("sim", "dr", "dr-lex")
"""Segment metrics that read analyses; left out with ``--quick``."""
READ = 3
"""Of every third document of wmt23 we have read what the profile flags (`flagged.py`)."""
BASES = ("chrf", "meteor", "sim")


def segment_metrics(args: argparse.Namespace) -> list[str]:
    """The metrics beside which documents' are set."""
    return [*LEXICAL, *(() if args.quick else ANALYSED)]


def share(args: argparse.Namespace, name: str) -> int:
    """Every how many-th document of a set is read."""
    return SHARES[name] if args.sampled else 1


READY: dict[str, JudgedDocuments] = {}
"""Sets by name with the scores that they have: parts share them."""


def scored(args: argparse.Namespace, names: list[str], sets: list[str]) -> list[JudgedDocuments]:
    """The sets, scored by these metrics; what cannot score is told."""
    for name in sets:
        one = READY.setdefault(name, load(name, args.data, share(args, name)))
        print(
            f"{name}: {len(one.evalset)} lines, {len(one.evalset.documents)} documents,"
            f" {len(one.evalset.systems)} systems",
            file=sys.stderr,
        )
        one.add(names, fresh=args.fresh, workers=args.workers)
        for gap, reason in one.gaps.items():
            print(f"  {gap}: {reason}", file=sys.stderr)
    return [READY[name] for name in sets]


def ranking(args: argparse.Namespace) -> list[Table]:
    """Alone, and given another metric."""
    forms, base = list(args.metrics or FORMS), segment_metrics(args)
    sets = scored(args, [*base, *forms], args.sets)
    known = [name for name in (*base, *forms) if any(name in one.scores for one in sets)]
    tables = [alone(sets, [*known, *CONTROLS])]
    for name in BASES:
        if any(name in one.scores for one in sets):
            found = [form for form in forms if form in known]
            tables.append(beside(sets, name, found))
    return tables


def inconsistency(args: argparse.Namespace) -> list[Table]:
    """Marked spans: in all documents, and in those that nobody has read for faults of `terms`."""
    names = [*segment_metrics(args), *(args.metrics or FORMS)]
    (one,) = scored(args, names, ["wmt23"])
    folder = shared_folder(args.data, SETS["wmt23"][0])
    found = marks(one, folder)
    tables = [marked_table(one, found, names)]
    if not args.sampled:
        unread = {name: spans.copy() for name, spans in found.items()}
        for spans in unread.values():
            spans[:, ::READ] = 0
        tables.append(marked_table(one, unread, names, "documents that nobody had read"))
    return tables


PARTS: dict[str, Callable[[argparse.Namespace], list[Table]]] = {
    part.__name__: part for part in (zero_pronouns, ranking, inconsistency)
}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)"
    )
    parser.add_argument("-m", "--metrics", nargs="+", help="these document metrics only")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument("--sampled", action="store_true", help="every n-th document: quicker")
    parser.add_argument("--quick", action="store_true", help=f"without {', '.join(ANALYSED)}")
    add_option(parser)
    args = parser.parse_args()
    if unknown := [name for name in args.parts if name not in PARTS]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}.")
    tables = []
    for name in args.parts or PARTS:
        print(name, file=sys.stderr)
        tables += PARTS[name](args)
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
