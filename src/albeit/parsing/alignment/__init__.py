"""Align words: train on sentence pairs, align, save, and load.

The aligner needs only the pairs, and one test set is enough to be useful. More bitext makes it more
accurate: train on both together. It is IBM model 1 and an HMM in both directions, symmetrized by
grow-diag-final-and.

A pair of words that was seldom seen together is judged by its spelling, because numbers, names,
and cognates look alike in two languages: words are the same if all letters are, and kin if the
first four are (*nation* and *national*, not *house* and *home*).
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from albeit.arrays import FloatArray, Floats32, IntArray, Ints32
from albeit.data.files import beginning
from albeit.data.textio import read_text, split_lines, whole_number
from albeit.errors import InputError, MissingExtraError
from albeit.parsing.alignment import kernels
from albeit.parsing.alignment.kernels import JUMPS, Corpus, Parameters

Link = tuple[int, int]
"""(source word, target word), both from 0."""
Lines = Sequence[Sequence[str]]

_FORMAT = 1
ITERATIONS = 5
"""Number of iterations of each model."""
P_NULL = 0.2
PRIOR = 0.001
"""The sparse prior of each word pair."""
_LETTERS = 4
"""Number of common first letters that makes words kin."""
_CHUNKS = 2
"""Number of parts that are counted in parallel; fixed, so that sums don't depend on the machine."""
_DAMAGED = (OSError, LookupError, ValueError, TypeError, EOFError, RuntimeError, zlib.error)
"""Errors for a damaged file of arrays."""
_PAIR = re.compile(r"(\d{1,9})[-p](\d{1,9})\Z")
_GIZA_LIST = re.compile(r" \(\{((?: \d++)*+) \}\)")


