"""More than English: words, similarity and judgement in sixteen languages.

    PYTHONPATH=src:research python research/experiments/languages.py [--parts words sim judge contexts]

`words` cuts the development sentences of Universal Dependencies. `sim` scores the judged translations
of four sets by `sim` and chrF. `judge` reprints what training recorded (`research/training/languages/kept`): each
set by weights or networks that never saw it. `contexts` asks which of two translations fits the text
before it, by three plain measures without a reference. Discourse: `languages_discourse.py`.
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
from _contexts import read_contrasts

from albeit.annotate.content import content_words
from albeit.annotate.multilingual.vectors import read_texts
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
    """What was recorded: facts, each set left out, and the networks that learned from more."""
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
    runs = json.loads((KEPT / "runs.json").read_text(encoding="utf-8"))
    rows = [
        Row(
            (Cell(f"{run}: {name}"), *(Cell(v[m]) for m in ("chrf", "reference", "both", "source")))
        )
        for run in ("judge-no23", "judge-no24")
        for name, v in runs[run]["tested"].items()
    ]
    columns = headings("Network, set left out", "chrF τ", "reference", "both", "source")
    notes = tuple(f"{run}: {runs[run]['trained']}" for run in ("judge-no23", "judge-no24"))
    title = "A network of four layers, beside reference, both, source"
    return [*tables, Table(columns, tuple(rows), title, notes)]


def _overlap(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The share of a text's runs of four characters that its context has."""
    found = []
    for text, context in zip(texts, contexts, strict=True):
        ours, theirs = ("".join(side.lower().split()) for side in (text, context))
        runs = [ours[k : k + 4] for k in range(len(ours) - 3)]
        found.append(sum(run in theirs for run in runs) / max(1, len(runs)))
    return found


def _repeated(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The share of a text's content words whose stem its context has: lexical cohesion."""
    keys = content_words(lang).keys
    found = []
    for text, context in zip(texts, contexts, strict=True):
        ours, theirs = keys(text), set(keys(context))
        found.append(sum(key in theirs for key in ours) / max(1, len(ours)))
    return found


def _alike(lang: str, texts: Sequence[str], contexts: Sequence[str]) -> list[float]:
    """The mean similarity of a text's subwords to the nearest ones of its context."""
    distinct = list(dict.fromkeys([*texts, *contexts]))
    known = {t: r.states for t, r in zip(distinct, read_texts(distinct), strict=True)}
    return [
        float((known[text] @ known[context].T).max(axis=1).mean())
        for text, context in zip(texts, contexts, strict=True)
    ]


def contexts(data: Path) -> Table:
    """Which of two translations fits its context, by kind; a tie is half right."""
    ways = {"characters": _overlap, "content words": _repeated, "similarity": _alike}
    rows = []
    for name, lang, step in (("voita-en-ru", "ru", 4), ("bawden-en-fr", "fr", 1)):
        path = shared_folder(data, f"discourse/{name}") / "contrastive.tsv"
        pairs = read_contrasts(path)[::step]
        before = [pair.context for pair in pairs]
        right = []
        for measure in ways.values():
            good, bad = (
                np.array(measure(lang, texts, before))
                for texts in ([p.good for p in pairs], [p.bad for p in pairs])
            )
            right.append((good > bad) + 0.5 * (good == bad))
        kinds = np.array([re.sub("_(dev|test)", "", p.kind.split(":")[0]) for p in pairs])
        for kind in np.unique(kinds):
            cells = [Cell(100 * float(each[kinds == kind].mean())) for each in right]
            rows.append(Row((Cell(f"{name}: {kind} ({(kinds == kind).sum()})"), *cells)))
    title = "Right in context, % (every fourth pair of voita-en-ru)"
    return Table(headings("Kind", *ways, decimals=1), tuple(rows), title)


def main() -> None:
    """Print the tables asked for."""
    parser = arguments(__doc__ or "")
    parts = ("words", "sim", "judge", "contexts")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    tables: list[Table] = []
    if "words" in args.parts:
        tables.append(cut(args.data))
    if "sim" in args.parts:
        tables.append(similar(args.data, Scores(args.fresh, args.workers)))
    if "judge" in args.parts:
        tables += judges()
    if "contexts" in args.parts:
        tables.append(contexts(args.data))
    sys.stdout.write(render(tables, args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
