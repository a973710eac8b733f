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
NARROW = 64
"""Columns of the vectors that words are matched by."""
WORDS = "encoder.words.weight"
RELATIVE = "encoder.relative.weight"
WORD_LEVEL = 127


def _mean(states: Tensor, chosen: Tensor) -> Tensor:
    weights = chosen.to(states.dtype).unsqueeze(2)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


class Match(nn.Module):
    """How well each side's subwords are met by the other's: six numbers a pair."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.narrow = nn.Linear(width, NARROW, bias=False)
        self.weigh = nn.Linear(6, HIDDEN, bias=False)

    def forward(self, middle: Tensor, one: Tensor, other: Tensor) -> Tensor:
        """What the matching adds to the head's hidden layer [pairs, HIDDEN].

        Of each side: the mean of its subwords' nearest cosines, the mean of the squares of what
        they lack, and its share of the pair's subwords. The last product is written as a sum: it
        does not depend on the batch's size."""
        vectors = fn.normalize(self.narrow(middle), dim=2, eps=1e-6)
        cosines = vectors @ vectors.transpose(1, 2)
        facts = []
        for mine, theirs in ((one, other), (other, one)):
            far = (1.0 - theirs.to(cosines.dtype)).unsqueeze(1) * -2.0
            nearest = (cosines + far).amax(2).clamp(min=-1.0).unsqueeze(2)
            facts += [_mean(nearest, mine), _mean((1.0 - nearest).square(), mine)]
        sizes = [side.to(cosines.dtype).sum(1, keepdim=True) for side in (one, other)]
        share = sizes[0] / (sizes[0] + sizes[1]).clamp(min=1.0)
        told = torch.cat([*facts, share, 1.0 - share], 1)
        return (told.unsqueeze(2) * self.weigh.weight.t()).sum(1)


class Head(nn.Module):
    """States → one score a pair (higher is better), and a logit a subword (wrong or not).

    `match`: how well subwords match counts too; `plain`: of both sides' means only what differs."""

    def __init__(self, width: int, dropout: float, match: bool, plain: bool) -> None:
        super().__init__()
        self.up = nn.Linear((2 if plain else 4) * width, HIDDEN)
        self.down = nn.Linear(HIDDEN, 1)
        self.marks = nn.Linear(width, 1)
        self.match = Match(width) if match else None
        self.dropout = dropout
        self.plain = plain

    def forward(self, states: Tensor, middle: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Mean states of both sides, their difference and product, and how well their subwords
        match in the middle layer; one hidden layer.

        Products with one column are written as sums: those do not depend on the batch's size."""
        mine, theirs = (cases > 0) & (cases < REFERENCE), cases > REFERENCE
        one, other = _mean(states, mine), _mean(states, theirs)
        apart = one - other
        parts = [apart, apart.abs()] if self.plain else [one, other, apart.abs(), one * other]
        joined = torch.cat(parts, 1)
        hidden = self.up(joined)
        if self.match is not None:
            hidden = hidden + self.match(middle, mine, theirs)
        hidden = fn.dropout(fn.gelu(hidden), self.dropout, self.training)
        score = (hidden * self.down.weight[0]).sum(1) + self.down.bias
        return score, (states * self.marks.weight[0]).sum(2) + self.marks.bias


class Judge(nn.Module):
    """Encoder and head. Words that do not learn are the analyser's own."""

    def __init__(
        self,
        encoder: Encoder,
        dropout: float = 0.1,
        *,
        match: bool = False,
        plain: bool = False,
        words: bool = False,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = Head(encoder.config.width, dropout, match, plain)
        self.frozen = {RELATIVE} if words else {RELATIVE, WORDS}
        for name, parameter in self.named_parameters():
            if name in self.frozen:
                parameter.requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Scores [pairs] and marks [pairs, subwords]; the head computes in single precision."""
        states, middle = self.encoder(ids, mask, cases)
        with torch.autocast(states.device.type, enabled=False):
            out: tuple[Tensor, Tensor] = self.head(states.float(), middle.float(), cases)
        return out


def untrained(base: Path, dropout: float = 0.1, inside: float = 0.1, **forms: bool) -> Judge:
    """A judge on a pretrained encoder; sides enter above its first layer. `inside`: the encoder's dropout."""
    encoder = base_encoder(base, cases=REFERENCE + CASES, case_after=1, dropout=inside)
    return Judge(encoder, dropout, **forms)


def _bytes(value: Tensor, level: int) -> tuple[Tensor, Tensor]:
    """A matrix as whole numbers with a scale a row."""
    scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / level
    return torch.round(value / scale).to(torch.int8), scale


def beside(path: Path) -> Path:
    """Where the words of a judge are stored that has learned its own."""
    return path.with_suffix(".words.safetensors")


def save(judge: Judge, path: Path, **notes: object) -> None:
    """Write the trained weights: the encoder's matrices in bytes on the grid of 8-bit training,
    which loses nothing where the judge was trained so; the rest in half precision."""
    state: dict[str, Tensor] = {}
    own: dict[str, Tensor] = {}
    for name, value in judge.state_dict().items():
        value = value.detach().float().cpu()
        if name in judge.frozen:
            continue
        if name == WORDS:
            own[f"{name}.bytes"], own[f"{name}.scale"] = _bytes(value, WORD_LEVEL)
        elif name.startswith("encoder.blocks.") and value.ndim == 2:
            state[f"{name}.bytes"], state[f"{name}.scale"] = _bytes(value, WEIGHT_LEVEL)
        else:
            state[name] = value.half().contiguous()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(state, path, {"notes": json.dumps({k: str(v) for k, v in notes.items()})})
    if own:
        save_file(own, beside(path))


def load(path: Path, base: Path) -> Judge:
    """A trained judge on its pretrained encoder, in evaluation mode."""
    state = load_file(path)
    words = beside(path).exists()
    if words:
        state |= load_file(beside(path))
    width = state["head.up.weight"].shape[1] // 4
    judge = untrained(
        base,
        0.0,
        match="head.match.narrow.weight" in state,
        plain=width < state["head.marks.weight"].shape[1],
        words=words,
    )
    for name in [name for name in state if name.endswith(".bytes")]:
        whole = name.removesuffix(".bytes")
        state[whole] = state.pop(name).float() * state.pop(f"{whole}.scale")
    missing, unexpected = judge.load_state_dict(
        {name: value.float() for name, value in state.items()}, strict=False
    )
    if unexpected or set(missing) - judge.frozen:
        raise ValueError(f"{path} does not fit: missing {missing}, unexpected {unexpected}")
    return judge.eval()


def notes(path: Path) -> dict[str, str]:
    """What was noted when the weights were saved."""
    with safe_open(path, "pt") as file:
        found: dict[str, str] = json.loads((file.metadata() or {}).get("notes", "{}"))
    return found