@dataclass(frozen=True)
class Aligner:
    """A trained aligner."""

    source: dict[str, int]
    target: dict[str, int]
    pairs: tuple[Ints32, Ints32]
    """The source and target words of each pair with a parameter."""
    parameters: Parameters

    @classmethod
    def fit(cls, source: Lines, target: Lines) -> Aligner:
        """Train on sentence pairs, each line a sequence of words."""
        _check_lengths(source, target)
        known, known_target = _number_words(source), _number_words(target)
        if not (known and known_target):
            raise InputError("the aligner has no words to train on: one side is empty.")
        first, second = _encode(source, known), _encode(target, known_target)
        cells = np.empty(_count_cells(first, second), np.int32)
        sources, targets = kernels.number_pairs(first, second, len(known_target), cells)
        alike = _spelling_counts(*_number_looks(known, known_target), sources, targets)
        sizes = len(known), len(known_target)
        p = _train(partial(kernels.expect, cells, first, second), sources, targets, alike, sizes)
        # nearly all word pairs have no weight: without them, an aligner is small to send
        kept = np.flatnonzero((p.forward > kernels.FLOOR) | (p.backward > kernels.FLOOR))
        p = p._replace(forward=p.forward[kept], backward=p.backward[kept])
        return cls(known, known_target, (sources[kept], targets[kept]), p)

    @cached_property
    def _table(self) -> tuple[IntArray, Ints32]:
        """The hash table of word pairs: keys, and the parameter of each."""
        slots = 1024
        while slots < 2 * self.pairs[0].size:
            slots *= 2
        table: tuple[IntArray, Ints32] = kernels.fill_table(*self.pairs, len(self.target), slots)
        return table

    def align(self, source: Lines, target: Lines) -> list[list[Link]]:
        """Return the links of each pair, in order of the source words."""
        _check_lengths(source, target)
        first, second = _encode(source, self.source), _encode(target, self.target)
        looks = _number_looks(chain.from_iterable(source), chain.from_iterable(target))
        cells = np.empty(_count_cells(first, second), np.int32)
        kernels.look_up(first, second, len(self.target), *self._table, *looks, cells)
        links, stops = kernels.align_all(cells, first, second, self.parameters)
        pairs = list(map(tuple, links.tolist()))
        starts = [0, *stops.tolist()]
        return [sorted(pairs[a:b]) for a, b in pairwise(starts)]

    @property
    def fingerprint(self) -> str:
        """A short hash of all parameters, for signatures."""
        digest = hashlib.sha256()
        for values in self.parameters:
            digest.update(np.asarray(values).tobytes())
        digest.update("\n".join([*self.source, *self.target]).encode())
        return digest.hexdigest()[:8]

    def save(self, path: str | Path) -> None:
        """Write the model to one file (NumPy's zip format, no pickles)."""
        with Path(path).open("wb") as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                format=np.int64(_FORMAT),
                source=np.frombuffer("\n".join(self.source).encode(), np.uint8),
                target=np.frombuffer("\n".join(self.target).encode(), np.uint8),
                pair_sources=self.pairs[0],
                pair_targets=self.pairs[1],
                **{name: np.asarray(value) for name, value in self.parameters._asdict().items()},
            )

    @classmethod
    def load(cls, path: str | Path) -> Aligner:
        """Read a saved model."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as data:
                if int(data["format"]) != _FORMAT:
                    raise InputError(
                        "this aligner model has another format.",
                        path=path,
                        hint="Train it again with this version.",
                    )
                words = [data[side].tobytes().decode().split("\n") for side in ("source", "target")]
                source, target = ({word: k for k, word in enumerate(side)} for side in words)
                pairs = data["pair_sources"], data["pair_targets"]
                values = {name: data[name] for name in Parameters._fields}
                values["p_null"] = float(values["p_null"])
                aligner = cls(source, target, pairs, Parameters(**values))
                _ = aligner._table  # fails here if the pairs are damaged
        except (*_DAMAGED, zipfile.BadZipFile) as error:
            raise InputError(
                f"not a saved aligner ({error}).", path=path, hint="Save one with Aligner.save."
            ) from None
        return aligner


def _train(
    expect: Any, sources: Ints32, targets: Ints32, alike: Floats32, words: tuple[int, int]
) -> Parameters:
    """Train IBM model 1, then the HMM, by expectation maximization.

    ``expect`` returns the expected counts; ``words`` are the numbers of words of both sides.
    """
    n_source, n_target = words
    jumps = np.exp(-0.5 * np.abs(np.arange(JUMPS) - JUMPS // 2 - 1.0))
    jumps /= jumps.sum()
    sizes = (sources.size, n_target), (sources.size, n_source), (n_target,) * 2, (n_source,) * 2
    uniform = [np.full(size, 1.0 / words, np.float32) for size, words in sizes]
    p = Parameters(*uniform[:4], jumps, jumps, P_NULL)  # type: ignore[call-arg, arg-type]
    with ThreadPoolExecutor(_CHUNKS) as pool:
        for hmm in [False] * ITERATIONS + [True] * ITERATIONS:
            count = partial(expect, p, hmm)
            counts = zip(*pool.map(count, range(_CHUNKS), [_CHUNKS] * _CHUNKS), strict=True)
            forward, backward, *others = (np.sum(each, axis=0) for each in counts)
            p = p._replace(
                forward=kernels.normalize(forward + alike, sources, n_source, PRIOR, n_target),
                backward=kernels.normalize(backward + alike, targets, n_target, PRIOR, n_source),
                forward_null=_smooth_null(others[0]),
                backward_null=_smooth_null(others[1]),
            )
            if hmm:
                p = p._replace(forward_jumps=_smooth(others[2]), backward_jumps=_smooth(others[3]))
    return p


def _smooth_null(counts: FloatArray) -> Floats32:
    smoothed = counts + 0.01
    return np.asarray(smoothed / smoothed.sum(), np.float32)


def _smooth(counts: FloatArray) -> FloatArray:
    """Return relative frequencies, with a small probability for every jump."""
    smoothed = counts + 1e-4 * counts.sum() + 1e-6
    return np.asarray(smoothed / smoothed.sum())


def _check_lengths(source: Lines, target: Lines) -> None:
    if len(source) != len(target):
        raise InputError(
            f"{len(source)} source lines cannot be aligned with {len(target)} target lines.",
            hint="Both sides need one line per sentence pair.",
        )


def _count_cells(source: Corpus, target: Corpus) -> int:
    return int((np.diff(source.starts) * np.diff(target.starts)).sum())


def _number_words(lines: Lines) -> dict[str, int]:
    """Return the words and their numbers, in order of first appearance."""
    words = dict.fromkeys(word for line in lines for word in line)
    return {word: number for number, word in enumerate(words)}


def _encode(lines: Lines, ids: dict[str, int]) -> Corpus:
    """Return lines as numbers; -1 for an unknown word."""
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    words = (ids.get(word, -1) for line in lines for word in line)
    return Corpus(np.fromiter(words, np.int32, int(starts[-1])), starts)


def _number_looks(source: Iterable[str], target: Iterable[str]) -> tuple[Ints32, Ints32]:
    """Return two numbers per word: of the word, and of its first letters (-1: too short).

    Equal words of both sides have equal numbers.
    """
    wholes: dict[str, int] = {}
    starts: dict[str, int] = {}

    def number(words: Iterable[str]) -> Ints32:
        looks = [
            (
                wholes.setdefault(word, len(wholes)),
                starts.setdefault(word[:_LETTERS], len(starts)) if len(word) >= _LETTERS else -1,
            )
            for word in words
        ]
        return np.array(looks, np.int32).reshape(-1, 2).T.copy()

    return number(source), number(target)


def _spelling_counts(source: Ints32, target: Ints32, sources: Ints32, targets: Ints32) -> Floats32:
    """Return a link for each pair of words with similar spelling, and 0 for others."""
    same, kin = source[:, sources] == target[:, targets]
    kin &= source[1, sources] >= 0
    return np.asarray(same | kin, np.float32)


# Alignments of other tools: Pharaoh (``0-0 1-2``) and GIZA++ files, and eflomal.


def read_alignment(path: str | Path) -> list[list[Link]]:
    """Read a file in either format, which the first line determines."""
    return read_giza(path) if is_giza(path) else read_pharaoh(path)


def is_giza(path: str | Path) -> bool:
    """Return whether a file is GIZA++'s, by its first line."""
    return beginning(path).startswith("# Sentence pair")


