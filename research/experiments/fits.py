"""Do hidden words tell right from wrong? Exchanged pronouns and connectives of GUM, in their own text and in
another's.

    PYTHONPATH=src:research python research/experiments/fits.py [--parts dev test] [--kinds pronouns connectives]

Pronouns are those of `_exchange.py`; connectives are exchanged for one of another top-level sense that is
about as frequent, as many from one sense to another as back (`training.cloze.texts.swapped`). A text ends
with the sentence of the pronoun; connectives have what follows them, too. Each word that was exchanged is
hidden, in the text as it is and in the exchanged one, and scored in several ways; which one the metrics
use was chosen on the development part. *Area*: how often a right word scores above a wrong one of any
pair; *pairs*: of its own. The control sets the same line into the middle of another text of the part.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import arguments, commit
from _exchange import exchanges, unpacked

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from albeit.metrics.connectives.lexicon import sense_class
from albeit.metrics.connectives.load import inventory
from albeit.metrics.judge.cloze import (
    CLASSES,
    CONNECTIVES,
    FIRST_CONNECTIVE,
    LONGEST,
    PRONOUNS,
    Target,
    load_cloze,
)
from albeit.metrics.judge.fit import connective_shares, predict, pronoun_shares
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.cloze import texts
from training.cloze.texts import Document, Place

Floats = npt.NDArray[np.float64]
SEED = 15
RESAMPLES = 1000
BLOCK = 64
"""Texts read between two signs of life."""
CONTEXTS = ("its own text", "another text")
Way = Callable[[Floats, Sequence[str]], Floats]


@dataclass(frozen=True)
class Asked:
    """A word to be hidden: the words of its text, and which of them; is it right, whose pair is it?"""

    words: tuple[str, ...]
    target: Target
    right: bool
    pair: int
    document: str


def asked(
    documents: Sequence[Document], places: Sequence[Place]
) -> tuple[list[Asked], list[Asked]]:
    """The words of a test in their own texts, and in others'."""
    known = {one.name: one for one in documents}
    rng = random.Random(SEED)
    names = sorted({place.document for place in places})
    base = {name: name.split(">")[0] for name in names}
    own, other = [], []
    drawn: dict[int, str] = {}
    for place in places:
        one, target = known[place.document], place.target
        source = base[place.document]
        own.append(Asked(tuple(one.words), target, place.right, place.pair, source))
        if place.pair not in drawn:
            drawn[place.pair] = rng.choice([name for name in names if base[name] != source])
        words, moved = _elsewhere(one, target, known[drawn[place.pair]])
        other.append(Asked(words, moved, place.right, place.pair, source))
    return own, other


