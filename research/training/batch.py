"""From items to padded arrays: subwords, targets of every layer, and RST candidates.

Everything here is NumPy and Python, so that loader processes can do it; `training.model.losses`
reads the arrays by name. A missing layer is marked by the target `IGNORE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.rows import Item, Node, Row

IGNORE = -100
CLS, SEP, UNK = 101, 102, 100
Arrays = dict[str, npt.NDArray[np.generic]]


def casing(word: str) -> int:
    """1 no capitals, 2 first letter only, 3 all capitals, 4 otherwise mixed, 5 no letters."""
    if word.lower() == word.upper():
        return 5
    if word == word.lower():
        return 1
    if word[1:] == word[1:].lower():
        return 2
    return 3 if word == word.upper() else 4


class Subwords:
    """Word → subword ids, remembered."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self._known: dict[str, list[int]] = {}

    def __call__(self, word: str) -> list[int]:
        """The word's subword ids, at least one."""
        ids = self._known.get(word)
        if ids is None:
            ids = self.tokenizer.encode(word, add_special_tokens=False).ids or [UNK]
            self._known[word] = ids
        return ids


class Collator:
    """Makes the arrays of a batch of items."""

    def __init__(self, subwords: Subwords, labels: dict[str, list[str]]) -> None:
        self.subwords = subwords
        self.labels = labels
        self.index = {name: {v: k for k, v in enumerate(values)} for name, values in labels.items()}

    def __call__(self, items: Sequence[Item]) -> Arrays:
        """The arrays of a batch; rows of all items follow one another."""
        rows = [row for item in items for row in item.rows]
        arrays = self.encode(rows)
        width = arrays["first"].shape[1]
        self._words(rows, width, arrays)
        self._pairs(rows, width, arrays)
        self._frames(rows, width, arrays)
        self._trees(items, arrays)
        return arrays

    def length(self, row: Row) -> int:
        """How many subwords a sentence has, special tokens included."""
        return 2 + sum(len(self.subwords(word)) for word in row.words)

    def encode(self, rows: Sequence[Row]) -> Arrays:
        """Subword ids, mask, casing, first subword of each word and word mask."""
        pieces = [[self.subwords(word) for word in row.words] for row in rows]
        length = 2 + max(sum(map(len, words)) for words in pieces)
        width = max(len(row.words) for row in rows)
        ids = np.zeros((len(rows), length), np.int64)
        cases = np.zeros((len(rows), length), np.int64)
        mask = np.zeros((len(rows), length), np.int64)
        first = np.zeros((len(rows), width), np.int64)
        present = np.zeros((len(rows), width), np.bool_)
        for r, row in enumerate(rows):
            at = 1
            ids[r, 0] = CLS
            for w, piece in enumerate(pieces[r]):
                first[r, w] = at
                ids[r, at : at + len(piece)] = piece
                cases[r, at : at + len(piece)] = casing(row.words[w])
                at += len(piece)
            ids[r, at] = SEP
            mask[r, : at + 1] = 1
            present[r, : len(row.words)] = True
        return {"ids": ids, "cases": cases, "mask": mask, "first": first, "present": present}

    def _words(self, rows: Sequence[Row], width: int, arrays: Arrays) -> None:
        names = ("edu", "upos", "xpos", "head", "rel", "conn", "sense", "entity", "pred")
        targets = {name: np.full((len(rows), width), IGNORE, np.int64) for name in names}
        for r, row in enumerate(rows):
            n = len(row.words)
            if row.edus is not None:
                targets["edu"][r, :n] = 0
                targets["edu"][r, row.edus] = 1
            if row.upos is not None and row.xpos is not None:
                targets["upos"][r, :n] = [self.index["upos"].get(t, IGNORE) for t in row.upos]
                targets["xpos"][r, :n] = [self.index["xpos"].get(t, IGNORE) for t in row.xpos]
            if row.heads is not None and row.rels is not None:
                targets["head"][r, :n] = row.heads
                targets["rel"][r, :n] = [
                    self.index["rel"].get(t, IGNORE) if h else IGNORE
                    for t, h in zip(row.rels, row.heads, strict=True)
                ]
            if row.connectives is not None:
                targets["conn"][r, :n] = 0
                for start, stop, sense in row.connectives:
                    targets["conn"][r, start:stop] = 2
                    targets["conn"][r, start] = 1
                    targets["sense"][r, start] = self.index["sense"].get(sense, IGNORE)
            if row.entities is not None:
                targets["entity"][r, :n] = 0
                for start, stop, kind in row.entities:
                    tag = 1 + 2 * self.index["entity"][kind]
                    targets["entity"][r, start:stop] = tag + 1
                    targets["entity"][r, start] = tag
            if row.frames is not None:
                targets["pred"][r, :n] = 0
                targets["pred"][r, [frame.word for frame in row.frames]] = 1
        arrays.update(targets)
        arrays["flat"] = np.flatnonzero(arrays["present"])
        arrays["related"] = np.flatnonzero(targets["rel"] != IGNORE)

    def _pairs(self, rows: Sequence[Row], width: int, arrays: Arrays) -> None:
        """Gold constituents as a flat list, and which rows have any annotation of them."""
        spans = [
            (r, start, stop, self.index["bracket"].get(label, IGNORE))
            for r, row in enumerate(rows)
            for start, stop, label in row.brackets or []
        ]
        arrays["spans"] = np.array(spans, np.int64).reshape(-1, 4)
        annotated = [r for r, row in enumerate(rows) if row.brackets is not None]
        arrays["span_rows"] = np.array(annotated, np.int64)

    def _frames(self, rows: Sequence[Row], width: int, arrays: Arrays) -> None:
        places: list[tuple[int, int]] = []
        tags: list[npt.NDArray[np.int64]] = []
        for r, row in enumerate(rows):
            for frame in row.frames or []:
                line = np.full(width, IGNORE, np.int64)
                line[: len(row.words)] = 0
                for start, stop, role in frame.roles:
                    if role in self.index["role"]:
                        tag = 1 + 2 * self.index["role"][role]
                        line[start:stop] = tag + 1
                        line[start] = tag
                places.append((r, frame.word))
                tags.append(line)
        arrays["predicates"] = np.array(places, np.int64).reshape(-1, 2)
        arrays["roles"] = np.array(tags, np.int64).reshape(-1, width)

    def _trees(self, items: Sequence[Item], arrays: Arrays) -> None:
        """EDUs (row, first, last word) and, for each gold node, the candidates of its span."""
        edus: list[tuple[int, int, int]] = []
        rows = 0
        out: dict[str, list[object]] = {"candidates": [], "features": [], "nodes": [], "gold": []}
        for item in items:
            base = len(edus)
            sentence: list[int] = []
            for row in item.rows:
                stops = [*(row.edus or [])[1:], len(row.words)]
                for start, stop in zip(row.edus or [], stops, strict=False):
                    edus.append((rows, start, stop - 1))
                    sentence.append(rows)
                rows += 1
            if item.tree and item.kind != "projected_unfaithful":
                for node in item.tree:
                    self._node(node, base, sentence, out)
        arrays["edus"] = np.array(edus, np.int64).reshape(-1, 3)
        arrays["candidates"] = np.array(out["candidates"], np.int64).reshape(-1, 4)
        arrays["features"] = np.array(out["features"], np.float32).reshape(-1, 6)
        arrays["candidate_node"] = np.array(out["nodes"], np.int64)
        arrays["gold"] = np.array(out["gold"], np.int64).reshape(-1, 2)

    def _node(
        self, node: Node, base: int, sentence: list[int], out: dict[str, list[object]]
    ) -> None:
        """Append the candidates that `albeit.parsing.decode` would plan for the node's span."""
        first, last, split, nuclearity, relation = node
        across = sentence[first] != sentence[last]
        begins = first == 0 or (not across and sentence[first - 1] != sentence[first])
        end = len(sentence) - 1
        whole = begins and (last == end or (not across and sentence[last + 1] != sentence[last]))
        number = len(out["gold"])
        gold = -1
        for m in range(first, last):
            if across and sentence[m] == sentence[m + 1]:
                continue
            left, right = m - first + 1, last - m
            if m == split:
                gold = len(out["candidates"])
            out["candidates"].append((base + first, base + m, base + m + 1, base + last))
            sizes = float(np.log(left)), float(np.log(right))
            out["features"].append((across, left == 1, right == 1, whole, *sizes))
            out["nodes"].append(number)
        out["gold"].append((gold, self.index["rst"].get(f"{nuclearity}-{relation}", IGNORE)))
