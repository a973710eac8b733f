"""The encoder's forward pass, up to one state a subword.

A subword's vector goes through three branches of two convolutions each (over 2, 3 and 5
subwords); its own vector and the three make up its *features*, and a projection of these, after
they are centred and scaled, is its *state*, a unit vector. States of words that mean the same lie
close together, whatever the language.

What a subword brings along wherever it stands (its entry to the branches, its part in each
window of the first convolutions, its part in its own state) is worked out once for many texts;
the rest, a row a place, for a few of them at a time, so that it stays near the processor. The two
graphs ship (made by ``research/training/languages/skeleton.py``); the weights are handed to them from the
package that brings them. Centring is a product with a matrix, so it is multiplied into the
projection beforehand.

onnxruntime's products treat each row alike, and all else is done row by row, so a state does not
depend on what is computed beside it, to the last bit.

:func:`read_texts` gives texts of any of the fifteen languages as unit vectors, one a subword, beside
their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.annotate.layers import Tokens, Vectors
from albeit.annotate.model import load_network
from albeit.annotate.multilingual import files
from albeit.annotate.multilingual.pieces import BEGIN, END, Ints, pieces_of
from albeit.annotate.multilingual.words import cut_words, readable

__all__ = ["Encoder", "Rows", "Text", "load_encoder", "read_texts"]


Rows = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
FOLDER = Path(__file__).parent
CHANNELS, PER_CHANNEL, WIDTH = 17, 7530, 512
"""The table of vectors is stored in 17 parts, each with a scale of its own; the part of a subword
is its id modulo 17."""
LEFT, RIGHT = 2, 2
"""How far the widest window reaches."""
ORDERS = (2, 3, 5)
TOGETHER, BATCH = 16384, 1024
"""About how many subwords are looked up together, and how many rows are read at once."""


class Encoder:
    """States of texts given as ids of subwords."""

    def __init__(self) -> None:
        self._table = np.empty((CHANNELS * PER_CHANNEL, WIDTH), np.uint8)
        with np.load(files()[1], allow_pickle=False) as file:
            for k in range(CHANNELS):
                self._table[k::CHANNELS] = file[f"q{k + 1}"]
            w = {name: file[name] for name in file.files if not name.startswith("q")}
        self._scale, self._low = w["scale"], w["lo"]

        def joined(name: str) -> Rows:
            return np.concatenate([w[f"{name}{n}"] for n in ORDERS], axis=-1)

        exits = w["ln_g"][:, None].astype(np.float64) * w["cnn_W"]
        exits -= exits.mean(axis=0)
        entries = {
            "entry": joined("proj"),
            "entry_bias": joined("proj_b"),
            "entry_gain": joined("ln_g"),
            "entry_low": joined("ln_b"),
            "exit_own": exits[:WIDTH].astype(np.float32),
        }
        for n in ORDERS:
            parts = np.split(w[f"w1_{n}"], n)
            entries |= {f"w1_{n}_{d}": part for d, part in enumerate(parts)}
        rest = {
            "exit": exits[WIDTH:].astype(np.float32),
            "exit_bias": (w["ln_b"].astype(np.float64) @ w["cnn_W"] + w["cnn_b"]).astype(
                np.float32
            ),
            **{f"{part}_{n}": w[f"{part}_{n}"] for part in ("b1", "w2", "b2") for n in ORDERS},
        }
        self._subwords = load_network(FOLDER / "subwords.onnx", entries)
        self._states = load_network(FOLDER / "states.onnx", rest)
        self._brought = [each.name for each in self._subwords.get_outputs()]

    def read(self, texts: Sequence[Ints]) -> Iterator[Rows]:
        """A row a subword of each text, in order."""
        begin, end = np.array([BEGIN], np.int32), np.array([END], np.int32)
        marked = [np.concatenate((begin, ids, end)) for ids in texts]
        for some in _portions(marked, TOGETHER):
            known = np.unique(np.concatenate(some))
            brought = self._bring(known)
            for few in _portions(some, BATCH):
                yield from self._read(few, known, brought)

    def _bring(self, known: Ints) -> dict[str, Rows]:
        """What each subword brings along, and, last, nothing, for places beyond a text."""
        vectors = self.vectors(np.append(known, 0))
        found = dict(zip(self._brought, self._subwords.run(None, {"words": vectors}), strict=True))
        for rows in found.values():
            rows[-1] = 0
        return found

    def _read(self, texts: Sequence[Ints], known: Ints, brought: dict[str, Rows]) -> Iterator[Rows]:
        """States of a few texts; marks of begin and end are seen, not returned."""
        place = np.searchsorted(known, np.concatenate(texts))
        bounds = np.concatenate(([0], np.cumsum([len(ids) for ids in texts])))
        inputs = {**brought, "place": place, "window": _window(bounds)}
        (states,) = self._states.run(["states"], inputs)
        for a, b in pairwise(bounds.tolist()):
            yield states[a + 1 : b - 1]

    def vectors(self, ids: Ints) -> Rows:
        """Of subwords, whatever stands around them."""
        channel = ids % CHANNELS
        rows = self._table[ids] * self._scale[channel, None] + self._low[channel, None]
        return np.asarray(rows, np.float32)


def _portions(texts: Sequence[Ints], size: int) -> Iterator[list[Ints]]:
    """Texts that follow each other, of about so many subwords together."""
    found: list[Ints] = []
    total = 0
    for ids in texts:
        if found and total + len(ids) > size:
            yield found
            found, total = [], 0
        found.append(ids)
        total += len(ids)
    if found:
        yield found


def _window(bounds: Places) -> Places:
    """Which rows the widest window sees around each; the row after the last (zeros) beyond a text."""
    total, sizes = int(bounds[-1]), np.diff(bounds)
    around = np.arange(total)[:, None] + np.arange(-LEFT, RIGHT + 1)
    first, stop = (np.repeat(edge, sizes)[:, None] for edge in (bounds[:-1], bounds[1:]))
    return np.where((around >= first) & (around < stop), around, total)


@cache
def load_encoder() -> Encoder:
    """The encoder, loaded once per process, when it is first used."""
    return Encoder()


class Text(NamedTuple):
    """A text as the encoder sees it: ``owner`` is the word that each subword begins in."""

    tokens: Tokens
    ids: Ints
    owner: Ints
    states: Rows

    @property
    def vectors(self) -> Vectors:
        """The layer."""
        return Vectors(self.states, self.owner)


def read_texts(texts: Sequence[str]) -> Iterator[Text]:
    """The texts in order. A text without a word, whatever else it holds, has no rows."""
    cut = [cut_words(text) for text in texts]
    plain = [
        readable(text) if words else ("", None) for text, words in zip(texts, cut, strict=True)
    ]
    pieces = pieces_of([text for text, _ in plain])
    read = load_encoder().read([one.ids for one in pieces])
    for words, (_, places), own, rows in zip(cut, plain, pieces, read, strict=True):
        first = own.spans[:, 0]
        if places is not None and len(first):
            first = np.asarray(places, np.int32)[np.minimum(first, len(places) - 1)]
        yield Text(words, own.ids, _owners(words, first), rows)


def _owners(words: Tokens, first: Ints) -> Ints:
    """The word that each subword begins in; one that begins between words belongs to the next."""
    stops = np.array([stop for _, stop in words.offsets], np.int32)
    owner = np.searchsorted(stops, first, side="right")
    return np.minimum(owner, len(words) - 1).astype(np.int32)
