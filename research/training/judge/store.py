"""All groups as arrays in one compressed file: what is sent to the GPU.

Texts are cut into subwords once. A *pair* here is a translation with its reference, the judge's
input; a
*preference* says which of two pairs is better. `may_learn` says for each model which groups it may
learn from: none whose reference or whose translations are texts of what it is tested on.
"""

from __future__ import annotations

import io
import json
import lzma
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.batch import Subwords, casing
from training.judge.groups import KINDS, Group, plain
from training.judge.segments import Span
from training.synthetic import NOTHING

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.floating[Any]]
FIRST = ("ref.A", "ref-A", "refA", "ref")
"""The reference that figures are counted with."""
REFERENCE = 6
"""Added to the casing class of a reference's subwords."""
POSITIONS = 512
TESTS = ("newstest20", "bio", "wmt16", "demetr")
"""What no model has learned judgments of."""
MODELS: dict[str, tuple[str, ...]] = {
    "all": TESTS,
    "a": (*TESTS, "wmt12", "newstest21"),
    "b": (*TESTS, "wmt13", "wmt23", "ted"),
}
"""What each model must not have seen."""
SEEN: dict[str, tuple[str, ...]] = {"all": ("newstest20",), "a": (), "b": ("newstest20",)}
"""Of which of these a student has read texts and experts' marks: it is not tested there."""
SHARES = 60
"""Shares of raters are stored in sixtieths."""
MARKED = ("cases", "begins", "major", "minor")
"""What is known of each subword."""
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?\"'()[]{}“”‘’«»-–—…"


def plain_forms(group: Group) -> frozenset[str]:
    """Return what the texts of a group are compared by."""
    return frozenset(map(plain, (group.reference, *group.texts))) - {""}


def may_learn(
    groups: Sequence[Group],
    held_out: Sequence[bool],
    forms: Sequence[frozenset[str]],
    ignored: Collection[str] = (),
) -> Bools:
    """Return which groups may be learned from if some are held out: compared by text, not by name.

    Held-out groups of `ignored` kinds don't exclude others: refusals occur in all sets."""
    each = list(zip(groups, held_out, forms, strict=True))
    seen = {form for g, out, own in each if out and g.kind not in ignored for form in own}
    return np.array([not out and not own & seen for _, out, own in each])


class Cutter:
    """Texts as subword ids, casing classes and error marks."""

    def __init__(self, tokenizer: Path) -> None:
        self.subwords = Subwords(tokenizer)
        self.known: dict[str, tuple[list[int], list[int]]] = {}

    def word(self, word: str) -> tuple[list[int], list[int]]:
        """Return a word's ids and the casing class of each."""
        found = self.known.get(word)
        if found is None:
            pieces = self.subwords(word)
            found = self.known[word] = (pieces, [casing(word.strip(_AROUND))] * len(pieces))
        return found

    def size(self, text: str) -> int:
        """Return how many subwords a text has."""
        return sum(len(self.word(word)[0]) for word in text.split())

    def __call__(self, text: str, errors: Sequence[Span] = ()) -> npt.NDArray[np.uint16]:
        """Return for each subword id, casing of its word, whether it begins a word, and shares of
        raters that marked the word as a major and as a minor error, [5, subwords]."""
        rows: list[tuple[int, ...]] = []
        for found in _WORD.finditer(text):
            shares = [0.0, 0.0]
            for start, stop, severity, share in errors:
                if start < found.end() and stop > found.start():
                    shares[severity] += share
            marks = [round(SHARES * min(share, 1.0)) for share in shares]
            pieces, kinds = self.word(found.group())
            for k, (piece, kind) in enumerate(zip(pieces, kinds, strict=True)):
                rows.append((piece, kind, k == 0, *marks))
        return np.array(rows, np.uint16).reshape(-1, 5).T


