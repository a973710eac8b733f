"""The losses of every layer over one batch, and the vectors that the heads read."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as fn

from training.model.encoder import Encoder
from training.model.heads import Heads

IGNORE = -100
SMOOTHING = 0.02
"""Probability kept for what the annotation does not say: small corpora are learnt by heart else."""
WEIGHTS = {
    "edu": 3.0,
    "upos": 1.0,
    "xpos": 0.5,
    "head": 1.0,
    "rel": 0.5,
    "span": 1.0,
    "bracket": 0.5,
    "pred": 2.0,
    "role": 2.0,
    "conn": 2.0,
    "sense": 0.3,
    "entity": 0.5,
    "split": 1.0,
    "rst": 1.0,
    "middle": 4.0,
}
Batch = dict[str, Tensor]


def word_vectors(hidden: Tensor, batch: Batch) -> Tensor:
    """[b, t, width] → [b, w, width]: each word's first subword; zero where there is no word."""
    index = batch["first"].unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
    return hidden.gather(1, index) * batch["present"].unsqueeze(-1)


def take(words: Tensor, row: Tensor, word: Tensor) -> Tensor:
    """[b, w, width] at places [n] → [n, width]."""
    return words.flatten(0, 1).index_select(0, row * words.shape[1] + word)


def edu_vectors(words: Tensor, edus: Tensor) -> Tensor:
    """[b, w, width], [e, 3] → [e, 3 width]: first word, last word, mean of each EDU."""
    row, first, last = edus.unbind(1)
    places = torch.arange(words.shape[1], device=words.device)
    inside = (places >= first.unsqueeze(1)) & (places <= last.unsqueeze(1))
    share = inside.to(words.dtype) / (last - first + 1).unsqueeze(1)
    mean = (share.unsqueeze(1) @ words.index_select(0, row)).squeeze(1)
    return torch.cat([take(words, row, first), take(words, row, last), mean], -1)


def span_ends(words: Tensor, spans: Tensor) -> Tensor:
    """[b, w, width], spans (row, start, stop) → [n, 4 width] as `SpanLabels` reads them."""
    padded = fn.pad(words, (0, 0, 1, 1))
    row, start, stop = spans[:, 0], spans[:, 1], spans[:, 2]
    return torch.cat([take(padded, row, k) for k in (start, start + 1, stop, stop + 1)], -1)


def outputs(heads: Heads, words: Tensor, batch: Batch) -> dict[str, Tensor]:
    """The scores of all heads at the places where the batch has targets, in float32."""
    flat = words.flatten(0, 1).index_select(0, batch["flat"])
    out: dict[str, Tensor] = {"edu": heads.edus(flat)}
    out["upos"], out["xpos"] = heads.tags(flat)
    out["head"] = heads.arcs(words)
    related = batch["related"]
    row = related // words.shape[1]
    head = batch["head"].flatten().index_select(0, related) - 1
    dependents = words.flatten(0, 1).index_select(0, related)
    out["rel"] = heads.relations(dependents, take(words, row, head))
    out["conn"], out["sense"] = heads.connectives(flat)
    out["entity"] = heads.entities(flat)
    out["pred"] = heads.predicates(flat)
    if len(batch["span_rows"]):
        out["span"] = heads.spans(words.index_select(0, batch["span_rows"]))
        out["bracket"] = heads.span_labels(span_ends(words, batch["spans"]))
    if len(batch["predicates"]):
        out["role"] = heads.roles(words, batch["predicates"][:, 0], batch["predicates"][:, 1])
    if len(batch["candidates"]):
        edus = edu_vectors(words, batch["edus"])
        out["split"], out["rst"] = heads.rst(edus, batch["candidates"], batch["features"])
    return {name: value.float() for name, value in out.items()}


def _mean(loss: Tensor, keep: Tensor) -> Tensor:
    return (loss * keep).sum() / keep.sum().clamp(min=1)


def _cross_entropy(scores: Tensor, target: Tensor, smoothing: float = 2 * SMOOTHING) -> Tensor:
    settings = {"ignore_index": IGNORE, "label_smoothing": smoothing}
    return fn.cross_entropy(scores, target, reduction="none", **settings)


