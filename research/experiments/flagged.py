"""Instances that `albeit profile` flags, drawn for reading; and what reading them showed.

    PYTHONPATH=src python research/experiments/flagged.py draw > instances.txt      (texts: not for the repository)
    PYTHONPATH=src python research/experiments/flagged.py count

`draw` prints twenty instances of each kind, drawn with a fixed seed: pronouns, pronouns in context, terms
and coreference from three systems on every sixth document of `wmt23-mqm/zh-en`, connectives from three
systems on six documents of `wmt13/de-en`. What the first reading showed changed what is flagged, so there is
a second one on other documents (`--reading 2`). `flagged.tsv` beside this file holds what one reader (who
wrote the metrics, and knew which system it was) found: `fault`, `no`, or `unclear`; `count` counts them.
"""

from __future__ import annotations

import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from _common import arguments, judged_set, shared_folder

import albeit
from albeit.corpus import EvalSet
from albeit.corpus.evalset import Document
from albeit.metrics.registry import metric
from albeit.report import Cell, Row, Table, render
from albeit.report.profile import Instance, fitting, gather
from albeit.report.table import Heading

SEED = 15
EACH = 20
WORST = 40
"""How many instances of each kind and system the profile gives, of which some are drawn."""
NEWS = ("GPT4-5shot", "ONLINE-A", "NLLB_MBR_BLEU")
OLD = ("cu-zeman.2720", "online-B", "uedin-syntax.2605")
READ = Path(__file__).with_name("flagged.tsv")


def part(whole: EvalSet, systems: Sequence[str], documents: Sequence[Document]) -> EvalSet:
    """Some documents of some systems."""
    rows = [row for each in documents for row in range(each.start, each.stop)]
    bounds = []
    for each in documents:
        start = bounds[-1].stop if bounds else 0
        bounds.append(Document(each.id, start, start + each.stop - each.start))
    assert whole.source is not None
    return EvalSet(
        {name: tuple(lines[r] for r in rows) for name, lines in whole.references.items()},
        {name: tuple(whole.systems[name][r] for r in rows) for name in systems},
        tuple(whole.source[r] for r in rows),
        tuple(bounds),
        whole.source_lang,
        whole.target_lang,
        whole.name,
    )


def drawn(evalset: EvalSet, names: Sequence[str]) -> Iterator[tuple[str, Instance]]:
    """Instances of these kinds, in a fixed order."""
    kinds = [kind for kind in fitting(evalset)[0] if kind.name in names]
    table = albeit.score(evalset, [metric(kind.metric) for kind in kinds])
    profile = gather(evalset, table, kinds, {}, worst=WORST, seed=SEED)
    for row in profile.rows:
        found = list(row.instances)
        for one in random.Random(SEED).sample(found, min(EACH, len(found))):
            yield row.kind.name, one


def draw(data: Path, reading: int) -> None:
    """Print them."""

    news = albeit.read_judged(shared_folder(data, "discourse/wmt23-mqm/zh-en")).evalset
    old = judged_set(data, "wmt13", "de-en").evalset
    sets = (
        (
            part(news, NEWS, news.documents[3 * (reading - 1) :: 6]),
            ("pronouns", "pronouns in context", "terms", "coreference"),
        ),
        (part(old, OLD, old.documents[6 * (reading - 1) : 6 * reading]), ("connectives",)),
    )
    number = 0
    for evalset, kinds in sets:
        for kind, one in drawn(evalset, kinds):
            number += 1
            print(f"\n{number}\t{kind}\t{one.system}\t{one.document}\t{one.segment}\n  {one.what}")
            for line in one.context:
                print(f"    before     {line}")
            print(f"    text       {one.text}\n    reference  {one.reference}")
            print(f"    source     {one.source}")


def count() -> Table:
    """What was found."""
    with READ.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        found.setdefault((row["reading"], row["kind"]), Counter())[row["found"]] += 1
    columns = [
        Heading("reading"),
        Heading("kind", align="left"),
        Heading("read"),
        Heading("fault"),
        Heading("no fault"),
        Heading("unclear"),
        Heading("precision", decimals=2),
    ]
    lines = [
        Row(
            (
                Cell(reading),
                Cell(kind),
                Cell(sum(n.values())),
                Cell(n["fault"]),
                Cell(n["no"]),
                Cell(n["unclear"]),
                Cell(n["fault"] / sum(n.values())),
            )
        )
        for (reading, kind), n in found.items()
    ]
    return Table(tuple(columns), tuple(lines), "Instances that the profile flags, read one by one")


def main() -> None:
    """Draw or count."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("draw", "count"))
    parser.add_argument("--reading", type=int, choices=(1, 2), default=1)
    args = parser.parse_args()
    if args.action == "draw":
        draw(args.data, args.reading)
    else:
        sys.stdout.write(render([count()], args.format))


if __name__ == "__main__":
    main()
