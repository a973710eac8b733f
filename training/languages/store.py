"""Judged translations beside reference and source, as ids of the multilingual encoder's subwords.

The arrays have the names of `training.judge.store`, so that its batches, losses and figures serve
here too; added are the source of each group and chrF of each pair.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.judge.groups import KINDS, Group, plain
from training.judge.store import FIRST, Array, Bools, Ints, Store, load, plain_forms

BEGIN, END = 1, 2
SIDES = 3
HYPOTHESIS, REFERENCE, SOURCE = 1, 2, 3
LONGEST = 448
"""The most subwords of one text."""
MODES = ("reference", "both", "source")
SHARES = (0.4, 0.2, 0.4)
"""How often a batch is read beside its reference, beside both, beside its source."""
GERMAN = ("newstest21/en-de", "wmt23/en-de", "ted/en-de")
MODELS: dict[str, tuple[str, ...]] = {
    "all": (),
    "no12": ("wmt12", "wmt21"),
    "no13": ("wmt13", "ted"),
    "no21": ("newstest21",),
    "no23": ("wmt23",),
    "no24": ("wmt24",),
    "node": GERMAN,
    "noen": ("/en",),
}
"""What each model must not have seen: sets, sets in one direction, or a target language."""


@dataclass(slots=True)
class Judged:
    """A group with what stands around it."""

    group: Group
    pair: str
    source: str

    def of(self, tested: Sequence[str]) -> bool:
        """Whether it is of one of these sets, directions or target languages."""
        data = self.group.data
        target = "/" + self.pair.split("-")[1]
        return bool({data, f"{data}/{self.pair}", target} & set(tested))


def usable(all_: Sequence[Judged], tested: Sequence[str]) -> Bools:
    """Which groups may be learnt from where these are tested: none that shares a text with them,
    as a translation, a reference or a source."""
    forms = [
        plain_forms(one.group) | ({plain(one.source)} - {""} if one.source else frozenset())
        for one in all_
    ]
    seen = {
        form
        for one, own in zip(all_, forms, strict=True)
        if one.of(tested) and one.group.kind != "damage"
        for form in own
        if len(form) > 12
    }
    return np.array(
        [not one.of(tested) and not own & seen for one, own in zip(all_, forms, strict=True)]
    )


def pack(all_: Sequence[Judged]) -> dict[str, Array]:
    """The groups as arrays."""
    from albeit.annotate.multilingual.pieces import pieces_of
    from albeit.metrics.base import Batch
    from albeit.metrics.lexical.chrf import Chrf

    groups = [one.group for one in all_]
    texts: dict[str, int] = {}

    def text(value: str) -> int:
        return texts.setdefault(value, len(texts))

    references = [text(group.reference) for group in groups]
    sources = [text(one.source) if one.source else -1 for one in all_]
    pair_text = [text(t) for group in groups for t in group.texts]
    errors = [e for group in groups for e in group.errors]
    cut = pieces_of(list(texts))
    sizes = np.array([min(len(p), LONGEST) for p in cut], np.int32)
    marks = [np.zeros(0, np.uint8)]
    mark_start = np.full(len(pair_text), -1, np.int32)
    at = 0
    for k, (number, spans) in enumerate(zip(pair_text, errors, strict=True)):
        if spans is None:
            continue
        where = cut[number].spans[:LONGEST]
        wrong = np.zeros(len(where), np.uint8)
        for a, b, *_ in spans:
            wrong |= ((where[:, 0] < b) & (where[:, 1] > a)).astype(np.uint8)
        mark_start[k], at = at, at + len(wrong)
        marks.append(wrong)
    owner = np.array([n for n, g in enumerate(groups) for _ in g.texts], np.int32)
    whole = [t for group in groups for t in group.texts]
    theirs = [groups[n].reference for n in owner]
    chrf = Chrf()
    scores = np.concatenate(
        [
            chrf.score(
                chrf.statistics(Batch(whole[k : k + 5000], [theirs[k : k + 5000]], None, ()), None)
            )
            for k in range(0, len(whole), 5000)
        ]
    )
    names = sorted({name for group in groups for name in group.names})
    place = {name: k for k, name in enumerate(names)}
    sets = sorted({group.data for group in groups})
    keys = [group.key for group in groups]
    subset = [f"{one.group.data}/{one.pair}" for one in all_]
    subsets = sorted(set(subset))
    starts = np.concatenate(([0], np.cumsum([len(group.texts) for group in groups])))
    preferences = [
        (starts[n] + a, starts[n] + b, count, gap)
        for n, group in enumerate(groups)
        for a, b, count, gap in group.pairs
    ]
    return {
        "ids": np.concatenate([p.ids[:LONGEST] for p in cut]).astype(np.int32),
        "text_size": sizes,
        "marks": np.concatenate(marks),
        "mark_start": mark_start,
        "pair_text": np.array(pair_text, np.int32),
        "pair_group": owner,
        "pair_name": np.array([place[n] for g in groups for n in g.names], np.int16),
        "pair_level": np.array(
            [np.nan if v is None else v for g in groups for v in g.levels], np.float32
        ),
        "pair_chrf": scores.astype(np.float16),
        "group_reference": np.array(references, np.int32),
        "group_source": np.array(sources, np.int32),
        "group_set": np.array([sets.index(g.data) for g in groups], np.int8),
        "group_kind": np.array([KINDS.index(g.kind) for g in groups], np.int8),
        "group_subset": np.array([subsets.index(s) for s in subset], np.int16),
        "group_first": np.array(
            ["|" not in k or k.split("|")[-1] in FIRST for k in keys], np.bool_
        ),
        "group_dev": np.array([g.dev for g in groups], np.bool_),
        "better": np.array([p[0] for p in preferences], np.int32),
        "worse": np.array([p[1] for p in preferences], np.int32),
        "count": np.array([p[2] for p in preferences], np.float32),
        "gap": np.array([p[3] for p in preferences], np.float32),
        **{f"use_{name}": usable(all_, tested) for name, tested in MODELS.items()},
        "labels": np.frombuffer(
            json.dumps({"sets": sets, "names": names, "subsets": subsets}).encode(), np.uint8
        ),
    }


@dataclass(slots=True)
class Triples(Store):
    """The arrays, and batches of translation, reference and source in one sequence.

    `mode` says what stands beside a translation; without one each batch draws its own.
    """

    rng: random.Random
    mode: str | None = None

    def batch(self, pairs: Ints, step: int = 1) -> dict[str, Array]:
        """ids, side of each subword (0 beyond the end), whether it is a mark of begin or end, error
        marks of the translation, chrF with whether it is known."""
        mode = self.mode or self.rng.choices(MODES, SHARES)[0]
        owner = self["pair_group"][pairs]
        hypotheses = self["pair_text"][pairs]
        sources = self["group_source"][owner]
        references = self["group_reference"][owner]
        beside = (references >= 0) & ((mode != "source") | (sources < 0))
        given = (sources >= 0) & (mode != "reference")
        parts = [hypotheses, np.where(beside, references, -1), np.where(given, sources, -1)]
        sizes = [np.where(p >= 0, self["text_size"][p] + 2, 0) for p in parts]
        width = -(-int(np.sum(sizes, axis=0).max()) // step) * step
        shape = (len(pairs), width)
        ids, side = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        marks, chosen = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
        all_ids, wrong = self["ids"], self["marks"]
        first = self["mark_start"][pairs]
        for row in range(len(pairs)):
            at = 0
            for k, part in enumerate(parts):
                number = int(part[row])
                if number < 0:
                    continue
                a, n = int(self.text_start[number]), int(self["text_size"][number])
                ids[row, at], ids[row, at + n + 1] = BEGIN, END
                ids[row, at + 1 : at + n + 1] = all_ids[a : a + n]
                side[row, at : at + n + 2] = k + 1
                if k == 0 and first[row] >= 0:
                    marks[row, 1 : n + 1] = wrong[first[row] : first[row] + n]
                    chosen[row, 1 : n + 1] = True
                at += n + 2
        chrf = np.where(beside, self["pair_chrf"][pairs].astype(np.float32) / 100, 0)
        return {
            "ids": ids,
            "side": side,
            "marks": marks,
            "marked": chosen,
            "chrf": np.stack([chrf, beside.astype(np.float32)], 1).astype(np.float32),
        }


def read(path: Path, vocabulary: Ints, seed: int = 1) -> Triples:
    """Read the file that `training.judge.store.save` wrote. Ids become places in the vocabulary of the
    encoder at hand, in which the marks of begin and end keep their numbers."""
    plain_store: Any = load(path)
    plain_store.arrays["ids"] = np.searchsorted(vocabulary, plain_store["ids"])
    size = plain_store["text_size"].astype(np.int64)
    source = plain_store["group_source"]
    beside = np.where(source >= 0, size[source] + 2, 0)[plain_store["pair_group"]]
    return Triples(
        plain_store.arrays,
        plain_store.sets,
        plain_store.names,
        plain_store.subsets,
        plain_store.starts,
        plain_store.text_start,
        plain_store.sizes + beside + 1,
        random.Random(seed),
    )
