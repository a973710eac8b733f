"""Predict masked pronouns and connectives with a network on the encoder of ``judge``.

A word is replaced by a mask, up to 480 subwords of its document are read around it, and each class
(he, she, it, they …; because, however, none …) gets a probability. The network reads the states of
the judge's encoder, so its own files are small. Words are classified by their form and their
neighbors, in training (``research/training/cloze``) by the same functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from albeit.arrays import FloatArray, Floats32, IntArray
from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.chunking import STEP
from albeit.metrics.judge.network import PUNCTUATION, Inputs, Network, load_judge, read_weights
from albeit.parsing.encoder import CLS, SEP, batch_by_length
from albeit.parsing.model import ModelError, load_network, read_meta, repair
from albeit.parsing.traits import ENGLISH, THIRD_PERSON

FOLDER = WEIGHTS / "wide" / "cloze"
FILE = "cloze.onnx"
PRONOUNS = {kind: ENGLISH[kind] for kind in THIRD_PERSON}
THIS, NOUN = "this/that", "noun"
"""Demonstratives without a noun; a name or noun that is repeated."""
_CONNECTIVES = (
    "after, also, although, and, as, because, before, but, even though, finally, first,"
    " for example, for instance, furthermore, hence, however, if, in addition, in fact,"
    " in other words, indeed, instead, later, meanwhile, moreover, nevertheless, nonetheless,"
    " on the other hand, once, or, otherwise, similarly, since, so, so that, still, then,"
    " therefore, though, thus, unless, until, when, whereas, while, yet"
)
CONNECTIVES = tuple(_CONNECTIVES.split(", "))
NONE = "none"
"""No connective, at the start of a sentence."""
CLASSES = (*PRONOUNS, THIS, NOUN, NONE, *CONNECTIVES)
FIRST_CONNECTIVE = CLASSES.index(NONE)
"""Classes before it are for pronouns, the others for connectives."""
KINDS = {form: kind for kind, forms in PRONOUNS.items() for form in forms}
_VERBS = (
    "is was are were has had have will would can could may might should must means meant does did"
)
_VERB_FORMS = frozenset(_VERBS.split())
"""Verbs that follow a demonstrative without a noun."""
_END = re.compile(r"[.!?][\"'”’)\]]*$")
_LONGEST_FIRST = sorted((tuple(form.split()) for form in CONNECTIVES), key=len, reverse=True)

MASK = 103
LONGEST = 480
"""The number of subwords that are read at once, with special tokens."""
PLAIN, TITLE = 1, 2
"""Casing classes of words without capitals and with a capital first letter."""
_MASK_INPUT = "attention_mask"
_REMEMBERED = 1 << 14
"""Groups of masked words whose results are remembered, about 40 MB."""


class Target(NamedTuple):
    """Words ``start`` to ``stop`` of a document, and their class; an empty range for ``NONE``."""

    start: int
    stop: int
    name: str


def bare(word: str) -> str:
    """Return a word without punctuation, in lower case."""
    return word.strip(PUNCTUATION).lower()


def sentence_starts(words: Sequence[str]) -> list[bool]:
    """Return which words start a sentence, by the punctuation before them."""
    return [k == 0 or bool(_END.search(words[k - 1])) for k in range(len(words))]


def pronouns(words: Sequence[str]) -> list[Target]:
    """Return third-person pronouns, and demonstratives without a noun."""
    plain = [*map(bare, words), ""]
    first = sentence_starts(words)
    found = []
    for k, word in enumerate(plain[:-1]):
        demonstrative = word in ("this", "these") or (word in ("that", "those") and first[k])
        if word in KINDS:
            found.append(Target(k, k + 1, KINDS[word]))
        elif demonstrative and (words[k][-1] in ".,;:!?" or plain[k + 1] in _VERB_FORMS):
            found.append(Target(k, k + 1, THIS))
    return found


def connectives(words: Sequence[str]) -> list[Target]:
    """Return connectives at the start of a sentence or after a comma or semicolon.

    A sentence that starts without one has the target ``NONE``. The longest connective counts.
    """
    plain = [bare(word) for word in words]
    first = sentence_starts(words)
    found = []
    for k in range(len(plain)):
        if not first[k] and words[k - 1][-1] not in ",;:–—":
            continue
        for form in _LONGEST_FIRST:
            inside = words[k : k + len(form) - 1]
            if tuple(plain[k : k + len(form)]) == form and all(w[-1].isalpha() for w in inside):
                found.append(Target(k, k + len(form), " ".join(form)))
                break
        else:
            if first[k] and k:
                found.append(Target(k, k, NONE))
    return found


class Hidden(NamedTuple):
    """A document's words, and the ranges of them that are masked at once."""

    words: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]


class Masked(NamedTuple):
    """What the network reads: ids, casing, and the position of each mask (-1: not read)."""

    ids: IntArray
    cases: IntArray
    positions: IntArray


