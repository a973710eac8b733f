"""Losses of `judge`: preferences, synthetic errors, levels, marks, scores, uncertainty."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as fn

PER_POINT = 0.5
"""Score difference, in logits of preferences, per MQM point of a synthetic error."""
DIFFERENCE = 0.04
"""The weight of synthetic errors next to preferences: more costs agreement with human judgments,
less
makes an error cheaper than another human translation."""
APART = 4.0
"""MQM points between translations of different segments that must show in their scores."""


def preference(scores: Tensor, better: Tensor, worse: Tensor, weight: Tensor) -> Tensor:
    """Logistic loss over pairs of translations of one segment."""
    if not bool((weight > 0).any()):
        return scores.sum() * 0.0
    return (fn.softplus(scores[worse] - scores[better]) * weight).sum() / weight.sum()


def difference(scores: Tensor, good: Tensor, bad: Tensor, points: Tensor) -> Tensor:
    """Smooth L1 distance of score differences to what a synthetic error costs (`nan`: no error)."""
    known = ~torch.isnan(points)
    apart = scores[good] - scores[bad]
    lost = fn.smooth_l1_loss(apart, PER_POINT * points.nan_to_num(), reduction="none")
    return (lost * known).sum() / known.sum().clamp(min=1)


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
    """The share of experts that marked each word of a translation, where they looked: one number a
    subword and severity."""
    chosen = ((cases > 0) & (cases < side) & marked[:, None]).float()
    lost = fn.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    return (lost.sum(2) * chosen).sum() / chosen.sum().clamp(min=1.0)


def taught(scores: Tensor, targets: Tensor) -> Tensor:
    """Smooth distance to what should be said (`nan`: nothing)."""
    known = ~torch.isnan(targets)
    lost = fn.smooth_l1_loss(scores, targets.nan_to_num(), reduction="none")
    return (lost * known).sum() / known.sum().clamp(min=1)


def spread(scores: Tensor, logs: Tensor, people: Tensor) -> Tensor:
    """How far people's scores are from these (`nan`: none): a normal distribution around them.

    Pass detached scores: they should not learn from it."""
    known = ~torch.isnan(people)
    apart = (people.nan_to_num() - scores) * torch.exp(-logs)
    lost = logs + 0.5 * apart.square().clamp(max=50.0)
    return (lost * known).sum() / known.sum().clamp(min=1)