def _elsewhere(one: Document, target: Target, other: Document) -> tuple[tuple[str, ...], Target]:
    """The line of a word, set into the middle of another text."""
    line = one.line_of(target.start)
    around = other.words
    middle = other.begins[len(other.begins) // 2]
    low, high = max(0, middle - LONGEST), middle + LONGEST
    before, after = around[low:middle], around[middle:high]
    shift = len(before) - one.begins[line]
    moved = Target(target.start + shift, target.stop + shift, target.name)
    return (*before, *one.lines[line], *after), moved


def read(wanted: Sequence[Asked], name: str, work: Path) -> Floats:
    """Log probabilities of all classes, (words, classes), as the metrics read them; kept in `work`, by what
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


def _log(logs: Floats, names: Sequence[str]) -> Floats:
    return np.asarray([row[CLASSES.index(name)] for row, name in zip(logs, names, strict=True)])


def _pronoun_share(logs: Floats, names: Sequence[str]) -> Floats:
    shares = pronoun_shares(logs)
    return np.array([row[list(PRONOUNS).index(n)] for row, n in zip(shares, names, strict=True)])


def _connective_share(logs: Floats, names: Sequence[str]) -> Floats:
    shares = connective_shares(logs)
    return np.array([row[CONNECTIVES.index(n)] for row, n in zip(shares, names, strict=True)])


def _form_share(logs: Floats, names: Sequence[str]) -> Floats:
    """Of the very form, among connectives alone."""
    own = np.exp(logs[:, FIRST_CONNECTIVE + 1 :])
    own = own / own.sum(axis=1, keepdims=True)
    return np.array([row[CONNECTIVES.index(n)] for row, n in zip(own, names, strict=True)])


def _by_senses(classes: bool) -> Way:
    """All that have a sense, or a class of senses, in common with it."""
    known = inventory("en").connectives
    cut = sense_class if classes else str
    senses = [set(map(cut, known[name].senses)) - {"Other", "Other.Adverb"} for name in CONNECTIVES]
    alike = np.array([[float(bool(one & other)) for other in senses] for one in senses])

    def way(logs: Floats, names: Sequence[str]) -> Floats:
        own = np.exp(logs[:, FIRST_CONNECTIVE + 1 :])
        shares = own / own.sum(axis=1, keepdims=True) @ alike
        return np.array([row[CONNECTIVES.index(n)] for row, n in zip(shares, names, strict=True)])

    return way


WAYS: dict[str, dict[str, Way]] = {
    "pronouns": {
        "share among he, she, it, they (the metric)": _pronoun_share,
        "log probability among all classes": _log,
    },
    "connectives": {
        "share by senses in common (the metric)": _connective_share,
        "share of the very form": _form_share,
        "share of all with a sense in common": _by_senses(classes=False),
        "share of all with a class of senses in common": _by_senses(classes=True),
        "log probability among all classes": _log,
    },
}


def area(scores: Floats, right: npt.NDArray[np.bool_]) -> float:
    """How often what is right scores above what is wrong; a tie is half."""
    good, bad = np.sort(scores[right]), scores[~right]
    if not len(good) or not len(bad):
        return float("nan")
    above = len(good) - np.searchsorted(good, bad, "right")
    same = np.searchsorted(good, bad, "right") - np.searchsorted(good, bad, "left")
    return float((above + same / 2).mean() / len(good))


def paired(scores: Floats, right: npt.NDArray[np.bool_], pair: npt.NDArray[np.int64]) -> float:
    """How often the right words of a pair score above its wrong ones, on the mean."""
    values, of = np.unique(pair, return_inverse=True)
    means = [
        np.bincount(of[own], scores[own], len(values)) / np.bincount(of[own], minlength=len(values))
        for own in (right, ~right)
    ]
    return float(((1 + np.sign(means[0] - means[1])) / 2).mean())


def figures(wanted: Sequence[Asked], scores: Floats) -> dict[str, list[float]]:
    """Both figures with 95 % intervals over documents."""
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
    return {
        name: [round(float(x), 4) for x in (whole[k], low[k], high[k])]
        for k, name in enumerate(("area", "pairs"))
    }


def tested(
    gum: Path, kind: str, part: str, every: int, work: Path, contexts: Sequence[str]
) -> dict[str, object]:
    """All figures of a kind on a part."""
    if kind == "pronouns":
        documents, places = texts.exchanged(gum, part, exchanges(gum, part)[::every])
    else:
        documents, places = texts.swapped(gum, part, texts.senses(gum))
        places = [place for place in places if place.pair % every == 0]
    found: dict[str, object] = {"pairs": len({p.pair for p in places}), "words": len(places)}
    for name, wanted in zip(contexts, asked(documents, places), strict=False):
        logs = read(wanted, f"{kind} {part}, {name}", work)
        classes = [one.target.name for one in wanted]
        found[name] = {
            way: figures(wanted, score(logs, classes)) for way, score in WAYS[kind].items()
        }
    return found


def tables(found: dict[str, dict[str, dict[str, object]]], contexts: Sequence[str]) -> list[Table]:
    """A table for each kind."""
    made = []
    for kind, parts in found.items():
        rows = []
        for part, own in parts.items():
            for way in WAYS[kind]:
                cells = [
                    Cell(values[0], interval=(values[1], values[2]))
                    for context in contexts
                    for values in own[context][way].values()  # type: ignore[index]
                ]
                rows.append(Row((Cell(part), Cell(way), Cell(own["pairs"]), *cells)))  # type: ignore[arg-type]
        columns = (
            Heading("part", align="left"),
            Heading("score", align="left"),
            Heading("pairs"),
            *(
                Heading(f"{figure}, {context}", decimals=3)
                for context in contexts
                for figure in ("area", "in pairs")
            ),
        )
        title = f"GUM: exchanged {kind}"
        made.append(Table(columns, tuple(rows), title, (f"commit {commit()}",)))
    return made


def main() -> None:
    """Read, score, print."""
    parser = arguments((__doc__ or "").split("\n")[0])
    parser.add_argument("--parts", nargs="+", default=["dev", "test"], choices=["dev", "test"])
    parser.add_argument("--kinds", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--every", type=int, default=1, help="every n-th pair, to try things")
    parser.add_argument("--own", action="store_true", help="leave the control out")
    args = parser.parse_args()
    contexts = CONTEXTS[:1] if args.own else CONTEXTS
    gum = unpacked(args.data, "gum", args.work)
    found = {
        kind: {
            part: tested(gum, kind, part, args.every, args.work, contexts) for part in args.parts
        }
        for kind in args.kinds
    }
    if args.format == "json":
        print(json.dumps({"commit": commit(), "network": load_cloze().version, **found}, indent=1))
        return
    for table in tables(found, contexts):
        print(render(table, args.format), end="\n\n")


if __name__ == "__main__":
    main()
