"""Does a translation fit the text before it, out of English? Pairs of which one is wrong, told without a reference.

    PYTHONPATH=src:research python research/experiments/languages_contexts.py

First what the context has of the sentence, by three plain measures (every fourth pair of Voita et
al.'s); then two metrics, `terms` by the source and `rc`, on every pair.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import arguments, commit, shared_folder
from _contexts import Contrast, read_contrasts
from languages import headings

from albeit.annotate.content import content_words
from albeit.annotate.multilingual.vectors import read_texts
from albeit.corpus import EvalSet, documents_from_ids
from albeit.engine import score
from albeit.metrics import registry
from albeit.report import Cell, Row, Table, render

Floats = npt.NDArray[np.float64]
SETS = {"voita-en-ru": ("ru", 4), "bawden-en-fr": ("fr", 1)}
"""The target language, and every how many-th pair the plain measures read."""
METRICS = ("terms", "rc")


def _overlap(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The share of a text's runs of four characters that its context has."""
    found = []
    for text, context in zip(texts, contexts, strict=True):
        ours, theirs = ("".join(side.lower().split()) for side in (text, context))
        runs = [ours[k : k + 4] for k in range(len(ours) - 3)]
        found.append(sum(run in theirs for run in runs) / max(1, len(runs)))
    return found


def _repeated(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The share of a text's content words whose stem its context has: lexical cohesion."""
    keys = content_words(lang).keys
    found = []
    for text, context in zip(texts, contexts, strict=True):
        ours, theirs = keys(text), set(keys(context))
        found.append(sum(key in theirs for key in ours) / max(1, len(ours)))
    return found


def _alike(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The mean similarity of a text's subwords to the nearest ones of its context."""
    distinct = list(dict.fromkeys([*texts, *contexts]))
    known = {t: r.states for t, r in zip(distinct, read_texts(distinct), strict=True)}
    return [
        float((known[text] @ known[context].T).max(axis=1).mean())
        for text, context in zip(texts, contexts, strict=True)
    ]


WAYS = {"characters": _overlap, "content words": _repeated, "similarity": _alike}


def right(good: Floats, bad: Floats) -> Floats:
    """1 where the right one scores higher; a tie, or no score, is half right."""
    known = np.isfinite(good) & np.isfinite(bad)
    return np.where(known, (good > bad) + 0.5 * (good == bad), 0.5)


def by_text(pairs: Sequence[Contrast], lang: str, way: str) -> Floats:
    """Where a plain measure puts the right translation above the wrong one."""
    before = [pair.context for pair in pairs]
    good, bad = (
        np.array(WAYS[way](lang, [getattr(pair, side) for pair in pairs], before))
        for side in ("good", "bad")
    )
    return right(good, bad)


def by_metrics(pairs: Sequence[Contrast], side: str, lang: str) -> dict[str, Floats]:
    """`terms` by the source and `rc`, each context with its sentence as a document."""
    source: list[str] = []
    lines: list[str] = []
    ids: list[str] = []
    for pair in pairs:
        before, said = (pair.fields[n].split(" || ") for n in ("src_context", "context"))
        if len(before) != len(said):
            before, said = [" ".join(before)], [" ".join(said)]
        source += [*before, pair.fields["source"]]
        lines += [*said, getattr(pair, side)]
        ids += [pair.id] * (len(said) + 1)
    evalset = EvalSet(
        {},
        {side: tuple(lines)},
        source=tuple(source),
        documents=documents_from_ids(ids),
        source_lang="en",
        target_lang=lang,
        name=side,
    )
    table = score(evalset, [registry.metric(m) for m in METRICS])
    return {m: np.asarray(table[m].at("document")[0], np.float64) for m in METRICS}


def rows(name: str, pairs: Sequence[Contrast], columns: Sequence[Floats]) -> list[Row]:
    """A row for each kind of pair: the mean of every column, in per cent, where it has a value."""
    kinds = np.array([re.sub("_(dev|test)", "", pair.kind.split(":")[0]) for pair in pairs])
    found = []
    for kind in np.unique(kinds):
        own = [column[kinds == kind] for column in columns]
        known = [values[np.isfinite(values)] for values in own]
        cells = [Cell(100 * float(v.mean()) if len(v) else float("nan")) for v in known]
        found.append(Row((Cell(f"{name}: {kind} ({(kinds == kind).sum()})"), *cells)))
    return found


def tables(data: Path) -> list[Table]:
    """By plain measures, and by metrics."""
    plain: list[Row] = []
    scored: list[Row] = []
    for name, (lang, step) in SETS.items():
        pairs = read_contrasts(shared_folder(data, f"discourse/{name}") / "contrastive.tsv")
        some = pairs[::step]
        plain += rows(name, some, [by_text(some, lang, way) for way in WAYS])
        good, bad = (by_metrics(pairs, side, lang) for side in ("good", "bad"))
        told = {m: right(good[m], bad[m]) for m in METRICS}
        differs = np.isfinite(good["terms"] - bad["terms"]) & (good["terms"] != bad["terms"])
        where = np.where(differs, told["terms"], np.nan)
        columns = [by_text(pairs, lang, "characters"), *told.values()]
        scored += rows(name, pairs, [*columns, differs.astype(np.float64), where])
    heads = headings("Kind", *WAYS, decimals=1)
    others = headings(
        "Kind", "characters", *METRICS, "terms tells apart", "right there", decimals=1
    )
    return [
        Table(heads, tuple(plain), "Right in context, % (every fourth pair of voita-en-ru)"),
        Table(others, tuple(scored), "Right in context by metrics, %; a tie is half right"),
    ]


def main() -> None:
    """Print the tables."""
    args = arguments(__doc__ or "").parse_args()
    sys.stdout.write(render(tables(args.data), args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
