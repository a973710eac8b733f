"""Does discourse tell in other languages? EDUs and trees learnt, what they add to `sim`, and contexts.

    PYTHONPATH=src:research python research/experiments/languages_discourse.py [--parts learnt on-top contexts] [--networks DIR]

`learnt` reprints what training recorded (`research/training/languages/kept/discourse.json`). `on-top` adds `dr` and
`dr-lex` to `sim` on the sets out of English, by segment and by document, with the networks that
`training.languages.write` wrote; weights are chosen on newstest21 en-de alone. `contexts` asks which of two
translations fits the text before it, by metrics without a reference: every pair.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import ROOT, arguments, commit, shared_folder
from _contexts import Contrast, read_contrasts
from _learnt import learnt
from _on_top import SETS, on_top

from albeit.corpus import EvalSet, documents_from_ids
from albeit.engine import score
from albeit.metrics import registry
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

Floats = npt.NDArray[np.float64]
KEPT = ROOT / "research" / "training" / "languages" / "kept"


def contexts(data: Path) -> Table:
    """Which of two translations fits its context, by `terms`, `rc` and character overlap; a tie is half right."""
    rows = []
    for name, lang in (("voita-en-ru", "ru"), ("bawden-en-fr", "fr")):
        pairs = read_contrasts(shared_folder(data, f"discourse/{name}") / "contrastive.tsv")
        found = {"characters": _right(*(_overlap(pairs, side) for side in ("good", "bad")))}
        scored = {side: _metrics(pairs, side, lang) for side in ("good", "bad")}
        found |= {m: _right(scored["good"][m], scored["bad"][m]) for m in scored["good"]}
        told = np.isfinite(scored["good"]["terms"]) & np.isfinite(scored["bad"]["terms"])
        differs = told & (scored["good"]["terms"] != scored["bad"]["terms"])
        kinds = np.array([re.sub("_(dev|test)", "", p.kind.split(":")[0]) for p in pairs])
        for kind in np.unique(kinds):
            own = kinds == kind
            cells = [Cell(100 * float(each[own].mean())) for each in found.values()]
            share, right = float(differs[own].mean()), found["terms"][own & differs]
            rows.append(
                Row(
                    (
                        Cell(f"{name}: {kind} ({own.sum()})"),
                        *cells,
                        Cell(100 * share),
                        Cell(100 * float(right.mean()) if len(right) else float("nan")),
                    )
                )
            )
    names = ("characters", "terms", "rc", "terms differs on", "right there")
    columns = (Heading("Kind", align="left"), *(Heading(n, decimals=1) for n in names))
    return Table(columns, tuple(rows), "Right in context, %; a tie is half right")


def _right(good: Floats, bad: Floats) -> Floats:
    known = np.isfinite(good) & np.isfinite(bad)
    return np.where(known, (good > bad) + 0.5 * (good == bad), 0.5)


def _overlap(pairs: Sequence[Contrast], side: str) -> Floats:
    """The share of a text's runs of four characters that its context has."""
    found = []
    for pair in pairs:
        ours, theirs = ("".join(x.lower().split()) for x in (getattr(pair, side), pair.context))
        runs = [ours[k : k + 4] for k in range(len(ours) - 3)]
        found.append(sum(run in theirs for run in runs) / max(1, len(runs)))
    return np.array(found)


def _metrics(pairs: Sequence[Contrast], side: str, lang: str) -> dict[str, Floats]:
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
    table = score(evalset, [registry.metric(m) for m in ("terms", "rc")])
    return {m: np.asarray(table[m].at("document")[0], np.float64) for m in ("terms", "rc")}


def main() -> None:
    """Print the tables asked for."""
    parser = arguments(__doc__ or "")
    parts = ("learnt", "on-top", "contexts")
    parser.add_argument("--parts", nargs="+", choices=parts, default=["learnt", "contexts"])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="of on-top")
    parser.add_argument("--every", type=int, default=1, help="of documents on top: every n-th")
    parser.add_argument(
        "--networks", type=Path, help="a folder that training.languages.write wrote"
    )
    args = parser.parse_args()
    if "on-top" in args.parts and args.networks is None:
        parser.error("on-top needs --networks DIR, which training.languages.write writes")
    tables: list[Table] = []
    if "learnt" in args.parts:
        tables += learnt(json.loads((KEPT / "discourse.json").read_text(encoding="utf-8")))
    if "on-top" in args.parts:
        tables += on_top(args)
    if "contexts" in args.parts:
        tables.append(contexts(args.data))
    sys.stdout.write(render(tables, args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
