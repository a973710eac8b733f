"""What discourse says beside `judge`, within documents judged by experts; and is a mixture better?

    PYTHONPATH=src:research python research/experiments/beside_judge.py [--sets …] [-m METRIC …]

`judge` is everywhere a network that has not seen the set: its scores come from the runs that made
what ships (`--runs DIR --store FILE`), or from the file that was kept of them. Judged cells only
(`_cells.py`). *Beside*: the partial correlation of a metric with experts within documents (each
document's mean over systems taken away), `judge` and the number of words held fast, with 95 % of
1,000 samples of documents. *Mixtures*: `judge` and discourse metrics added with weights that are not
negative and fit best, by least squares within documents, the mean of newstest20 and newstest21; the
gain in r within documents there, and on wmt23 and the biomedical abstracts, which chose nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from _beyond import SEED, Floats, weights
from _cells import FAMILIES, SETS, JudgedCells, load_cells
from _common import arguments
from _page import add_option, publish
from _ranking import beside, interval, moments, pearson_of, within
from scipy.optimize import nnls

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.judge.store import load
from training.judge.unseen import KEPT, Scores, gather, kept

BASE = "judge"
COHESION, COREF = "cohesion(average=recall)", "coref(average=recall)"
FORMS = (COHESION, COREF, "terms", "dr", "chrf", "sim")
CHOOSING = ("newstest20", "newstest21")
"""The sets that weights come from."""
SHARES = {"newstest20": 3, "wmt23": 4}
"""Every n-th document of the large sets with ``--sampled``."""


def subset(name: str) -> str:
    """A set as training names it: `newstest20/zh-en`."""
    return SETS[name].split("/", 1)[1].replace("-mqm", "")


def columns(one: JudgedCells, forms: Sequence[str]) -> Floats:
    """Within-document differences of judge, forms and people: (metrics, systems, documents)."""
    known = [one.of(name) for name in (BASE, *forms)]
    scores = [score for score in known if score is not None]
    made = np.stack([within(one, score) for score in (*scores, one.human)])
    return np.where(np.isnan(one.human), np.nan, made)


def alone(sets: Sequence[JudgedCells], names: Sequence[str]) -> Table:
    """Every metric by itself: r within documents."""
    heads = [Heading("Metric", key="metric", align="left")]
    heads += [Heading(one.name, decimals=3) for one in sets]
    rows = []
    for name in names:
        cells = [Cell(name)]
        for one in sets:
            scores, human = columns(one, (name,))[1:]
            sums = moments(scores, human)
            samples = pearson_of(weights(len(sums)) @ sums)
            cells.append(Cell(float(pearson_of(sums.sum(axis=0))), interval=interval(samples)))
        rows.append(Row(tuple(cells)))
    return Table(tuple(heads), tuple(rows), "Alone: Pearson's r within documents")


def learnt(sets: Sequence[Floats]) -> Floats:
    """Weights of judge and forms, in their own units: each set counts the same."""
    points = [given[:, ~np.isnan(given[-1])] for given in sets]
    spread = np.mean([own.std(axis=1) for own in points], axis=0)
    products = np.mean(
        [np.cov(own / own.std(axis=1, keepdims=True), bias=True) for own in points], axis=0
    )
    root = np.linalg.cholesky(products[:-1, :-1] + 1e-9 * np.eye(len(products) - 1))
    found, _ = nnls(root.T, np.linalg.solve(root, products[:-1, -1]))
    return np.asarray(found / spread[:-1])


def gains(given: Floats, by: Floats, seed: int = SEED) -> tuple[float, Floats]:
    """What the weighted sum has over judge alone in r within documents, and in samples of documents."""
    human, mixed = given[-1], np.einsum("m,msd->sd", by, given[:-1])
    sums = [moments(x, human) for x in (given[0], mixed)]
    counts = weights(given.shape[-1], seed=seed)
    before, after = (pearson_of(counts @ part) for part in sums)
    point = pearson_of(sums[1].sum(axis=0)) - pearson_of(sums[0].sum(axis=0))
    return float(point), np.asarray(after - before)


def mixtures(sets: Sequence[JudgedCells], forms: Sequence[str]) -> Table:
    """Judge with each form, with cohesion and coreference, and with all of discourse."""
    discourse = [form for form in forms if form not in ("chrf", "sim")]
    chosen = [(form,) for form in forms]
    chosen += [(COHESION, COREF)] if {COHESION, COREF} < set(discourse) else []
    chosen += [tuple(discourse)] if len(discourse) > 2 else []
    tested = [one.name for one in sets if one.name not in CHOOSING]
    families = [f for f in dict.fromkeys(FAMILIES[n] for n in tested) if f not in tested]
    heads = [Heading("Mixture", key="mixture", align="left"), Heading("shares", align="left")]
    for group, names in (("chosen on", CHOOSING), ("tested on", (*tested, *families))):
        heads += [Heading(name, group=group, decimals=4) for name in names]
    mixed: list[tuple[str, tuple[str, ...], Floats | None]] = []
    mixed += [(" + ".join((BASE, *own)), own, None) for own in chosen]
    if COREF in forms:
        mixed.append((f"hybrid({BASE},cohesion={COREF})", (COREF,), np.array([0.9 / 100, 0.1])))
    rows = []
    for label, own, known in mixed:
        made = {one.name: columns(one, own) for one in sets}
        by = learnt([made[name] for name in CHOOSING]) if known is None else known
        points = [made[name][:, ~np.isnan(made[name][-1])] for name in CHOOSING]
        parts = by * np.mean([p.std(axis=1)[:-1] for p in points], axis=0)
        shares = ", ".join(f"{s:.2f}" for s in parts / parts.sum())
        found = {name: gains(made[name], by, SEED + k) for k, name in enumerate(made)}
        for family in families:
            members = [found[name] for name in tested if FAMILIES[name] == family]
            means = [np.mean([m[k] for m in members], axis=0) for k in range(2)]
            found[family] = float(means[0]), means[1]
        cells = [found[name] for name in (*CHOOSING, *tested, *families)]
        told = [Cell(g, interval=interval(s) if by[1:].any() else None) for g, s in cells]
        rows.append(Row((Cell(label), Cell(shares), *told)))
    title = "Mixtures: gain in Pearson's r within documents over judge alone"
    note = "shares: of the spread within documents, in the mixture's order; of a family the mean;"
    note += " hybrid: the metric as it ships, α = .1, no weight chosen"
    return Table(tuple(heads), tuple(rows), title, notes=(note,))


def loaded(name: str, data: Path, share: int, scores: Mapping[str, Scores]) -> JudgedCells:
    """A set with the judge's scores of it."""
    one = load_cells(name, data, share)
    one.supply(BASE, scores[subset(name)])
    cells, judged = len(one.flat), len(one.flat.documents)
    documents = int((~np.isnan(one.human)).any(axis=0).sum())
    print(
        f"{name}: {documents} documents, {cells} judged translations of segments,"
        f" {judged} of documents",
        file=sys.stderr,
    )
    return one


def main() -> None:
    """Score, correlate, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=list(SETS), metavar="SET")
    parser.add_argument("-m", "--metrics", nargs="+", default=list(FORMS))
    parser.add_argument(
        "--sampled", action="store_true", help="every n-th document of large sets: quicker"
    )
    parser.add_argument("--runs", type=Path, help="runs of research/training/judge/run.sh")
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--kept", type=Path, default=KEPT, help="what was kept of such runs")
    add_option(parser)
    args = parser.parse_args()
    scores = gather(load(args.store), args.runs) if args.runs else kept(args.kept)
    sets = []
    for name in args.sets:
        one = loaded(name, args.data, SHARES.get(name, 1) if args.sampled else 1, scores)
        one.add(args.metrics, fresh=args.fresh, workers=args.workers)
        if one.gaps:
            sys.exit(f"{name}: {'; '.join(f'{n}: {why}' for n, why in one.gaps.items())}")
        sets.append(one)
    tables = [alone(sets, [BASE, *args.metrics]), beside(sets, BASE, args.metrics)]
    if set(CHOOSING) < {one.name for one in sets}:
        tables.append(mixtures(sets, args.metrics))
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