def pack_groups(groups: Sequence[Group], sets: Sequence[str]) -> dict[str, Array]:
    """Return what the stores of all judges have of groups, without texts: the set of each is
    given."""
    names = sorted({name for group in groups for name in group.names})
    place = {name: k for k, name in enumerate(names)}
    known = sorted(set(sets))
    starts = np.concatenate(([0], np.cumsum([len(group.texts) for group in groups])))
    preferences = [
        (starts[number] + a, starts[number] + b, count, gap)
        for number, group in enumerate(groups)
        for a, b, count, gap in group.pairs
    ]
    columns = np.array(preferences, np.float64).reshape(-1, 4).T
    levels = [np.nan if v is None else v for group in groups for v in group.levels]
    return {
        "pair_group": np.repeat(np.arange(len(groups)), np.diff(starts)).astype(np.int32),
        "pair_name": np.array([place[name] for g in groups for name in g.names], np.int16),
        "pair_level": np.array(levels, np.float32),
        "group_set": np.array([known.index(name) for name in sets], np.int8),
        "group_kind": np.array([KINDS.index(group.kind) for group in groups], np.int8),
        "group_dev": np.array([group.dev for group in groups], np.bool_),
        "better": columns[0].astype(np.int32),
        "worse": columns[1].astype(np.int32),
        "count": columns[2].astype(np.float32),
        "gap": columns[3].astype(np.float32),
        "labels": _to_bytes({"sets": known, "names": names}),
    }


def _to_bytes(labels: Mapping[str, list[str]]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(labels).encode(), np.uint8)


def _find_ends(group: Group) -> list[int]:
    """Return which texts are at the top of the scale (1) and at its bottom (-1)."""
    if group.kind not in ("synthetic", "identity"):
        return [0] * len(group.names)
    return [(name == "identity") - (name == NOTHING) for name in group.names]


def _find_parts(groups: Sequence[Group], starts: Ints) -> npt.NDArray[np.int32]:
    """Return the pairs of paragraphs, and the pair of each of their segments (-1: none), [2,
    parts]."""
    single = {
        (text, group.reference): start + k
        for group, start in zip(groups, starts.tolist(), strict=False)
        if group.kind in ("judged", "unjudged")
        for k, text in enumerate(group.texts)
    }
    parts = [
        (start + k, single.get(part, -1))
        for group, start in zip(groups, starts.tolist(), strict=False)
        for k, own in enumerate(group.parts)
        for part in own
    ]
    return np.array(parts, np.int32).reshape(-1, 2).T


def pack(groups: Sequence[Group], cutter: Cutter) -> dict[str, Array]:
    """Return the groups as arrays."""
    # only here: where arrays are only read, the package need not be installed
    from albeit.metrics.judge.chunking import facts

    texts: dict[tuple[str, tuple[Span, ...]], int] = {}
    flat: list[npt.NDArray[np.uint16]] = []
    marked: list[bool] = []

    def number(text: str, errors: Sequence[Span] | None) -> int:
        key = (text, tuple(errors or ()))
        if key not in texts:
            texts[key] = len(texts)
            flat.append(cutter(text, errors or ()))
            marked.append(False)
        marked[texts[key]] |= errors is not None
        return texts[key]

    references = [number(group.reference, None) for group in groups]
    pairs = [number(t, e) for g in groups for t, e in zip(g.texts, g.errors, strict=True)]
    keys = [group.document if group.kind == "contrast" else group.key for group in groups]
    lines = [re.findall(r":(\d+)", key) or ["-1"] for key in keys]
    subset_names = [re.split(r":\d", key)[0] for key in keys]
    subsets = sorted(set(subset_names))
    first = np.array(["|" not in k or k.split("|")[-1] in FIRST for k in keys], np.bool_)
    data = np.array([group.data for group in groups])
    judged = np.array([group.kind == "judged" for group in groups]) & first
    forms = [plain_forms(group) for group in groups]
    ignored = ("synthetic", "identity", "probe")
    held_out = {name: np.isin(data, out).tolist() for name, out in MODELS.items()}
    uses = {name: may_learn(groups, out, forms, ignored) for name, out in held_out.items()}
    arrays = pack_groups(groups, [group.data for group in groups])
    labels = json.loads(arrays["labels"].tobytes()) | {"subsets": subsets}
    starts = np.searchsorted(arrays["pair_group"], np.arange(len(groups)))
    part_of, part = _find_parts(groups, starts)
    subwords = np.concatenate(flat, axis=1)
    return arrays | {
        "pair_text": np.array(pairs, np.int32),
        "pair_end": np.array([end for group in groups for end in _find_ends(group)], np.int8),
        "pair_facts": facts(
            [t for group in groups for t in group.texts],
            [group.reference for group in groups for _ in group.texts],
        ).astype(np.float16),
        "part_of": part_of,
        "part": part,
        "group_reference": np.array(references, np.int32),
        "group_subset": np.array([subsets.index(name) for name in subset_names], np.int16),
        "group_line": np.array([int(found[-1]) for found in lines]),
        "group_first": first,
        "text_size": np.array([own.shape[1] for own in flat], np.int32),
        "text_marked": np.array(marked, np.bool_),
        "ids": subwords[0],
        **{name: subwords[k].astype(np.uint8) for k, name in enumerate(MARKED, 1)},
        **{f"use_{name}": use for name, use in uses.items()},
        **{f"see_{name}": use | (judged & np.isin(data, SEEN[name])) for name, use in uses.items()},
        "labels": _to_bytes(labels),
    }


