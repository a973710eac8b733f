"""Coreference of the shipped networks on a part of GUM: MUC, B³ and CEAF-φ4, and their mean.

    python -m training evaluate.coreference --data ../shared/data --split test

Two mentions are the same if their words are (*exact*), or if their heads are (*heads*); where
several mentions of one side share a head, those that overlap most are paired. *Singletons*, the
entities that are mentioned once, are kept or left out of both sides.

MUC counts the links that are missing (Vilain et al. 1995); B³ looks at every mention's entity
(Bagga and Baldwin 1998); CEAF-φ4 pairs entities one to one (Luo 2005). Sums are those of the
reference scorer of CoNLL-2012: numerators and denominators over all documents.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from albeit.parsing.coreference import find_mentions, read_document, read_sentences
from albeit.parsing.model import Model, Networks
from training.corpora.documents import Document, Mention, read
from training.options import DATA, WEIGHTS

Clusters = Sequence[frozenset[Hashable]]


@dataclass(slots=True)
class Ratio:
    """A precision and a recall as sums."""

    recalled: float = 0.0
    gold: float = 0.0
    right: float = 0.0
    predicted: float = 0.0

    @property
    def recall(self) -> float:
        """In percent."""
        return 100 * self.recalled / self.gold if self.gold else 0.0

    @property
    def precision(self) -> float:
        """In percent."""
        return 100 * self.right / self.predicted if self.predicted else 0.0

    @property
    def f1(self) -> float:
        """In percent."""
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0


def _owners(clusters: Clusters) -> dict[Hashable, int]:
    return {mention: k for k, cluster in enumerate(clusters) for mention in cluster}


def _links(clusters: Clusters, others: Clusters) -> tuple[float, float]:
    """Links of ``clusters`` that ``others`` keep, and all of them."""
    owners = _owners(others)
    kept = total = 0
    for cluster in clusters:
        parts = {owners[m] for m in cluster if m in owners}
        alone = sum(m not in owners for m in cluster)
        kept += len(cluster) - len(parts) - alone
        total += len(cluster) - 1
    return kept, total


def _shares(clusters: Clusters, others: Clusters) -> tuple[float, float]:
    """Over the mentions: the share of its own cluster that its other cluster has in common."""
    owners = _owners(others)
    kept, total = 0.0, 0
    for cluster in clusters:
        common = Counter(owners[m] for m in cluster if m in owners)
        kept += sum(count * count for count in common.values()) / len(cluster)
        total += len(cluster)
    return kept, total


def _paired(gold: Clusters, predicted: Clusters) -> float:
    """The similarity φ4 of clusters in the best one-to-one pairing."""
    if not gold or not predicted:
        return 0.0
    owners = _owners(predicted)
    similar = np.zeros((len(gold), len(predicted)))
    for k, cluster in enumerate(gold):
        for other, count in Counter(owners[m] for m in cluster if m in owners).items():
            similar[k, other] = 2 * count / (len(cluster) + len(predicted[other]))
    rows, columns = linear_sum_assignment(similar, maximize=True)
    return float(similar[rows, columns].sum())


@dataclass(slots=True)
class Score:
    """Sums of the three measures over documents."""

    muc: Ratio = field(default_factory=Ratio)
    b3: Ratio = field(default_factory=Ratio)
    ceaf: Ratio = field(default_factory=Ratio)

    def add(self, predicted: Clusters, gold: Clusters) -> None:
        """Count one document's clusters of mentions."""
        for ratio, measure in ((self.muc, _links), (self.b3, _shares)):
            kept, total = measure(gold, predicted)
            right, found = measure(predicted, gold)
            ratio.recalled += kept
            ratio.gold += total
            ratio.right += right
            ratio.predicted += found
        similar = _paired(gold, predicted)
        self.ceaf.recalled += similar
        self.ceaf.right += similar
        self.ceaf.gold += len(gold)
        self.ceaf.predicted += len(predicted)

    @property
    def mean(self) -> float:
        """The mean of the three F1, which CoNLL-2012 ranked by."""
        return (self.muc.f1 + self.b3.f1 + self.ceaf.f1) / 3

    def figures(self) -> dict[str, float]:
        """F1 by measure, and their mean."""
        return {"muc": self.muc.f1, "b3": self.b3.f1, "ceaf": self.ceaf.f1, "mean": self.mean}


