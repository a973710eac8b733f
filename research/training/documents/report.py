"""Figures of coreference on a part of GUM, of a trained network or of exported files.

python -m training documents.report --model RUNS/w1/model.safetensors --split dev
python -m training documents.report --onnx src/albeit/parsing/weights/documents --split test
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from albeit.parsing.coreference import Sentence, find_mentions, read_document, read_sentences
from albeit.parsing.model import Model, Networks
from training.corpora.documents import Mention
from training.documents.data import Arrays, Kept, load, make_arrays
from training.evaluate.coreference import Coreference
from training.options import WEIGHTS

if TYPE_CHECKING:
    from torch import Tensor

    from training.documents.network import Network

WATCHED = ("heads_muc", "heads_b3", "heads_ceaf", "heads_mean", "heads_singletons_mean")
WATCHED += ("exact_mean", "mention_heads")


def count(pairs: Iterable[tuple[Kept, Sequence[Mention]]]) -> dict[str, float]:
    """Return all figures over documents and their mentions."""
    coreference = Coreference()
    right = total = 0
    for kept, mentions in pairs:
        coreference.add(mentions, kept.document.mentions)
        gold = {m.head for m in kept.document.mentions}
        right += sum(m.head in gold for m in mentions)
        total += len(mentions) + len(gold)
    return coreference.figures() | {"mention_heads": 200 * right / max(1, total)}


def summarize(scores: dict[str, float]) -> str:
    """Return the figures to watch."""
    return " ".join(f"{name} {scores[name]:.1f}" for name in WATCHED)


def find_entities(network: Network, document: Arrays, words: Tensor) -> list[Mention]:
    """Return the mentions of a document, numbered by the entity that they belong to."""
    import torch

    from training.documents.network import REACH, describe, edge_scores, link

    seen = describe(network, words)
    at = np.flatnonzero((torch.sigmoid(seen.score) > 0.5).cpu().numpy())
    if not len(at):
        return []
    linked = link(network, document, seen, at)
    scores = linked.scores.float().cpu().numpy()
    owner, best = list(range(len(at))), np.zeros(len(at))
    for pair, (mine, other) in enumerate(zip(linked.mine, linked.theirs, strict=True)):
        if scores[pair] > best[mine]:
            best[mine], owner[mine] = scores[pair], int(other)
    for m in range(len(at)):
        owner[m] = owner[owner[m]]
    edges = edge_scores(network, document, words, at).argmax(-1).cpu().numpy() - REACH
    names = list(network.kinds)
    kinds = seen.kinds.argmax(-1).cpu().numpy()
    return [
        Mention(head + begin, head + last + 1, head, owner[m], names[kinds[head]])
        for m, (head, (begin, last)) in enumerate(zip(at.tolist(), edges.tolist(), strict=True))
    ]


def measure(network: Network, kept: Sequence[Kept], arrays: Sequence[Arrays]) -> dict[str, float]:
    """Return all figures of a network on documents."""
    import torch

    network.eval()
    with torch.no_grad():
        found = [find_entities(network, d, network.states([d])[0]) for d in arrays]
    return count(zip(kept, found, strict=True))


def read_kept(kept: Kept, model: Model) -> list[Sentence]:
    """Return the sentences of a document, read by the parsing model."""
    return read_sentences([tuple(row.words) for row in kept.document.rows], model, tagged=True)


def analyze(kept: Kept, model: Model, networks: Networks) -> list[Mention]:
    """Return the mentions of a document by the package's own code."""
    found = find_mentions(read_document(read_kept(kept, model), networks), networks)
    rows = zip(
        found.spans.tolist(),
        found.heads.tolist(),
        found.entities.tolist(),
        found.kinds.argmax(1).tolist(),
        strict=True,
    )
    names = networks.labels["kind"]
    return [Mention(*span, head, entity, names[kind]) for span, head, entity, kind in rows]


def main(
    *,
    data: Path = Path("research/data/documents"),
    weights: Path = WEIGHTS,
    model: Path | None = None,
    onnx: Path | None = None,
    split: str = "dev",
    limit: int | None = None,
    format: Literal["text", "json"] = "text",
) -> None:
    """Print figures."""
    kept = load(data / f"{split}.pickle", limit)
    if model:
        from training.documents.train import restore

        scores = measure(restore(model, "cpu"), kept, [make_arrays(each) for each in kept])
    else:
        networks = Networks(onnx or weights / "documents")
        parser = Model(weights)
        scores = count((each, analyze(each, parser, networks)) for each in kept)
    if format == "json":
        print(json.dumps(scores, indent=1))
        return
    for name, value in scores.items():
        print(f"{name:32} {value:6.2f}")
