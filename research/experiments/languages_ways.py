"""Ways of matching words that `sim` outside English was chosen from, on sets it is not tested on.

    PYTHONPATH=src:research python research/experiments/languages_ways.py [--tested] [--segments 200]

newstest21 en-de, segment by segment and three segments of a document at a time (paragraphs, as in WMT23),
and four sets into English, read by the multilingual encoder. Of each set every n-th segment, so that about
`--segments` remain. τ over people's preferences, as in `research/experiments/languages.py`. `--tested`: the three
ways that were tested, on the three sets that `sim` is tested on, all segments.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from _common import arguments, commit, shared_folder
from languages import headings

from albeit.annotate.multilingual.pieces import rarities
from albeit.annotate.multilingual.rarity import Rarity
from albeit.annotate.multilingual.states import load_encoder
from albeit.annotate.multilingual.vectors import Text, read_texts
from albeit.metrics.base import Batch
from albeit.metrics.lexical.chrf import Chrf
from albeit.report import Cell, Row, Table, render
from training.judge.segments import Segment, assessed, newstest21, ranked, talks, wmt23
from training.judge.store import FIRST
from training.languages.facts import judged
from training.languages.fit import within
from training.languages.segments import esa

Floats = npt.NDArray[np.float64]
Read = Callable[[Path], list[Segment]]


def in_threes(segments: Sequence[Segment]) -> list[Segment]:
    """Three segments of a document that follow each other as one; its level is their sum."""
    found = []
    for _, run in groupby((s for s in segments if s.levels), key=lambda s: s.document):
        members = list(run)
        for at in range(0, len(members) - 2, 3):
            three = members[at : at + 3]
            outputs, references, levels = (
                set.intersection(*(set(getattr(s, part)) for s in three))
                for part in ("outputs", "references", "levels")
            )
            found.append(
                Segment(
                    three[0].data,
                    three[0].key,
                    three[0].document,
                    " ".join(s.source for s in three),
                    {n: " ".join(s.references[n] for s in three) for n in references},
                    {n: " ".join(s.outputs[n] for s in three) for n in outputs},
                    levels={
                        n: sum(s.levels[n] for s in three) for n in levels & (outputs | references)
                    },
                )
            )
    return found


SETS: dict[str, tuple[Read, str, float]] = {
    "newstest21 en-de": (newstest21, "discourse/newstest21-mqm/en-de", 1.0),
    "newstest21 en-de, in threes": (
        lambda path: in_threes(newstest21(path)),
        "discourse/newstest21-mqm/en-de",
        1.0,
    ),
    "newstest21 zh-en": (newstest21, "discourse/newstest21-mqm/zh-en", 1.0),
    "wmt23 zh-en": (wmt23, "discourse/wmt23-mqm/zh-en", 1.0),
    "ted zh-en": (talks, "ted-mqm/zh-en", 1.0),
    "wmt21 ja-en": (assessed, "wmt21/ja-en", 0.5),
    "wmt13 de-en": (lambda path: ranked("wmt13", path), "wmt13/de-en", 0.0),
}


TESTED: dict[str, tuple[Read, str, float]] = {
    "wmt23 en-de": (wmt23, "discourse/wmt23-mqm/en-de", 1.0),
    "ted en-de": (talks, "ted-mqm/en-de", 1.0),
    "wmt24 en-zh": (esa, "discourse/wmt24-esa/en-zh", 1.0),
}


class Sides(NamedTuple):
    """Two texts by subwords and by words, with what each weighs."""

    subwords: Floats
    embedded: Floats
    words: Floats
    spelled: Floats
    rarity: tuple[Floats, Floats]
    information: tuple[Floats, Floats]

    @property
    def both(self) -> Floats:
        """The mean of meaning and spelling."""
        return (self.words + self.spelled) / 2


def sides(ours: Text, theirs: Text) -> Sides:
    """All that the ways look at."""
    texts = ours, theirs
    encoder, rarity = load_encoder(), Rarity()
    embedded = [_unit(encoder._vectors(text.ids).astype(np.float64)) for text in texts]
    words = [_words(text) for text in texts]
    rare = [np.array([rarity[form] for form in t.tokens.forms])[t.owner] for t in texts]
    return Sides(
        np.asarray(ours.states @ theirs.states.T, np.float64),
        embedded[0] @ embedded[1].T,
        words[0][0] @ words[1][0].T,
        _spelled(words[0][1], words[1][1]),
        (rare[0], rare[1]),
        (words[0][2], words[1][2]),
    )


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def _words(text: Text) -> tuple[Floats, list[Counter[str]], Floats]:
    """Of each word that has a subword: the mean of their vectors, its pairs of neighbouring letters
    (edges count as letters), and −log of its probability."""
    present = np.unique(text.owner)
    rows = np.zeros((len(text.tokens), text.states.shape[1]))
    np.add.at(rows, text.owner, text.states)
    information = np.bincount(text.owner, rarities(text.ids), len(text.tokens))
    edged = (f"^{text.tokens.forms[k].lower()}$" for k in present)
    pairs = [Counter(a + b for a, b in pairwise(word)) for word in edged]
    return _unit(rows[present]), pairs, information[present] + 1e-9


def _spelled(ours: list[Counter[str]], theirs: list[Counter[str]]) -> Floats:
    """The share of pairs of letters that two words have in common."""
    sizes = [[one.total() for one in side] for side in (ours, theirs)]
    found = np.zeros((len(ours), len(theirs)))
    for i, one in enumerate(ours):
        for j, other in enumerate(theirs):
            if not one.keys().isdisjoint(other):
                found[i, j] = 2 * (one & other).total() / (sizes[0][i] + sizes[1][j])
    return found


def f(matrix: Floats, weights: tuple[Floats, Floats] | None = None, beta: float = 1.0) -> float:
    """The F-measure of the best matches, from both sides."""
    ours, theirs = weights or (np.ones(matrix.shape[0]), np.ones(matrix.shape[1]))
    precision = float(matrix.max(axis=1) @ ours / ours.sum())
    recall = float(matrix.max(axis=0) @ theirs / theirs.sum())
    total = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / total if total > 0 else 0.0


def near(matrix: Floats, cost: float) -> Floats:
    """Less what lies far off in the other text."""
    places = [np.arange(size) / size for size in matrix.shape]
    return matrix - cost * np.abs(places[0][:, None] - places[1][None, :])


def runs(matrix: Floats) -> Floats:
    """With a quarter of how alike the neighbours on either side are."""
    found = matrix.copy()
    found[1:, 1:] += matrix[:-1, :-1] / 4
    found[:-1, :-1] += matrix[1:, 1:] / 4
    return found / 1.5


def mutual(matrix: Floats) -> Floats:
    """Only what each side calls its best."""
    best = (matrix == matrix.max(axis=1, keepdims=True)) & (matrix == matrix.max(axis=0))
    return np.where(best, matrix, 0.0)


def _rare(matrix: Floats, sides: Sides, beta: float = 1.0) -> float:
    """Subwords, each weighing the square of its word's rarity: rarities lie close together."""
    return f(matrix, (sides.rarity[0] ** 2, sides.rarity[1] ** 2), beta)