def to_bytes(arrays: Mapping[str, Array]) -> bytes:
    """Return arrays, compressed."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return lzma.compress(buffer.getvalue(), preset=6)


def from_bytes(data: bytes) -> dict[str, Array]:
    """Return the arrays again."""
    with np.load(io.BytesIO(lzma.decompress(data)), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def compress(arrays: Mapping[str, Array], path: Path) -> None:
    """Write arrays, compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_bytes(arrays))


def read_arrays(path: Path) -> dict[str, Array]:
    """Read what `compress` wrote."""
    return from_bytes(path.read_bytes())


@dataclass(slots=True)
class Store:
    """The arrays, with what is often asked of them."""

    arrays: dict[str, Array]
    sets: list[str]
    names: list[str]
    subsets: list[str]
    starts: Ints
    """Of each group its first pair, and the number of pairs."""
    text_start: Ints
    sizes: Ints
    """Of each pair the subwords that are read."""

    @classmethod
    def of(cls, arrays: dict[str, Array], sizes: Ints) -> Store:
        """Return the store of the arrays of a file."""
        labels = json.loads(arrays["labels"].tobytes())
        return cls(
            arrays,
            labels["sets"],
            labels["names"],
            labels.get("subsets", []),
            np.searchsorted(arrays["pair_group"], np.arange(len(arrays["group_set"]) + 1)),
            np.concatenate(([0], np.cumsum(arrays["text_size"], dtype=np.int64))),
            sizes,
        )

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def groups(self, *, sets: Sequence[str] = (), kinds: Sequence[str] = ()) -> Bools:
        """Return which groups are of these sets and kinds."""
        found = np.ones(len(self["group_set"]), np.bool_)
        if sets:
            found &= np.isin(self["group_set"], [k for k, s in enumerate(self.sets) if s in sets])
        if kinds:
            found &= np.isin(self["group_kind"], [KINDS.index(k) for k in kinds])
        return found

    def pairs(self, groups: Bools) -> Ints:
        """Return the pairs of these groups."""
        return np.flatnonzero(groups[self["pair_group"]])

    def fill(self, pairs: Ints, values: Array) -> npt.NDArray[np.float32]:
        """Return one number per pair of the store, `nan` for all others."""
        whole = np.full(len(self["pair_group"]), np.nan, np.float32)
        whole[pairs] = values
        return whole


def fitted(translation: Array, reference: Array) -> tuple[Ints, Ints]:
    """Return how many subwords of each are read: all, or what fits, each in proportion."""
    room = POSITIONS - 3
    both = np.maximum(translation + reference, 1).astype(np.int64)
    share = np.maximum(1, room * translation.astype(np.int64) // both)
    kept = np.where(both <= room, translation, np.minimum(translation, share))
    return kept, np.where(both <= room, reference, np.minimum(reference, room - kept))


def load(path: Path) -> Store:
    """Read the file that `training.judge.prepare` wrote."""
    arrays = read_arrays(path)
    size = arrays["text_size"].astype(np.int64)
    references = arrays["group_reference"][arrays["pair_group"]]
    whole = size[arrays["pair_text"]] + size[references] + 3
    return Store.of(arrays, np.minimum(whole, POSITIONS))
