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

from training.batch import Subwords, casing
from training.judge.groups import KINDS, NOTHING, Group, plain
from training.judge.segments import Span

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
FIRST = ("ref.A", "ref-A", "refA", "ref")
"""The reference that figures are counted with."""
REFERENCE = 6
"""Added to the casing class of a reference's subwords."""
POSITIONS = 512
TESTS = ("newstest20", "bio", "wmt16", "demetr")
"""What no model has learnt judgments of."""
MODELS: dict[str, tuple[str, ...]] = {
    "all": TESTS,
    "a": (*TESTS, "wmt12", "newstest21"),
    "b": (*TESTS, "wmt13", "wmt23", "ted"),
}
"""What each model must not have seen."""
SEEN: dict[str, tuple[str, ...]] = {"all": ("newstest20",), "a": (), "b": ("newstest20",)}
"""Of which of these a student has read texts and experts' marks all the same: it is not tested there."""
SHARES = 60
"""Shares of raters are stored in sixtieths."""
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?\"'()[]{}“”‘’«»-–—…"


def left_out(
    groups: Sequence[Group], tested: Sequence[str], forms: Sequence[frozenset[str]]
) -> Bools:
    """Which groups may be learnt from where these sets are tested: compared by text, not by name.

    `forms` are the plain forms of each group's texts. Synthetic groups of a tested set don't count:
    refusals occur in all sets, and its references are in its other groups."""
    seen = {
        form
        for group, own in zip(groups, forms, strict=True)
        if group.data in tested and group.kind not in ("synthetic", "identity", "probe")
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
        self.known: dict[str, tuple[list[int], list[int]]] = {}

    def word(self, word: str) -> tuple[list[int], list[int]]:
        """A word's ids and the casing class of each."""
        found = self.known.get(word)
        if found is None:
            pieces = self.subwords(word)
            found = self.known[word] = (pieces, [casing(word.strip(_AROUND))] * len(pieces))
        return found

    def size(self, text: str) -> int:
        """How many subwords a text has."""
        return sum(len(self.word(word)[0]) for word in text.split())

    def __call__(
        self, text: str, errors: Sequence[Span] = ()
    ) -> tuple[list[int], list[int], list[list[int]]]:
        """Ids, casing of the word of each, where words begin, and for each severity the share of
        raters that marked the word."""
        ids: list[int] = []
        cases: list[int] = []
        begins: list[int] = []
        marks: list[list[int]] = [[], []]
        for found in _WORD.finditer(text):
            pieces, kind = self.word(found.group())
            ids += pieces
            cases += kind
            begins += [1] + [0] * (len(pieces) - 1)
            shares = [0.0, 0.0]
            for start, stop, severity, share in errors:
                if start < found.end() and stop > found.start():
                    shares[severity] += share
            for severity, share in enumerate(shares):
                marks[severity] += [round(SHARES * min(share, 1.0))] * len(pieces)
        return ids, cases, [begins, *marks]


def _ends(group: Group) -> list[int]:
    """Which of a group's texts are at the top of the scale (1) and at its bottom (-1)."""
    if group.kind not in ("synthetic", "identity"):
        return [0] * len(group.names)
    return [(name == "identity") - (name == NOTHING) for name in group.names]


def pack(groups: Sequence[Group], cutter: Cutter) -> dict[str, Array]:
    """The groups as arrays."""
    # here alone: where arrays are only read, the package need not be there
    from albeit.metrics.judge.chunking import facts

    forms = [plain_forms(group) for group in groups]
    known: dict[tuple[str, tuple[Span, ...]], int] = {}
    flat: dict[str, list[npt.NDArray[np.integer]]] = {
        name: [] for name in ("ids", "cases", "begins", "major", "minor")
    }
    sizes: list[int] = []
    marked: list[bool] = []

    def text(value: str, errors: Sequence[Span] | None) -> int:
        key = (value, tuple(errors or ()))
        number = known.setdefault(key, len(sizes))
        if number == len(sizes):
            ids, cases, (begins, major, minor) = cutter(value, errors or ())
            flat["ids"].append(np.array(ids, np.uint16))
            flat["cases"].append(np.array(cases, np.uint8))
            flat["begins"].append(np.array(begins, np.uint8))
            flat["major"].append(np.array(major, np.uint8))
            flat["minor"].append(np.array(minor, np.uint8))
            sizes.append(len(ids))
            marked.append(False)
        marked[number] |= errors is not None
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
    single = {
        (t, group.reference): starts[number] + k
        for number, group in enumerate(groups)
        if group.kind in ("judged", "unjudged")
        for k, t in enumerate(group.texts)
    }
    parts = [
        (starts[number] + k, single.get(part, -1))
        for number, group in enumerate(groups)
        for k, of in enumerate(group.parts)
        for part in of
    ]
    data = np.array([group.data for group in groups])
    first = np.array(["|" not in k or k.split("|")[-1] in FIRST for k in keys], np.bool_)
    judged = np.array([group.kind == "judged" for group in groups]) & first
    uses = {name: left_out(groups, tested, forms) for name, tested in MODELS.items()}
    found: dict[str, Array] = {
        "pair_text": np.array(
            [text(t, e) for g in groups for t, e in zip(g.texts, g.errors, strict=True)], np.int32
        ),
        "pair_group": np.array(owner, np.int32),
        "pair_name": np.array([place[name] for g in groups for name in g.names], np.int16),
        "pair_level": np.array(
            [np.nan if v is None else v for g in groups for v in g.levels], np.float32
        ),
        "pair_end": np.array([end for group in groups for end in _ends(group)], np.int8),
        "pair_facts": facts(
            [t for group in groups for t in group.texts],
            [group.reference for group in groups for _ in group.texts],
        ).astype(np.float16),
        "part_of": np.array([p[0] for p in parts], np.int32),
        "part": np.array([p[1] for p in parts], np.int32),
        "group_reference": np.array(references, np.int32),
        "group_set": np.array([sets.index(name) for name in data], np.int8),
        "group_kind": np.array([KINDS.index(group.kind) for group in groups], np.int8),
        "group_subset": np.array([subset[re.split(r":\d", key)[0]] for key in keys], np.int16),
        "group_line": np.array([int((re.findall(r":(\d+)", key) or [-1])[-1]) for key in keys]),
        "group_first": first,
        "group_dev": np.array([group.dev for group in groups], np.bool_),
        "better": np.array([p[0] for p in preferences], np.int32),
        "worse": np.array([p[1] for p in preferences], np.int32),
        "count": np.array([p[2] for p in preferences], np.float32),
        "gap": np.array([p[3] for p in preferences], np.float32),
        "text_size": np.array(sizes, np.int32),
        "text_marked": np.array(marked, np.bool_),
        **{name: np.concatenate(arrays) for name, arrays in flat.items()},
        **{f"use_{name}": use for name, use in uses.items()},
        **{f"see_{name}": use | (judged & np.isin(data, SEEN[name])) for name, use in uses.items()},
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


def fitted(translation: Array, reference: Array) -> tuple[Ints, Ints]:
    """How many subwords of each are read: all, or what fits, each in proportion."""
    room = POSITIONS - 3
    both = np.maximum(translation + reference, 1).astype(np.int64)
    share = np.maximum(1, room * translation.astype(np.int64) // both)
    kept = np.where(both <= room, translation, np.minimum(translation, share))
    return kept, np.where(both <= room, reference, np.minimum(reference, room - kept))


def read_arrays(path: Path) -> dict[str, Array]:
    """What `save` wrote."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def load(path: Path) -> Store:
    """Read the file that `training.judge.prepare` wrote."""
    arrays = read_arrays(path)
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
