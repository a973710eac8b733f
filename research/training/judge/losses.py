"""What the judge learns by: people's preferences, levels across segments, marks, teachers' scores."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as fn

APART = 4.0
"""MQM points between translations of different segments that must show in their scores."""


def preference(scores: Tensor, better: Tensor, worse: Tensor, weight: Tensor) -> Tensor:
    """Logistic loss over pairs of translations of one segment."""
    if not len(better):
        return scores.sum() * 0.0
    return (fn.softplus(scores[worse] - scores[better]) * weight).sum() / weight.sum()


def across(scores: Tensor, levels: Tensor) -> Tensor:
    """The same between segments, where experts' levels are far apart (`nan`: no level)."""
    known = torch.nonzero(~torch.isnan(levels)).squeeze(1)
    if len(known) < 2:
        return scores.sum() * 0.0
    s, v = scores[known], levels[known]
    apart = (v[:, None] - v[None, :] >= APART).float()
    lost = fn.softplus(s[None, :] - s[:, None])
    return (lost * apart).sum() / apart.sum().clamp(min=1.0)


def marks(logits: Tensor, targets: Tensor, cases: Tensor, marked: Tensor, side: int) -> Tensor:
    """Which words of a translation experts marked, where they looked."""
    chosen = ((cases > 0) & (cases < side) & marked[:, None]).float()
    lost = fn.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    return (lost * chosen).sum() / chosen.sum().clamp(min=1.0)


def taught(scores: Tensor, targets: Tensor, group: Tensor, within: float) -> Tensor:
    """Squared distance to the teachers' scores, and `within` times that of what sets translations
    of one segment apart."""
    known = ~torch.isnan(targets)
    lost = torch.where(known, scores - targets.nan_to_num(), torch.zeros_like(scores))
    groups = int(group.max()) + 1
    sums = torch.zeros(groups, device=scores.device).index_add(0, group, lost)
    sizes = torch.zeros(groups, device=scores.device).index_add(0, group, known.float())
    centred = (lost - (sums / sizes.clamp(min=1.0))[group]) * known
    count = known.sum().clamp(min=1)
    return (lost.square().sum() + within * centred.square().sum()) / count
