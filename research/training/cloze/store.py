"""All documents as subwords in one file, with the places that are hidden, to learn from and to
test.

    python -m training cloze.store --discourse UNPACKED --gum UNPACKED --ewt UNPACKED

A place is a run of subwords of a document (an empty run: nothing stands there). What is read of it
is put together when it is needed: up to 480 subwords around it, the place hidden by one mask.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.metrics.judge.cloze import (
    CLASSES,
    NOUN,
    Target,
    bare,
    connectives,
    pronouns,
    sentence_starts,
)
from albeit.metrics.judge.network import PUNCTUATION
from training.batch import CLS, SEP
from training.cloze import texts
from training.judge.store import Array, Cutter, Ints, compress
from training.options import DATA, WEIGHTS

PARTS = ("train", "dev")
CLASS = 4
"""A column of places."""
DEV_SHARE = 40
"""One document in so many is kept from training."""
POSITIONS = 480
MASK = 103
Floats = npt.NDArray[np.float64]


class Builder:
    """Collects documents and places."""

    def __init__(self, cutter: Cutter, rng: random.Random) -> None:
        self.cutter, self.rng = cutter, rng
        self.ids: list[Array] = []
        self.cases: list[Array] = []
        self.sizes: list[int] = []
        self.numbers: dict[str, int] = {}
        self.starts: list[list[int]] = []
        self.places: list[tuple[int, ...]] = []

    def add(self, one: texts.Document) -> None:
        """A document's subwords."""
        if one.name in self.numbers:
            return
        pieces = [self.cutter.word(word) for word in one.words]
        self.numbers[one.name] = len(self.sizes)
        self.starts.append([0, *accumulate(len(ids) for ids, _ in pieces)])
        self.ids.append(np.array([i for ids, _ in pieces for i in ids], np.uint16))
        self.cases.append(np.array([c for _, cases in pieces for c in cases], np.uint8))
        self.sizes.append(len(self.ids[-1]))

    def learn(self, one: texts.Document) -> None:
        """A document with all its places."""
        self.add(one)
        words = one.words
        kept = zlib.crc32(one.name.encode()) % DEV_SHARE == 0
        nouns = recurring(words)
        nouns = self.rng.sample(nouns, min(len(nouns), 1 + len(words) // 40))
        for target in (*pronouns(words), *nouns, *connectives(words)):
            self.place(one, target, 1 if kept else 0)

    def place(self, one: texts.Document, target: Target, part: int) -> None:
        """Add a place: part, document, subwords, class."""
        number = self.numbers[one.name]
        starts = self.starts[number]
        span = starts[target.start], starts[target.stop]
        self.places.append((part, number, *span, CLASSES.index(target.name)))

    def arrays(self) -> dict[str, Array]:
        """Return everything as it is stored."""
        labels = {"classes": CLASSES}
        return {
            "ids": np.concatenate(self.ids),
            "cases": np.concatenate(self.cases),
            "sizes": np.array(self.sizes, np.int32),
            "places": np.array(self.places, np.int32),
            "labels": np.frombuffer(json.dumps(labels).encode(), np.uint8),
        }


@dataclass(slots=True)
class Places:
    """Documents and places, read back: what is hidden, and what is read of it."""

    ids: Array
    cases: Array
    begins: Ints
    table: Ints

    @classmethod
    def of(cls, arrays: dict[str, Array]) -> Places:
        """From the arrays of a file."""
        labels = json.loads(arrays["labels"].tobytes())
        if tuple(labels["classes"]) != CLASSES:
            raise SystemExit("the file was made with other classes: make it again")
        begins = np.concatenate(([0], np.cumsum(arrays["sizes"], dtype=np.int64)))
        return cls(arrays["ids"], arrays["cases"], begins, arrays["places"].astype(np.int64))

    def chosen(self, part: str) -> Ints:
        """Return the numbers of a part's places."""
        return np.flatnonzero(self.table[:, 0] == PARTS.index(part))

    def window(self, row: Ints, room: int) -> tuple[int, int]:
        """The subwords of a document that are read around a place: `room` at most."""
        low, high = self.begins[row[1]], self.begins[row[1] + 1]
        start = max(low, low + (row[2] + row[3]) // 2 - room // 2)
        stop = min(high, start + room)
        return int(max(low, stop - room)), int(stop)

    def read(self, numbers: Ints, room: int = POSITIONS - 3) -> tuple[Array, Array, Ints]:
        """One text, with several places of it hidden: ids, cases, and where the masks stand. All
        must
        lie in what is read around the first."""
        rows = self.table[numbers]
        start, stop = self.window(rows[0], room)
        low = int(self.begins[rows[0][1]])
        hidden = [(int(r[2]) + low - start, int(r[3]) + low - start) for r in rows]
        return _masked(self.ids[start:stop], self.cases[start:stop], hidden)


def _masked(
    ids: Array, cases: Array, hidden: Sequence[tuple[int, int]]
) -> tuple[Array, Array, Ints]:
    """Special subwords around, and a mask for each hidden run. The casing of what follows says
    nothing about what was hidden."""
    parts: list[list[int]] = [[CLS]]
    kinds: list[list[int]] = [[0]]
    at = 0
    places = []
    whole, kind = ids.tolist(), cases.tolist()
    for start, stop in sorted(hidden):
        if start < at or stop > len(whole):
            continue
        parts += [whole[at:start], [MASK]]
        kinds += [kind[at:start], [1]]
        places.append((start, sum(map(len, parts)) - 1))
        at = stop
        if at < len(kind) and kind[at] == 2:
            kind[at] = 1
    parts += [whole[at:], [SEP]]
    kinds += [kind[at:], [0]]
    where = dict(places)
    flat_ids = np.array([i for part in parts for i in part], np.int64)
    flat_cases = np.array([c for part in kinds for c in part], np.int64)
    return flat_ids, flat_cases, np.array([where.get(s, -1) for s, _ in hidden], np.int64)


FEWEST_LETTERS = 4


def recurring(words: Sequence[str], within: int = 120) -> list[Target]:
    """Return names and long words that occurred not far before: a pronoun could replace them."""
    plain = [bare(word) for word in words]
    first = sentence_starts(words)
    last: dict[str, int] = {}
    found = []
    for k, word in enumerate(plain):
        named = words[k].strip(PUNCTUATION)[:1].isupper() and not first[k]
        known = word.isalpha() and len(word) >= FEWEST_LETTERS and (named or len(word) > 6)
        if known and 1 < k - last.get(word, -within - 1) <= within:
            found.append(Target(k, k + 1, NOUN))
        if known:
            last[word] = k
    return found


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    gum: Path,
    ewt: Path,
    tokenizer: Path = WEIGHTS / "tokenizer.json",
    out: Path = Path("research/data/cloze.npz.xz"),
    every: int = 1,
) -> None:
    """Read, collect, pack: of every n-th document."""
    builder = Builder(Cutter(tokenizer), random.Random(16))
    learned = [*texts.news(data, discourse), *texts.treebanks(gum, ewt)]
    learned += texts.parliament(data, ("en-de", "en-fr"))
    for one in learned[::every]:
        if len(one.words) > 20:
            builder.learn(one)
    arrays = builder.arrays()
    compress(arrays, out)
    for number, part in enumerate(PARTS):
        print(f"{part}: {sum(place[0] == number for place in builder.places)} places")
    print(f"{out.stat().st_size / 2**20:.1f} MiB, {len(arrays['ids'])} subwords")
