"""Flagged errors against expert annotations, in a blind review, and the training data of their models.

    python research/experiments/flags.py count            # flagged errors that experts marked, too
    python research/experiments/flags.py rates            # the best and the worst system
    python research/experiments/flags.py evidence FILE    # training data of ``training.flags.fit``
    python research/experiments/flags.py draw --kinds terms --sample SAMPLE.tsv --key KEY.tsv
    python research/experiments/flags.py join SAMPLE.tsv KEY.tsv --reader NAME --reading N
    python research/experiments/flags.py review           # precision in the blind reviews

**Expert annotations.** A word is *supported* if two of newstest20's three experts marked a short span
that overlaps it (in the abstracts, which have fewer raters: one). Models are trained on one half of
newstest20's documents, by a hash of the name; figures are those of the other half.

**Blind review.** Up to sixty flagged errors of each kind are drawn from documents that models weren't
trained on, and from source lines that no earlier review had, at most two from one source line, and as
many controls: words of the same class that aren't candidates. They are in random order, without system,
flag, and suggestion. A reader writes *fault* (an editor would change these words), *no*, or
*unclear* into the column ``found``. Only then is the key opened: ``join`` adds the judgments to
``flagged.tsv``.
"""

from __future__ import annotations

import json
import math
import random
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _common import Floats, arguments, commit, judged, judged_set, publish, rows_of, shared_folder
from _evidence import (
    N20,
    Collected,
    Marks,
    Place,
    class_words,
    collect,
    first_half,
    held_out,
    marks_of,
    only,
    place_of,
    read_sets,
    support,
)

from albeit.data import EvalSet
from albeit.diagnose.evidence import network
from albeit.diagnose.flags import KINDS, LIKELY, model_of, version
from albeit.metaeval import JudgedSet
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from training.flags.fit import EVIDENCE

BIO = ("de-en", "es-en", "fr-en")
READ = Path(__file__).parents[1] / "training" / "flags" / "read.tsv"
FLAGGED = Path(__file__).with_name("flagged.tsv")
LEARNT = ("1", "2")
"""The blind reviews that models are trained on; later ones test them."""
RESAMPLES = 1000
EACH, A_LINE, SEED = 60, 2, 30
FIELDS = ("number", "kind", "before", "text", "reference", "source", "found")
KEY = ("number", "kind", "set", "system", "document", "segment", "start", "end", "flagged", "p")


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
        for one, pieces in zip(held.candidates, held.evidence, strict=True):
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


def headings(*names: str | Heading) -> tuple[Heading, ...]:
    """Return left-aligned headings for names, and the others as they are."""
    return tuple(n if isinstance(n, Heading) else Heading(n, align="left") for n in names)


def area(scores: Floats, marked: Floats) -> float:
    """Return how often a marked one has the higher score of the two; ties count half."""
    ours, theirs = scores[marked][:, None], scores[~marked][None]
    if not (ours.size and theirs.size):
        return float("nan")
    return float((ours > theirs).mean() + 0.5 * (ours == theirs).mean())


def counted(data: Path, work: Path) -> Table:
    """Return all sets and kinds; the abstracts one by one and together."""
    rows, bio = [], []
    for name, folder, evalset, least in _sets(data):
        read = evalset, collect(evalset, work, name), marks_of(folder, evalset)
        rows += [row_of(name, kind, [read], least) for kind in KINDS]
        bio += [read] if least == 1 else []
    rows += [row_of("bio", kind, bio, 1) for kind in KINDS]
    columns = headings(
        "set",
        "kind",
        Heading("candidates"),
        Heading("flagged"),
        Heading("supported", decimals=3),
        Heading("of their class", key="class", decimals=3),
        Heading("ratio", decimals=2),
        Heading("AUC among candidates", key="auc", decimals=3),
        Heading("per 2,000 words", key="yield", decimals=2),
    )
    return Table(columns, tuple(rows), "Flagged errors that experts marked, too", _made())


def _sets(data: Path) -> Iterator[tuple[str, Path, EvalSet, int]]:
    """Yield the test half of newstest20, and the abstracts."""
    folder = shared_folder(data, N20)
    yield "newstest20", folder, held_out(judged(folder).evalset), 2
    for pair in BIO:
        folder = shared_folder(data, f"judgments/bio-mqm/{pair}")
        yield f"bio-{pair}", folder, judged(folder).evalset, 1