def mask_runs(ids: IntArray, cases: IntArray, runs: Sequence[tuple[int, int]]) -> Masked:
    """Mask ranges of a document's subwords, also in the casing of the next word.

    >>> found = mask_runs(np.array([7, 8, 9]), np.array([2, 2, 1]), [(0, 1)])
    >>> found.ids.tolist(), found.cases.tolist(), found.positions.tolist()
    ([101, 103, 8, 9, 102], [0, 1, 1, 1, 0], [1])
    """
    room = LONGEST - 3
    middle = (min(runs)[0] + max(runs)[1]) // 2
    stop = min(len(ids), max(0, middle - room // 2) + room)
    start = max(0, stop - room)
    shown, kinds = ids[start:stop].tolist(), cases[start:stop].tolist()
    new_ids, new_cases = [CLS], [0]
    positions: dict[tuple[int, int], int] = {}
    done = 0
    for run in sorted(runs):
        first, last = run[0] - start, run[1] - start
        if first < done or last > len(shown):
            continue
        new_ids += [*shown[done:first], MASK]
        new_cases += [*kinds[done:first], PLAIN]
        positions[run] = len(new_ids) - 1
        done = last
        if done < len(kinds) and kinds[done] == TITLE:
            kinds[done] = PLAIN
    new_ids += [*shown[done:], SEP]
    new_cases += [*kinds[done:], 0]
    found = np.array([positions.get(run, -1) for run in runs], np.int64)
    return Masked(np.array(new_ids, np.int64), np.array(new_cases, np.int64), found)


class Cloze:
    """Predicts masked words.

    :param folder: the network, with a ``meta.json`` that names the judge whose states it reads
    :param judge: the judge's network; by default that of the parent folder
    """

    def __init__(self, folder: Path = FOLDER, judge: Network | None = None) -> None:
        meta = read_meta(folder, {"version", "judge", "classes"})
        self.folder = folder
        self._recent: dict[Hidden, FloatArray] = {}
        self.version: str = meta["version"]
        self.judge = judge or load_judge(folder.parent)
        if self.judge.version != meta["judge"] or tuple(meta["classes"]) != CLASSES:
            raise ModelError(
                f"{folder}: it was made for another judge than {self.judge.folder}."
                f" {repair(folder)}"
            )

    @cached_property
    def _session(self) -> Any:
        path = self.folder / FILE
        read_weights(self.version, path)
        return load_network(path)

    def read(self, hidden: Sequence[Hidden]) -> list[FloatArray]:
        """Return the log probabilities of all classes for each document (runs, classes).

        Those of pronouns sum to one, and so do those of connectives. A run too far from the others
        to be read is NaN. Recent results are remembered: scores, flags, and explanations ask for
        the same words.
        """
        recent = self._recent
        found = {one: recent[one] for one in hidden if one in recent}
        new = [one for one in dict.fromkeys(hidden) if one not in found]
        found |= dict(zip(new, self._read(new), strict=True))
        self._recent = found if len(recent) + len(new) > _REMEMBERED else recent | found
        return [found[one] for one in hidden]

    def _read(self, hidden: Sequence[Hidden]) -> list[FloatArray]:
        found = [np.full((len(one.runs), len(CLASSES)), np.nan) for one in hidden]
        for texts, inputs in batches(self.judge, hidden):
            logits = self.logits(inputs)
            for row, (k, positions) in enumerate(texts):
                read = positions >= 0
                found[k][read] = _log_shares(logits[row, positions[read]])
        return found

    def logits(self, inputs: Inputs) -> Floats32:
        """Return the network's output for every subword [rows, width, classes]."""
        names = [each.name for each in self._session.get_inputs() if each.name != _MASK_INPUT]
        given = {_MASK_INPUT: inputs.mask, **self.judge.states(inputs, names)}
        (logits,) = self._session.run(["logits"], given)
        return np.asarray(logits)


def batches(
    judge: Network, hidden: Sequence[Hidden]
) -> Iterator[tuple[list[tuple[int, IntArray]], Inputs]]:
    """Yield the numbers of texts with the positions of their masks, and the encoder's inputs."""
    texts = _mask_all(judge, hidden)
    lengths = np.array([len(text.ids) for text in texts], np.int64)
    for chosen, width in batch_by_length(lengths, STEP):
        ids, mask, cases = np.zeros((3, len(chosen), width), np.int64)
        for row, text in enumerate(texts[k] for k in chosen):
            count = len(text.ids)
            ids[row, :count], mask[row, :count], cases[row, :count] = text.ids, 1, text.cases
        facts = np.zeros((len(chosen), 3), np.float32)
        yield [(k, texts[k].positions) for k in chosen.tolist()], Inputs(ids, mask, cases, facts)


def _mask_all(judge: Network, hidden: Sequence[Hidden]) -> list[Masked]:
    numbers = {words: k for k, words in enumerate(dict.fromkeys(one.words for one in hidden))}
    encoded = judge.subwords(list(numbers))
    found = []
    for one in hidden:
        k = numbers[one.words]
        own = slice(encoded.starts[k], encoded.starts[k + 1])
        first = encoded.first[encoded.word_starts[k] : encoded.word_starts[k + 1]]
        begins = np.append(first, own.stop - own.start)
        runs = [(int(begins[start]), int(begins[stop])) for start, stop in one.runs]
        found.append(mask_runs(encoded.ids[own], encoded.cases[own], runs))
    return found


def _log_shares(logits: Floats32) -> FloatArray:
    """Return log probabilities, separately for pronouns and connectives."""
    parts = []
    for part in (logits[:, :FIRST_CONNECTIVE], logits[:, FIRST_CONNECTIVE:]):
        shifted = part.astype(np.float64) - part.max(axis=1, keepdims=True)
        parts.append(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
    return np.concatenate(parts, axis=1)


def is_installed(folder: Path = FOLDER) -> bool:
    """Return whether the network's files are there."""
    return (folder / FILE).is_file()


@lru_cache(maxsize=2)
def load_cloze(folder: str | Path = FOLDER) -> Cloze:
    """Load the network of a folder once per process."""
    return Cloze(Path(folder))
