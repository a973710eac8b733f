"""Draw a blind review of flagged errors on sets that weren't used to build them, and count it.

    python research/experiments/blind.py draw FOLDER
    python research/experiments/blind.py count FOLDER

Four systems per set are drawn, and documents of 400 lines. ``draw`` prints flags per 3,000 words
and writes a sheet without probabilities or sets, in random order, and its key. Each line of a set
is drawn at most once per kind, and sets take turns. Some candidates below ``UNLIKELY`` are among
them as controls. A reader fills the column ``verdict``: error, no, or unclear.
"""

from __future__ import annotations

import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np
from _common import arguments, judged, shared_folder

from albeit.data import EvalSet
from albeit.diagnose.flags import KINDS, Flag, flags
from albeit.diagnose.terms import has_term, term_words
from albeit.report import Cell, Table, render
from albeit.report.table import Heading

SETS = {
    **{f"WMT11 {pair}": f"wmt11/{pair}" for pair in ("de-en",)},
    **{f"WMT12 {pair}": f"wmt12/{pair}" for pair in ("fr-en",)},
    **{f"WMT21 {pair}": f"wmt21/{pair}" for pair in ("is-en", "ja-en", "ru-en")},
    "newstest21 zh-en": "discourse/newstest21-mqm/zh-en",
    "TED zh-en": "ted-mqm/zh-en",
    **{f"abstracts {pair}": f"judgments/bio-mqm/{pair}" for pair in ("de-en", "es-en", "fr-en")},
}
HUMAN = ("ref", "human", "mtcarousel")
"""Beginnings of names that aren't systems, and the system that a reference was made from."""
SYSTEMS, LINES, DRAWN, CONTROLS, SEED = 4, 400, 60, 12, 38
UNLIKELY = 0.3
BEFORE, AFTER, ELSEWHERE = 4, 1, 4
"""Lines of context, and the most other lines with a term."""
COLUMNS = ("number", "kind", "source", "reference", "translation", "claim", "elsewhere")
CONTEXT = ("context_source", "context_reference", "context_translation", "verdict", "note")
KEY = ("number", "kind", "set", "system", "document", "line", "start", "end", "p", "flagged")
Row = dict[str, object]


def sampled(name: str, data: Path, generator: random.Random) -> EvalSet:
    """Read a set with some of its systems and documents, drawn at random."""
    folder = shared_folder(data, SETS[name])
    evalset = judged(folder, "raw" if "wmt21" in SETS[name] else None, unescape=True).evalset
    every = [each for each in evalset.systems if not each.lower().startswith(HUMAN)]
    rows: list[int] = []
    for document in generator.sample(evalset.documents, len(evalset.documents)):
        if len(rows) < LINES:
            rows += range(document.start, document.stop)
    return evalset.select(generator.sample(sorted(every), SYSTEMS)).take(sorted(rows))


def lines_around(lines: Sequence[str], flag: Flag, evalset: EvalSet) -> str:
    """Return the lines around a flag in its document, with their numbers."""
    at = flag.finding.line - 1
    document = next(d for d in evalset.documents if d.start <= at < d.stop)
    near = range(max(document.start, at - BEFORE), min(document.stop, at + AFTER + 1))
    return " | ".join(f"{n + 1}: {lines[n]}" for n in near if n != at)


def sheet_row(flag: Flag, evalset: EvalSet) -> Row:
    """Return what the reader sees of a flag."""
    found, lines = flag.finding, evalset.systems[flag.system]
    at, text = found.line - 1, lines[found.line - 1]
    source = evalset.source or [""] * len(lines)
    references = [reference[at] for reference in evalset.references.values()]
    first = list(evalset.references.values())[flag.reference]
    elsewhere: list[str] = []
    if found.kind == "terms":
        (key,) = {word.name for word in term_words(found.suggestion or "")}
        document = next(d for d in evalset.documents if d.start <= at < d.stop)
        others = (n for n in range(document.start, document.stop) if n != at)
        elsewhere = [f"{n + 1}: {lines[n]}" for n in others if has_term(lines[n], key)]
    return {
        "kind": found.kind,
        "source": source[at],
        "reference": " || ".join(references),
        "translation": f"{text[: found.start]}⟦{text[found.start : found.end]}⟧{text[found.end :]}",
        "claim": f"{found.message}",
        "elsewhere": " | ".join(elsewhere[:ELSEWHERE]),
        "context_source": lines_around(source, flag, evalset),
        "context_reference": lines_around(first, flag, evalset),
        "context_translation": lines_around(lines, flag, evalset),
    }


