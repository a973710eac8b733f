"""Reader and heads of coreference, and the losses of each document.

Each head's ``forward`` is what an exported file computes. A teacher's word vectors are made once
per document; its heads are then asked about the very candidates that the student looks at. The
probabilities of several teachers are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from albeit.parsing.traits import pair_codes, pair_features
from training.corpora.documents import Mention
from training.documents.data import STATUSES, Arrays, Ints
from training.model.heads import Mlp, project

REACH = 24
"""How far from its head a mention may begin or end, in words."""
BACK = 300
"""How many mentions back an antecedent is looked for."""
LIKELY = -1.5
"""A word with a higher score is looked at as a mention in training, gold or not."""
TAUGHT = 0.15
"""A word that teachers give at least this probability of heading a mention is looked at."""
FAR = -1e4
"""The score of what is impossible."""
LOOKED = 40
"""How many antecedents get the exact score."""
PAIR_FEATURES = 12
CLASSES = 12
"""Classes of words that may refer: eleven kinds of pronoun, and all others."""
GAPS = 10
"""Classes of distance between two mentions."""


class Mentions(nn.Module):
    """Whether a word is the head of a mention, of which type, and how known it is."""

    def __init__(self, width: int, kinds: int, dropout: float) -> None:
        super().__init__()
        self.hidden = project(width, 256, dropout)
        self.score = nn.Linear(256, 1)
        self.kinds = nn.Linear(256, kinds)
        self.statuses = nn.Linear(256, len(STATUSES))
        nn.init.constant_(self.score.bias, -2.0)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[n, width] → [n], [n, kinds], [n, statuses]."""
        hidden = self.hidden(words)
        return self.score(hidden).squeeze(-1), self.kinds(hidden), self.statuses(hidden)


class Edges(nn.Module):
    """Where the mention with a given head begins and ends: a score for each word around it."""

    def __init__(self, width: int, dropout: float, size: int = 96) -> None:
        super().__init__()
        self.head = project(width, 2 * size, dropout)
        self.word = project(width, 2 * size, dropout)
        self.place = nn.Parameter(torch.zeros(2, 2 * REACH + 1, size))
        self.prior = nn.Parameter(torch.zeros(2, 2 * REACH + 1))
        self.scale = size**-0.5

    def forward(self, words: Tensor, at: Tensor, places: Tensor) -> Tensor:
        """[n, width], heads [m], words around each [m, 2 REACH + 1] → [m, 2, 2 REACH + 1].

        The scores are of the mention's first and of its last word."""
        head = self.head(words.index_select(0, at)).unflatten(-1, (2, -1)).transpose(0, 1)
        word = self.word(words).unflatten(-1, (2, -1)).permute(1, 2, 0)
        met = (head @ word).transpose(0, 1)
        near = torch.gather(met, 2, places.unsqueeze(1).expand(-1, 2, -1))
        placed = (head @ self.place.transpose(1, 2)).transpose(0, 1)
        out: Tensor = (near + placed) * self.scale + self.prior
        return out