def losses(out: dict[str, Tensor], batch: Batch) -> dict[str, Tensor]:
    """Each layer's loss against the gold annotation."""
    present = batch["present"]
    found: dict[str, Tensor] = {}
    for name in ("edu", "pred"):
        target = batch[name].flatten().index_select(0, batch["flat"])
        keep = target != IGNORE
        goal = target.clamp(min=0).float() * (1 - 2 * SMOOTHING) + SMOOTHING
        loss = fn.binary_cross_entropy_with_logits(out[name], goal, reduction="none")
        found[name] = _mean(loss, keep)
    for name in ("upos", "xpos", "conn", "sense", "entity"):
        target = batch[name].flatten().index_select(0, batch["flat"])
        loss = _cross_entropy(out[name], target)
        found[name] = _mean(loss, target != IGNORE)
    absent = fn.pad(~present, (1, 0)).unsqueeze(1)
    arcs = out["head"].masked_fill(absent, -1e4).flatten(0, 1)
    target = batch["head"].flatten()
    found["head"] = _mean(_cross_entropy(arcs, target, 0.0), target != IGNORE)
    target = batch["rel"].flatten().index_select(0, batch["related"])
    # a batch of one-word sentences has no relations at all
    found["rel"] = fn.cross_entropy(out["rel"], target, reduction="sum") / max(len(target), 1)
    if "span" in out:
        found["span"], found["bracket"] = _span_losses(out, batch)
    if "role" in out:
        target = batch["roles"].flatten()
        loss = _cross_entropy(out["role"].flatten(0, 1), target, 0.0)
        found["role"] = _mean(loss, target != IGNORE)
    if "split" in out:
        found["split"], found["rst"] = _tree_losses(out, batch)
    return found


def span_mask(batch: Batch) -> Tensor:
    """[rows with constituents, w + 1, w + 1]: which pairs of boundaries are spans."""
    lengths = batch["present"][batch["span_rows"]].sum(1)
    edge = torch.arange(batch["present"].shape[1] + 1, device=lengths.device)
    upper = edge.unsqueeze(1) < edge.unsqueeze(0)
    return upper.unsqueeze(0) & (edge <= lengths.unsqueeze(1)).unsqueeze(1)


def _span_losses(out: dict[str, Tensor], batch: Batch) -> tuple[Tensor, Tensor]:
    rows, spans = batch["span_rows"], batch["spans"]
    place = torch.zeros(len(batch["present"]), dtype=torch.long, device=rows.device)
    place[rows] = torch.arange(len(rows), device=rows.device)
    target = torch.zeros_like(out["span"])
    target[place[spans[:, 0]], spans[:, 1], spans[:, 2]] = 1.0
    loss = fn.binary_cross_entropy_with_logits(out["span"], target, reduction="none")
    span = (loss * span_mask(batch)).sum() / batch["present"][rows].sum()
    labels = _cross_entropy(out["bracket"], spans[:, 3], 0.0)
    return span, _mean(labels, spans[:, 3] != IGNORE)


def node_log_softmax(scores: Tensor, node: Tensor, count: int) -> Tensor:
    """Log-softmax of candidate scores within each node's candidates."""
    top = torch.full((count,), -1e9, device=scores.device).scatter_reduce(0, node, scores, "amax")
    shifted = scores - top.detach()[node]
    mass = torch.zeros(count, device=scores.device).index_add(0, node, shifted.exp())
    return shifted - mass.log()[node]


def _tree_losses(out: dict[str, Tensor], batch: Batch) -> tuple[Tensor, Tensor]:
    gold, label = batch["gold"].unbind(1)
    choice = node_log_softmax(out["split"], batch["candidate_node"], len(gold))
    # nodes whose gold split is not a candidate (a sentence that is no subtree) have none
    keep = gold >= 0
    split = _mean(-choice.index_select(0, gold.clamp(min=0)), keep)
    labels = _cross_entropy(out["rst"].index_select(0, gold.clamp(min=0)), label)
    return split, _mean(labels, keep & (label != IGNORE))


def middle_loss(encoder: Encoder, original: Encoder, middle: Tensor, batch: Batch) -> Tensor:
    """How far the middle layer's vectors have turned from the original encoder's (1 - cosine)."""
    with torch.no_grad():
        bias = original.bias(batch["mask"])
        x = original.embed(batch["ids"])
        for block in original.blocks[: encoder.config.middle]:
            x = block(x, bias.to(x.dtype))
    turn = 1 - fn.cosine_similarity(middle.float(), x.float(), dim=-1)
    return _mean(turn, batch["mask"].bool())
