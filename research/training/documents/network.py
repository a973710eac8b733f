"""Tower and heads together: what each document's losses are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from albeit.parsing.traits import pair_codes, pair_features
from training.corpora.documents import Mention
from training.documents import heads
from training.documents.arrays import STATUSES, Arrays
from training.rows import Node

Ints = npt.NDArray[np.int64]
REACH = 24
"""How far from its head a mention may begin or end, in words."""
BACK = 300
"""How many mentions back an antecedent is looked for."""
LIKELY = -1.5
"""A word with a higher score is looked at as a mention in training, gold or not."""
FAR = -1e4
"""The score of what cannot be."""
LOOKED = 40
"""How many antecedents are scored with care."""


class Network(nn.Module):
    """The document analysers: a reader and the heads."""

    def __init__(
        self,
        reader: nn.Module,
        labels: dict[str, list[str]],
        width: int = 384,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        self.labels = labels
        self.kinds = {name: k for k, name in enumerate(labels["kind"])}
        self.joined = {name: k for k, name in enumerate(labels["rst"])}
        self.reader = reader
        self.mentions = heads.Mentions(width, len(self.kinds), len(STATUSES), dropout)
        self.edges = heads.Edges(width, REACH, dropout)
        self.pairs = heads.Pairs(width, len(self.kinds), dropout)
        self.units = heads.Units(width, 2, dropout)
        self.joins = heads.Joins(len(self.joined), dropout)

    def states(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """The word vectors of each document."""
        found: list[Tensor] = self.reader(documents)
        return found

    def unit_places(self, documents: Sequence[Arrays], words: Sequence[Tensor]) -> list[Tensor]:
        """[sentences, 6, size] of each document."""
        vectors = [unit_vectors(d, w) for d, w in zip(documents, words, strict=True)]
        padded = nn.utils.rnn.pad_sequence(vectors, batch_first=True)
        sizes = torch.tensor([len(v) for v in vectors], device=padded.device)
        present = torch.arange(padded.shape[1], device=padded.device) < sizes[:, None]
        out = self.units(padded, present)
        return [
            row[:size].view(size, 6, self.units.size)
            for row, size in zip(out, sizes.tolist(), strict=True)
        ]

    def join_scores(self, places: Tensor, spans: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of candidates [n, 3] (first, last of the left part, last) of one document."""
        return self.joins(joints(places, spans), split_features(spans, len(places)))


def unit_vectors(document: Arrays, words: Tensor) -> Tensor:
    """[sentences, 4 width]: first word, last word, mean, and mean of the salient EDU."""
    dev = words.device
    starts = torch.from_numpy(document.starts).to(dev)
    sums = torch.cat([torch.zeros_like(words[:1]), words.cumsum(0)])
    begin, end = starts[:-1], starts[1:]
    one, two = torch.from_numpy(document.salient).to(dev).unbind(1)
    mean = (sums[end] - sums[begin]) / (end - begin)[:, None]
    chosen = (sums[two] - sums[one]) / (two - one)[:, None]
    return torch.cat([words[begin], words[end - 1], mean, chosen], 1)


def joints(places: Tensor, spans: Tensor) -> Tensor:
    """The sum of the six projections of each candidate."""
    first, middle, last = spans.unbind(1)
    sums = torch.cat([torch.zeros_like(places[:1, 4:]), places[:, 4:].cumsum(0)])
    left = (sums[middle + 1, 0] - sums[first, 0]) / (middle - first + 1)[:, None]
    right = (sums[last + 1, 1] - sums[middle + 1, 1]) / (last - middle)[:, None]
    return (
        places[first, 0]
        + places[middle, 1]
        + places[middle + 1, 2]
        + places[last, 3]
        + left
        + right
    )


def split_features(spans: Tensor, count: int) -> Tensor:
    """What sizes say of candidates."""
    first, middle, last = spans.unbind(1)
    left, right = middle - first + 1, last - middle
    whole = (first == 0) & (last == count - 1)
    columns = [left == 1, right == 1, first == 0, last == count - 1, whole]
    sizes = [torch.log(left.float()), torch.log(right.float())]
    return torch.stack([*(c.float() for c in columns), *sizes], 1)


