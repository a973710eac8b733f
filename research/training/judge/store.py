"""All groups as arrays in one compressed file: what travels to the GPU.

Texts are cut into subwords once. A *pair* here is a translation beside its reference, the judge's
input; a *preference* says which of two pairs is better. `left_out` says for each model which groups
it may learn from: none whose reference or whose translations are texts of what it is tested on.
"""

from __future__ import annotations

import io
import json
import lzma
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.batch import CLS, SEP, Subwords, casing
from training.judge.groups import KINDS, Group, plain

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
FIRST = ("ref.A", "ref-A", "refA", "ref")
"""The reference that figures are counted with."""
REFERENCE = 6
"""Added to the casing class of a reference's subwords."""
POSITIONS = 512
MODELS: dict[str, tuple[str, ...]] = {
    "all": ("demetr",),
    "no12": ("demetr", "wmt12", "wmt21"),
    "no13": ("demetr", "wmt13", "ted"),
    "no21": ("demetr", "newstest21"),
    "no23": ("demetr", "wmt23"),
}
"""What each model must not have seen. DEMETR is seen by none."""
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?\"'()[]{}“”‘’«»-–—…"


def left_out(
    groups: Sequence[Group], tested: Sequence[str], forms: Sequence[frozenset[str]]
) -> Bools:
    """Which groups may be learnt from where these sets are tested: compared by text, not by name.

    `forms` are the plain forms of each group's texts. Damaged texts of a tested set are no texts of
    it, and refusals are alike everywhere; its references are there in its other groups."""
    seen = {
        form
        for group, own in zip(groups, forms, strict=True)
        if group.data in tested and group.kind != "damage"
        for form in own
    }
    return np.array(
        [
            group.data not in tested and not own & seen
            for group, own in zip(groups, forms, strict=True)
        ]
    )


def plain_forms(group: Group) -> frozenset[str]:
    """What the texts of a group are compared by."""
    return frozenset(map(plain, (group.reference, *group.texts))) - {""}


class Cutter:
    """Texts as subword ids, casing classes and error marks."""

    def __init__(self, tokenizer: Path) -> None:
        self.subwords = Subwords(tokenizer)

    def __call__(
        self, text: str, errors: Sequence[tuple[int, int]] = ()
    ) -> tuple[list[int], list[int], list[int]]:
        """Ids, casing of the word of each, and 1 where an expert marked its word."""
        ids: list[int] = []
        cases: list[int] = []
        marks: list[int] = []
        for found in _WORD.finditer(text):
            word = found.group()
            pieces = self.subwords(word)
            wrong = any(a < found.end() and b > found.start() for a, b in errors)
            ids += pieces
            cases += [casing(word.strip(_AROUND))] * len(pieces)
            marks += [int(wrong)] * len(pieces)
        return ids, cases, marks


def pack(groups: Sequence[Group], tokenizer: Path) -> dict[str, Array]:
    """The groups as arrays."""
    cutter = Cutter(tokenizer)
    forms = [plain_forms(group) for group in groups]
    known: dict[tuple[str, bool], int] = {}
    flat: dict[str, list[npt.NDArray[np.integer]]] = {"ids": [], "cases": [], "marks": []}
    sizes: list[int] = []
    marked: list[bool] = []

    def text(value: str, errors: Sequence[tuple[int, int]] | None) -> int:
        key = (value, bool(errors))
        number = known.get(key) if not errors else None
        if number is None:
            number = len(sizes)
            ids, cases, marks = cutter(value, errors or ())
            for name, part, kind in (
                ("ids", ids, np.uint16),
                ("cases", cases, np.uint8),
                ("marks", marks, np.uint8),
            ):
                flat[name].append(np.array(part, kind))
            sizes.append(len(ids))
            marked.append(errors is not None)
            if not errors:
                known[key] = number
        elif errors is not None:
            marked[number] = True
        return number

    references = [text(group.reference, None) for group in groups]
    owner = [number for number, group in enumerate(groups) for _ in group.texts]
    names = sorted({name for group in groups for name in group.names})
    place = {name: k for k, name in enumerate(names)}
    sets = sorted({group.data for group in groups})
    starts = np.concatenate(([0], np.cumsum([len(group.texts) for group in groups])))
    keys = [group.document if group.kind == "contrast" else group.key for group in groups]
    subsets = sorted({re.split(r":\d", key)[0] for key in keys})
    subset = {name: k for k, name in enumerate(subsets)}
    preferences = [
        (starts[number] + a, starts[number] + b, count, gap)
        for number, group in enumerate(groups)
        for a, b, count, gap in group.pairs
    ]
    found: dict[str, Array] = {
        "pair_text": np.array(
            [text(t, e) for g in groups for t, e in zip(g.texts, g.errors, strict=True)], np.int32
        ),
        "pair_group": np.array(owner, np.int32),
        "pair_name": np.array([place[name] for g in groups for name in g.names], np.int16),
        "pair_level": np.array(
            [np.nan if v is None else v for g in groups for v in g.levels], np.float32
        ),
        "group_reference": np.array(references, np.int32),
        "group_set": np.array([sets.index(group.data) for group in groups], np.int8),
        "group_kind": np.array([KINDS.index(group.kind) for group in groups], np.int8),
        "group_subset": np.array([subset[re.split(r":\d", key)[0]] for key in keys], np.int16),
        "group_first": np.array(
            ["|" not in k or k.split("|")[-1] in FIRST for k in keys], np.bool_
        ),
        "group_dev": np.array([group.dev for group in groups], np.bool_),
        "better": np.array([p[0] for p in preferences], np.int32),
        "worse": np.array([p[1] for p in preferences], np.int32),
        "count": np.array([p[2] for p in preferences], np.float32),
        "gap": np.array([p[3] for p in preferences], np.float32),
        "text_size": np.array(sizes, np.int32),
        "text_marked": np.array(marked, np.bool_),
        **{name: np.concatenate(parts) for name, parts in flat.items()},
        **{f"use_{name}": left_out(groups, tested, forms) for name, tested in MODELS.items()},
        "labels": np.frombuffer(
            json.dumps({"sets": sets, "names": names, "subsets": subsets}).encode(), np.uint8
        ),
    }
    return found