def in_turns(found: dict[str, list[Flag]], count: int) -> Iterator[tuple[str, Flag]]:
    """Yield a flag of each set in turn, each line once, until there are enough."""
    queues = []
    for name, own in found.items():
        lines = {flag.finding.line: flag for flag in reversed(own)}
        queues.append([(name, flag) for flag in own if lines[flag.finding.line] is flag])
    turns = [each for turn in zip_longest(*queues) for each in turn if each is not None]
    yield from turns[:count]


def draw(data: Path, folder: Path) -> None:
    """Flag errors of all sets, print their rates, and write sheet and key."""
    generator = random.Random(SEED)
    sets = {name: sampled(name, data, generator) for name in SETS}
    rows, found = [], dict[str, list[Flag]]()
    for name, evalset in sets.items():
        print(f"{name}: {', '.join(evalset.systems)}", file=sys.stderr, flush=True)
        found[name] = flags(evalset)
        words = sum(len(line.split()) for lines in evalset.systems.values() for line in lines)
        counts = Counter(flag.finding.kind for flag in found[name] if flag.likely)
        rates = [Cell(3000 * counts[kind] / words) for kind in KINDS]
        rows.append([name, words, *(counts[kind] for kind in KINDS), *rates])
        generator.shuffle(found[name])
    heads = [Heading("set", align="left"), Heading("words"), *map(Heading, KINDS)]
    heads += [Heading(f"{kind} per 3,000 words", decimals=2) for kind in KINDS]
    sums = [sum(int(row[k]) for row in rows) for k in (1, 2, 3)]
    rows.append(["all", *sums, *(Cell(3000 * count / sums[0]) for count in sums[1:])])
    sys.stdout.write(render([Table.of(heads, rows, "Flagged errors")], "text"))
    chosen: list[tuple[str, Flag]] = []
    for kind in KINDS:
        own = {n: [flag for flag in f if flag.finding.kind == kind] for n, f in found.items()}
        likely = {n: [flag for flag in f if flag.likely] for n, f in own.items()}
        low = {n: [f for f in fs if f.finding.probability < UNLIKELY] for n, fs in own.items()}
        chosen += [*in_turns(likely, DRAWN), *in_turns(low, CONTROLS)]
    generator.shuffle(chosen)
    with (
        (folder / "blind.tsv").open("w", encoding="utf-8", newline="") as sheet,
        (folder / "blind-key.tsv").open("w", encoding="utf-8", newline="") as key,
    ):
        shown = csv.DictWriter(sheet, (*COLUMNS, *CONTEXT), delimiter="\t", restval="")
        hidden = csv.DictWriter(key, KEY, delimiter="\t")
        shown.writeheader()
        hidden.writeheader()
        for number, (name, flag) in enumerate(chosen, 1):
            shown.writerow({"number": number} | sheet_row(flag, sets[name]))
            one = flag.finding
            place = flag.system, flag.document, one.line, one.start, one.end
            values = number, one.kind, name, *place, one.probability, flag.likely
            hidden.writerow(dict(zip(KEY, values, strict=True)))


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share."""
    z, share = 1.96, right / count
    middle, half = (
        share + z * z / (2 * count),
        z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)),
    )
    return tuple(float(each / (1 + z * z / count)) for each in (middle - half, middle + half))


def count(folder: Path) -> None:
    """Print the share of errors among flags and controls, by kind and by set."""
    with (folder / "blind.tsv").open(encoding="utf-8", newline="") as sheet:
        verdicts = {row["number"]: row["verdict"] for row in csv.DictReader(sheet, delimiter="\t")}
    groups: dict[tuple[str, str, str], list[str]] = {}
    with (folder / "blind-key.tsv").open(encoding="utf-8", newline="") as key:
        for row in csv.DictReader(key, delimiter="\t"):
            for name in ("all", row["set"]):
                group = row["kind"], row["flagged"], name
                groups.setdefault(group, []).append(verdicts[row["number"]])
    names = ("kind", "flagged", "set", "read", "error", "no", "unclear")
    heads = [Heading(name, align="left") for name in names] + [Heading("share", decimals=2)]
    rows = []
    for group, found in sorted(groups.items()):
        each = Counter(found)
        share = Cell(each["error"] / len(found), interval=wilson(each["error"], len(found)))
        rows.append([*group, len(found), each["error"], each["no"], each["unclear"], share])
    sys.stdout.write(render([Table.of(heads, rows, "Blind review")], "text"))


def main() -> None:
    """Draw or count."""
    parser = arguments(__doc__ or "")
    parser.add_argument("action", choices=("draw", "count"))
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.action == "draw":
        draw(args.data, args.folder)
    else:
        count(args.folder)


if __name__ == "__main__":
    main()
