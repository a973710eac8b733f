"""`pronouns-free` and `connectives-free` on exchanged pronouns and connectives of GUM.

    PYTHONPATH=src:research python research/experiments/fits.py [--parts dev test]

Pronouns are exchanged by `training.cloze.exchange`, connectives for one of another top-level sense
that is about as frequent (`training.cloze.texts.swapped`). A text ends with the sentence of the
pronoun; connectives also have what follows. *Area*: how often a right word scores above a wrong
one of any pair; *in pairs*: of its own pair.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import arguments, commit, publish, unpacked

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from albeit.metrics.judge.cloze import CLASSES, CONNECTIVES, PRONOUNS, Target, load_cloze
from albeit.metrics.judge.fit import connective_shares, predict, pronoun_shares
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from training.cloze import texts
from training.cloze.exchange import exchanges
from training.cloze.texts import Document, Place
from training.evaluate.area import area

Floats = npt.NDArray[np.float64]
SEED = 15
RESAMPLES = 1000
BLOCK = 64
"""Texts read between two signs of life."""


@dataclass(frozen=True)
class Asked:
    """A word to be hidden: the words of its text, and which of them; is it right, whose pair is
    it?"""

    words: tuple[str, ...]
    target: Target
    right: bool
    pair: int
    document: str


def asked(documents: Sequence[Document], places: Sequence[Place]) -> list[Asked]:
    """Return the words of a test in their texts."""
    known = {one.name: tuple(one.words) for one in documents}
    return [
        Asked(known[p.document], p.target, p.right, p.pair, p.document.split(">")[0])
        for p in places
    ]


def read(wanted: Sequence[Asked], name: str, work: Path) -> Floats:
    """Log probabilities of all classes, (words, classes), as the metrics read them; kept in
    `work`, by what
    was read and by the networks' versions."""
    cloze = load_cloze()
    about = [name, cloze.version, cloze.judge.version, *((one.words, one.target) for one in wanted)]
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
    path = work / "fits" / f"{digest}.npy"
    if path.is_file():
        kept: Floats = np.load(path)
        return kept
    groups: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for k, one in enumerate(wanted):
        groups.setdefault((one.words, one.pair), []).append(k)
    found = np.zeros((len(wanted), len(CLASSES)))
    every = list(groups.items())
    for at in range(0, len(every), BLOCK):
        some = every[at : at + BLOCK]
        logs = predict([(words, [wanted[k].target for k in own]) for (words, _), own in some])
        for (_, own), rows in zip(some, logs, strict=True):
            found[own] = rows
        print(f"\r{name}: {at + len(some)} of {len(every)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, found)
    return found


def shares(kind: str, logs: Floats, names: Sequence[str]) -> Floats:
    """Return the share of each word among its alternatives, as the metric computes it."""
    if kind == "pronouns":
        found, classes = pronoun_shares(logs), list(PRONOUNS)
    else:
        found, classes = connective_shares(logs), list(CONNECTIVES)
    return np.array([row[classes.index(n)] for row, n in zip(found, names, strict=True)])


def paired(scores: Floats, right: npt.NDArray[np.bool_], pair: npt.NDArray[np.int64]) -> float:
    """How often the right words of a pair score above its wrong ones, on the mean."""
    values, of = np.unique(pair, return_inverse=True)
    means = [
        np.bincount(of[own], scores[own], len(values)) / np.bincount(of[own], minlength=len(values))
        for own in (right, ~right)
    ]
    return float(((1 + np.sign(means[0] - means[1])) / 2).mean())


def figures(wanted: Sequence[Asked], scores: Floats) -> list[tuple[float, float, float]]:
    """Return both figures with 95% intervals over documents."""
    right = np.array([one.right for one in wanted])
    pair = np.array([one.pair for one in wanted])
    names, of = np.unique([one.document for one in wanted], return_inverse=True)
    rng = np.random.default_rng(SEED)
    drawn: list[tuple[float, float]] = []
    for _ in range(RESAMPLES):
        counts = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        often = np.repeat(np.arange(len(scores)), counts[of])
        copy = np.concatenate([np.arange(n) for n in counts[of]])
        numbers = pair[often] * (len(names) + 1) + copy
        drawn.append(
            (area(scores[often], right[often]), paired(scores[often], right[often], numbers))
        )
    low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
    whole = area(scores, right), paired(scores, right, pair)
    return [(whole[k], float(low[k]), float(high[k])) for k in range(2)]


def tested(gum: Path, kind: str, part: str, args: argparse.Namespace) -> Row:
    """Return the figures of a kind on a part of GUM."""
    if kind == "pronouns":
        documents, places = texts.exchanged(part, exchanges(gum, part)[:: args.every])
    else:
        documents, places = texts.swapped(gum, part, texts.senses(gum))
        places = [place for place in places if place.pair % args.every == 0]
    cells = [Cell(kind), Cell(part), Cell(len({p.pair for p in places}))]
    wanted = asked(documents, places)
    logs = read(wanted, f"{kind} {part}", args.work)
    scores = shares(kind, logs, [one.target.name for one in wanted])
    cells += [Cell(v, interval=(low, high)) for v, low, high in figures(wanted, scores)]
    return Row(tuple(cells))


def main() -> None:
    """Read, score, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--parts", nargs="+", default=["test"], choices=["dev", "test"])
    parser.add_argument("--every", type=int, default=1, help="every n-th pair, for a trial")
    args = parser.parse_args()
    gum = unpacked(args.data, "gum", args.work)
    kinds = ("pronouns", "connectives")
    rows = [tested(gum, kind, part, args) for kind in kinds for part in args.parts]
    columns = [Heading(name, align="left") for name in ("kind", "part")]
    columns.append(Heading("pairs"))
    columns += [Heading(name, decimals=3) for name in ("area", "in pairs")]
    title = "GUM: exchanged pronouns and connectives"
    publish([Table(tuple(columns), tuple(rows), title, (f"commit {commit()}",))], args)


if __name__ == "__main__":
    main()
