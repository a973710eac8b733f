"""Rows that show what a correlation is worth: sentinels, and human raters.

A sentinel (Perrella et al. 2024) knows too little to judge a translation: a metric that is no
better measures something else than quality. A rater is compared with the mean of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.judgments import Ratings
from albeit.errors import InputError
from albeit.metaeval.judged_set import Task
from albeit.metrics import Signature
from albeit.metrics.table import Column
from albeit.stats import group_means


def sentinel_columns(evalset: EvalSet) -> list[Column]:
    """Return the scores of sentinels: shorter texts, usual lengths, and shorter sources are better.

    - ``sentinel-length``: characters of the translation
    - ``sentinel-ratio``: how far the length is from that of the first reference (or the source)
    - ``sentinel-source``: characters of the source (or the first reference), for all systems
    """
    others = [*evalset.references.values()][:1]
    source = evalset.source or (others or [()])[0]
    texts = [_lengths(lines) for lines in evalset.systems.values()]
    if not source or not texts:
        raise InputError("sentinels need a source or a reference, and translations.")
    own = np.array(texts)
    ratio = np.abs(np.log(own / _lengths((others or [source])[0])))
    constant = np.broadcast_to(_lengths(source), own.shape)
    named = {"length": own, "ratio": ratio, "source": constant}
    return [_column(evalset, f"sentinel-{name}", scores) for name, scores in named.items()]


def _lengths(lines: tuple[str, ...]) -> FloatArray:
    return np.array([max(1, len(line)) for line in lines], dtype=np.float64)


def _column(evalset: EvalSet, name: str, scores: FloatArray) -> Column:
    starts, sizes = zip(*((d.start, len(d)) for d in evalset.documents), strict=True)
    documents = np.add.reduceat(scores, starts, axis=1) / sizes
    system = group_means(
        scores.ravel(), np.repeat(np.arange(len(scores)), scores.shape[1]), len(scores)
    )
    return Column(name, Signature(name), False, system, documents, scores)


def rater_tasks(task: Task) -> Iterator[tuple[str, Task]]:
    """Yield the raters, each with the task of the translations that others rated, too.

    The rater is a column of the task's table, and the judgments are those of the others.
    """
    ratings, size = task.judgments, len(task.table)
    if not isinstance(ratings, Ratings) or ratings.rater is None:
        return
    cell = ratings.system * size + ratings.segment
    for number, name in enumerate(ratings.raters):
        mine = ratings.rater == number
        both = np.intersect1d(cell[mine], cell[~mine])
        if not len(both):
            continue
        shared = np.isin(cell, both)
        own, others = ratings.take(mine & shared), ratings.take(~mine & shared)
        documents = own.document_scores(task.table.documents, task.lengths)
        levels = own.system_scores(), documents, own.matrix(size)
        column = Column(f"rater {name}", Signature("rater"), True, *levels)
        table = replace(task.table, columns={column.name: column})
        yield column.name, replace(task, table=table, judgments=others)
