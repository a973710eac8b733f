"""Does ``albeit select`` find the segments by which people rank systems? Beside chance and a peer.

    PYTHONPATH=src python experiments/select_segments.py --peer ENVIRONMENT/bin/python -f markdown

Sets whose systems people judged on (nearly) every segment. A draw takes 80 % of the documents as the
pool to choose from; from it segments are chosen by each method, and systems ranked by people's plain
mean over them. What counts is how many pairs of systems stand as they do by all judgments. Budgets are
5, 10, 20 and 30 % of the pool. The random choice is repeated 15 times in a draw, ours 3 times, the
peer's methods are without chance; they see the same metrics over the whole set.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from _common import Scores, arguments, commit, shared_folder

from albeit.corpus.evalset import EvalSet, documents_from_ids
from albeit.judged import read_judged
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable
from albeit.report import render
from albeit.report.table import Heading, Table
from albeit.sampling import select

SETS = {
    "newstest21 zh-en": ("discourse/newstest21-mqm/zh-en", "mqm_penalty", True),
    "WMT23 zh-en": ("discourse/wmt23-mqm/zh-en", "mqm", None),
    "WMT23 en-de": ("discourse/wmt23-mqm/en-de", "mqm", None),
    "WMT21 ru-en": ("wmt21/ru-en", "z", None),
    "WMT21 is-en": ("wmt21/is-en", "z", None),
    "WMT21 ja-en": ("wmt21/ja-en", "z", None),
    "newstest21 en-de": ("discourse/newstest21-mqm/en-de", "mqm_penalty", True),
}
SHARES = (0.05, 0.1, 0.2, 0.3)
POOL = 0.8
Array = np.ndarray[Any, np.dtype[np.float64]]


def matrices(name: str, options: Any) -> Mapping[str, Any]:
    """People's and metrics' scores of a set, kept in the folder of this experiment."""
    path = options.work / "select" / f"{name.replace(' ', '_')}.npz"
    if path.is_file() and not options.fresh:
        return dict(np.load(path))
    folder, column, penalties = SETS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = shared_folder(options.data, folder)
        judged = read_judged(place, column=column, penalties=penalties).judged_only()
    evalset, ratings = judged.evalset, judged.judgments
    source, target = name.split()[1].split("-")
    evalset = evalset.select(None, list(evalset.references)[:1])
    evalset = evalset.relabel(source_lang=source, target_lang=target)
    sums, counts = np.zeros((2, len(evalset.systems), len(evalset)))
    np.add.at(sums, (ratings.system, ratings.segment), ratings.score)  # type: ignore[union-attr]
    np.add.at(counts, (ratings.system, ratings.segment), 1)
    learned = "judge" if target == "en" else "judge-facts"
    table = Scores(workers=options.workers).table(evalset, ["chrf", learned])
    found = {
        "H": np.where(counts > 0, sums / np.maximum(counts, 1), np.nan),
        "docs": np.array(evalset.document_ids()),
        "src": np.array(evalset.source),
        "systems": np.array(list(evalset.systems)),
        "texts": np.array([list(lines) for lines in evalset.systems.values()]),
        **{f"m_{m}": c.at("segment") for m, c in table.columns.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **found)
    return found


def by_peer(found: Mapping[str, Any], python: str) -> dict[str, Array]:
    """The peer's utilities, by method."""
    metrics = [key for key in found if key.startswith("m_")]
    items = [
        {
            "i": i,
            "src": str(found["src"][i]),
            "tgt": {s: str(found["texts"][k, i]) for k, s in enumerate(found["systems"])},
            "scores": {
                s: {_kind(m): float(found[m][k, i]) for m in metrics}
                for k, s in enumerate(found["systems"])
            },
        }
        for i in range(len(found["docs"]))
    ]
    script = Path(__file__).with_name("select_segments_peer.py")
    done = subprocess.run(
        [python, str(script)], input=json.dumps(items), capture_output=True, text=True, check=True
    )
    return {f"s2e {k}": np.array(v) for k, v in json.loads(done.stdout).items()}


def _kind(key: str) -> str:
    """chrF, or the learned metric of the language."""
    return "chrf" if key == "m_chrf" else "learned"


