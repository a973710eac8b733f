"""`judge` looked at closely: do its marks meet experts' marks, and does the text around a segment help?

    PYTHONPATH=src python research/experiments/judge_closely.py --discourse DIR --student wmt23=DIR [--sample N] [--share RATE]

On `wmt23-mqm/zh-en`, by a student that never saw it, every n-th document. *Marks*: the words of
translations that experts marked (any severity, any category but those of the source) against the words
that the network marks, at a threshold that marks as many as experts do on average (`--share`: the share of
words marked on newstest21, another set), beside as many drawn at random; F1 over words.
*Context*: the same segments scored alone, and with the segment before, or the segments before and after
it, in the same reading (translation and reference alike); segment τ as WMT14 counts it and documents'
Pearson with experts, pairs at least one MQM point apart.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import arguments, commit
from _judge import SETS, add_students, expert_set, students

from albeit.arrays import FloatArray
from albeit.judged import JudgedSet
from albeit.metaeval import Measure, agreement
from albeit.metrics.judge.network import Network, load_judge
from albeit.metrics.table import Column, ScoreTable
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

SET, MARGIN, SEED = "wmt23", 1.0, 5
WINDOWS = {
    "alone": (0, 0),
    "with the segment before": (1, 0),
    "with those before and after": (1, 1),
}
_WORD = re.compile(r"\S+")
Spans = dict[tuple[str, int], list[tuple[int, int]]]


def spans(folder: Path) -> tuple[Spans, set[tuple[str, int]]]:
    """Experts' marks by system and segment, and where experts looked at all."""
    found: Spans = defaultdict(list)
    with (folder / "errors.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row.get("is_source_error") != "True" and row["start"]:
                key = row["system"], int(row["segment"]) - 1
                found[key].append((int(row["start"]), int(row["end"])))
    with (folder / "judgments.tsv").open(encoding="utf-8", newline="") as file:
        judged = {
            (row["system"], int(row["segment"]) - 1)
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    return found, judged


def marked(text: str, wrong: list[tuple[int, int]]) -> list[bool]:
    """Which words of a text touch a mark."""
    return [
        any(a < word.end() and b > word.start() for a, b in wrong) for word in _WORD.finditer(text)
    ]


def rate(folder: Path, texts: dict[str, tuple[str, ...]]) -> float:
    """The share of words that experts marked."""
    wrong, judged = spans(folder)
    words = [
        mark
        for system, segment in sorted(judged)
        if system in texts
        for mark in marked(texts[system][segment], wrong.get((system, segment), []))
    ]
    return float(np.mean(words))


def f1(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Of two sets of marks."""
    return float(2 * (ours & theirs).sum() / max(1, ours.sum() + theirs.sum()))


def marks(
    judged: JudgedSet, places: list[int], folder: Path, network: Network, share: float
) -> Table:
    """Word F1 of the network's marks beside as many at random."""
    wrong, seen = spans(folder)
    reference = next(iter(judged.evalset.references.values()))
    pairs, gold = [], []
    for system, lines in judged.evalset.systems.items():
        for k, line in enumerate(lines):
            if (system, places[k]) in seen and line.strip():
                pairs.append((line, reference[k]))
                gold.append(marked(line, wrong.get((system, places[k]), [])))
    logits = np.concatenate(network.read(pairs, marks=True).marks)
    theirs = np.concatenate([np.array(g, np.bool_) for g in gold])
    ours = logits >= np.quantile(logits, 1 - share)
    rng = np.random.default_rng(SEED)
    drawn = [f1(rng.random(len(theirs)) < share, theirs) for _ in range(20)]
    order = np.argsort(logits, kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    positive = int(theirs.sum())
    area = (rank[theirs].sum() - positive * (positive + 1) / 2) / (
        positive * (len(theirs) - positive)
    )
    rows = [
        Row((Cell("judge (left out)"), Cell(f1(ours, theirs)), Cell(float(area)))),
        Row((Cell("as many at random"), Cell(float(np.mean(drawn))), Cell(0.5))),
        Row((Cell("every word"), Cell(f1(np.ones_like(theirs), theirs)), Cell(None))),
    ]
    headings = (
        Heading("Marks", align="left"),
        Heading("Word F1", decimals=3),
        Heading("Area under the curve", decimals=3),
    )
    notes = (
        f"{len(pairs)} translations, {len(theirs)} words, {theirs.mean():.3f} of them marked by"
        f" experts; {share:.3f} marked here, as on newstest21",
    )
    return Table(headings, tuple(rows), "Words that experts marked", notes)


def windowed(
    lines: tuple[str, ...], documents: list[tuple[int, int]], around: tuple[int, int]
) -> list[str]:
    """Each segment with those around it in its document."""
    before, after = around
    return [
        " ".join(lines[max(start, k - before) : min(stop, k + after + 1)])
        for start, stop in documents
        for k in range(start, stop)
    ]


def context(judged: JudgedSet, network: Network) -> Table:
    """Agreement of scores with and without the text around."""
    evalset = judged.evalset
    documents = [(d.start, d.stop) for d in evalset.documents]
    reference = next(iter(evalset.references.values()))
    rows = []
    for name, around in WINDOWS.items():
        theirs = windowed(reference, documents, around)
        scores: FloatArray = np.array(
            [
                network.read(
                    list(zip(windowed(lines, documents, around), theirs, strict=True))
                ).scores
                for lines in evalset.systems.values()
            ]
        )
        by_document = np.stack([scores[:, a:b].mean(axis=1) for a, b in documents], axis=1)
        column = Column("judge", name, True, scores.mean(axis=1), by_document, scores)
        task = judged.task(ScoreTable.build(evalset, [column]), MARGIN)
        found = [
            agreement(task, task.table["judge"], measure)
            for measure in (Measure("segment", "tau-wmt14"), Measure("document", "pearson"))
        ]
        rows.append(Row((Cell(name), *map(Cell, found))))
    headings = (
        Heading("Read", align="left"),
        Heading("Segment tau", decimals=4),
        Heading("Document Pearson", decimals=4),
    )
    return Table(
        headings, tuple(rows), "The text around a segment", (f"{len(documents)} documents",)
    )


def main() -> None:
    """Both tables."""
    parser = arguments(__doc__ or "")
    add_students(parser)
    parser.add_argument("--sample", type=int, default=6, metavar="N", help="every n-th document")
    parser.add_argument(
        "--share", type=float, help="words to mark; counted on newstest21 if not given"
    )
    args = parser.parse_args()
    folder = students(args).get(SET)
    if folder is None or args.discourse is None:
        sys.exit(f"--discourse and --student {SET}=FOLDER are needed")
    network = load_judge(str(folder))
    other = expert_set(args.discourse, "newstest21").evalset.systems
    share = args.share or rate(args.discourse / SETS["newstest21"], dict(other))
    whole = expert_set(args.discourse, SET)
    judged = expert_set(args.discourse, SET, args.sample)
    first = judged.select(references=[next(iter(judged.evalset.references))])
    kept = {d.id for d in judged.evalset.documents}
    places = [n for d in whole.evalset.documents if d.id in kept for n in range(d.start, d.stop)]
    tables = [
        marks(first, places, args.discourse / SETS[SET], network, share),
        context(first, network),
    ]
    tables[0] = replace(tables[0], notes=(*tables[0].notes, f"commit {commit()}"))
    sys.stdout.write(render(tables, args.format))


if __name__ == "__main__":
    main()
