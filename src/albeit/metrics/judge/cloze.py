"""Does a word fit? A network on the wide judge's encoder guesses hidden words from the text around them.

A pronoun or a connective is replaced by a mask, up to 480 subwords of its document are read around
it, and each class (he, she, it, they …; because, however, none …) gets a probability. The states
that it reads are those of the judge's own encoder, so that its files are small. As with the judge,
only texts of one padded length share a batch, and nothing depends on who else is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.metrics.judge.hidden import CLASSES, FIRST_CONNECTIVE
from albeit.metrics.judge.network import WEIGHTS, Floats, Inputs, Network, checked, load_judge
from albeit.metrics.judge.pairs import BATCH_TOKENS, STEP, Ints
from albeit.parsing.encoder import CLS, SEP
from albeit.parsing.model import REPAIR, ModelError, read_meta

__all__ = ["FOLDER", "Cloze", "Hidden", "Masked", "batches", "load_cloze", "masked", "there"]

FOLDER = WEIGHTS / "wide" / "cloze"
FILE = "cloze.onnx"
MASK = 103
LONGEST = 480
"""Subwords that are read at once, special ones included."""
PLAIN, TITLE = 1, 2
"""Casing classes of words without capitals and with one at their head."""
_MASK_INPUT = "attention_mask"


class Hidden(NamedTuple):
    """A document's words, and the runs of them that are hidden at once; what is read lies around them."""

    words: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]


class Masked(NamedTuple):
    """What is read of it: ids, casing, and the place of each run's mask (-1: not in what is read)."""

    ids: Ints
    cases: Ints
    at: Ints


def masked(ids: Ints, cases: Ints, runs: Sequence[tuple[int, int]]) -> Masked:
    """A document's subwords with runs of them hidden. The casing of what follows a hidden word says
    nothing about it.

    >>> said = masked(np.array([7, 8, 9]), np.array([2, 2, 1]), [(0, 1)])
    >>> said.ids.tolist(), said.cases.tolist(), said.at.tolist()
    ([101, 103, 8, 9, 102], [0, 1, 1, 1, 0], [1])
    """
    room = LONGEST - 3
    middle = (min(runs)[0] + max(runs)[1]) // 2
    stop = min(len(ids), max(0, middle - room // 2) + room)
    start = max(0, stop - room)
    shown, kinds = ids[start:stop].tolist(), cases[start:stop].tolist()
    made, of = [CLS], [0]
    where: dict[tuple[int, int], int] = {}
    done = 0
    for run in sorted(runs):
        first, last = run[0] - start, run[1] - start
        if first < done or last > len(shown):
            continue
        made += [*shown[done:first], MASK]
        of += [*kinds[done:first], PLAIN]
        where[run] = len(made) - 1
        done = last
        if done < len(kinds) and kinds[done] == TITLE:
            kinds[done] = PLAIN
    made += [*shown[done:], SEP]
    of += [*kinds[done:], 0]
    places = np.array([where.get(run, -1) for run in runs], np.int64)
    return Masked(np.array(made, np.int64), np.array(of, np.int64), places)


class Cloze:
    """Guesses hidden words.

    :param folder: the network, with a ``meta.json`` that names the judge whose states it reads
    :param judge: the judge's network; by default that of the folder above
    """

    def __init__(self, folder: Path = FOLDER, judge: Network | None = None) -> None:
        meta = read_meta(folder, {"version", "judge", "classes"})
        self.folder = folder
        self.version: str = meta["version"]
        self.judge = judge or load_judge(folder.parent)
        if self.judge.version != meta["judge"] or tuple(meta["classes"]) != CLASSES:
            raise ModelError(
                f"{folder}: it was made for another judge than {self.judge.folder}. {REPAIR}"
            )

    @cached_property
    def _session(self) -> Any:
        return checked(self.folder / FILE, self.version)

    def read(self, hidden: Sequence[Hidden]) -> list[FloatArray]:
        """For each the log probabilities of all classes, (runs, classes); those of pronouns add up to
        one, and so do those of connectives. A run too far from the others to be read is not a number.
        """
        found = [np.full((len(one.runs), len(CLASSES)), np.nan) for one in hidden]
        for texts, inputs in batches(self.judge, hidden):
            logits = self.logits(inputs)
            for row, (k, at) in enumerate(texts):
                there = at >= 0
                found[k][there] = _log_shares(logits[row, at[there]])
        return found

    def logits(self, inputs: Inputs) -> Floats:
        """What the network says of every subword [rows, width, classes]."""
        names = [each.name for each in self._session.get_inputs() if each.name != _MASK_INPUT]
        given = {_MASK_INPUT: inputs.mask, **self.judge.states(inputs, names)}
        (logits,) = self._session.run(["logits"], given)
        return np.asarray(logits)


def batches(
    judge: Network, hidden: Sequence[Hidden]
) -> Iterator[tuple[list[tuple[int, Ints]], Inputs]]:
    """What is read of texts, those of one padded length together: the number of each, where its masks
    stand, and the inputs of the judge's encoder."""
    texts = _masked(judge, hidden)
    padded = np.array([-(-len(text.ids) // STEP) * STEP for text in texts], np.int64)
    for width in np.unique(padded).tolist():
        alike = np.flatnonzero(padded == width).tolist()
        size = max(1, BATCH_TOKENS // width)
        for first in range(0, len(alike), size):
            chosen = alike[first : first + size]
            ids, mask, cases = np.zeros((3, len(chosen), width), np.int64)
            for row, text in enumerate(texts[k] for k in chosen):
                count = len(text.ids)
                ids[row, :count], mask[row, :count], cases[row, :count] = text.ids, 1, text.cases
            facts = np.zeros((len(chosen), 3), np.float32)
            yield [(k, texts[k].at) for k in chosen], Inputs(ids, mask, cases, facts)


def _masked(judge: Network, hidden: Sequence[Hidden]) -> list[Masked]:
    number: dict[tuple[str, ...], int] = {}
    for one in hidden:
        number.setdefault(one.words, len(number))
    encoded = judge.subwords(list(number))
    found = []
    for one in hidden:
        k = number[one.words]
        own = slice(encoded.starts[k], encoded.starts[k + 1])
        first = encoded.first[encoded.word_starts[k] : encoded.word_starts[k + 1]]
        begins = np.append(first, own.stop - own.start)
        runs = [(int(begins[start]), int(begins[stop])) for start, stop in one.runs]
        found.append(masked(encoded.ids[own], encoded.cases[own], runs))
    return found


def _log_shares(logits: Floats) -> FloatArray:
    """Logarithms of probabilities, of pronouns' classes and of connectives' apart."""
    parts = []
    for part in (logits[:, :FIRST_CONNECTIVE], logits[:, FIRST_CONNECTIVE:]):
        shifted = part.astype(np.float64) - part.max(axis=1, keepdims=True)
        parts.append(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
    return np.concatenate(parts, axis=1)


def there(folder: Path = FOLDER) -> bool:
    """Whether the network's files are."""
    return (folder / FILE).is_file()


@lru_cache(maxsize=2)
def load_cloze(folder: str | Path = FOLDER) -> Cloze:
    """The network of a folder, loaded once per process, when it is first used."""
    return Cloze(Path(folder))