def clusters(mentions: Iterable[tuple[Hashable, int]], singletons: bool) -> Clusters:
    """Mentions (key, entity) as the sets of those that corefer."""
    found: dict[int, set[Hashable]] = {}
    for key, entity in mentions:
        found.setdefault(entity, set()).add(key)
    return [frozenset(c) for c in found.values() if singletons or len(c) > 1]


def exact_keys(mentions: Sequence[Mention]) -> list[Hashable]:
    """Mentions told apart by their words."""
    return [(m.start, m.stop) for m in mentions]


def _overlap(one: Mention, other: Mention) -> float:
    common = min(one.stop, other.stop) - max(one.start, other.start)
    return common / (max(one.stop, other.stop) - min(one.start, other.start))


def head_keys(
    predicted: Sequence[Mention], gold: Sequence[Mention]
) -> tuple[list[Hashable], list[Hashable]]:
    """Keys that are equal where the heads are; each mention is paired at most once."""
    by_head: dict[int, list[int]] = {}
    for k, mention in enumerate(gold):
        by_head.setdefault(mention.head, []).append(k)
    pairs: list[tuple[float, int, int]] = []
    for p, mention in enumerate(predicted):
        pairs += [(_overlap(mention, gold[k]), p, k) for k in by_head.get(mention.head, ())]
    keys: list[Hashable] = [("predicted", p) for p in range(len(predicted))]
    taken: set[int] = set()
    for _, p, k in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if k not in taken and keys[p] == ("predicted", p):
            keys[p] = ("gold", k)
            taken.add(k)
    return keys, [("gold", k) for k in range(len(gold))]


class Coreference:
    """All forms of the score: exact words and heads, with singletons and without."""

    def __init__(self) -> None:
        forms = product(("exact", "heads"), (False, True))
        self.scores = {form: Score() for form in forms}

    def add(self, predicted: Sequence[Mention], gold: Sequence[Mention]) -> None:
        """Count one document."""
        exact = exact_keys(predicted), exact_keys(gold)
        keys = {"exact": exact, "heads": head_keys(predicted, gold)}
        for (by, singletons), score in self.scores.items():
            mine, theirs = keys[by]
            score.add(
                clusters(zip(mine, (m.entity for m in predicted), strict=True), singletons),
                clusters(zip(theirs, (m.entity for m in gold), strict=True), singletons),
            )

    def figures(self) -> dict[str, float]:
        """Every measure of every form."""
        return {
            f"{by}{'_singletons' if singletons else ''}_{name}": value
            for (by, singletons), score in self.scores.items()
            for name, value in score.figures().items()
        }


def count(pairs: Iterable[tuple[Document, Sequence[Mention]]]) -> dict[str, float]:
    """Return all figures over documents and the mentions that were found in them."""
    coreference = Coreference()
    right = total = 0
    for document, mentions in pairs:
        coreference.add(mentions, document.mentions)
        gold = {m.head for m in document.mentions}
        right += sum(m.head in gold for m in mentions)
        total += len(mentions) + len(gold)
    return coreference.figures() | {"mention_heads": 200 * right / max(1, total)}


def analyze(document: Document, parser: Model, networks: Networks) -> list[Mention]:
    """Return the mentions of a document by the package's own code, from gold words."""
    sentences = read_sentences(document.sentences, parser, tagged=True)
    found = find_mentions(read_document(sentences, networks), networks)
    names = networks.labels["kind"]
    kinds = [names[kind] for kind in found.kinds.argmax(1)]
    columns = (found.spans.tolist(), found.heads.tolist(), found.entities.tolist(), kinds)
    return [Mention(*span, *rest) for span, *rest in zip(*columns, strict=True)]


def main(
    *,
    data: Path = DATA,
    weights: Path = WEIGHTS,
    split: str = "dev",
    limit: int | None = None,
) -> None:
    """Print figures."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "gum.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        documents = list(read(Path(folder) / "gum", split))[:limit]
    parser, networks = Model(weights), Networks(weights / "documents")
    scores = count((each, analyze(each, parser, networks)) for each in documents)
    for name, value in scores.items():
        print(f"{name:32} {value:6.2f}")
