"""Documents with trees, each EDU read once, in its sentence, by a trained reader."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from training.judge.store import Array
from training.languages.arrays import Numbers, Texts, starts_of
from training.languages.encoder import FEATURES, Encoder
from training.languages.reader import Reader


class Documents:
    """The documents of the store, with a row an EDU from the reader."""

    def __init__(self, arrays: dict[str, Array], corpora: list[str]) -> None:
        self.arrays, self.corpora = arrays, corpora
        self.edus = starts_of(arrays["tree_edus"])
        self.nodes_at = starts_of(arrays["tree_edus"] - 1)
        self.ends = arrays["tree_ends"].astype(np.int64)
        self.rows: Tensor = torch.empty(0)

    def of(self, names: tuple[str, ...], part: int) -> list[int]:
        """The documents of some corpora's part."""
        which = [self.corpora.index(name) for name in names]
        chosen = np.isin(self.arrays["tree_corpus"], which) & (self.arrays["tree_part"] == part)
        found: list[int] = np.flatnonzero(chosen).tolist()
        return found

    def count(self, k: int) -> int:
        """The EDUs of a document."""
        return int(self.arrays["tree_edus"][k])

    def nodes(self, k: int) -> Numbers:
        """The nodes of a document's tree: first, last, split, nuclearity, relation."""
        found: Numbers = self.arrays["tree_nodes"][self.nodes_at[k] : self.nodes_at[k + 1]]
        return found.astype(np.int64)

    @torch.no_grad()
    def read(self, encoder: Encoder, reader: Reader, device: str) -> None:
        """First, last and mean state of each EDU, and its mean features."""
        reader.eval()
        sizes = self.arrays["tree_sizes"].astype(np.int64)
        last = np.flatnonzero(self.arrays["tree_breaks"])
        first = np.concatenate(([0], last[:-1] + 1))
        at = starts_of(sizes)
        texts = Texts(self.arrays["tree_ids"], at[last + 1] - at[first], {}, device)
        found = torch.zeros(len(sizes), 3 * reader.width + FEATURES, device=device)
        order = np.argsort(texts.sizes, kind="stable")
        for begin in range(0, len(order), 64):
            chosen = order[begin : begin + 64]
            batch = texts.batch(chosen)
            features, _ = encoder(batch["ids"], batch["mask"])
            style = torch.zeros(len(chosen), dtype=torch.long, device=device)
            states = reader(features, batch["mask"], style)
            row, edu, a, b = [], [], [], []
            for r, g in enumerate(chosen.tolist()):
                for e in range(int(first[g]), int(last[g]) + 1):
                    row.append(r)
                    edu.append(e)
                    a.append(int(at[e] - at[first[g]]) + 1)
                    b.append(int(at[e + 1] - at[first[g]]) + 1)
            r, e, i, j = (torch.tensor(x, device=device) for x in (row, edu, a, b))
            both = torch.cat([states, features], 2).cumsum(1)
            mean = (both[r, j - 1] - both[r, i - 1]) / (j - i).unsqueeze(1)
            found[e] = torch.cat([states[r, i], states[r, j - 1], mean], 1)
        self.rows = found

    def batch(
        self, spans: list[tuple[int, int, int]], device: str
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Rows, what is present, and ends of sentences of (document, first EDU, last EDU)."""
        sizes = torch.tensor([b - a + 1 for _, a, b in spans], device=device).unsqueeze(1)
        starts = torch.tensor([int(self.edus[k]) + a for k, a, _ in spans], device=device)
        column = torch.arange(int(sizes.max()), device=device).unsqueeze(0)
        present = column < sizes
        at = torch.where(present, starts.unsqueeze(1) + column, 0)
        ends = torch.from_numpy(self.ends).to(device)[at]
        return self.rows[at], present, ends