class Pairs(nn.Module):
    """Vectors of mentions for finding antecedents, a quick score of all pairs, an exact one of
    few."""

    def __init__(self, width: int, kinds: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.mention = Mlp(width + kinds, 384, size, dropout)
        self.drop = nn.Dropout(dropout)
        self.quick = nn.Linear(size, size, bias=False)
        self.scale = size**-0.5
        self.gap = nn.Embedding(2 * GAPS, size)
        self.classes = nn.Embedding(CLASSES * CLASSES, size)
        self.features = nn.Linear(PAIR_FEATURES, size)
        self.mine = nn.Linear(size, size)
        self.theirs = nn.Linear(size, size, bias=False)
        self.both = nn.Linear(size, size, bias=False)
        self.inner = nn.Linear(size, 96)
        self.score = nn.Linear(96, 1)

    def vectors(self, words: Tensor, kinds: Tensor) -> Tensor:
        """[m, width], [m, kinds] (logits) → [m, size]."""
        joined = torch.cat([words, torch.softmax(kinds, -1)], -1)
        out: Tensor = self.drop(fn.gelu(self.mention(joined)))
        return out

    def forward(
        self, mentions: Tensor, mine: Tensor, theirs: Tensor, codes: Tensor, features: Tensor
    ) -> Tensor:
        """[m, size], rows [p] twice, codes (gaps, classes) [p, 3], [p, features] → [p]."""
        one, other = mentions.index_select(0, mine), mentions.index_select(0, theirs)
        joint = (
            self.mine(mentions).index_select(0, mine)
            + self.theirs(mentions).index_select(0, theirs)
            + self.both(one * other)
            + self.gap(codes[:, 0])
            + self.gap(codes[:, 1] + GAPS)
            + self.classes(codes[:, 2])
            + self.features(features.to(one.dtype))
        )
        hidden = fn.gelu(self.inner(self.drop(fn.gelu(joint))))
        out: Tensor = self.score(hidden).squeeze(-1)
        return out


class Network(nn.Module):
    """A reader and the heads."""

    def __init__(self, reader: nn.Module, kinds: list[str], width: int, dropout: float) -> None:
        super().__init__()
        self.kinds = {name: k for k, name in enumerate(kinds)}
        self.reader = reader
        self.mentions = Mentions(width, len(kinds), dropout)
        self.edges = Edges(width, dropout)
        self.pairs = Pairs(width, len(kinds), dropout)

    def states(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """Return the word vectors of each document."""
        vectors: list[Tensor] = self.reader(documents)
        return vectors


def words_around(document: Arrays, at: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the words within ``REACH`` of each word, and which of them are in its sentence."""
    places = at[:, None] + np.arange(-REACH, REACH + 1)
    sentence = np.searchsorted(document.starts, at, side="right") - 1
    inside = (places >= document.starts[sentence][:, None]) & (
        places < document.starts[sentence + 1][:, None]
    )
    return np.clip(places, 0, document.starts[-1] - 1), inside


def edge_scores(network: Network, document: Arrays, words: Tensor, at: Ints) -> Tensor:
    """Return [m, 2, 2 REACH + 1] for mentions with these heads; impossible places are very low."""
    places, inside = words_around(document, at)
    dev = words.device
    scores = network.edges(words, torch.from_numpy(at).to(dev), torch.from_numpy(places).to(dev))
    possible = np.stack([inside, inside], 1)
    possible[:, 0, REACH + 1 :] = False
    possible[:, 1, :REACH] = False
    return scores.masked_fill(~torch.from_numpy(possible).to(dev), FAR)


@dataclass(slots=True)
class Described:
    """What the heads give for every word of a document: vectors, and scores of mentions."""

    words: Tensor
    score: Tensor
    kinds: Tensor
    statuses: Tensor


def describe(network: Network, words: Tensor) -> Described:
    """Return what the heads give for word vectors."""
    return Described(words, *network.mentions(words))


@dataclass(slots=True)
class Linked:
    """Scores of antecedents: of mention ``mine[p]`` on ``theirs[p]``, rows of ``heads``."""

    heads: Ints
    mine: Ints
    theirs: Ints
    scores: Tensor
    quick: Tensor


def link(
    network: Network, document: Arrays, seen: Described, at: Ints, pairs: Linked | None = None
) -> Linked:
    """Score the antecedents of mentions with heads ``at``: the best ones, or given pairs."""
    dev = seen.words.device
    index = torch.from_numpy(at).to(dev)
    vectors = network.pairs.vectors(seen.words[index], seen.kinds[index])
    quick = network.pairs.quick(vectors) @ vectors.T * network.pairs.scale
    quick = quick + fn.logsigmoid(seen.score[index])[None]
    order = torch.arange(len(at), device=dev)
    gap = order[:, None] - order[None]
    quick = quick.masked_fill((gap <= 0) | (gap > BACK), FAR)
    if pairs is None:
        best = torch.topk(quick, min(LOOKED, len(at)), 1)
        keep = best.values > FAR / 2
        mine, theirs = order[:, None].expand_as(keep)[keep], best.indices[keep]
    else:
        mine, theirs = (torch.from_numpy(x).to(dev) for x in (pairs.mine, pairs.theirs))
    ours, others = mine.cpu().numpy(), theirs.cpu().numpy()
    codes = torch.from_numpy(pair_codes(document.evidence, at, ours, others)).to(dev)
    features = torch.from_numpy(pair_features(document.evidence, at[ours], at[others])).to(dev)
    exact = network.pairs(vectors, mine, theirs, codes, features)
    return Linked(at, ours, others, exact + quick[mine, theirs], quick)


def gold_losses(network: Network, document: Arrays, words: Tensor) -> dict[str, Tensor]:
    """Return the losses against the annotation, summed: mentions, their edges, antecedents."""
    seen, dev = describe(network, words), words.device
    gold = list(document.mentions.values())
    heads = np.array([m.head for m in gold], np.int64)
    at = torch.from_numpy(heads).to(dev)
    target = torch.zeros(len(words), device=dev)
    target[at] = 1.0
    kind = torch.tensor([network.kinds[m.kind] for m in gold], device=dev)
    known = torch.tensor([_status(m) for m in gold], device=dev)
    edges = edge_scores(network, document, words, heads)
    begin = torch.tensor([max(m.start - m.head, -REACH) + REACH for m in gold], device=dev)
    last = torch.tensor([min(m.stop - 1 - m.head, REACH) + REACH for m in gold], device=dev)
    return {
        "mention": fn.binary_cross_entropy_with_logits(seen.score, target, reduction="sum"),
        "kind": fn.cross_entropy(seen.kinds[at], kind, reduction="sum"),
        "status": fn.cross_entropy(seen.statuses[at], known, reduction="sum", ignore_index=-100),
        "edges": fn.cross_entropy(edges[:, 0], begin, reduction="sum")
        + fn.cross_entropy(edges[:, 1], last, reduction="sum"),
        **_link_losses(network, document, seen),
    }


def _status(mention: Mention) -> int:
    name = mention.status.split(":")[0]
    return STATUSES.index(name) if name in STATUSES else -100


def _link_losses(network: Network, document: Arrays, seen: Described) -> dict[str, Tensor]:
    """Return the marginal likelihood of the gold antecedents (or of none), exact and quick."""
    gold = document.mentions
    likely = set(np.flatnonzero((seen.score > LIKELY).cpu().numpy()).tolist())
    at = np.array(sorted(likely | gold.keys()), np.int64)
    linked = link(network, document, seen, at)
    entity = np.array([gold[w].entity if w in gold else -1 for w in at.tolist()])
    dev = seen.words.device
    right = (entity[linked.mine] == entity[linked.theirs]) & (entity[linked.mine] >= 0)
    mine = torch.from_numpy(linked.mine).to(dev)
    exact = _marginal(linked.scores, mine, torch.from_numpy(right).to(dev), len(at))
    rows, columns = torch.nonzero(linked.quick > FAR / 2, as_tuple=True)
    pairs = (entity[:, None] == entity[None]) & (entity >= 0)[:, None]
    true = torch.from_numpy(pairs).to(dev)[rows, columns]
    return {"link": exact, "quick": _marginal(linked.quick[rows, columns], rows, true, len(at))}


def _marginal(scores: Tensor, rows: Tensor, right: Tensor, count: int) -> Tensor:
    """Return minus log of the share of right antecedents, or of *none* if there are none."""
    weights = scores.float().clamp(max=60).exp()
    mass = torch.ones(count, device=scores.device).index_add(0, rows, weights)
    good = torch.zeros(count, device=scores.device).index_add(0, rows, weights * right)
    none = torch.zeros(count, device=scores.device).index_add(0, rows, right.float()) == 0
    good = torch.where(none, torch.ones_like(good), good)
    return (mass.log() - good.clamp(min=1e-20).log()).sum()


@dataclass(slots=True)
class Teachers:
    """Trained networks, and what they gave for each document."""

    networks: Sequence[Network]
    seen: dict[str, list[Described]] = field(default_factory=dict)

    @torch.no_grad()
    def read(self, documents: Sequence[Arrays]) -> None:
        """Read documents once."""
        for document in documents:
            self.seen[document.name] = [
                describe(network, network.eval().states([document])[0]) for network in self.networks
            ]

    def losses(self, student: Network, document: Arrays, words: Tensor) -> dict[str, Tensor]:
        """Return cross-entropies of the student against the teachers' probabilities, summed."""
        taught = self.seen[document.name]
        goal = torch.stack([torch.sigmoid(s.score) for s in taught]).mean(0)
        at = np.flatnonzero((goal > TAUGHT).cpu().numpy())
        seen = describe(student, words)
        losses = {"mention": fn.binary_cross_entropy_with_logits(seen.score, goal, reduction="sum")}
        if not len(at):
            return losses
        index = torch.from_numpy(at).to(words.device)
        losses["kind"] = _soft(seen.kinds[index], [s.kinds[index] for s in taught])
        linked = link(student, document, seen, at)
        rows = torch.from_numpy(linked.mine).to(words.device)
        with torch.no_grad():
            each = list(zip(self.networks, taught, strict=True))
            edges = [edge_scores(n, document, s.words, at) for n, s in each]
            logs = [shares(link(n, document, s, at, linked).scores, rows, len(at)) for n, s in each]
        pairs, alone = (
            torch.stack([x.exp() for x in part]).mean(0) for part in zip(*logs, strict=True)
        )
        losses["edges"] = _soft(edge_scores(student, document, words, at), edges)
        quick = linked.quick[rows, torch.from_numpy(linked.theirs).to(words.device)]
        for name, scores in (("link", linked.scores), ("quick", quick)):
            mine, none = shares(scores, rows, len(at))
            losses[name] = -(pairs * mine).sum() - (alone * none).sum()
        return losses


def _soft(mine: Tensor, theirs: Sequence[Tensor]) -> Tensor:
    goal = torch.stack([torch.softmax(t, -1) for t in theirs]).mean(0)
    return -(goal * torch.log_softmax(mine, -1)).sum()


def shares(scores: Tensor, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return log probabilities of each pair, and for each mention that it has no antecedent."""
    limited = scores.clamp(max=60)
    mass = torch.ones(count, device=scores.device).index_add(0, rows, limited.exp())
    none = -mass.log()
    return limited + none[rows], none