def candidates(tree: list[Node], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """All splits of a tree's spans [n, 3], the node that each is of, and each node's own split."""
    spans, owners, chosen = [], [], []
    for number, (a, b, m, _, _) in enumerate(tree):
        chosen.append(len(spans) + m - a)
        spans.extend((a, k, b) for k in range(a, b))
        owners.extend([number] * (b - a))
    return (
        torch.tensor(spans, device=device),
        torch.tensor(owners, device=device),
        torch.tensor(chosen, device=device),
    )


def tree_loss(network: Network, places: Tensor, tree: list[Node]) -> tuple[Tensor, Tensor]:
    """Cross-entropies of the gold splits and labels, summed."""
    dev = places.device
    spans, owner, chosen = candidates(tree, dev)
    labels = [network.joined.get(f"{n}-{relation}", -100) for *_, n, relation in tree]
    splits, named = network.join_scores(places, spans)
    mass = torch.zeros(len(tree), device=dev).index_add(0, owner, splits.clamp(max=60).exp())
    split = (mass.log() - splits[chosen]).sum()
    label = fn.cross_entropy(
        named[chosen], torch.tensor(labels, device=dev), reduction="sum", ignore_index=-100
    )
    return split, label


def around(document: Arrays, at: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The words within `REACH` of each word of ``at``, and which of them are of its sentence."""
    places = at[:, None] + np.arange(-REACH, REACH + 1)
    sentence = np.searchsorted(document.starts, at, side="right") - 1
    inside = (places >= document.starts[sentence][:, None]) & (
        places < document.starts[sentence + 1][:, None]
    )
    return np.clip(places, 0, document.starts[-1] - 1), inside


def edge_scores(network: Network, document: Arrays, words: Tensor, at: Ints) -> Tensor:
    """[m, 2, 2 REACH + 1] for mentions with these heads; impossible places are very low."""
    places, inside = around(document, at)
    dev = words.device
    scores = network.edges(words, torch.from_numpy(at).to(dev), torch.from_numpy(places).to(dev))
    possible = np.stack([inside, inside], 1)
    possible[:, 0, REACH + 1 :] = False
    possible[:, 1, :REACH] = False
    return scores.masked_fill(~torch.from_numpy(possible).to(dev), -1e4)


def mention_losses(
    network: Network, document: Arrays, words: Tensor
) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """Losses of finding and describing mentions; scores and kinds of all words."""
    score, kinds, statuses = network.mentions(words)
    dev = words.device
    gold = list(document.mentions.values())
    heads_ = np.array([m.head for m in gold], np.int64)
    target = torch.zeros(len(words), device=dev)
    at = torch.from_numpy(heads_).to(dev)
    target[at] = 1.0
    kind = torch.tensor([network.kinds[m.kind] for m in gold], device=dev)
    known = torch.tensor([_status(m) for m in gold], device=dev)
    edges = edge_scores(network, document, words, heads_)
    begin = torch.tensor([max(m.start - m.head, -REACH) + REACH for m in gold], device=dev)
    last = torch.tensor([min(m.stop - 1 - m.head, REACH) + REACH for m in gold], device=dev)
    losses = {
        "mention": fn.binary_cross_entropy_with_logits(score, target, reduction="sum"),
        "kind": fn.cross_entropy(kinds[at], kind, reduction="sum"),
        "status": fn.cross_entropy(statuses[at], known, reduction="sum", ignore_index=-100),
        "edges": fn.cross_entropy(edges[:, 0], begin, reduction="sum")
        + fn.cross_entropy(edges[:, 1], last, reduction="sum"),
    }
    return losses, score, kinds


def _status(mention: Mention) -> int:
    name = mention.status.split(":")[0]
    return STATUSES.index(name) if name in STATUSES else -100


@dataclass(slots=True)
class Linked:
    """Scores of antecedents: of mention ``mine[p]`` on ``theirs[p]``, rows of ``heads``."""

    heads: Ints
    mine: Ints
    theirs: Ints
    scores: Tensor
    quick: Tensor


def link(
    network: Network, document: Arrays, words: Tensor, kinds: Tensor, score: Tensor, at: Ints
) -> Linked:
    """Score the antecedents of mentions with heads ``at``, in order: those that look best."""
    dev = words.device
    index = torch.from_numpy(at).to(dev)
    vectors = network.pairs.vectors(words[index], kinds[index])
    quick = network.pairs.quickly(vectors, vectors) + fn.logsigmoid(score[index])[None]
    order = torch.arange(len(at), device=dev)
    gap = order[:, None] - order[None]
    quick = quick.masked_fill((gap <= 0) | (gap > BACK), FAR)
    best = torch.topk(quick, min(LOOKED, len(at)), 1)
    keep = best.values > FAR / 2
    mine, theirs = order[:, None].expand_as(keep)[keep], best.indices[keep]
    found = Linked(at, mine.cpu().numpy(), theirs.cpu().numpy(), quick, quick)
    found.scores = _carefully(network, document, vectors, found) + quick[mine, theirs]
    return found


def pair_scores(
    network: Network, document: Arrays, words: Tensor, kinds: Tensor, score: Tensor, pairs: Linked
) -> Tensor:
    """This network's scores of the pairs that another one looks at."""
    dev = words.device
    index = torch.from_numpy(pairs.heads).to(dev)
    vectors = network.pairs.vectors(words[index], kinds[index])
    quick = network.pairs.quickly(vectors, vectors) + fn.logsigmoid(score[index])[None]
    mine, theirs = (torch.from_numpy(x).to(dev) for x in (pairs.mine, pairs.theirs))
    return _carefully(network, document, vectors, pairs) + quick[mine, theirs]


def _carefully(network: Network, document: Arrays, vectors: Tensor, pairs: Linked) -> Tensor:
    dev = vectors.device
    at, mine, theirs = pairs.heads, pairs.mine, pairs.theirs
    codes = torch.from_numpy(pair_codes(document.evidence, at, mine, theirs)).to(dev)
    features = torch.from_numpy(pair_features(document.evidence, at[mine], at[theirs])).to(dev)
    rows, others = torch.from_numpy(mine).to(dev), torch.from_numpy(theirs).to(dev)
    found: Tensor = network.pairs(vectors, rows, others, codes, features)
    return found


def link_losses(
    network: Network, document: Arrays, words: Tensor, kinds: Tensor, score: Tensor
) -> dict[str, Tensor]:
    """Marginal likelihood of the gold antecedents (or of none), with care and quickly."""
    gold = document.mentions
    likely = set(np.flatnonzero((score > LIKELY).cpu().numpy()).tolist())
    at = np.array(sorted(likely | gold.keys()), np.int64)
    found = link(network, document, words, kinds, score, at)
    entity = np.array([gold[w].entity if w in gold else -1 for w in at.tolist()])
    dev = words.device
    count = len(at)
    right = (entity[found.mine] == entity[found.theirs]) & (entity[found.mine] >= 0)
    mine = torch.from_numpy(found.mine).to(dev)
    slow = _marginal(found.scores, mine, torch.from_numpy(right).to(dev), count)
    rows, columns = torch.nonzero(found.quick > FAR / 2, as_tuple=True)
    pairs = (entity[:, None] == entity[None]) & (entity >= 0)[:, None]
    true = torch.from_numpy(pairs).to(dev)[rows, columns]
    quick = _marginal(found.quick[rows, columns], rows, true, count)
    return {"link": slow, "quick": quick}


def _marginal(scores: Tensor, rows: Tensor, right: Tensor, count: int) -> Tensor:
    """Minus log of the share that right antecedents, or where there are none *no antecedent*, have."""
    weights = scores.float().clamp(max=60).exp()
    mass = torch.ones(count, device=scores.device).index_add(0, rows, weights)
    good = torch.zeros(count, device=scores.device).index_add(0, rows, weights * right)
    none = torch.zeros(count, device=scores.device).index_add(0, rows, right.float()) == 0
    good = torch.where(none, torch.ones_like(good), good)
    return (mass.log() - good.clamp(min=1e-20).log()).sum()
