"""The judge: an encoder over translation and reference, and what it says of the pair.

Input is one sequence, [CLS] translation [SEP] reference [SEP]. The casing class of each subword
also says on which side it stands (`training.judge.store.REFERENCE` is added on the reference's
side), and enters at the input. Three facts about characters come beside it, because subwords hide
spelling.

A trained judge is a folder: `weights.npz` (arrays by their names here, in half precision) and
`shape.json` (the fields of `Config`, and `hidden`).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import REFERENCE
from training.model.encoder import CASES, Config, Encoder
from training.model.network import base_encoder

HIDDEN = 384
FACTS = 3
"""Facts about characters: chrF, its mean precision, its mean recall, each from 0 to 1."""
SEVERITIES = ("major", "minor")
LEAST_SPREAD, MOST_SPREAD = -3.0, 3.0
"""What the logarithm of a standard error may be."""
FROZEN = ("encoder.relative.weight", "encoder.mix")
"""Left as pretrained. A mix of one layer is that layer."""


def mean(states: Tensor, chosen: Tensor) -> Tensor:
    """The mean of the chosen states of each pair."""
    weights = chosen.to(states.dtype).unsqueeze(2)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


class Head(nn.Module):
    """States and facts → a score a pair (higher is better), the logarithm of its standard error,
    and
    two logits a subword: would experts mark it as a major error, as a minor one?

    Products with few columns are written as sums: those do not depend on the batch's size."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.up = nn.Linear(5 * width, hidden)
        self.facts = nn.Linear(FACTS, hidden, bias=False)
        self.score = nn.Linear(hidden, 1)
        self.spread = nn.Linear(hidden, 1)
        self.marks = nn.Linear(width, len(SEVERITIES))
        self.dropout = dropout
        nn.init.zeros_(self.spread.weight)
        nn.init.zeros_(self.spread.bias)

    def forward(self, states: Tensor, cases: Tensor, facts: Tensor) -> tuple[Tensor, ...]:
        """Score [pairs], spread [pairs], marks [pairs, subwords, 2]."""
        mine, theirs = (cases > 0) & (cases < REFERENCE), cases > REFERENCE
        one, other = mean(states, mine), mean(states, theirs)
        apart = (one - other).abs()
        joined = torch.cat([states[:, 0], one, other, apart, one * other], 1)
        centred = 2.0 * facts - 1.0
        told = (centred.unsqueeze(2) * self.facts.weight.t()).sum(1)
        hidden = torch.tanh(self.up(joined) + told)
        hidden = fn.dropout(hidden, self.dropout, self.training)
        score = (hidden * self.score.weight[0]).sum(1) + self.score.bias
        spread = (hidden * self.spread.weight[0]).sum(1) + self.spread.bias
        severities = zip(self.marks.weight, self.marks.bias, strict=True)
        marks = torch.stack([(states * w).sum(2) + b for w, b in severities], 2)
        return score, spread.clamp(LEAST_SPREAD, MOST_SPREAD), marks


class Judge(nn.Module):
    """Encoder and head."""

    def __init__(self, encoder: Encoder, hidden: int = HIDDEN, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = Head(encoder.config.width, hidden, dropout)
        for name, parameter in self.named_parameters():
            if name in FROZEN:
                parameter.requires_grad_(False)

    def forward(
        self, ids: Tensor, mask: Tensor, cases: Tensor, facts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Score and spread [pairs], marks [pairs, subwords, 2]; the head computes in single
        precision."""
        states, _ = self.encoder(ids, mask, cases)
        with torch.autocast(states.device.type, enabled=False):
            score, spread, marks = self.head(states.float(), cases, facts)
        return score, spread, marks


def untrained(base: Path, layers: int = 6, dropout: float = 0.1) -> Judge:
    """A judge on the lowest layers of a pretrained encoder."""
    shape = {"middle": layers, "mixed": 1, "case_after": 0, "cases": REFERENCE + CASES}
    return Judge(base_encoder(base, layers, dropout=dropout, **shape), HIDDEN, dropout)


def save(judge: Judge, folder: Path) -> None:
    """Write a trained judge, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {name: v.detach().half().cpu().numpy() for name, v in judge.state_dict().items()}
    shape = {**asdict(judge.encoder.config), "hidden": judge.head.up.out_features}
    (folder / "shape.json").write_text(json.dumps(shape, indent=1) + "\n")
    np.savez(folder / "part.npz", allow_pickle=False, **state)
    (folder / "part.npz").rename(folder / "weights.npz")


def load(folder: Path) -> Judge:
    """A trained judge, in evaluation mode."""
    shape = json.loads((folder / "shape.json").read_text())
    hidden = shape.pop("hidden")
    judge = Judge(Encoder(Config(**shape)), hidden, 0.0)
    with np.load(folder / "weights.npz", allow_pickle=False) as file:
        judge.load_state_dict({name: torch.from_numpy(file[name]).float() for name in file.files})
    return judge.eval()