def agreement(whole: Array, human: Array) -> float:
    """The share of pairs of systems that stand the same by these segments; ties count half."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        means = np.nanmean(human, axis=1)
    one, other = np.triu_indices(len(whole), 1)
    true, seen = np.sign(whole[one] - whole[other]), np.sign(means[one] - means[other])
    return float(np.where((seen == 0) | np.isnan(seen), 0.5, true == seen).mean())


def measured(found: Mapping[str, Any], peer: Mapping[str, Array], draws: int) -> dict[str, Array]:
    """Each method's agreement: (draws, budgets)."""
    human, ids = found["H"], found["docs"]
    whole = np.nanmean(human, axis=1)
    names = list(dict.fromkeys(ids.tolist()))
    metrics = {key[2:]: found[key] for key in found if key.startswith("m_")}
    evalset = EvalSet(
        {},
        {s: tuple(map(str, found["texts"][k])) for k, s in enumerate(found["systems"].tolist())},
        tuple(map(str, found["src"])),
        documents_from_ids(ids.tolist()),
    )
    results: dict[str, list[list[float]]] = {}
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        kept = set(rng.choice(names, round(POOL * len(names)), replace=False).tolist())
        pool = np.flatnonzero([doc in kept for doc in ids])
        part = evalset.take(pool.tolist())
        table = ScoreTable.build(
            part,
            [
                Column(m, Signature(m), True, v[:, pool].mean(axis=1), None, v[:, pool])
                for m, v in metrics.items()
            ],
        )
        row: dict[str, list[float]] = {}
        for share in SHARES:
            size = max(8, round(share * len(pool)))

            def seen(chosen: Callable[[int], Array], times: int = 1, pool: Array = pool) -> float:
                picked = [pool[chosen(turn)] for turn in range(times)]
                return float(np.mean([agreement(whole, human[:, each]) for each in picked]))

            def ours(turn: int, part: EvalSet = part, size: int = size, t: Any = table) -> Any:
                return np.array([c.segment for c in select(part, t, size, seed=turn).chosen])

            def chance(_: int, size: int = size, rng: Any = rng, n: int = len(pool)) -> Any:
                return rng.choice(n, size, replace=False)

            row.setdefault("random", []).append(seen(chance, 15))
            row.setdefault("albeit select", []).append(seen(ours, 3))
            for method, useful in peer.items():
                best = np.argsort(-useful[pool], kind="stable")[:size]
                row.setdefault(method, []).append(seen(lambda _, best=best: best))
        for method, values in row.items():
            results.setdefault(method, []).append(values)
    return {method: np.array(values) for method, values in results.items()}


def shown(name: str, results: Mapping[str, Array]) -> Table:
    """One set's table."""
    chance = results["random"]
    rows = []
    for method, values in results.items():
        gain = 100 * (values - chance).mean(axis=1)
        low, high = np.percentile(gain, [2.5, 97.5])
        above = float((gain > 0).mean())
        by_share = [f"{value:.1f}" for value in 100 * values.mean(axis=0)]
        mean = f"{100 * values.mean():.1f}"
        spread = "" if method == "random" else f"{gain.mean():+.1f} [{low:+.1f}, {high:+.1f}]"
        rows.append([method, *by_share, mean, spread, "" if method == "random" else f"{above:.0%}"])
    titles = ["Method", *(f"{share:.0%}" for share in SHARES), "Mean", "Over random", "Draws above"]
    headings = [Heading(t, t.lower(), align="left" if t == "Method" else "right") for t in titles]
    return Table.of(headings, rows, caption=name)


def summary(results: Mapping[str, Mapping[str, Array]]) -> Table:
    """Every method's mean gain over random on every set, and over all sets."""
    methods = [m for m in next(iter(results.values())) if m != "random"]
    rows = []
    for method in methods:
        gains = [100 * float((r[method] - r["random"]).mean()) for r in results.values()]
        shown_gains = [f"{gain:+.1f}" for gain in gains]
        rows.append([method, *shown_gains, f"{np.mean(gains):+.1f}", f"{min(gains):+.1f}"])
    titles = ["Method", *results, "Mean", "Least"]
    headings = [Heading(t, t.lower(), align="left" if t == "Method" else "right") for t in titles]
    return Table.of(headings, rows, caption="Over random, all sets")


def main() -> None:
    """Print a summary and a table for each set."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has subset2evaluate")
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    options = parser.parse_args()
    print(f"commit {commit()}", file=sys.stderr)
    results = {}
    for name in options.sets:
        found = matrices(name, options)
        peer = by_peer(found, options.peer) if options.peer else {}
        results[name] = measured(found, peer, options.draws)
        print(f"done {name}", file=sys.stderr, flush=True)
    tables = [summary(results), *(shown(name, each) for name, each in results.items())]
    sys.stdout.write(render(tables, options.format))


if __name__ == "__main__":
    main()