def read_pharaoh(path: str | Path) -> list[list[Link]]:
    """Read one line per sentence pair: ``source-target`` points from 0, with spaces between."""
    alignments: list[list[Link]] = []
    for number, line in enumerate(split_lines(read_text(path)), 1):
        links: list[Link] = []
        for item in line.split():
            match = _PAIR.match(item)
            if not match:
                hint = "Write points as 0-0 1-2, source word first, counted from 0."
                what = f"{item!r} is not an alignment point."
                raise InputError(what, path=path, line=number, hint=hint)
            links.append((int(match[1]), int(match[2])))
        alignments.append(links)
    return alignments


def read_giza(path: str | Path) -> list[list[Link]]:
    """Read GIZA++'s ``A3.final``, with three lines per sentence pair.

    The third line has the words of the source with the positions (from 1) of the words that each
    generated.
    """
    lines = split_lines(read_text(path))
    if len(lines) % 3:
        what = f"{len(lines)} lines, but a GIZA++ alignment has three per sentence pair."
        raise InputError(what, path=path, line=len(lines))
    alignments: list[list[Link]] = []
    for number in range(0, len(lines), 3):
        if not lines[number].startswith("# Sentence pair"):
            raise InputError("expected a line '# Sentence pair (…)'.", path=path, line=number + 1)
        words = _giza_words(lines[number + 2])
        if not words or words[0][0] != "NULL":
            what = "expected words with their ({ … }) lists, NULL first."
            raise InputError(what, path=path, line=number + 3)
        links = [
            (i, whole_number(j) - 1)
            for i, (_, positions) in enumerate(words[1:])
            for j in positions.split()
        ]
        if any(j < 0 for _, j in links):
            raise InputError("a word's position isn't a number from 1.", path=path, line=number + 3)
        alignments.append(links)
    return alignments


def _giza_words(line: str) -> list[tuple[str, str]]:
    """Return each word of a line with the positions in its list.

    Find the lists first: a pattern that starts with the word scans a long word again from
    each of its characters.
    """
    words: list[tuple[str, str]] = []
    end = 0
    for match in _GIZA_LIST.finditer(line):
        before = match.start()
        if before > end and not line[before - 1].isspace():
            words.append((line[end:before].split()[-1], match[1]))
            end = match.end()
    return words


def check_links(
    alignments: Sequence[Sequence[Link]],
    source: Sequence[int],
    target: Sequence[int],
    path: str | Path | None = None,
    lines_each: int = 1,
) -> None:
    """Check alignments against the lengths of the texts' lines, in words."""
    if len(alignments) != len(source):
        raise InputError(
            f"{len(alignments)} alignments for {len(source)} sentence pairs.",
            path=path,
            line=min(len(alignments), len(source)) * lines_each + 1,
            hint="The file must align these texts, line by line.",
        )
    for number, (links, *sizes) in enumerate(zip(alignments, source, target, strict=True)):
        for i, j in links:
            if i >= sizes[0] or j >= sizes[1]:
                raise InputError(
                    f"the point {i}-{j} is outside: the source has {sizes[0]} words, the target"
                    f" {sizes[1]}.",
                    path=path,
                    line=number * lines_each + 1,
                    hint="The alignment was made from other texts or another tokenization.",
                )


def eflomal_align(source: Lines, target: Lines) -> list[list[Link]]:
    """Return the links of each pair by eflomal: both directions, symmetrized.

    eflomal is somewhat more accurate than the embedded aligner, and slower. It saves no model, so
    all texts are aligned together.
    """
    try:
        from eflomal import Aligner as Eflomal
    except ImportError:
        raise MissingExtraError(
            "eflomal isn't installed. Install it: pip install 'albeit[eflomal]',"
            " or use the embedded aligner (alignment=yes)."
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "forward"), Path(folder, "backward")
        Eflomal().align(
            *([" ".join(line) + "\n" for line in side] for side in (source, target)),
            links_filename_fwd=str(paths[0]),
            links_filename_rev=str(paths[1]),
            quiet=True,
        )
        both = zip(*(read_pharaoh(path) for path in paths), strict=True)
    merged = []
    for first, second, directions in zip(source, target, both, strict=True):
        linked = np.zeros((2, len(second), len(first)), np.bool_)
        for side, links in enumerate(directions):
            for i, j in links:
                linked[side, j, i] = True
        rows, columns = np.nonzero(kernels.grow_diag_final_and(*linked))
        merged.append(sorted(zip(columns.tolist(), rows.tolist(), strict=True)))
    return merged
