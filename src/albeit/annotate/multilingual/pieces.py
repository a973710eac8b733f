"""Subwords of the multilingual encoder: its SentencePiece model, read into a quick tokeniser.

The model file is a protocol buffer of three fields: the pieces with their scores, the way it was
trained, and the rules that normalise characters. The tokeniser keeps where in the text each
subword stood.

They also say how rare a word is in any of the fifteen languages. The SentencePiece model gives each subword a log-probability, learned over text in all these
languages; a word is as rare as its subwords on average. What is on average, not together: a
long word is not rare for being cut into many. Vowel signs of Arabic, which few texts write, do not count.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.annotate.multilingual import files
from albeit.annotate.multilingual.words import readable

__all__ = ["BEGIN", "END", "Pieces", "Rarity", "log_probabilities", "pieces_of", "rarities"]


UNKNOWN, BEGIN, END, SPACE = 0, 1, 2, 6
UNLIKELY = -20.0
"""The log-probability of a character that the model does not know."""
LAST_WHITE = 0x3000
"""The last character that is white space."""
WHITE = np.array([chr(code).isspace() for code in range(LAST_WHITE + 2)])
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Pieces:
    """The subwords of one text: ids, and where each begins and ends in it, white space aside."""

    ids: Ints
    spans: Ints

    def __len__(self) -> int:
        return len(self.ids)


def pieces_of(texts: Sequence[str]) -> list[Pieces]:
    """The subwords of each text; none of an empty one."""
    found = []
    for text, one in zip(texts, _tokenizer().encode_batch(list(texts)), strict=True):
        spans = np.array(one.offsets, np.int32).reshape(-1, 2)
        # a subword that begins a word holds the space before it
        spans[:, 0] += _white(text)[spans[:, 0]] & (spans[:, 0] < spans[:, 1])
        found.append(Pieces(np.array(one.ids, np.int32), spans))
    return found


def _white(text: str) -> npt.NDArray[np.bool_]:
    """Whether each character is white space; what stands behind the text is none."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return np.asarray(WHITE[np.minimum(np.append(codes, 0), LAST_WHITE + 1)])


def rarities(ids: Ints) -> npt.NDArray[np.float64]:
    """−log p of each subword."""
    return _table()[ids]


def log_probabilities(word: str) -> list[float]:
    """Of the subwords of a word; the mark of a space that stands alone before it is none."""
    ids = _tokenizer().encode(word).ids or [UNKNOWN]
    return [float(-_table()[k]) for k in ids if k != SPACE or len(ids) == 1]


@cache
def _table() -> npt.NDArray[np.float64]:
    found = -np.array([score for _, score in _model(files()[0])[0]])
    found[UNKNOWN] = -UNLIKELY
    return found


@cache
def _tokenizer() -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    pieces, rules = _model(files()[0])
    made = Tokenizer(models.Unigram(pieces, UNKNOWN, False))
    steps = [normalizers.Precompiled(rules), normalizers.Replace(Regex(" {2,}"), " ")]
    made.normalizer = normalizers.Sequence([*steps, normalizers.Strip()])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return made


def _model(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, and the compiled rules of normalisation."""
    pieces: list[tuple[str, float]] = []
    rules = b""
    for number, value in _fields(path.read_bytes()):
        if number == 1:
            fields = dict(_fields(value))
            score = struct.unpack("<f", fields[2])[0] if 2 in fields else 0.0
            pieces.append((fields[1].decode(), score))
        elif number == 3:
            rules = dict(_fields(value))[2]
    return pieces, rules


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer that are bytes or of fixed size; numbers are passed over."""
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(data, at)
            continue
        size, at = _number(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        yield key >> 3, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


class Rarity(Mapping[str, float]):
    """The mean −log p of every word there is; worked out when it is asked for."""

    def __getitem__(self, word: str) -> float:
        return _rarity(word)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@lru_cache(maxsize=1 << 17)
def _rarity(word: str) -> float:
    found = log_probabilities(readable(word)[0])
    return -sum(found) / len(found)
