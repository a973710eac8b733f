"""Likely faults counted by what experts marked, and the evidence that their models are learnt from.

    python research/experiments/flags.py evidence FILE    what ``training.flags.fit`` learns from
    python research/experiments/flags.py count            supported likely faults against their class
    python research/experiments/flags.py rates            the best and the worst system
    python research/experiments/flags.py pronouns         pronouns that two experts marked (area)
    python research/experiments/flags.py terminology      inconsistent terminology within documents

A word is *supported* when two of newstest20's three experts marked a span of five words or fewer
that overlaps it; in the abstracts, which have fewer raters, when one did. Weights are learnt from
one half of newstest20's documents (by a hash of the name); figures are those of the other half.
Networks read every suspect once and what they said is kept under ``--work``, by the judge's
version: an interrupted run goes on where it stopped. For ``pronouns``, ``--runs`` names the folder of
the runs that trained the judge: one of their models marked newstest20 without having learnt from it.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _common import arguments, commit, judged_set, shared_folder
from _evidence import Collected, Place, collect, only, place_of, read_sets, rows_of
from _experts import Marks, class_words, first_half, marks_of, support
from _flag_areas import area, pronouns_table, terminology_table
from _left_out import add_runs, left_out

import albeit
from albeit.data import EvalSet
from albeit.diagnose.candidates import TERMS
from albeit.diagnose.evidence import network
from albeit.diagnose.flags import KINDS, LIKELY, model_of, version
from albeit.metaeval import JudgedSet
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.flags.fit import EVIDENCE

N20 = "judgments/newstest20-mqm/zh-en"
BIO = ("de-en", "es-en", "fr-en")
READ = Path(__file__).parents[1] / "training" / "flags" / "read.tsv"
FLAGGED = Path(__file__).with_name("flagged.tsv")
LEARNT = ("1", "2")
"""The blind readings that models learn from; later ones test them."""
RESAMPLES = 1000
Floats = npt.NDArray[np.float64]


def interval(counts: Mapping[str, Sequence[float]], share: Any) -> tuple[float, float]:
    """The middle 95 % of a figure over resampled documents."""
    rows = np.array(list(counts.values()), float)
    rng = np.random.default_rng(12345)
    drawn = [share(rows[rng.integers(0, len(rows), len(rows))].sum(0)) for _ in range(RESAMPLES)]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def row_of(
    name: str, kind: str, evalsets: Sequence[tuple[EvalSet, Collected, Marks]], least: int
) -> Row:
    """One kind on one set, or several together: support of likely faults, of its class, their ratio."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    scores, marked, likely, words = [], [], 0, 0
    for n, (evalset, held, marks) in enumerate(evalsets):
        ids = [f"{n} {each}" for each in evalset.document_ids()]
        words += held.words
        for system, line, start, end in class_words(kind, evalset):
            sums[ids[line]][2] += support(marks, system, line, start, end) >= least
            sums[ids[line]][3] += 1
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
    among = area(np.array(scores), np.array(marked, bool)) if scores else float("nan")
    return Row(
        (
            Cell(name),
            Cell(kind),
            Cell(len(scores)),
            Cell(likely),
            Cell(float(total[0] / total[1]) if total[1] else None),
            Cell(float(total[2] / total[3])),
            Cell(ratio(total) if total[1] else None, interval=interval(sums, ratio)),
            Cell(None if np.isnan(among) else among),
            Cell(likely / words * 2000),
        )
    )


def counted(data: Path, work: Path, only: str) -> Table:
    """All sets whose names begin so, and all kinds; the abstracts one by one and together."""
    rows, bio = [], []
    for name, folder, evalset, least in _sets(data):
        if not name.startswith(only):
            continue
        held = collect(evalset, work, name, kinds=KINDS)
        read = evalset, held, marks_of(folder, evalset)
        rows += [row_of(name, kind, [read], least) for kind in KINDS]
        if least == 1:
            bio.append(read)
    if len(bio) > 1:
        rows += [row_of("bio", kind, bio, 1) for kind in KINDS]
    columns = (
        Heading("set", align="left"),
        Heading("kind", align="left"),
        Heading("suspects"),
        Heading("likely faults", key="likely"),
        Heading("supported", decimals=3),
        Heading("of their class", key="class", decimals=3),
        Heading("ratio", decimals=2),
        Heading("AUC among suspects", key="auc", decimals=3),
        Heading("per 2,000 words", key="yield", decimals=2),
    )
    return Table(columns, tuple(rows), "Likely faults that experts marked too", _made())


def _sets(data: Path) -> Iterator[tuple[str, Path, EvalSet, int]]:
    """The test half of newstest20, and the abstracts."""
    folder = shared_folder(data, N20)
    yield "newstest20", folder, fresh(albeit.read_judged(folder).evalset), 2
    for pair in BIO:
        folder = shared_folder(data, f"judgments/bio-mqm/{pair}")
        yield f"bio-{pair}", folder, albeit.read_judged(folder).evalset, 1


def fresh(evalset: EvalSet) -> EvalSet:
    """The documents that nothing was learnt from."""
    return only(evalset, lambda name: not first_half(name))


