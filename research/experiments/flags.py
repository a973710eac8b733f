"""Likely faults counted by what experts marked: newstest20 zh-en, and biomedical abstracts.

    python research/experiments/flags.py count            supported likely faults against their class
    python research/experiments/flags.py evidence FILE    what ``training.flags.fit`` learns from

A word is *supported* when two of newstest20's three experts marked a span of five words or fewer
that overlaps it; in the abstracts, which have fewer raters, when one did. Weights were learnt from
one half of newstest20's documents (by a hash of the name); figures are those of the other half.
The judge reads every suspect once and what it said is kept under ``--work``; ``--kept`` counts
only what is kept, and then says which part of all suspects that is.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _common import arguments, judged_set, shared_folder
from _evidence import Collected, collect, part
from _experts import Marks, class_words, first_half, marks_of, support

import albeit
from albeit.corpus import EvalSet
from albeit.flags.flag import KINDS
from albeit.flags.model import LIKELY, model_of
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

N20 = "judgments/newstest20-mqm/zh-en"
BIO = ("de-en", "es-en", "fr-en")
READ = Path(__file__).parents[1] / "training" / "flags" / "read.tsv"
RESAMPLES = 1000
Floats = npt.NDArray[np.float64]


def auc(scores: Floats, marked: npt.NDArray[np.bool_]) -> float:
    """How often a marked one has the higher score of the two; ties count half."""
    ours, theirs = scores[marked][:, None], scores[~marked][None]
    if not (ours.size and theirs.size):
        return float("nan")
    return float((ours > theirs).mean() + 0.5 * (ours == theirs).mean())


def interval(counts: Mapping[str, Sequence[float]], share: Any) -> tuple[float, float]:
    """The middle 95 % of a figure over resampled documents."""
    rows = np.array(list(counts.values()), float)
    rng = np.random.default_rng(12345)
    drawn = [share(rows[rng.integers(0, len(rows), len(rows))].sum(0)) for _ in range(RESAMPLES)]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def row_of(
    name: str, kind: str, evalset: EvalSet, held: Collected, marks: Marks, least: int
) -> Row:
    """One kind on one set: support of likely faults, of its class, and their ratio."""
    ids = evalset.document_ids()
    sums: dict[str, list[float]] = {d.id: [0.0, 0.0, 0.0, 0.0] for d in evalset.documents}
    for system, line, start, end in class_words(kind, evalset):
        sums[ids[line]][2] += support(marks, system, line, start, end) >= least
        sums[ids[line]][3] += 1
    scores, marked, likely = [], [], 0
    for one, pieces in zip(held.suspects, held.evidence, strict=True):
        if one.kind != kind:
            continue
        p = model_of(kind)(pieces)
        hit = support(marks, one.system, one.line, one.start, one.end) >= least
        scores.append(p)
        marked.append(hit)
        if p >= LIKELY:
            likely += 1
            sums[ids[one.line]][0] += hit
            sums[ids[one.line]][1] += 1

    def ratio(total: Floats) -> float:
        with np.errstate(invalid="ignore", divide="ignore"):
            return float((total[0] / total[1]) / (total[2] / total[3]))

    total = np.array(list(sums.values())).sum(0)
    area = auc(np.array(scores), np.array(marked, bool)) if scores else float("nan")
    yields = likely / held.share(kind) / held.words * 2000 if held.share(kind) else float("nan")
    return Row(
        (
            Cell(name),
            Cell(kind),
            Cell(likely),
            Cell(float(total[0] / total[1]) if total[1] else None),
            Cell(float(total[2] / total[3])),
            Cell(ratio(total) if total[1] else None, interval=interval(sums, ratio)),
            Cell(None if np.isnan(area) else area),
            Cell(yields),
            Cell(held.share(kind)),
        )
    )


def counted(data: Path, work: Path, read: bool, only: str) -> Table:
    """All sets whose names begin so, and all kinds."""
    rows = []
    for name, folder, evalset, least in _sets(data):
        if not name.startswith(only):
            continue
        held = collect(evalset, work / "flags" / f"{name}.jsonl", read=read)
        marks = marks_of(folder, evalset)
        rows += [row_of(name, kind, evalset, held, marks, least) for kind in KINDS]
    columns = (
        Heading("set", align="left"),
        Heading("kind", align="left"),
        Heading("likely faults", key="likely"),
        Heading("supported", decimals=3),
        Heading("of their class", key="class", decimals=3),
        Heading("ratio", decimals=2),
        Heading("AUC among suspects", key="auc", decimals=3),
        Heading("per 2,000 words", key="yield", decimals=2),
        Heading("read by the judge", key="read", decimals=2),
    )
    return Table(columns, tuple(rows), "Likely faults that experts marked too")


def _sets(data: Path) -> Iterator[tuple[str, Path, EvalSet, int]]:
    """The test half of newstest20, and the abstracts."""
    folder = shared_folder(data, N20)
    whole = albeit.read_judged(folder).evalset
    chosen = [document for document in whole.documents if not first_half(document.id)]
    yield "fresh-newstest20", folder, part(whole, chosen), 2
    for pair in BIO:
        folder = shared_folder(data, f"judgments/bio-mqm/{pair}")
        yield f"bio {pair}", folder, albeit.read_judged(folder).evalset, 1


def evidence(data: Path, work: Path, path: Path, read: bool) -> None:
    """Write what the models are learnt from: marked suspects of newstest20, and those that were read."""
    with READ.open(encoding="utf-8", newline="") as file:
        judged = {
            (r["set"], r["kind"], r["system"], int(r["segment"]) - 1, int(r["start"])): r["found"]
            for r in csv.DictReader(file, delimiter="\t")
        }
    folder = shared_folder(data, N20)
    every = {
        "newstest20": albeit.read_judged(folder).evalset,
        "wmt13": judged_set(data, "wmt13", "de-en").evalset,
        "wmt23": albeit.read_judged(shared_folder(data, "discourse/wmt23-mqm/zh-en")).evalset,
    }
    with path.open("w", encoding="utf-8") as out:
        for name, evalset in every.items():
            marks = marks_of(folder, evalset) if name == "newstest20" else {}
            ids = evalset.document_ids()
            held = collect(evalset, work / "flags" / f"all-{name}.jsonl", read=read)
            for one, pieces in zip(held.suspects, held.evidence, strict=True):
                found = judged.get((name, one.kind, one.system, one.line, one.start))
                if name != "newstest20" and found is None:
                    continue
                place = one.system, one.line, one.start, one.end
                row = {
                    "kind": one.kind,
                    "learn": first_half(ids[one.line]),
                    "evidence": pieces,
                    "experts": support(marks, *place) if name == "newstest20" else None,
                    "found": found,
                }
                out.write(json.dumps(row) + "\n")


def main() -> None:
    """Count, or write evidence."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("count", "evidence"))
    parser.add_argument("file", nargs="?", type=Path, default=Path("evidence.jsonl"))
    parser.add_argument("--kept", action="store_true", help="only what the judge has read already")
    parser.add_argument("--only", default="", help="sets whose names begin so (fresh, bio)")
    args = parser.parse_args()
    if args.action == "evidence":
        evidence(args.data, args.work, args.file, not args.kept)
    else:
        sys.stdout.write(
            render([counted(args.data, args.work, not args.kept, args.only)], args.format)
        )


if __name__ == "__main__":
    main()
