"""How far a student's scores are from the averaged probabilities of several teachers."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as fn

from training.model.losses import Batch, node_log_softmax, outputs, span_mask
from training.model.network import Network

BINARY = frozenset({"edu", "pred", "span"})


def _absent_heads(scores: Tensor, batch: Batch) -> Tensor:
    return scores.masked_fill(fn.pad(~batch["present"], (1, 0)).unsqueeze(1), -1e4)


def probabilities(out: dict[str, Tensor], batch: Batch) -> dict[str, Tensor]:
    """Every head's scores as probabilities."""
    found: dict[str, Tensor] = {}
    for name, scores in out.items():
        if name in BINARY:
            found[name] = torch.sigmoid(scores)
        elif name == "split":
            count = len(batch["gold"])
            found[name] = node_log_softmax(scores, batch["candidate_node"], count).exp()
        elif name == "head":
            found[name] = torch.softmax(_absent_heads(scores, batch), -1)
        else:
            found[name] = torch.softmax(scores, -1)
    return found


@torch.no_grad()
def score(teachers: list[Network], batch: Batch) -> dict[str, Tensor]:
    """Return the teachers' mean probabilities."""
    parts = []
    for teacher in teachers:
        words, _ = teacher(batch)
        parts.append(probabilities(outputs(teacher.heads, words, batch), batch))
    return {name: torch.stack([p[name] for p in parts]).mean(0) for name in parts[0]}


def losses(out: dict[str, Tensor], target: dict[str, Tensor], batch: Batch) -> dict[str, Tensor]:
    """Cross-entropy of each head against the teachers, on the scale of the gold losses."""
    found: dict[str, Tensor] = {}
    present = batch["present"]
    for name, scores in out.items():
        goal = target[name].float()
        if name in BINARY:
            loss = fn.binary_cross_entropy_with_logits(scores, goal, reduction="none")
            if name == "span":
                rows = batch["span_rows"]
                found[name] = (loss * span_mask(batch)).sum() / present[rows].sum()
            else:
                found[name] = loss.mean()
        elif name == "split":
            count = len(batch["gold"])
            choice = node_log_softmax(scores, batch["candidate_node"], count)
            found[name] = -(goal * choice).sum() / count
        elif name == "head":
            loss = -(goal * fn.log_softmax(_absent_heads(scores, batch), -1)).sum(-1)
            found[name] = loss.flatten().index_select(0, batch["flat"]).mean()
        elif name == "role":
            loss = -(goal * fn.log_softmax(scores, -1)).sum(-1)
            keep = present.index_select(0, batch["predicates"][:, 0])
            found[name] = (loss * keep).sum() / keep.sum()
        elif name == "sense":
            # where no teacher sees a connective there is nothing to learn of its sense
            chance = 1 - target["conn"][:, 0].float()
            loss = -(goal * fn.log_softmax(scores, -1)).sum(-1)
            found[name] = (loss * chance).sum() / chance.sum().clamp(min=1e-3)
        else:
            found[name] = -(goal * fn.log_softmax(scores, -1)).sum() / max(len(scores), 1)
    return found
