"""Folds of whole documents, the same document in the same fold for every language pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from albeit.corpus.evalset import EvalSet
from albeit.errors import InputError
from albeit.judged.task import Task
from albeit.metrics.table import ScoreTable

__all__ = ["check_folds", "document_folds"]


def document_folds(tasks: Sequence[Task], folds: int = 10, seed: int = 0) -> list[dict[str, int]]:
    """The fold of each document, for each task.

    Test sets of one name share their documents (the references are the same whatever the
    source language), so a document id stands in the same fold in all of them. Documents
    are shuffled, then each goes to the fold with the fewest segments so far.
    """
    lengths = check_folds([task.table for task in tasks], folds)
    keys = sorted(lengths)
    np.random.default_rng(seed).shuffle(keys)
    keys.sort(key=lambda key: -lengths[key])
    size = [0] * folds
    fold_of: dict[tuple[str, str], int] = {}
    for key in keys:
        smallest = min(range(folds), key=lambda f: size[f])
        fold_of[key] = smallest
        size[smallest] += lengths[key]
    return [{d.id: fold_of[task.table.name, d.id] for d in task.table.documents} for task in tasks]


def check_folds(sets: Iterable[EvalSet | ScoreTable], folds: int) -> dict[tuple[str, str], int]:
    """Raise where sets cannot be cut so often; else the length of each document, by set and id.

    It asks for no scores, so that it can be asked before any are made.
    """
    if folds < 2:
        raise InputError(f"cross-validation needs at least two folds, not {folds}.")
    lengths: dict[tuple[str, str], int] = {}
    for each in sets:
        for document in each.documents:
            key = (each.name, document.id)
            lengths[key] = max(lengths.get(key, 0), len(document))
    if len(lengths) < folds:
        raise InputError(
            f"{folds} folds need at least as many documents, but there are {len(lengths)}.",
            hint="Give document ids, or fewer folds.",
        )
    return lengths
