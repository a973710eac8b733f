"""Does discourse tell in other languages? EDUs and trees learnt, what they add to `sim`, and contexts.

    PYTHONPATH=src:. python experiments/languages_discourse.py [--parts learnt on-top contexts] [--networks DIR]

`learnt` reprints what training recorded (`training/languages/kept/discourse.json`). `on-top` adds `cohesion`
to `sim` on the sets out of English, by segment and by document, and, with the networks that
`training.languages.write` wrote, `dr` and `dr-lex`; weights are chosen on newstest21 en-de alone. `contexts`
asks which of two translations fits the text before it, by metrics without a reference: every pair.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import ROOT, Scores, arguments, commit, shared_folder
from _contexts import Contrast, read_contrasts

from albeit.annotate.layer import Analysis
from albeit.corpus import EvalSet, documents_from_ids
from albeit.engine import open_store, score
from albeit.metrics import registry
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from albeit.stats.bootstrap import document_weights, interval
from training.judge.segments import Segment, newstest21, talks, wmt23
from training.judge.store import FIRST
from training.languages.segments import esa

Floats = npt.NDArray[np.float64]
KEPT = ROOT / "training" / "languages" / "kept"
TUNED = "newstest21/en-de (tuned on)"
SETS: dict[str, tuple[Callable[[Path], list[Segment]], str]] = {
    TUNED: (newstest21, "discourse/newstest21-mqm/en-de"),
    "wmt23/en-de": (wmt23, "discourse/wmt23-mqm/en-de"),
    "ted/en-de": (talks, "ted-mqm/en-de"),
    "wmt24/en-zh": (esa, "discourse/wmt24-esa/en-zh"),
}
TREES = ("dr", "dr-lex")
CHAINS = ("cohesion", "cohesion(average=recall)", "rc")
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
LEAST = {"segment": 1.0, "document": 0.3}
"""How many MQM points (ESA: of 5 each) a segment two translations must be apart in the mean."""
SAMPLES, SEED = 1000, 20


@dataclass
class Judged:
    """One set at one level: scores by metric, and pairs of translations, the better one first."""

    name: str
    scores: dict[str, Floats]
    better: npt.NDArray[np.int64]
    worse: npt.NDArray[np.int64]
    document: npt.NDArray[np.int64]

    def signs(self, scores: Floats) -> Floats:
        """1 where a pair is told right, −1 where wrong."""
        return np.asarray(np.sign(scores[self.better] - scores[self.worse]))

    def tau(self, scores: Floats) -> float:
        """WMT14's."""
        return float(self.signs(scores).mean())

    def mixed(self, other: str, weight: float) -> Floats:
        """`sim` with some of another metric, each by its spread."""
        base, more = self.scores["sim"], self.scores[other]
        return np.asarray(base / np.nanstd(base) + weight * np.nan_to_num(more) / np.nanstd(more))

    def gain(self, scores: Floats) -> tuple[float, tuple[float, float]]:
        """Over `sim`, with 95 % of what samples of documents give."""
        units = np.unique(self.document, return_inverse=True)[1]
        difference = self.signs(scores) - self.signs(self.scores["sim"])
        sums, sizes = (np.bincount(units, x) for x in (difference, np.ones(len(units))))
        drawn = document_weights(len(sums), SAMPLES, np.random.default_rng(SEED))
        return float(difference.mean()), interval((drawn @ sums) / (drawn @ sizes))