def rated(data: Path, work: Path) -> Table:
    """Likely faults per thousand words of the best and the worst system, as people ranked them."""
    n20 = albeit.read_judged(shared_folder(data, N20))
    old = judged_set(data, "wmt13", "de-en")
    rows = []
    for name, judged in (("newstest20", n20), ("wmt13", old)):
        evalset = fresh(judged.evalset)
        ends = ranked(judged)
        held = collect(evalset, work, name, systems=ends, kinds=KINDS)
        for kinds in (*((kind,) for kind in KINDS), KINDS):
            sums = _by_document(evalset, ends, held, kinds)
            total = np.array(list(sums.values())).sum(0)
            cells = [Cell(name), Cell(" and ".join(kinds))]
            for k, system in enumerate(ends):
                ends_of = interval(sums, partial(_rate, k=k))
                cells += [Cell(system), Cell(_rate(total, k), interval=ends_of)]
            apart = Cell(_more(total), interval=interval(sums, _more))
            rows.append(Row((*cells, apart)))
    columns = (
        Heading("set", align="left"),
        Heading("kind", align="left"),
        Heading("best system", key="best", align="left"),
        Heading("likely faults per 1,000 words", key="best_rate", decimals=2),
        Heading("worst system", key="worst", align="left"),
        Heading("likely faults per 1,000 words", key="worst_rate", decimals=2),
        Heading("worst minus best", key="difference", decimals=2),
    )
    return Table(columns, tuple(rows), "Likely faults of the best and the worst system", _made())


def ranked(judged: JudgedSet) -> tuple[str, str]:
    """The best and the worst system by its judgments."""
    scores = judged.judgments.system_scores()
    names = list(judged.evalset.systems)
    return names[int(np.nanargmax(scores))], names[int(np.nanargmin(scores))]


def _by_document(
    evalset: EvalSet, systems: Sequence[str], held: Collected, kinds: Sequence[str]
) -> dict[str, list[float]]:
    """By document, for each system: likely faults, words."""
    ids = evalset.document_ids()
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * (2 * len(systems)))
    for k, system in enumerate(systems):
        for name, line in zip(ids, evalset.systems[system], strict=True):
            if line:
                sums[name][2 * k + 1] += len(line.split())
    for one, pieces in zip(held.suspects, held.evidence, strict=True):
        if one.kind in kinds and model_of(one.kind)(pieces) >= LIKELY:
            sums[ids[one.line]][2 * systems.index(one.system)] += 1
    return sums


def _rate(total: Floats, k: int) -> float:
    return float(1000 * total[2 * k] / total[2 * k + 1])


def _more(total: Floats) -> float:
    """How much higher the second system's rate is."""
    return _rate(total, 1) - _rate(total, 0)


def _made() -> tuple[str, ...]:
    return (f"commit {commit()}, judge {network().version}, models {version()}",)


def evidence(data: Path, work: Path, path: Path) -> None:
    """Write what the models are learnt from: marked suspects of newstest20, and those that were read."""
    judged = readings()
    folder = shared_folder(data, N20)
    with path.open("w", encoding="utf-8") as out:
        for name, whole in read_sets(data).items():
            ids = whole.document_ids()
            own = judged[name]
            named = {ids[place[2]] for place in own}
            marked = name == "newstest20"
            evalset = only(whole, first_half if marked else named.__contains__)
            marks = marks_of(folder, evalset) if marked else {}
            held = collect(
                evalset,
                work,
                f"learn-{name}",
                wanted=None if marked else own.keys(),
                weighed=EVIDENCE.__getitem__,
            )
            for one, pieces in zip(held.suspects, held.evidence, strict=True):
                row = {
                    "kind": one.kind,
                    "set": name,
                    "system": one.system,
                    "document": ids[one.line],
                    "segment": one.line + 1,
                    "start": one.start,
                    "evidence": pieces,
                    "experts": support(marks, one.system, one.line, one.start, one.end)
                    if marked
                    else None,
                    "found": own.get(place_of(one)),
                }
                out.write(json.dumps(row) + "\n")


def readings() -> dict[str, dict[Place, str]]:
    """What readers said of suspects, by set: the development sample, and blind readings before this.

    Of the blind ones only WMT13's and WMT23's: newstest20's other half is what is tested on.
    """
    found: dict[str, dict[Place, str]] = defaultdict(dict)
    for row in rows_of(READ):
        found[row["set"]][_place(row)] = row["found"]
    for row in rows_of(FLAGGED):
        learnt = row["reader"] == "first" and row["reading"] in LEARNT
        if learnt and row["flagged"] == "yes" and row["set"] != "newstest20":
            found[row["set"]][_place(row)] = row["found"]
    return found


def _place(row: Mapping[str, str]) -> Place:
    return row["kind"], row["system"], int(row["segment"]) - 1, int(row["start"])


def main() -> None:
    """Count, or write evidence."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("evidence", "count", "rates", "pronouns", "terminology"))
    parser.add_argument("file", nargs="?", type=Path, default=Path("evidence.jsonl"))
    parser.add_argument("--only", default="", help="of count: sets whose names begin so (bio)")
    add_runs(parser)
    args = parser.parse_args()
    data, work = args.data, args.work
    if args.action == "evidence":
        evidence(data, work, args.file)
        return
    folder = shared_folder(data, N20)
    tables = {
        "count": lambda: counted(data, work, args.only),
        "rates": lambda: rated(data, work),
        "pronouns": lambda: pronouns_table(folder, left_out(args.runs, args.store), _made()),
        "terminology": lambda: terminology_table(_terminology(data, work), _made()),
    }
    sys.stdout.write(render([tables[args.action]()], args.format))


def _terminology(data: Path, work: Path) -> Iterator[tuple[str, Path, EvalSet, Collected]]:
    """newstest20 and the abstracts, whole, with the suspects among their terms."""
    n20 = shared_folder(data, N20)
    folders = {f"bio-{pair}": shared_folder(data, f"judgments/bio-mqm/{pair}") for pair in BIO}
    for name, folder in {"newstest20": n20, **folders}.items():
        evalset = albeit.read_judged(folder).evalset
        yield name, folder, evalset, collect(evalset, work, name, kinds=[TERMS])


if __name__ == "__main__":
    main()
