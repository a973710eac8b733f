"""Likely faults read one by one, without knowing which was flagged: draw them, count what was found.

    python research/experiments/flagged.py draw --sample SAMPLE.tsv --key KEY.tsv --kinds terms
    python research/experiments/flagged.py join SAMPLE.tsv KEY.tsv --reader NAME --reading N
    python research/experiments/flagged.py count

**Protocol.** From documents that neither fitting nor development saw (the other half of newstest20
zh-en, WMT13 de-en and WMT23 zh-en, by a hash of the document's name), and from source lines that no
earlier reading had, up to sixty likely faults of each kind are drawn (among at most
``--limit`` suspects of a kind and set, by a fixed seed), at most two from one source line, and as many controls: words of
the same class (pronouns, repeated content words) of the same systems
that are no suspects. They stand in random order, with the two lines before, the line with the words marked,
the reference and the source; neither the system nor what was flagged nor the suggestion is told. A
reader writes into the column ``found``: *fault* (an editor would change these words, because they
are wrong here), *no* (they are right, or another wording, or only something else in the line is
wrong), *unclear*. Only then is the key opened: ``join`` adds the judgments to ``flagged.tsv``
under the reader's name, ``count`` gives precision with Wilson's interval (unclear counts as no
fault), and, where two readers judged the same sample, their agreement.
"""

from __future__ import annotations

import math
import random
import sys
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from _common import arguments
from _evidence import collect, only, read_sets, rows_of
from _experts import class_words, first_half

from albeit.data import EvalSet
from albeit.diagnose.flags import KINDS, LIKELY, model_of
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

READ = Path(__file__).with_suffix(".tsv")
EACH, A_LINE, SEED = 60, 2, 30
FIELDS = ("number", "kind", "before", "text", "reference", "source", "found")
KEY = ("number", "kind", "set", "system", "document", "segment", "start", "end", "flagged", "p")


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
        for one, pieces in zip(held.suspects, held.evidence, strict=True):
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
    read = {(row["set"], int(row["segment"]) - 1) for row in rows_of(READ)}
    items: list[Item] = []
    for name, evalset in texts.items():
        fresh = only(evalset, lambda document: not first_half(document))
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
    return {
        "number": number,
        "kind": item.kind,
        "set": item.set,
        "system": item.system,
        "document": evalset.document_ids()[item.line],
        "segment": item.line + 1,
        "start": item.start,
        "end": item.end,
        "flagged": "no" if item.p is None else "yes",
        "p": "" if item.p is None else f"{item.p:.3f}",
    }


def _write(path: Path, names: Sequence[str], rows: Iterator[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\t".join(names) + "\n")
        for row in rows:
            file.write("\t".join(" ".join(str(row[n]).split()) for n in names) + "\n")


def join(sample: Path, key: Path, reader: str, reading: str) -> None:
    """Open the key: add a reader's judgments of one sample to what is kept."""
    told = {row["number"]: row for row in rows_of(key)}
    own = reader, reading
    rows = rows_of(READ)
    kept = [row for row in rows if (row["reader"], row["reading"]) != own]
    for row in rows_of(sample):
        if row["found"] not in ("fault", "no", "unclear"):
            raise SystemExit(f"{sample}: number {row['number']} has no judgment.")
        who = {"reader": reader, "reading": reading}
        kept.append({**who, **told[row["number"]], "found": row["found"]})
    _write(READ, ("reader", "reading", *KEY, "found"), iter(kept))


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not total:
        return math.nan, math.nan
    p, n = hits / total, total
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def count() -> list[Table]:
    """Precision by reader and kind, and how far readers agree."""
    rows = rows_of(READ)
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name in ("all sets", row["set"]):
            which = row["reader"], row["reading"], row["kind"], row["flagged"], name
            found[which][row["found"]] += 1
    columns = [
        Heading("reader", align="left"),
        Heading("reading"),
        Heading("kind", align="left"),
        Heading("flagged", align="left"),
        Heading("set", align="left"),
        Heading("read"),
        Heading("fault"),
        Heading("no"),
        Heading("unclear"),
        Heading("share of faults", key="share", decimals=2),
    ]
    lines = []
    for which, n in sorted(found.items()):
        total = sum(n.values())
        cells = [*map(Cell, which), Cell(total)]
        cells += [Cell(n[each]) for each in ("fault", "no", "unclear")]
        cells.append(Cell(n["fault"] / total, interval=wilson(n["fault"], total)))
        lines.append(Row(tuple(cells)))
    title = "Likely faults and controls, read one by one without the key"
    return [Table(tuple(columns), tuple(lines), title), *_agreement(rows)]


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
    """Draw, join or count."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("draw", "join", "count"))
    parser.add_argument("files", nargs="*", type=Path, help="of join: the sample, the key")
    parser.add_argument("--sample", type=Path, default=Path("sample.tsv"))
    parser.add_argument("--key", type=Path, default=Path("key.tsv"))
    parser.add_argument("--reader", default="first")
    parser.add_argument("--reading", default="1", help="which sample it is")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument(
        "--limit", type=int, default=120, help="suspects of a kind and set, at most"
    )
    args = parser.parse_args()
    if args.action == "draw":
        draw(args)
    elif args.action == "join":
        join(*args.files, args.reader, args.reading)
    else:
        sys.stdout.write(render(count(), args.format))


if __name__ == "__main__":
    main()