def read_set(name: str, data: Path, networks: Path | None, scores: Scores) -> tuple[Judged, Judged]:
    """A set by segments and by documents, whole documents of all systems that have every line."""
    reader, folder = SETS[name]
    segments = reader(shared_folder(data, folder))
    ids = [segment.document for segment in segments]
    people = {n for s in segments for n in s.levels if n in s.outputs}
    systems = sorted(n for n in people if all(n in s.outputs for s in segments))
    reference = tuple(next(s.references[r] for r in FIRST if r in s.references) for s in segments)
    evalset = EvalSet(
        {"ref": reference},
        {n: tuple(s.outputs[n] for s in segments) for n in systems},
        documents=documents_from_ids(ids),
        target_lang=name.split("/")[1][3:5],
        name=name,
    )
    level = np.array([[s.levels.get(n, np.nan) for s in segments] for n in systems])
    given = _trees(networks, evalset, level) if networks else None
    by_segment = [registry.metric(m) for m in ("chrf", "sim")]
    by_document = [registry.metric(m) for m in CHAINS]
    store = None if scores.fresh else open_store()
    table = score(evalset, [*by_segment, *by_document], store=store, workers=scores.workers)
    found = {m: table[m].at("segment") for m in ("chrf", "sim")}
    if given is not None:
        trees = score(evalset, [registry.metric(m) for m in TREES], annotations=given, store=store)
        found |= {m: trees[m].at("segment") for m in TREES}
    unit = np.unique(ids, return_inverse=True)[1]
    order = {d.id: k for k, d in enumerate(evalset.documents)}
    place = np.array([order[d] for d in ids])
    chains = {m: table[m].at("document") for m in CHAINS}
    return _paired(name, found, level, unit), _documents(name, found, chains, level, place)


def _trees(networks: Path, evalset: EvalSet, level: Floats) -> Mapping[str, Analysis]:
    from _networks import Networks

    texts = dict.fromkeys(
        x for lines in (*evalset.references.values(), *evalset.systems.values()) for x in lines
    )
    return Networks(networks).analyses(list(texts), evalset.target_lang)


