"""EDUs and trees in other languages, by networks that do not ship: a folder that `training.languages.write` wrote."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.annotate.annotators.multilingual import sentences
from albeit.annotate.formats.jsonl import read_json, write_json
from albeit.annotate.layer import Analysis
from albeit.annotate.layers import EDUS, RST, SENTENCES, TOKENS, RstNode, Tokens
from albeit.annotate.model import load_network
from albeit.annotate.multilingual.pieces import BEGIN, END, pieces_of
from albeit.annotate.multilingual.states import load_encoder
from albeit.annotate.multilingual.words import cut_words

__all__ = ["Networks"]

Floats = npt.NDArray[np.float32]


def checksum(folder: Path) -> str:
    """Of the networks in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.onnx")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


class Networks:
    """The three networks of a folder."""

    def __init__(self, folder: Path) -> None:
        self._reader, self._units, self._spans = (
            load_network(folder / f"{name}.onnx") for name in ("reader", "units", "spans")
        )
        self.version = checksum(folder)
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        self._nuclearities, self._relations = labels["nuclearities"], labels["relations"]

    def analyses(self, texts: Sequence[str], lang: str, kept: Path) -> dict[str, Analysis]:
        """Words, sentences, EDUs and the tree of each text; those that the file `kept` has, from there."""
        found: dict[str, Analysis] = {}
        if kept.exists():
            found = {
                one.text: one for one in read_json(kept.read_text(encoding="utf-8"), path=kept)
            }
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a", encoding="utf-8") as file:
            for text in texts:
                if text not in found:
                    found[text] = self._analysis(text, lang)
                    file.writelines(write_json([found[text]]))
        return {text: found[text] for text in texts}

    def _analysis(self, text: str, lang: str) -> Analysis:
        tokens = cut_words(text)
        cut = sentences(text, tokens, lang)
        starts: list[int] = []
        ends: list[int] = []
        rows: list[Floats] = []
        for first, stop in cut:
            begun, made = self._sentence(text, tokens, first, stop)
            starts += begun
            ends += [0] * (len(begun) - 1) + [1]
            rows.append(made)
        edus = tuple(pairwise([*starts, len(tokens)]))
        tree = self._tree(np.concatenate(rows), np.array(ends)) if rows else None
        return Analysis(text, {TOKENS: tokens, SENTENCES: cut, EDUS: edus, RST: tree})

    def _sentence(
        self, text: str, tokens: Tokens, first: int, stop: int
    ) -> tuple[list[int], Floats]:
        """The words that begin an EDU, and a row an EDU: first, last and mean state, mean features."""
        at = tokens.offsets[first][0]
        (pieces,) = pieces_of([text[at : tokens.offsets[stop - 1][1]]])
        ids = np.r_[BEGIN, pieces.ids, END].astype(np.int64)
        logits, states, features = self._reader.run(None, {"vectors": load_encoder().vectors(ids)})
        begin = {int(a): k for k, a in reversed(list(enumerate(pieces.spans[:, 0].tolist())))}
        place = [begin.get(tokens.offsets[word][0] - at) for word in range(first, stop)]
        chosen = [(first, 0)] + [
            (first + k, piece)
            for k, piece in enumerate(place)
            if k and piece and logits[piece + 1] > 0
        ]
        rows = []
        for (_, a), (_, b) in pairwise([*chosen, (stop, len(pieces))]):
            own, seen = states[a + 1 : b + 1], features[a + 1 : b + 1]
            rows.append(np.concatenate([own[0], own[-1], own.mean(0), seen.mean(0)]))
        return [word for word, _ in chosen], np.array(rows, np.float32)

    def _tree(self, rows: Floats, ends: npt.NDArray[np.int64]) -> RstNode:
        """Cut from above, all spans of one depth at a time; never within a sentence while there is a
        place between two."""
        built = {(k, k): RstNode(k, k) for k in range(len(rows))}
        made = dict(
            zip(("sums", "edges"), self._units.run(None, {"rows": rows, "ends": ends}), strict=True)
        )
        cuts: list[tuple[int, int, int, str, str]] = []
        level = [(0, len(rows) - 1)]
        while level := [(a, b) for a, b in level if a < b]:
            places = np.array([(a, k, b) for a, b in level for k in range(a, b)])
            scores, nuclearities, relations = self._spans.run(None, {**made, "spans": places})
            at, following = 0, []
            for a, b in level:
                best = at + int((scores[at : at + b - a] + 1e4 * ends[a:b]).argmax())
                split = int(places[best, 1])
                nuclearity = self._nuclearities[int(nuclearities[best].argmax())]
                cuts.append(
                    (a, b, split, nuclearity, self._relations[int(relations[best].argmax())])
                )
                following += [(a, split), (split + 1, b)]
                at += b - a
            level = following
        for a, b, split, nuclearity, relation in reversed(cuts):
            halves = built[a, split], built[split + 1, b]
            built[a, b] = RstNode(a, b, nuclearity, relation, *halves)  # type: ignore[arg-type]
        return built[0, len(rows) - 1]
