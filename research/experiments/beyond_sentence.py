"""Do metrics over whole documents tell anything? The parts of the proof, all or some.

    PYTHONPATH=src python research/experiments/beyond_sentence.py [PART …] [--sampled] [-m METRIC …]

``exchanged``      pronouns exchanged both ways in GUM, equal counts
``contexts``       pronouns that are wrong in their context (ctxpro)
``antecedents``    anaphora test pairs
``zero_pronouns``  pronouns that Chinese leaves out, as people judged them (mZPRT)
``ranking``        agreement with people over documents and segments, alone and on top of others
``inconsistency``  which of a document's systems experts marked as inconsistent
``damage``         which metric sees which kind of damage (DEMETR)
``learned``        what they tell beside a judge that left the set out (``--student SET=FOLDER``,
                   whose weights are not in the repository; only where it is asked for)

Nothing is chosen on what it is tested on: weights of mixtures are those that are best on the
mean of the other sets, and no parameter of a metric was chosen here. ``judge`` has learned from
all of these judged sets, and is left out wherever people's judgments are predicted; students
that left a set out are not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from _beyond import CONTROLS, SETS, SHARES, JudgedDocuments, load
from _common import arguments, shared_folder
from _damage import damage_table
from _judge import add_student, students
from _marked import marked_table, marks
from _page import add_option, publish
from _pronoun_proofs import antecedents, contexts, exchanged
from _ranking import alone, beside, hybrids, on_top
from _zero_pronouns import zero_pronouns

from albeit.report import Table

FORMS = (
    "coref",
    "coref(average=precision)",
    "coref(average=recall)",
    "coref(other=0)",
    "coref(other=1)",
    "cohesion",
    "cohesion(average=recall)",
    "cohesion(average=f)",
    "cohesion(average=recall,wordnet=hypernyms)",
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
COREFERENCE = "coref(average=recall)"
"""What hybrids are made with, by what the tables before them show: no proof on these sets."""
BASES = ("chrf", "meteor", "sim")
DAMAGE = (
    "bleu",
    "chrf",
    "ter",
    "meteor",
    "rouge-l",
    "sim",
    "judge",
    "dr",
    "dr-lex",
    "dp-or",
    "cp-stm",
    "sr-or",
    "ne-oe(**)",
    "drs-or",
    "pronouns",
    "coref",
    "cohesion",
)


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
    """Alone and on top."""
    forms, base = list(args.metrics or FORMS), segment_metrics(args)
    sets = scored(args, [*base, *forms], args.sets)
    known = [name for name in (*base, *forms) if any(name in one.scores for one in sets)]
    tables = [alone(sets, [*known, *CONTROLS])]
    for name in BASES:
        if any(name in one.scores for one in sets):
            found = [form for form in forms if form in known]
            tables += [*on_top(sets, name, [*found, *CONTROLS]), beside(sets, name, found)]
    if COREFERENCE in known:
        tables.append(hybrids(sets, [name for name in BASES if name in known], COREFERENCE))
    return tables


def learned(args: argparse.Namespace) -> list[Table]:
    """On top of judges that had not seen the set, and beside them."""
    forms, folders = list(args.metrics or FORMS), students(args, SETS)
    if not folders:
        sys.exit("learned: name a judge that left a set out with --student SET=FOLDER")
    sets = scored(args, forms, list(folders))
    for one in sets:
        own = f"judge(weights={folders[one.name]})"
        one.add([own], fresh=args.fresh, workers=args.workers)
        if own not in one.scores:
            sys.exit(f"{one.name}: {one.gaps[own]}")
        one.scores["judge"] = one.scores[own]
    known = [form for form in forms if any(form in one.scores for one in sets)]
    tables = [alone(sets, ["judge"]), *on_top(sets, "judge", known), beside(sets, "judge", known)]
    if COREFERENCE in known:
        tables.append(hybrids(sets, ["judge"], COREFERENCE))
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


def damage(args: argparse.Namespace) -> list[Table]:
    """DEMETR."""
    folder = shared_folder(args.data, "discourse/demetr-x-en")
    return [damage_table(folder, args.metrics or DAMAGE, args.sample)]


PARTS: dict[str, Callable[[argparse.Namespace], list[Table]]] = {
    part.__name__: part
    for part in (
        exchanged,
        contexts,
        antecedents,
        zero_pronouns,
        ranking,
        inconsistency,
        damage,
        learned,
    )
}


def main() -> None:
    """Run the parts that were asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all but the last)"
    )
    parser.add_argument("-m", "--metrics", nargs="+", help="these document metrics only")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument("--sampled", action="store_true", help="every n-th document: quicker")
    parser.add_argument(
        "--sample", type=int, default=60, metavar="N", help="of each kind of damage"
    )
    parser.add_argument("--quick", action="store_true", help=f"without {', '.join(ANALYSED)}")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="a sample of ctxpro")
    parser.add_argument("--part", default="test", choices=("dev", "test"), help="of GUM")
    add_student(parser)
    add_option(parser)
    args = parser.parse_args()
    if unknown := [name for name in args.parts if name not in PARTS]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}.")
    tables = []
    for name in args.parts or [name for name in PARTS if name != "learned"]:
        print(name, file=sys.stderr)
        tables += PARTS[name](args)
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
