"""What reads a sentence for EDUs and trees: a small network over the encoder's features."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from training.languages.encoder import FEATURES
from training.languages.network import Block, hidden, places

KINDS = ("recurrent", "windows", "attention")


class Windows(nn.Module):
    """A convolution over three rows that stand `apart`, added to what comes in."""

    def __init__(self, width: int, apart: int, dropout: float) -> None:
        super().__init__()
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)
        self.seen = nn.Conv1d(width, width, 3, padding=apart, dilation=apart)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`mask` is 1 where something stands."""
        rows = self.norm(x) * mask.unsqueeze(2)
        rows = fn.gelu(self.seen(rows.transpose(1, 2)).transpose(1, 2))
        return x + fn.dropout(self.out(rows), self.dropout, self.training)


class Reader(nn.Module):
    """Features [rows, width, 1280] → states of one's own; `style` is whose annotation to follow."""

    def __init__(self, kind: str, styles: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.kind, self.width, self.dropout = kind, width, dropout
        self.enter = nn.Linear(FEATURES, width)
        self.styles = nn.Embedding(styles, width)
        self.norm = nn.LayerNorm(width)
        if kind == "recurrent":
            self.body: nn.Module = nn.LSTM(
                width, width // 2, layers, batch_first=True, bidirectional=True, dropout=dropout
            )
        elif kind == "windows":
            self.body = nn.ModuleList(
                Windows(width, 1 << (k % 4), dropout) for k in range(3 * layers)
            )
        else:
            self.body = nn.ModuleList(Block(width, 4, dropout, biased=False) for _ in range(layers))

    def forward(self, features: Tensor, mask: Tensor, style: Tensor) -> Tensor:
        """`mask` [rows, width] is 1 where a subword stands, `style` one number a row."""
        x = self._entered(features, style)
        if isinstance(self.body, nn.LSTM):
            packed = pack_padded_sequence(
                x, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
            )
            read, _ = pad_packed_sequence(
                self.body(packed)[0], batch_first=True, total_length=x.shape[1]
            )
            return self._left(x + read)
        return self._layered(x, mask)

    def whole(self, features: Tensor, style: Tensor) -> Tensor:
        """The same where rows are of one length."""
        x = self._entered(features, style)
        if isinstance(self.body, nn.LSTM):
            return self._left(x + self.body(x)[0])
        return self._layered(x, torch.ones_like(x[:, :, 0]).long())

    def _entered(self, features: Tensor, style: Tensor) -> Tensor:
        features = fn.dropout(features, self.dropout / 2, self.training)
        x = self.enter(features) + self.styles(style).unsqueeze(1)
        return fn.dropout(x, self.dropout, self.training)

    def _layered(self, x: Tensor, mask: Tensor) -> Tensor:
        if self.kind == "attention":
            position = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
            x = x + 0.5 * places(position, self.width)
        for layer in self.body:  # type: ignore[attr-defined]
            x = layer(x, mask) if self.kind == "windows" else layer(x, hidden(mask > 0), None)
        return self._left(x)

    def _left(self, x: Tensor) -> Tensor:
        found: Tensor = self.norm(x)
        return found
