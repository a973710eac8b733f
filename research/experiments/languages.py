"""More than English: words, similarity and judgement in sixteen languages.

    PYTHONPATH=src:research python research/experiments/languages.py [--parts words sim judge]

`words` cuts the development sentences of Universal Dependencies. `sim` scores the judged translations
of four sets by `sim` and chrF. `judge` reprints what training recorded
(`research/training/languages/kept`): each set by weights that never saw it.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _common import ROOT, Scores, arguments, commit, shared_folder

from albeit.annotate.multilingual.words import cut_words
from albeit.corpus import EvalSet
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.judge.segments import Segment, newstest21, talks, wmt23
from training.judge.store import FIRST
from training.languages.facts import judged
from training.languages.fit import Set, pearson, tau, within
from training.languages.segments import esa

KEPT = ROOT / "research" / "training" / "languages" / "kept"
SETS = {
    "newstest21/en-de (tuned on)": (newstest21, "discourse/newstest21-mqm/en-de"),
    "wmt23/en-de": (wmt23, "discourse/wmt23-mqm/en-de"),
    "ted/en-de": (talks, "ted-mqm/en-de"),
    "wmt24/en-zh": (esa, "discourse/wmt24-esa/en-zh"),
}
METRICS = ("chrf", "sim", "sim(weights=equal)")


def headings(first: str, *others: str, decimals: int = 4) -> tuple[Heading, ...]:
    """A column of names, then columns of numbers."""
    return (Heading(first, align="left"), *(Heading(name, decimals=decimals) for name in others))


def treebank(archive: Path) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Name, and sentences with their words as written, of the development parts and of PUD."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if not re.search(r"(dev|pud-ud-test)\.conllu$", member.name):
                continue
            handle = tar.extractfile(member)
            assert handle is not None
            blocks = handle.read().decode().split("\n\n")
            yield Path(member.name).stem, [_sentence(block) for block in blocks if "\n1\t" in block]


def _sentence(block: str) -> tuple[str, list[str]]:
    """The text and its words; what is written as one word is one."""
    text, words, last = "", [], 0
    for line in block.splitlines():
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif (found := re.match(r"\d+-(\d+)\t([^\t]+)", line)) is not None:
            last = int(found[1])
            words.append(found[2])
        elif (found := re.match(r"(\d+)\t([^\t]+)", line)) is not None and int(found[1]) > last:
            words.append(found[2])
    return text, words


def _places(text: str, words: Sequence[str]) -> set[tuple[int, int]]:
    at, found = 0, set()
    for word in words:
        start = text.find(word, at)
        if start < 0:
            return set()
        at = start + len(word)
        found.add((start, at))
    return found


def cut(data: Path) -> Table:
    """F1 of words, by treebank."""
    rows = []
    for name, sentences in sorted(treebank(data / "ud-multilingual.tar.xz")):
        right = found = gold = 0
        for text, words in sentences:
            true = _places(text, words)
            if true:
                own = set(cut_words(text).offsets)
                right, found, gold = right + len(own & true), found + len(own), gold + len(true)
        rows.append(Row((Cell(name), Cell(200 * right / (found + gold)))))
    return Table(headings("Treebank", "F1", decimals=1), tuple(rows), "Words")


def similar(data: Path, scores: Scores) -> Table:
    """Agreement of `sim` and chrF with people, by set."""
    rows = []
    for name, (reader, folder) in SETS.items():
        segments = [s for s in reader(shared_folder(data, folder)) if judged(s)]
        one, lines = flat(name, segments)
        table = scores.table(lines, METRICS)
        values = [table[metric].at("segment")[0] for metric in METRICS]
        cells = [Cell(measure(one, v)) for measure in (tau, pearson) for v in values]
        rows.append(Row((Cell(name), *cells)))
    names = [f"{metric} {level}" for level in ("segment τ", "system r") for metric in METRICS]
    notes = (
        "Segment τ: WMT14's, over pairs of translations at least an MQM point (5 ESA points) apart;"
        " system r: Pearson over the means of segment scores, chrF's too.",
    )
    return Table(headings("Set", *names), tuple(rows), "Similarity", notes)


def flat(name: str, segments: Sequence[Segment]) -> tuple[Set, EvalSet]:
    """All judged translations as one system, each beside the first reference."""
    rows = [(k, n) for k, s in enumerate(segments) for n in judged(s)]
    level = np.array([segments[k].levels[n] for k, n in rows])
    better, worse = within(level, np.array([k for k, _ in rows]), 1.0)
    first = [
        next(s.references[r] for r in FIRST if r in s.references)
        for s in (segments[k] for k, _ in rows)
    ]
    made = Set(
        name,
        np.zeros((len(rows), 0)),
        level,
        np.array([segments[k].key for k, _ in rows]),
        np.array([n for _, n in rows]),
        np.zeros((len(rows), 2)),
        better,
        worse,
        np.ones(len(better)),
    )
    lines = tuple(segments[k].outputs[n] for k, n in rows)
    lang = name.split("/")[1][3:5]
    return made, EvalSet({"ref": tuple(first)}, {"judged": lines}, target_lang=lang, name=name)


def judges() -> list[Table]:
    """What was recorded: weights of facts, each set left out."""
    kept: dict[str, Any] = json.loads((KEPT / "facts.json").read_text(encoding="utf-8"))
    tables = []
    for mode, found in kept.items():
        ways = [mode, f"{mode} (language left out)", "chrf", "length"]
        rows = [
            Row(
                (
                    Cell(name),
                    *(
                        Cell(v.get(f"{way} {m}", float("nan")))
                        for m in ("tau", "pearson")
                        for way in ways
                    ),
                )
            )
            for name, v in found.items()
        ]
        columns = [f"{way} {level}" for level in ("τ", "r") for way in ways]
        tables.append(Table(headings("Set left out", *columns), tuple(rows), mode))
    return tables


def main() -> None:
    """Print the tables asked for."""
    parser = arguments(__doc__ or "")
    parts = ("words", "sim", "judge")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    tables: list[Table] = []
    if "words" in args.parts:
        tables.append(cut(args.data))
    if "sim" in args.parts:
        tables.append(similar(args.data, Scores(args.fresh, args.workers)))
    if "judge" in args.parts:
        tables += judges()
    sys.stdout.write(render(tables, args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
