"""How much of our figures another version of the analyser's word and sentence cuts can change.

    PYTHONPATH=src python experiments/cuts.py ../other-checkout

The model's version and the version of its cuts name an analysis (``annotator …-t2``). Where only
the cuts changed, all lines that both versions cut alike keep their analyses and their scores. Counted
for every test set: references and translations that are cut otherwise, and the human preferences
that such a line takes part in. No other preference can turn, so a τ over the set can move by no
more than twice their share.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from _common import DA_MARGIN, arguments, judged_set
from party import YEARS

from albeit.corpus.judgments import Pairs
from albeit.judged import JudgedSet
from albeit.report import Heading, Table, render

_CUT = """
import json, sys
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize
for line in sys.stdin:
    words = tokenize(json.loads(line))
    print(json.dumps([words.offsets, split_sentences(words.forms, words.offsets)]))
"""


def cut(lines: Iterable[str], checkout: Path | None) -> list[str]:
    """Words and sentences of each line, as a checkout (or this one) cuts them."""
    found = dict(os.environ)
    if checkout is not None:
        found["PYTHONPATH"] = str(checkout / "src")
    given = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-c", _CUT], input=given, env=found, text=True, check=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    return done.stdout.splitlines()


def changed_lines(judged: JudgedSet, other: Path) -> set[str]:
    """The lines of a set that the two checkouts cut otherwise."""
    evalset = judged.evalset
    texts = (*evalset.references.values(), *evalset.systems.values())
    lines = sorted({line for text in texts for line in text})
    both = zip(lines, cut(lines, None), cut(lines, other), strict=True)
    return {line for line, here, there in both if here != there}


def row(
    name: str, judged: JudgedSet, other: Path
) -> tuple[str, int, int, int, int, int, int, float]:
    """One set."""
    changed = changed_lines(judged, other)
    references, systems = (
        np.array([[line in changed for line in lines] for lines in texts.values()])
        for texts in (judged.evalset.references, judged.evalset.systems)
    )
    judgments = judged.judgments
    pairs = (judgments if isinstance(judgments, Pairs) else judgments.pairs(DA_MARGIN)).decided()
    touched = (
        references.any(axis=0)[pairs.segment]
        | systems[pairs.left, pairs.segment]
        | systems[pairs.right, pairs.segment]
    )
    return (
        name, references.size, int(references.sum()), systems.size, int(systems.sum()),
        len(pairs), int(touched.sum()), 2 * float(touched.mean()),
    )  # fmt: skip


def main() -> None:
    """Cut, count, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("other", type=Path, help="a checkout of another version")
    args = parser.parse_args()
    rows = []
    for year, pairs in YEARS.items():
        own = [row(pair, judged_set(args.data, year, pair), args.other) for pair in pairs]
        sums = [sum(column) for column in list(zip(*own, strict=True))[1:-1]]
        rows += [(f"{year} {name}", *counts) for name, *counts in own]
        rows.append((f"{year}, mean of pairs", *sums, sum(each[-1] for each in own) / len(own)))
    heads = ["set", "references", "of these cut otherwise", "translations", "cut otherwise",
             "preferences", "touched", Heading("τ moves by at most", decimals=4)]  # fmt: skip
    print(render([Table.of(heads, rows)], args.format), end="")


if __name__ == "__main__":
    main()
