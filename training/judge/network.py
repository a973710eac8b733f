"""The judge: an encoder over translation and reference, one score, and a mark on each wrong word.

Input is one sequence, [CLS] translation [SEP] reference [SEP]. The casing class of each subword also
says on which side it stands (`training.judge.store.REFERENCE` is added on the reference's side).
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import REFERENCE
from training.model.eight_bit import WEIGHT_LEVEL
from training.model.encoder import CASES, Encoder
from training.model.network import base_encoder

HIDDEN = 128
FROZEN = ("encoder.words.weight", "encoder.relative.weight")
"""Left as they were in the base model, and not stored: the analyser has the same words."""


def _mean(states: Tensor, chosen: Tensor) -> Tensor:
    weights = chosen.to(states.dtype).unsqueeze(2)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


class Head(nn.Module):
    """States → one score a pair (higher is better), and a logit a subword (wrong or not)."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.up = nn.Linear(4 * width, HIDDEN)
        self.down = nn.Linear(HIDDEN, 1)
        self.marks = nn.Linear(width, 1)
        self.dropout = dropout

    def forward(self, states: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Mean states of both sides, their difference and product, one hidden layer.

        Products with one column are written as sums: those do not depend on the batch's size."""
        one = _mean(states, (cases > 0) & (cases < REFERENCE))
        other = _mean(states, cases > REFERENCE)
        joined = torch.cat([one, other, (one - other).abs(), one * other], 1)
        hidden = fn.dropout(fn.gelu(self.up(joined)), self.dropout, self.training)
        score = (hidden * self.down.weight[0]).sum(1) + self.down.bias
        return score, (states * self.marks.weight[0]).sum(2) + self.marks.bias


class Judge(nn.Module):
    """Encoder and head."""

    def __init__(self, encoder: Encoder, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = Head(encoder.config.width, dropout)
        for name, parameter in self.named_parameters():
            if name in FROZEN:
                parameter.requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Scores [pairs] and marks [pairs, subwords]; the head computes in single precision."""
        states, _ = self.encoder(ids, mask, cases)
        with torch.autocast(states.device.type, enabled=False):
            out: tuple[Tensor, Tensor] = self.head(states.float(), cases)
        return out


def untrained(base: Path, dropout: float = 0.1, inside: float = 0.1) -> Judge:
    """A judge on a pretrained encoder; sides enter above its first layer. `inside`: the encoder's dropout."""
    encoder = base_encoder(base, cases=REFERENCE + CASES, case_after=1, dropout=inside)
    return Judge(encoder, dropout)


def save(judge: Judge, path: Path, **notes: object) -> None:
    """Write the trained weights: the encoder's matrices in bytes on the grid of 8-bit training,
    which loses nothing where the judge was trained so; the rest in half precision."""
    state: dict[str, Tensor] = {}
    for name, value in judge.state_dict().items():
        value = value.detach().float().cpu()
        if name in FROZEN:
            continue
        if name.startswith("encoder.blocks.") and value.ndim == 2:
            scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / WEIGHT_LEVEL
            state[f"{name}.bytes"] = torch.round(value / scale).to(torch.int8)
            state[f"{name}.scale"] = scale
        else:
            state[name] = value.half().contiguous()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(state, path, {"notes": json.dumps({k: str(v) for k, v in notes.items()})})


def load(path: Path, base: Path) -> Judge:
    """A trained judge on its pretrained encoder, in evaluation mode."""
    judge = untrained(base, 0.0)
    state = load_file(path)
    for name in [name for name in state if name.endswith(".bytes")]:
        whole = name.removesuffix(".bytes")
        state[whole] = state.pop(name).float() * state.pop(f"{whole}.scale")
    missing, unexpected = judge.load_state_dict(
        {name: value.float() for name, value in state.items()}, strict=False
    )
    if unexpected or set(missing) - set(FROZEN):
        raise ValueError(f"{path} does not fit: missing {missing}, unexpected {unexpected}")
    return judge.eval()


def notes(path: Path) -> dict[str, str]:
    """What was noted when the weights were saved."""
    with safe_open(path, "pt") as file:
        found: dict[str, str] = json.loads((file.metadata() or {}).get("notes", "{}"))
    return found
