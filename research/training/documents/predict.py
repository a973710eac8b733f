"""Coreference of documents from a network, and the trees that teachers give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from training.corpora.documents import Mention
from training.documents.arrays import Arrays
from training.documents.figures import Figures
from training.documents.kept import Kept
from training.documents.network import REACH, Network, edge_scores, link
from training.rows import Node


def mentions(network: Network, document: Arrays, words: Tensor, threshold: float) -> list[Mention]:
    """The mentions of a document, numbered by the entity that they belong to."""
    score, kinds, _ = network.mentions(words)
    at = np.flatnonzero((torch.sigmoid(score) > threshold).cpu().numpy())
    if not len(at):
        return []
    found = link(network, document, words, kinds, score, at)
    scores = found.scores.float().cpu().numpy()
    owner = list(range(len(at)))
    best = np.zeros(len(at))
    for pair in range(len(scores)):
        m = found.mine[pair]
        if scores[pair] > best[m]:
            best[m] = scores[pair]
            owner[m] = int(found.theirs[pair])
    for m in range(len(at)):
        owner[m] = owner[owner[m]]
    edges = edge_scores(network, document, words, at).argmax(-1).cpu().numpy()
    names = kinds.argmax(-1).cpu().numpy()
    return [
        Mention(
            int(head + begin - REACH),
            int(head + last - REACH + 1),
            int(head),
            owner[m],
            network.labels["kind"][names[head]],
        )
        for m, (head, (begin, last)) in enumerate(zip(at.tolist(), edges.tolist(), strict=True))
    ]


def greedy(network: Network, places: Tensor) -> list[Node]:
    """A tree from the top: the best split of every span, all spans of a depth at once."""
    found: list[Node] = []
    level = [(0, len(places) - 1)] if len(places) > 1 else []
    while level:
        spans = [(a, k, b) for a, b in level for k in range(a, b)]
        splits, labels = network.join_scores(places, torch.tensor(spans, device=places.device))
        scores, named = splits.float().cpu().numpy(), labels.argmax(1).cpu().numpy()
        below = []
        at = 0
        for a, b in level:
            best = at + int(scores[at : at + b - a].argmax())
            m = spans[best][1]
            nuclearity, _, relation = network.labels["rst"][named[best]].partition("-")
            found.append((a, b, m, nuclearity, relation))
            below.extend(span for span in ((a, m), (m + 1, b)) if span[1] > span[0])
            at += b - a
        level = below
    return found


@torch.no_grad()
def figures(
    network: Network, kept: Sequence[Kept], arrays: Sequence[Arrays], threshold: float = 0.5
) -> dict[str, float]:
    """All figures of a network on documents."""
    network.eval()
    found = Figures()
    for each, document in zip(kept, arrays, strict=True):
        words = network.states([document])[0]
        found.add(each, mentions(network, document, words, threshold))
    return found.figures()