def rated(data: Path, work: Path) -> Table:
    """Likely faults per thousand words of the best and the worst system, as people ranked them."""
    n20 = judged(shared_folder(data, N20))
    old = judged_set(data, "wmt13", "de-en")
    rows = []
    for name, found in (("newstest20", n20), ("wmt13", old)):
        evalset = held_out(found.evalset)
        ends = ranked(found)
        held = collect(evalset, work, name, systems=ends)
        for kinds in (*((kind,) for kind in KINDS), KINDS):
            sums = _by_document(evalset, ends, held, kinds)
            total = np.array(list(sums.values())).sum(0)
            cells = [Cell(name), Cell(" and ".join(kinds))]
            for k, system in enumerate(ends):
                ends_of = interval(sums, partial(_rate, k=k))
                cells += [Cell(system), Cell(_rate(total, k), interval=ends_of)]
            apart = Cell(_more(total), interval=interval(sums, _more))
            rows.append(Row((*cells, apart)))
    columns = headings(
        "set",
        "kind",
        "best system",
        Heading("its flagged errors per 1,000 words", key="best_rate", decimals=2),
        "worst system",
        Heading("its rate", key="worst_rate", decimals=2),
        Heading("worst minus best", key="difference", decimals=2),
    )
    return Table(columns, tuple(rows), "Flagged errors of the best and the worst system", _made())


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
    for one, pieces in zip(held.candidates, held.evidence, strict=True):
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
            for one, pieces in zip(held.candidates, held.evidence, strict=True):
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


@dataclass(frozen=True)
class Item:
    """Some words to be judged, and what the key says of them."""

    kind: str
    set: str
    system: str
    line: int
    start: int
    end: int
    p: float | None


def drawn(
    name: str, evalset: EvalSet, work: Path, kinds: Sequence[str], limit: int
) -> Iterator[Item]:
    """All likely faults of a set, and as many controls of each kind."""
    held = collect(evalset, work, name, kinds=kinds, limit=limit)
    rng = random.Random(SEED)
    for kind in kinds:
        likely = []
        for one, pieces in zip(held.candidates, held.evidence, strict=True):
            p = model_of(kind)(pieces) if one.kind == kind else 0.0
            if p >= LIKELY:
                likely.append(Item(kind, name, one.system, one.line, one.start, one.end, p))
        others = [
            Item(kind, name, *word, None)
            for word in class_words(kind, evalset)
            if (kind, *word[:3]) not in held.found
        ]
        yield from likely
        yield from rng.sample(others, min(len(others), max(20, len(likely))))


def draw(args: Namespace) -> None:
    """Write the sample without key, and the key."""
    rng = random.Random(SEED)
    texts = read_sets(args.data)
    read = {(row["set"], int(row["segment"]) - 1) for row in rows_of(FLAGGED)}
    items: list[Item] = []
    for name, evalset in texts.items():
        fresh = held_out(evalset)
        items += drawn(name, fresh, args.work, args.kinds, args.limit)
    items = [one for one in items if (one.set, one.line) not in read]
    chosen: list[Item] = []
    for kind in args.kinds:
        for flagged in (True, False):
            own = [i for i in items if i.kind == kind and (i.p is not None) == flagged]
            rng.shuffle(own)
            lines: Counter[tuple[str, int]] = Counter()
            count = 0
            for one in own:
                lines[one.set, one.line] += 1
                if lines[one.set, one.line] <= A_LINE and count < EACH:
                    chosen.append(one)
                    count += 1
    rng.shuffle(chosen)
    _write(args.sample, FIELDS, (_shown(n, i, texts[i.set]) for n, i in enumerate(chosen, 1)))
    _write(args.key, KEY, (_told(n, i, texts[i.set]) for n, i in enumerate(chosen, 1)))


def _shown(number: int, item: Item, evalset: EvalSet) -> dict[str, object]:
    lines, at = evalset.systems[item.system], item.line
    document = next(d for d in evalset.documents if d.start <= at < d.stop)
    text = lines[at]
    marked = f"{text[: item.start]}[[{text[item.start : item.end]}]]{text[item.end :]}"
    return {
        "number": number,
        "kind": item.kind,
        "before": " ¶ ".join(lines[max(document.start, at - 2) : at]),
        "text": marked,
        "reference": " ¶ ".join(lines[at] for lines in evalset.references.values()),
        "source": evalset.source[at] if evalset.source else "",
        "found": "",
    }


