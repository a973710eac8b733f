"""EDUs and trees in other languages, by networks that do not ship: a folder that `training.languages.write` wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.annotate.annotators.multilingual import sentences
from albeit.annotate.layer import Analysis
from albeit.annotate.layers import EDUS, RST, SENTENCES, TOKENS, RstNode, Tokens
from albeit.annotate.model import load_network
from albeit.annotate.multilingual.pieces import BEGIN, END, pieces_of
from albeit.annotate.multilingual.states import load_encoder
from albeit.annotate.multilingual.words import cut_words

__all__ = ["Networks"]

Floats = npt.NDArray[np.float32]


class Networks:
    """The three networks of a folder."""

    def __init__(self, folder: Path) -> None:
        self._reader, self._units, self._spans = (
            load_network(folder / f"{name}.onnx") for name in ("reader", "units", "spans")
        )
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        self._nuclearities, self._relations = labels["nuclearities"], labels["relations"]

    def analyses(self, texts: Sequence[str], lang: str) -> dict[str, Analysis]:
        """Words, sentences, EDUs and the tree of each text."""
        return {text: self._analysis(text, lang) for text in texts}

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
        logits, states, features = self._reader.run(None, {"vectors": load_encoder()._vectors(ids)})
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
        """Cut from above; never within a sentence while there is a place between two."""
        last = len(rows) - 1
        if not last:
            return RstNode(0, 0)
        sums, edges = self._units.run(None, {"rows": rows, "ends": ends})
        spans = (
            np.array(
                [
                    (a, k, b)
                    for a in range(last)
                    for b in range(a + 1, last + 1)
                    for k in range(a, b)
                ]
            )
            if last < 12
            else None
        )

        def ask(given: npt.NDArray[np.int64]) -> list[Floats]:
            found: list[Floats] = self._spans.run(
                None, {"sums": sums, "edges": edges, "spans": given}
            )
            return found

        known = (
            dict(zip(map(tuple, spans.tolist()), zip(*ask(spans), strict=True), strict=True))
            if spans is not None
            else None
        )

        def grown(a: int, b: int) -> RstNode:
            if a == b:
                return RstNode(a, a)
            given = [(a, k, b) for k in range(a, b)]
            here = (
                [known[g] for g in given]
                if known is not None
                else list(zip(*ask(np.array(given)), strict=True))
            )
            scores = np.array([cut for cut, _, _ in here]) + 1e4 * ends[a:b]
            k = int(scores.argmax())
            nuclearity = self._nuclearities[int(here[k][1].argmax())]
            relation = self._relations[int(here[k][2].argmax())]
            return RstNode(a, b, nuclearity, relation, grown(a, a + k), grown(a + k + 1, b))

        return grown(0, last)