def save(arrays: dict[str, Array], path: Path) -> None:
    """Write the arrays, compressed."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    path.write_bytes(lzma.compress(buffer.getvalue(), preset=6))


@dataclass(slots=True)
class Store:
    """The arrays, with what is often asked of them."""

    arrays: dict[str, Array]
    sets: list[str]
    names: list[str]
    subsets: list[str]
    starts: Ints
    text_start: Ints
    sizes: Ints

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def groups(self, *, sets: Sequence[str] = (), kinds: Sequence[str] = ()) -> Bools:
        """Which groups are of these sets and kinds."""
        found = np.ones(len(self["group_set"]), np.bool_)
        if sets:
            found &= np.isin(self["group_set"], [k for k, s in enumerate(self.sets) if s in sets])
        if kinds:
            found &= np.isin(self["group_kind"], [KINDS.index(k) for k in kinds])
        return found

    def batch(self, pairs: Ints, step: int = 1) -> dict[str, Array]:
        """The judge's input for these pairs: ids, mask, casing with side, and the error marks."""
        texts = self["pair_text"][pairs]
        others = self["group_reference"][self["pair_group"][pairs]]
        width = -(-int(self.sizes[pairs].max()) // step) * step
        n, m = fitted(self["text_size"][texts], self["text_size"][others])
        n, m = n[:, None], m[:, None]
        at = np.arange(width)[None]
        one = (at >= 1) & (at <= n)
        other = (at >= n + 2) & (at <= n + m + 1)
        place = np.where(one, self.text_start[texts][:, None] + at - 1, 0)
        place = np.where(other, self.text_start[others][:, None] + at - n - 2, place)
        read = one | other
        ends = (at == n + 1) | (at == n + m + 2)
        ids = np.where(read, self["ids"][place], ends * SEP)
        ids[:, 0] = CLS
        return {
            "ids": ids.astype(np.int64),
            "mask": (at <= n + m + 2).astype(np.int64),
            "cases": (self["cases"][place] * read + REFERENCE * other).astype(np.int64),
            "marks": (self["marks"][place] * one).astype(np.float32),
            "marked": self["text_marked"][texts],
        }


def fitted(translation: Array, reference: Array) -> tuple[Ints, Ints]:
    """How many subwords of each are read: all, or what fits, each in proportion."""
    room = POSITIONS - 3
    both = np.maximum(translation + reference, 1).astype(np.int64)
    share = np.maximum(1, room * translation.astype(np.int64) // both)
    kept = np.where(both <= room, translation, np.minimum(translation, share))
    return kept, np.where(both <= room, reference, np.minimum(reference, room - kept))


def load(path: Path) -> Store:
    """Read the file that `save` wrote."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as file:
        arrays: dict[str, Array] = {name: file[name] for name in file.files}
    labels = json.loads(arrays.pop("labels").tobytes())
    size = arrays["text_size"].astype(np.int64)
    owner = arrays["pair_group"]
    starts = np.searchsorted(owner, np.arange(len(arrays["group_set"]) + 1))
    whole = size[arrays["pair_text"]] + size[arrays["group_reference"][owner]] + 3
    return Store(
        arrays,
        labels["sets"],
        labels["names"],
        labels["subsets"],
        starts,
        np.concatenate(([0], np.cumsum(size))),
        np.minimum(whole, POSITIONS),
    )