WAYS: dict[str, Callable[[Sides], float]] = {
    "subwords, equal, F1": lambda s: f(s.subwords),
    "subwords, rare, F1": lambda s: _rare(s.subwords, s),
    "subwords, rare, F2": lambda s: _rare(s.subwords, s, 2),
    "subwords, rare, F3": lambda s: _rare(s.subwords, s, 3),
    "subwords, rare, F1, vectors without context": lambda s: _rare(s.embedded, s),
    "subwords, rare, F1, both depths": lambda s: _rare((s.subwords + s.embedded) / 2, s),
    "subwords, rare, F1, cosines to the power of 4": lambda s: _rare(s.subwords.clip(0, 1) ** 4, s),
    "subwords, rare, F1, near": lambda s: _rare(near(s.subwords, 0.1), s),
    "subwords, rare, F3, near": lambda s: _rare(near(s.subwords, 0.1), s, 3),
    "subwords, rare, F1, mutual": lambda s: _rare(mutual(s.subwords), s),
    "subwords, rare, F2, mutual": lambda s: _rare(mutual(s.subwords), s, 2),
    "subwords, rare, F3, mutual": lambda s: _rare(mutual(s.subwords), s, 3),
    "words, informative, F1": lambda s: f(s.words, s.information),
    "words, informative, F3": lambda s: f(s.words, s.information, 3),
    "words, informative, F3, near": lambda s: f(near(s.words, 0.3), s.information, 3),
    "words, informative, F3, runs": lambda s: f(runs(s.words), s.information, 3),
    "words, informative, F3, mutual": lambda s: f(mutual(s.words), s.information, 3),
    "spelling, informative, F3": lambda s: f(s.spelled, s.information, 3),
    "better of words and spelling, informative, F3": lambda s: f(
        np.maximum(s.words, s.spelled), s.information, 3
    ),
    "mean of words and spelling, equal, F3": lambda s: f(s.both, None, 3),
    "mean of words and spelling, informative, F1": lambda s: f(s.both, s.information),
    "mean of words and spelling, informative, F3": lambda s: f(s.both, s.information, 3),
}


