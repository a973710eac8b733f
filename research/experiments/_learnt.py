"""EDU boundaries and trees in other languages, as training recorded them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["learnt"]

SEVEN = {
    "German": ("deu.rst.pcc",),
    "Spanish": ("spa.rst.rststb", "spa.rst.sctb"),
    "Portuguese": ("por.rst.cstn",),
    "Dutch": ("nld.rst.nldt",),
    "French": ("fra.sdrt.annodis",),
    "Chinese": ("zho.rst.gcdt", "zho.rst.sctb", "zho.dep.scidtb"),
    "Russian": ("rus.rst.rrt",),
}
APART = {"Basque": ("eus.rst.ert",), "Persian": ("fas.rst.prstc",), "English (GUM)": ("gum",)}
GROUPS = {
    "all": "on everything",
    "ship": "on what may ship",
    "gold": "nothing carried over",
    "english": "English alone",
}
LEVELS = ("span", "nuclearity", "relation", "full")
Runs = Mapping[str, Any]


def f1(run: Mapping[str, Any], corpora: Sequence[str], part: str, tuned: str = "") -> float:
    """The mean over some corpora, each in its own style, or where it was not learnt in nobody's;
    `tuned`: with the threshold that is best on the corpus's development part."""
    found = [run["edus"]["figures"][f"{corpus} {part}"] for corpus in corpora]
    return float(
        np.mean([p.get(c + tuned, p["none" + tuned]) for p, c in zip(found, corpora, strict=True)])
    )


def seven(run: Mapping[str, Any], part: str, tuned: str = "") -> float:
    """The mean of the seven languages."""
    return float(np.mean([f1(run, corpora, part, tuned) for corpora in SEVEN.values()]))


def chosen(runs: Runs) -> dict[str, str]:
    """Of each group the run that is best on development parts."""
    found = {}
    for group in GROUPS:
        own = [name for name in runs if name.split("-")[0] == group]
        if own:
            found[group] = max(own, key=lambda name: seven(runs[name], "dev"))
    return found


def learnt(runs: Runs) -> list[Table]:
    """EDU starts by language, all runs, trees."""
    best = chosen(runs)
    rows = [
        Row((Cell(name), *(Cell(f1(runs[run], corpora, "test")) for run in best.values())))
        for name, corpora in {**SEVEN, **APART}.items()
    ]
    means = [Cell(seven(runs[run], "test")) for run in best.values()]
    rows.insert(len(SEVEN), Row((Cell("mean of these seven"), *means)))
    columns = _columns("EDU starts, F1", *(GROUPS[group] for group in best))
    first = Table(columns, tuple(rows), "EDU boundaries, gold sentences, DISRPT's test parts")
    rows = [
        Row(
            (
                Cell(name),
                Cell(run["edus"]["trained"].removeprefix("trained ")),
                Cell(seven(run, "dev")),
                Cell(seven(run, "test")),
                Cell(seven(run, "test", " tuned")),
            )
        )
        for name, run in runs.items()
    ]
    columns = (
        Heading("Run", align="left"),
        Heading("Steps", align="left"),
        Heading("dev", decimals=1),
        Heading("test", decimals=1),
        Heading("threshold by dev", decimals=1),
    )
    return [first, Table(columns, tuple(rows), "All runs, mean of seven"), _trees(runs)]


def _trees(runs: Runs) -> Table:
    rows = []
    with_trees = [name for name, run in runs.items() if "trees" in run]
    for corpus in ("gum", "deu.rst.pcc", "zho.rst.gcdt"):
        for name in with_trees:
            found = runs[name]["trees"]["figures"][f"{corpus} test"]
            style = corpus if corpus in found else "none"
            rows.append(Row((Cell(f"{corpus}: {name}"), *(Cell(found[style][m]) for m in LEVELS))))
        for base in ("right-branching", "sentences first"):
            found = runs[with_trees[0]]["trees"]["figures"][f"{corpus} test"]
            if base in found:
                rows.append(
                    Row((Cell(f"{corpus}: {base}"), *(Cell(found[base][m]) for m in LEVELS)))
                )
    notes = tuple(f"{name}: {runs[name]['trees']['trained']}" for name in with_trees)
    return Table(
        _columns("Trees", *LEVELS), tuple(rows), "Trees over gold EDUs, original Parseval", notes
    )


def _columns(first: str, *others: str) -> tuple[Heading, ...]:
    return (Heading(first, align="left"), *(Heading(name, decimals=1) for name in others))
