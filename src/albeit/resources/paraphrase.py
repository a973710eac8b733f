"""METEOR's paraphrase table: a large file of the user's, compiled once, then mapped.

The file holds three lines per entry: a probability, a phrase, its paraphrase. Compiled, all
phrases form one tree of words whose nodes are numbered level by level, so that the children
of a node are a run of numbers; an entry is a pair of nodes. The arrays stay on disk, in a
sealed file that is checked when it is opened, and processes share them. Without a cache, the
table is compiled in memory.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from array import array
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.arrays import Bytes
from albeit.errors import AlbeitError, InputError, MissingExtraError
from albeit.store import stored_bytes

Ints = npt.NDArray[np.int32]
_ARRAYS = 5
_HEADER = 8 * (_ARRAYS + 1)
"""Bytes of the header: the sizes of the arrays and of the words, in bytes, as 64-bit integers."""
_FORMAT = 3


class ParaphraseTable:
    """A compiled table. Node 0 is the empty phrase.

    The children of node ``n`` are the nodes from ``child_starts[n]`` to before
    ``child_starts[n + 1]``; ``child_words`` gives the last word of each node, ascending
    among brothers. The paraphrases of node ``n`` are the nodes in ``entries`` from
    ``entry_starts[n]`` to before ``entry_starts[n + 1]``, in the order of the file;
    ``probabilities`` has the probability of each.
    """

    def __init__(self, data: Bytes, version: str) -> None:
        self.version = version
        """The first digits of the file's SHA-256."""
        sizes = data[:_HEADER].view(np.int64).tolist() if len(data) >= _HEADER else []
        if sum(sizes) + _HEADER != len(data):
            raise AlbeitError("the compiled paraphrase table has an unknown form.")
        stops = np.cumsum([_HEADER, *sizes]).tolist()
        # Views, not memmap objects: code compiled for plain arrays takes them as they are.
        parts = [np.asarray(data[a:b]) for a, b in pairwise(stops)]
        self.child_starts: Ints = parts[0].view(np.int32)
        self.child_words: Ints = parts[1].view(np.int32)
        self.entry_starts: Ints = parts[2].view(np.int32)
        self.entries: Ints = parts[3].view(np.int32)
        self.probabilities: npt.NDArray[np.float32] = parts[4].view(np.float32)
        words = parts[5].tobytes().decode("utf-8").split("\n")
        self._words = {word: number for number, word in enumerate(words)}

    def word(self, word: str) -> int:
        """Return the number of a word, or -1 if no phrase has it."""
        return self._words.get(word, -1)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)


def find_paraphrases(path: str | Path | None = None) -> Path:
    """Find the English table: as given, of ``ALBEIT_PARAPHRASES``, or of pycocoevalcap."""
    given = path or os.environ.get("ALBEIT_PARAPHRASES")
    if given:
        if not Path(given).is_file():
            raise InputError("there is no paraphrase table here.", path=given)
        return Path(given)
    package = find_spec("pycocoevalcap")
    for folder in (package.submodule_search_locations or []) if package else []:
        found = Path(folder) / "meteor" / "data" / "paraphrase-en.gz"
        if found.is_file():
            return found
    what = "METEOR's paraphrase table (60 MB) is not installed. Install it: pip install --no-deps"
    other = "or name a file: meteor-pa(table=PATH), or ALBEIT_PARAPHRASES=PATH."
    raise MissingExtraError(f"{what} pycocoevalcap; {other}")


def paraphrases(path: str | Path | None = None) -> ParaphraseTable:
    """Open a paraphrase table; the first use compiles it (15 seconds, 0.7 GB)."""
    found = find_paraphrases(path).resolve()
    return _open(found, found.stat().st_mtime_ns)


@cache
def _open(path: Path, changed: int) -> ParaphraseTable:
    """Open a table, once per process unless the file has changed since."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    name = f"paraphrases/{digest}-{_FORMAT}.table"
    return ParaphraseTable(stored_bytes(name, lambda: _compile(path)), digest[:8])


def _compile(path: Path) -> list[bytes]:
    """Read the text table; return the header, the arrays and the words."""
    phrases: dict[str, int] = {}
    left, right, probabilities = array("i"), array("i"), array("f")
    for probability, phrase, paraphrase in _read(path):
        probabilities.append(probability)
        left.append(phrases.setdefault(phrase, len(phrases)))
        right.append(phrases.setdefault(paraphrase, len(phrases)))
    words: dict[str, int] = {}
    nodes, child_starts, child_words = _tree(phrases, words)
    source = nodes[np.frombuffer(left, dtype=np.int32)]
    target = nodes[np.frombuffer(right, dtype=np.int32)]
    order = np.argsort(source, kind="stable")
    entry_starts = np.searchsorted(np.sort(source), np.arange(len(child_words) + 1))
    arrays = (child_starts, child_words, entry_starts, target[order])
    parts = [values.astype(np.int32).tobytes() for values in arrays]
    parts.append(np.frombuffer(probabilities, dtype=np.float32)[order].tobytes())
    parts.append("\n".join(words).encode("utf-8"))
    return [np.array([len(part) for part in parts], dtype=np.int64).tobytes(), *parts]


def _read(path: Path) -> Iterator[tuple[float, str, str]]:
    """Read the entries of a text table, gzip or plain; an error has the line."""
    number = 0
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opener = gzip.open if packed else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for score, phrase, paraphrase in zip(lines, lines, lines, strict=True):
                number += 3
                if not phrase.strip() or not paraphrase.strip():
                    raise InputError("an empty phrase.", path=path, line=number - 1)
                yield float(score), phrase.strip(), paraphrase.strip()
    except (ValueError, EOFError, gzip.BadGzipFile) as error:
        what = f"this is not a METEOR paraphrase table ({error})."
        hint = "It has three lines per entry: a probability, a phrase, its paraphrase."
        raise InputError(what, path=path, line=number + 1, hint=hint) from None
    if number == 0:
        raise InputError("the paraphrase table is empty.", path=path)


def _tree(phrases: dict[str, int], words: dict[str, int]) -> tuple[Ints, Ints, Ints]:
    """Assign numbers to the words and the nodes of the phrases, level by level.

    Gives the node of each phrase, where each node's children start, and each node's word.
    """
    flat, lengths = array("i"), array("i")
    for phrase in phrases:
        parts = phrase.split()
        lengths.append(len(parts))
        flat.extend(words.setdefault(part, len(words)) for part in parts)
    length = np.frombuffer(lengths, dtype=np.int32)
    word_at = np.frombuffer(flat, dtype=np.int32)
    start = np.cumsum(length) - length
    node = np.zeros(len(phrases), dtype=np.int64)
    parents, last_words = [np.array([-1])], [np.array([-1])]
    count = 1
    for level in range(int(length.max())):
        deep = np.flatnonzero(length > level)
        keys = node[deep] * len(words) + word_at[start[deep] + level]
        distinct, place = np.unique(keys, return_inverse=True)
        node[deep] = count + place
        parents.append(distinct // len(words))
        last_words.append(distinct % len(words))
        count += len(distinct)
    child_starts = np.searchsorted(np.concatenate(parents)[1:], np.arange(count + 1)) + 1
    words_of_nodes = np.concatenate(last_words).astype(np.int32)
    return node.astype(np.int32), child_starts.astype(np.int32), words_of_nodes
