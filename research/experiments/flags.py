"""Flagged errors in a blind review, and the training data of their models.

    python research/experiments/flags.py evidence FILE    # training data of ``training.flags.fit``
    python research/experiments/flags.py draw --kinds terms --sample SAMPLE.tsv --key KEY.tsv
    python research/experiments/flags.py join SAMPLE.tsv KEY.tsv --reader NAME --reading N
    python research/experiments/flags.py review           # precision in the blind reviews

**Training data.** A word is *supported* if two of newstest20's three experts marked a short span
that overlaps it. Models are trained on one half of newstest20's documents, by a hash of the name.
How often experts marked flagged errors was measured with commit 678f4ef8.

**Blind review.** Up to sixty flagged errors of each kind are drawn from documents that models
weren't trained on, and from source lines that no earlier review had, at most two from one source
line, and as many controls: words of the same class that aren't candidates. They are in random
order, without system, flag, and suggestion. A reader writes *fault* (an editor would change these
words), *no*, or *unclear* into the column ``found``. Only then is the key opened: ``join`` adds
the judgments to ``flagged.tsv``.
"""

from __future__ import annotations

import json
import math
import random
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import arguments, publish, rows_of, shared_folder
from _evidence import (
    N20,
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
from albeit.diagnose.flags import KINDS, LIKELY, model_of
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from training.flags.fit import EVIDENCE

READ = Path(__file__).parents[1] / "training" / "flags" / "read.tsv"
FLAGGED = Path(__file__).with_name("flagged.tsv")
LEARNT = ("1", "2")
"""The blind reviews that models are trained on; later ones test them."""
EACH, A_LINE, SEED = 60, 2, 30
FIELDS = ("number", "kind", "before", "text", "reference", "source", "found")
KEY = ("number", "kind", "set", "system", "document", "segment", "start", "end", "flagged", "p")


def headings(*names: str | Heading) -> tuple[Heading, ...]:
    """Return left-aligned headings for names, and the others as they are."""
    return tuple(n if isinstance(n, Heading) else Heading(n, align="left") for n in names)


def evidence(data: Path, work: Path, path: Path) -> None:
    """Write what the models are learnt from: marked suspects of newstest20, and those that were
    read."""
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
    """What readers said of suspects, by set: the development sample, and blind readings before
    this.

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
    """Return precision by reader and kind."""
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
    return [Table(columns, tuple(lines), title)]


def main() -> None:
    """Run one action."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("evidence", "draw", "join", "review"))
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
    else:
        publish(review(), args)


if __name__ == "__main__":
    main()