LAST = (
    "words, informative, F3",
    "mean of words and spelling, informative, F3",
    "subwords, rare, F3, near",
)
"""Those that were tested, in this order."""


def agreement(name: str, data: Path, ways: Sequence[str], size: int = 0) -> dict[str, float]:
    """τ of some ways on one set, or on about so many of its segments."""
    reader, folder, least = (SETS | TESTED)[name]
    segments = [s for s in reader(shared_folder(data, folder)) if judged(s)]
    segments = segments[:: max(1, len(segments) // size) if size else 1]
    rows = [(k, n) for k, s in enumerate(segments) for n in judged(s)]
    ours = [segments[k].text(n) for k, n in rows]
    first = [next(s.references[r] for r in FIRST if r in s.references) for s in segments]
    theirs = [first[k] for k, _ in rows]
    distinct = list(dict.fromkeys([*ours, *theirs]))
    known = dict(zip(distinct, read_texts(distinct), strict=True))
    chrf = Chrf()
    columns: dict[str, list[float]] = {
        "chrF": chrf.score(chrf.statistics(Batch(ours, [theirs], None, ()), None)).tolist()
    }
    columns |= {way: [] for way in ways}
    for a, b in zip(ours, theirs, strict=True):
        full = len(known[a].ids) and len(known[b].ids)
        compared = sides(known[a], known[b]) if full else None
        for way in ways:
            columns[way].append(WAYS[way](compared) if compared else 0.0)
    if least:
        level = np.array([segments[k].levels[n] for k, n in rows])
        better, worse = within(level, np.array([k for k, _ in rows]), least)
        times = np.ones(len(better))
    else:
        place = {row: at for at, row in enumerate(rows)}
        pairs = [
            (place[k, a], place[k, b], c)
            for k, s in enumerate(segments)
            for (a, b), c in s.pairs.items()
            if (k, a) in place and (k, b) in place
        ]
        better, worse, times = (np.array(column) for column in zip(*pairs, strict=True))
    return {
        name: float(np.sign(np.array(v)[better] - np.array(v)[worse]) @ times / times.sum())
        for name, v in columns.items()
    }


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--segments", type=int, default=200, help="about how many of each set")
    parser.add_argument(
        "--tested", action="store_true", help="the last three, on the sets they were tested on"
    )
    args = parser.parse_args()
    if args.tested:
        ways: Sequence[str] = LAST
        found = {name: agreement(name, args.data, LAST) for name in TESTED}
    else:
        ways = tuple(WAYS)
        found = {name: agreement(name, args.data, ways, args.segments) for name in SETS}
    rows = [
        Row(
            (
                Cell(way),
                *(Cell(v[way]) for v in found.values()),
                Cell(float(np.mean([v[way] - v["chrF"] for v in found.values()]))),
            )
        )
        for way in ("chrF", *ways)
    ]
    table = Table(headings("Way", *found, "mean above chrF"), tuple(rows), "Ways of matching")
    sys.stdout.write(render([table], args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
