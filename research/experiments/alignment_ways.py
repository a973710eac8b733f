"""What a word aligner may learn from, and what that does to metrics that align words.

    python experiments/alignment_ways.py [--pair fr-en] [--lines 600] [--systems 6]

The aligner of a run learns from the source and its references alone, so that a system's score does
not depend on who else is in the run. Beside it stand an aligner that learns from all systems too,
and one a system that learns from its text too. Links are compared with those of the first:
precision and recall of links between the source and the systems' translations of WMT12; then
the mean score over systems of ``terms`` and ``pronouns``, and its largest difference of a system.
Error rates against links made by hand: ``benchmarks/aligner.py``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _common import arguments

import albeit
from albeit.corpus.evalset import EvalSet
from albeit.engine import score
from albeit.errors import AlbeitWarning
from albeit.metrics.alignments import Alignments, by_model, train
from albeit.metrics.registry import metric
from albeit.report import Heading, Table, render

METRICS = ("terms", "pronouns")


def learnt(evalset: EvalSet, texts: Iterable[Sequence[str]]) -> Alignments:
    """Alignments by an aligner that learnt from the source with these texts."""
    languages = evalset.source_lang or "en", evalset.target_lang
    source = evalset.source or ()
    pairs = [pair for lines in texts for pair in zip(source, lines, strict=True)]
    return by_model(train(pairs, languages), evalset, languages, bool, "tried")


def ways(evalset: EvalSet) -> dict[str, Alignments]:
    """What may be learnt from."""
    references, systems = list(evalset.references.values()), list(evalset.systems.values())
    fixed = learnt(evalset, references)
    own = tuple(learnt(evalset, [*references, lines]).shared for lines in systems)
    return {
        "source, references and all systems": learnt(evalset, [*references, *systems]),
        "source, references and the system": Alignments("tried", fixed.shared, own),
        "source and references": fixed,
    }


def agreement(evalset: EvalSet, found: Alignments, wanted: Alignments) -> tuple[float, float]:
    """Precision and recall of the links between the source and all systems."""
    both = ours = theirs = 0
    for place, lines in enumerate(evalset.systems.values()):
        pairs = list(zip(evalset.source or (), lines, strict=True))
        left, right = found.of(pairs, place), wanted.of(pairs, place)
        for pair in pairs:
            both += len({*left[pair]} & {*right[pair]})
            ours += len({*left[pair]})
            theirs += len({*right[pair]})
    return both / ours, both / theirs


def main() -> None:
    """Print the table."""
    parser: argparse.ArgumentParser = arguments(__doc__ or "")
    parser.add_argument("--pair", default="fr-en")
    parser.add_argument("--lines", type=int, default=600)
    parser.add_argument("--systems", type=int, default=6)
    args = parser.parse_args()
    warnings.simplefilter("ignore", AlbeitWarning)
    whole = albeit.read(Path(args.data) / "wmt12" / args.pair)
    stop = next(d.stop for d in whole.documents if d.stop >= min(args.lines, len(whole)))
    evalset = whole.take(range(stop)).select(list(whole.systems)[: args.systems])
    rows: list[tuple[object, ...]] = []
    first: Alignments | None = None
    before: dict[str, np.ndarray] = {}
    for name, how in ways(evalset).items():
        first = first or how
        cells: list[object] = [name, *agreement(evalset, how, first)]
        for one in METRICS:
            with patch(f"{type(metric(one)).__module__}.by_source", lambda *_, how=how: how):
                scores = score(evalset, [metric(one)])[one].system
            before.setdefault(one, scores)
            cells += [float(scores.mean()), float(np.abs(scores - before[one]).max())]
        rows.append(tuple(cells))
    heads = ["learnt from", *(Heading(t, decimals=3) for t in ("precision", "recall"))]
    heads += [Heading(t, decimals=3) for one in METRICS for t in (one, f"{one}: most apart")]
    print(render([Table.of(heads, rows, caption=f"WMT12 {args.pair}: {stop} lines")], args.format))


if __name__ == "__main__":
    main()
