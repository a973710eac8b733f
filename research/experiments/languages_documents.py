"""Does cohesion tell out of English? Documents judged by experts, by chrF, `sim`, `cohesion`, and mixtures.

    PYTHONPATH=src:research python research/experiments/languages_documents.py

A document's level is the mean of its judged segments'; chrF and `sim` are means over the same
segments, so that all see the same text. Agreement: τ over pairs of systems within a document. In the
mixtures cohesion is added to `sim` with a weight of 0.05, 0.1 and 0.2, none of them tuned.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from _common import Scores, arguments, commit, shared_folder
from languages import SETS, flat, headings

from albeit.corpus import EvalSet
from albeit.corpus.evalset import Document
from albeit.report import Cell, Row, Table, render
from training.judge.segments import Segment
from training.judge.store import FIRST
from training.languages.facts import judged
from training.languages.fit import within

ALONE = ("cohesion", "cohesion(average=recall)", "rc")
WEIGHTS = (0.05, 0.1, 0.2)
LEAST = 0.25
"""Points a segment that two documents must differ by."""


def whole(name: str, segments: Sequence[Segment], systems: Sequence[str]) -> EvalSet:
    """The judged segments in order, with the systems that translated all of them."""
    reference = [next(s.references[r] for r in FIRST if r in s.references) for s in segments]
    documents, at = [], 0
    for number, (_, run) in enumerate(groupby(segments, key=lambda s: s.document)):
        size = len(list(run))
        documents.append(Document(str(number), at, at + size))
        at += size
    lines = {n: tuple(s.outputs[n] for s in segments) for n in systems}
    lang = name.split("/")[1][3:5]
    return EvalSet(
        {"ref": tuple(reference)}, lines, documents=tuple(documents), target_lang=lang, name=name
    )


def agreement(name: str, data: Path, scores: Scores) -> Row:
    """One set: τ of each score over pairs of systems within documents."""
    reader, folder = SETS[name]
    everything = [s for s in reader(shared_folder(data, folder)) if judged(s)]
    one, lines = flat(name, everything)
    table = scores.table(lines, ("chrf", "sim"))
    rows = [(k, n) for k, s in enumerate(everything) for n in judged(s)]
    segment = {m: dict(zip(rows, table[m].at("segment")[0], strict=True)) for m in ("chrf", "sim")}
    level = dict(zip(rows, one.level, strict=True))
    systems = [
        n for n in everything[0].outputs if all((k, n) in level for k in range(len(everything)))
    ]
    texts = whole(name, everything, systems)
    found = scores.table(texts, ALONE)
    size = len(texts.documents)

    def means(values: dict[tuple[int, str], float]) -> np.ndarray:
        return np.array(
            [
                [np.mean([values[k, n] for k in range(d.start, d.stop)]) for d in texts.documents]
                for n in systems
            ]
        ).ravel()

    columns = {m: means(segment[m]) for m in ("chrf", "sim")}
    columns |= {m: np.asarray(found[m].at("document")).ravel() for m in ALONE}
    columns |= {f"sim + {w:g} cohesion": columns["sim"] + w * columns["cohesion"] for w in WEIGHTS}
    better, worse = within(means(level), np.tile(np.arange(size), len(systems)), LEAST)
    taus = [float(np.sign(v[better] - v[worse]).mean()) for v in columns.values()]
    count = f"{name} ({size} documents, {len(systems)} systems, {len(better)} pairs)"
    return Row((Cell(count), *map(Cell, taus)))


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=tuple(SETS))
    args = parser.parse_args()
    scores = Scores(args.fresh, args.workers)
    rows = tuple(agreement(name, args.data, scores) for name in args.sets)
    names = ("chrf", "sim", *ALONE, *(f"sim + {w:g} cohesion" for w in WEIGHTS))
    table = Table(headings("Set", *names), rows, "Documents: τ between systems within a document")
    sys.stdout.write(render([table], args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
