"""Losses against teachers: larger networks that read the same documents.

A teacher's word vectors are made once a document; its heads are then asked about the very
candidates that the student looks at. The chances of several teachers are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from training.documents.arrays import Arrays
from training.documents.network import Linked, Network, candidates, edge_scores, link, pair_scores
from training.documents.predict import greedy
from training.rows import Node

LEAST = 0.15
"""A word that teachers give at least this chance of heading a mention is looked at."""


@dataclass(slots=True)
class Seen:
    """What one teacher has made of a document."""

    words: Tensor
    places: Tensor
    score: Tensor
    kinds: Tensor


@dataclass(slots=True)
class Teachers:
    """Trained networks, and what they have seen."""

    networks: Sequence[Network]
    seen: dict[str, list[Seen]] = field(default_factory=dict)
    trees: dict[str, list[Node]] = field(default_factory=dict)

    @torch.no_grad()
    def read(self, documents: Sequence[Arrays]) -> None:
        """Look at documents once; those without a tree get the first teacher's."""
        for document in documents:
            found = []
            for network in self.networks:
                words = network.eval().states([document])[0]
                score, kinds, _ = network.mentions(words)
                places = network.unit_places([document], [words])[0]
                found.append(Seen(words, places, score, kinds))
            self.seen[document.name] = found
            tree = document.tree or greedy(self.networks[0], found[0].places)
            self.trees[document.name] = tree

    def chances(self, name: str) -> Tensor:
        """Of every word, that it heads a mention."""
        return torch.stack([torch.sigmoid(s.score) for s in self.seen[name]]).mean(0)

    def losses(
        self, student: Network, document: Arrays, words: Tensor, places: Tensor
    ) -> dict[str, Tensor]:
        """Cross-entropies of the student against the teachers' chances, summed."""
        seen = self.seen[document.name]
        chances = self.chances(document.name)
        at = np.flatnonzero((chances > LEAST).cpu().numpy())
        index = torch.from_numpy(at).to(words.device)
        score, kinds, _ = student.mentions(words)
        found = {"mention": fn.binary_cross_entropy_with_logits(score, chances, reduction="sum")}
        if len(at):
            found["kind"] = _soft(kinds[index], [s.kinds[index] for s in seen])
            edges = edge_scores(student, document, words, at)
            with torch.no_grad():
                theirs = [
                    edge_scores(t, document, s.words, at)
                    for t, s in zip(self.networks, seen, strict=True)
                ]
            found["edges"] = _soft(edges, theirs)
            found.update(
                self._links(student, document, link(student, document, words, kinds, score, at))
            )
        tree = self.trees[document.name]
        if tree:
            found.update(self._tree(student, document, places, tree))
        return found

    def _links(self, student: Network, document: Arrays, found: Linked) -> dict[str, Tensor]:
        """The antecedents that the student looks at."""
        dev = found.scores.device
        count = len(found.heads)
        rows = torch.from_numpy(found.mine).to(dev)
        goals = []
        with torch.no_grad():
            for network, seen in zip(self.networks, self.seen[document.name], strict=True):
                scores = pair_scores(network, document, seen.words, seen.kinds, seen.score, found)
                logs, none = shares(scores, rows, count)
                goals.append((logs.exp(), none.exp()))
        pairs, alone = (torch.stack(part).mean(0) for part in zip(*goals, strict=True))
        losses = {}
        quick = found.quick[rows, torch.from_numpy(found.theirs).to(dev)]
        for name, mine in (("link", found.scores), ("quick", quick)):
            logs, none = shares(mine, rows, count)
            losses[name] = -(pairs * logs).sum() - (alone * none).sum()
        return losses

    def _tree(
        self, student: Network, document: Arrays, places: Tensor, tree: list[Node]
    ) -> dict[str, Tensor]:
        spans, owner, chosen = candidates(tree, places.device)
        splits, labels = student.join_scores(places, spans)
        goals, named = [], []
        with torch.no_grad():
            for network, seen in zip(self.networks, self.seen[document.name], strict=True):
                theirs, names = network.join_scores(seen.places, spans)
                goals.append(split_logs(theirs, owner, len(tree)).exp())
                named.append(names[chosen])
        goal = torch.stack(goals).mean(0)
        split = -(goal * split_logs(splits, owner, len(tree))).sum()
        return {"split": split, "label": _soft(labels[chosen], named)}


def _soft(mine: Tensor, theirs: Sequence[Tensor]) -> Tensor:
    goal = torch.stack([torch.softmax(t, -1) for t in theirs]).mean(0)
    return -(goal * torch.log_softmax(mine, -1)).sum()


def shares(scores: Tensor, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Log chances of each pair, and for each mention that it has no antecedent."""
    limited = scores.clamp(max=60)
    mass = torch.ones(count, device=scores.device).index_add(0, rows, limited.exp())
    none = -mass.log()
    return limited + none[rows], none


def split_logs(splits: Tensor, owner: Tensor, count: int) -> Tensor:
    """Log chances of each candidate among those of its node."""
    limited = splits.clamp(max=60)
    mass = torch.zeros(count, device=splits.device).index_add(0, owner, limited.exp())
    return limited - mass.log()[owner]