def _pairs(
    level: Floats, least: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Better and worse system, and unit, of all pairs at least so far apart; level is (systems, units)."""
    gap = level[:, None, :] - level[None, :, :]
    a, b, unit = np.nonzero(gap >= least)
    return a, b, unit


def _paired(
    name: str, scores: Mapping[str, Floats], level: Floats, unit: npt.NDArray[np.int64]
) -> Judged:
    a, b, segment = _pairs(level, LEAST["segment"])
    width = level.shape[1]
    flat = {m: np.asarray(v, np.float64).ravel() for m, v in scores.items()}
    return Judged(name, flat, a * width + segment, b * width + segment, unit[segment])


def _documents(
    name: str,
    scores: Mapping[str, Floats],
    chains: Mapping[str, Floats],
    level: Floats,
    place: npt.NDArray[np.int64],
) -> Judged:
    """Means over the segments of a document that somebody judged; chains are of the whole document."""
    count = place.max() + 1
    judged = np.isfinite(level)

    def means(values: Floats) -> Floats:
        kept = np.where(judged & np.isfinite(values), values, 0.0)
        sums = np.array([np.bincount(place, row, count) for row in kept])
        sizes = np.array([np.bincount(place, row, count) for row in judged.astype(float)])
        return np.asarray(np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan))

    a, b, document = _pairs(means(level), LEAST["document"])
    flat = {m: means(np.asarray(v)).ravel() for m, v in scores.items()}
    flat |= {m: np.asarray(v, np.float64).ravel() for m, v in chains.items()}
    return Judged(name, flat, a * count + document, b * count + document, document)


def on_top(data: Path, networks: Path | None, scores: Scores) -> list[Table]:
    """τ of each metric alone, and what it adds to `sim` with the weight that is best on newstest21."""
    sets = {name: read_set(name, data, networks, scores) for name in SETS}
    tables = []
    for k, unit in enumerate(("segment", "document")):
        one = {name: both[k] for name, both in sets.items()}
        metrics = [m for m in one[TUNED].scores if m not in ("sim",)]
        weights = {
            m: max(WEIGHTS, key=lambda w, m=m: one[TUNED].tau(one[TUNED].mixed(m, w)))
            for m in metrics
        }
        rows = []
        for name, judged in one.items():
            rows.append(
                Row(
                    (Cell(name), Cell("sim"), Cell(judged.tau(judged.scores["sim"])), Cell("")),
                    separated=True,
                )
            )
            for m in metrics:
                gain, around = judged.gain(judged.mixed(m, weights[m]))
                alone = judged.tau(np.nan_to_num(judged.scores[m]))
                added = f"{gain:+.4f} [{around[0]:+.4f}, {around[1]:+.4f}] (weight {weights[m]:g})"
                rows.append(Row((Cell(""), Cell(m), Cell(alone), Cell(added))))
        columns = (
            Heading("Set", align="left"),
            Heading("Metric", align="left"),
            Heading("τ", decimals=4),
            Heading("added to sim", align="left"),
        )
        title = f"By {unit}"
        notes = (
            f"Pairs at least {LEAST[unit]} MQM points a segment (ESA: {5 * LEAST[unit]:g}) apart: "
            + ", ".join(f"{n} {len(j.better)}" for n, j in one.items()),
        )
        tables.append(Table(columns, tuple(rows), title, notes))
    return tables


def contexts(data: Path) -> Table:
    """Which of two translations fits its context, by `terms`, `rc` and character overlap; a tie is half right."""
    rows = []
    for name, lang in (("voita-en-ru", "ru"), ("bawden-en-fr", "fr")):
        pairs = read_contrasts(shared_folder(data, f"discourse/{name}") / "contrastive.tsv")
        found = {"characters": _right(*(_overlap(pairs, side) for side in ("good", "bad")))}
        scored = {side: _metrics(pairs, side, lang) for side in ("good", "bad")}
        found |= {m: _right(scored["good"][m], scored["bad"][m]) for m in scored["good"]}
        told = np.isfinite(scored["good"]["terms"]) & np.isfinite(scored["bad"]["terms"])
        differs = told & (scored["good"]["terms"] != scored["bad"]["terms"])
        kinds = np.array([re.sub("_(dev|test)", "", p.kind.split(":")[0]) for p in pairs])
        for kind in np.unique(kinds):
            own = kinds == kind
            cells = [Cell(100 * float(each[own].mean())) for each in found.values()]
            share, right = float(differs[own].mean()), found["terms"][own & differs]
            rows.append(
                Row(
                    (
                        Cell(f"{name}: {kind} ({own.sum()})"),
                        *cells,
                        Cell(100 * share),
                        Cell(100 * float(right.mean()) if len(right) else float("nan")),
                    )
                )
            )
    names = ("characters", "terms", "rc", "terms differs on", "right there")
    columns = (Heading("Kind", align="left"), *(Heading(n, decimals=1) for n in names))
    return Table(columns, tuple(rows), "Right in context, %; a tie is half right")


def _right(good: Floats, bad: Floats) -> Floats:
    known = np.isfinite(good) & np.isfinite(bad)
    return np.where(known, (good > bad) + 0.5 * (good == bad), 0.5)


def _overlap(pairs: Sequence[Contrast], side: str) -> Floats:
    """The share of a text's runs of four characters that its context has."""
    found = []
    for pair in pairs:
        ours, theirs = ("".join(x.lower().split()) for x in (getattr(pair, side), pair.context))
        runs = [ours[k : k + 4] for k in range(len(ours) - 3)]
        found.append(sum(run in theirs for run in runs) / max(1, len(runs)))
    return np.array(found)


def _metrics(pairs: Sequence[Contrast], side: str, lang: str) -> dict[str, Floats]:
    """`terms` by the source and `rc`, each context with its sentence as a document."""
    source: list[str] = []
    lines: list[str] = []
    ids: list[str] = []
    for pair in pairs:
        before, said = (pair.fields[n].split(" || ") for n in ("src_context", "context"))
        if len(before) != len(said):
            before, said = [" ".join(before)], [" ".join(said)]
        source += [*before, pair.fields["source"]]
        lines += [*said, getattr(pair, side)]
        ids += [pair.id] * (len(said) + 1)
    evalset = EvalSet(
        {},
        {side: tuple(lines)},
        source=tuple(source),
        documents=documents_from_ids(ids),
        source_lang="en",
        target_lang=lang,
        name=side,
    )
    table = score(evalset, [registry.metric(m) for m in ("terms", "rc")])
    return {m: np.asarray(table[m].at("document")[0], np.float64) for m in ("terms", "rc")}


def main() -> None:
    """Print the tables asked for."""
    parser = arguments(__doc__ or "")
    parts = ("learnt", "on-top", "contexts")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument(
        "--networks", type=Path, help="a folder that training.languages.write wrote"
    )
    args = parser.parse_args()
    tables: list[Table] = []
    if "learnt" in args.parts:
        from _learnt import learnt

        tables += learnt(json.loads((KEPT / "discourse.json").read_text(encoding="utf-8")))
    if "on-top" in args.parts:
        tables += on_top(args.data, args.networks, Scores(args.fresh, args.workers))
    if "contexts" in args.parts:
        tables.append(contexts(args.data))
    sys.stdout.write(render(tables, args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