def _told(number: int, item: Item, evalset: EvalSet) -> dict[str, object]:
    document = evalset.document_ids()[item.line]
    flag = ("no", "") if item.p is None else ("yes", f"{item.p:.3f}")
    where = item.system, document, item.line + 1, item.start, item.end
    return dict(zip(KEY, (number, item.kind, item.set, *where, *flag), strict=True))


def _write(path: Path, names: Sequence[str], rows: Iterator[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\t".join(names) + "\n")
        for row in rows:
            file.write("\t".join(" ".join(str(row[n]).split()) for n in names) + "\n")


def join(sample: Path, key: Path, reader: str, reading: str) -> None:
    """Open the key: add a reader's judgments of one sample to what is kept."""
    told = {row["number"]: row for row in rows_of(key)}
    own = reader, reading
    rows = rows_of(FLAGGED)
    kept = [row for row in rows if (row["reader"], row["reading"]) != own]
    for row in rows_of(sample):
        if row["found"] not in ("fault", "no", "unclear"):
            raise SystemExit(f"{sample}: number {row['number']} has no judgment.")
        who = {"reader": reader, "reading": reading}
        kept.append({**who, **told[row["number"]], "found": row["found"]})
    _write(FLAGGED, ("reader", "reading", *KEY, "found"), iter(kept))


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not total:
        return math.nan, math.nan
    p, n = hits / total, total
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def review() -> list[Table]:
    """Precision by reader and kind, and how far readers agree."""
    rows = rows_of(FLAGGED)
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name in ("all sets", row["set"]):
            which = row["reader"], row["reading"], row["kind"], row["flagged"], name
            found[which][row["found"]] += 1
    counts = [Heading(name) for name in ("read", "fault", "no", "unclear")]
    share = Heading("share of faults", key="share", decimals=2)
    columns = headings("reader", Heading("reading"), "kind", "flagged", "set", *counts, share)
    lines = []
    for which, n in sorted(found.items()):
        total = sum(n.values())
        cells = [*map(Cell, which), Cell(total)]
        cells += [Cell(n[each]) for each in ("fault", "no", "unclear")]
        cells.append(Cell(n["fault"] / total, interval=wilson(n["fault"], total)))
        lines.append(Row(tuple(cells)))
    title = "Flagged errors and controls in blind reviews"
    return [Table(columns, tuple(lines), title), *_agreement(rows)]


def _agreement(rows: Sequence[Mapping[str, str]]) -> Iterator[Table]:
    by_reader: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for row in rows:
        by_reader[row["reader"]][row["reading"], row["number"]] = row["found"]
    names = sorted(by_reader)
    for n, one in enumerate(names):
        for other in names[n + 1 :]:
            both = sorted(by_reader[one].keys() & by_reader[other].keys())
            if not both:
                continue
            pairs = [(by_reader[one][k] == "fault", by_reader[other][k] == "fault") for k in both]
            same = sum(a == b for a, b in pairs) / len(pairs)
            a, b = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
            chance = a * b + (1 - a) * (1 - b)
            kappa = (same - chance) / (1 - chance)
            yield Table(
                (Heading("both read"), Heading("same", decimals=2), Heading("kappa", decimals=2)),
                (Row((Cell(len(pairs)), Cell(same), Cell(kappa))),),
                f"Agreement of {one} and {other}: fault or not",
            )


def main() -> None:
    """Run one action."""
    parser = arguments(__doc__ or "")
    actions = ("count", "rates", "evidence", "draw", "join", "review")
    parser.add_argument("action", choices=actions)
    parser.add_argument("files", nargs="*", type=Path, help="evidence: the file; join: two files")
    parser.add_argument("--sample", type=Path, default=Path("sample.tsv"))
    parser.add_argument("--key", type=Path, default=Path("key.tsv"))
    parser.add_argument("--reader", default="first")
    parser.add_argument("--reading", default="1", help="which sample it is")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--limit", type=int, default=120, help="candidates per kind and set")
    args = parser.parse_args()
    if args.action == "evidence":
        evidence(args.data, args.work, args.files[0])
    elif args.action == "draw":
        draw(args)
    elif args.action == "join":
        join(*args.files, args.reader, args.reading)
    elif args.action == "review":
        publish(review(), args)
    else:
        make = counted if args.action == "count" else rated
        publish([make(args.data, args.work)], args)


if __name__ == "__main__":
    main()
