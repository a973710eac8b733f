"""Fit the small models of ``albeit.diagnose``: what evidence is worth, learnt from experts and
readers.

    python -m training flags.fit EVIDENCE.jsonl

One logistic regression per kind, no weight below nought, with a little weight decay. Its rows are
suspects of newstest20, whose target is the part of two experts who marked the
words, and suspects that were read one by one (``read.tsv``, ``experiments/flagged.tsv``).
Readers call more a fault than two experts mark, so read rows have a bias of their own, and it is
theirs that ships; they count ``WORTH`` times. ``experiments/flags.py`` writes the
evidence.

What was chosen by hand, the pieces of each kind, ``WORTH`` and the bounds, was chosen by what is
printed beside the weights: read rows judged by models that were learnt from other documents.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.diagnose.flags import Model, Weight

Floats = npt.NDArray[np.float64]
BOUNDS: dict[str, tuple[float, float, float]] = {
    "place": (0.0, 1.0, 0.0),
    "systems": (-1.0, 1.0, -1.0),
    "references": (-1.0, 1.0, 0.0),
    "source": (-1.0, 1.0, 0.0),
    "exchange": (0.0, 1.0, 0.0),
    "unknown": (0.0, 1.0, 0.0),
    "names": (0.0, 1.0, 0.0),
    "gain": (-0.3, 0.8, 0.0),
    "harm": (-0.1, 0.8, 0.0),
    "fits": (-2.0, 2.0, 0.0),
}
"""Of each piece of evidence: within which bounds it counts, and as what where it is missing."""
EVIDENCE: dict[str, tuple[str, ...]] = {
    "pronouns in context": ("references", "exchange", "fits", "gain"),
    "terms": ("gain", "harm", "unknown", "names"),
}
"""What each kind is weighed by: few pieces that judge left-out rows best.

The judge's marks are none of them: it has learnt those of the experts whose marks are learnt from
here.
"""
DECAY = 0.02
WORTH = 8.0
"""How often a row that was read counts."""
FOLDS = 8
SHIPPED = Path(__file__).parents[3] / "src" / "albeit" / "diagnose" / "weights.json"


def matrix(evidence: Sequence[Mapping[str, float | None]], names: Sequence[str]) -> Floats:
    """Evidence as rows of numbers, held within bounds."""
    rows = np.zeros((len(evidence), len(names)))
    for row, pieces in zip(rows, evidence, strict=True):
        for k, name in enumerate(names):
            low, high, missing = BOUNDS[name]
            value = pieces.get(name)
            row[k] = missing if value is None else min(high, max(low, value))
    return rows


def fit_weights(
    rows: Floats, target: Floats, worth: Floats | None = None, steps: int = 4000
) -> tuple[Floats, float]:
    """Weights, none below nought, and a bias: projected gradient over standardised evidence.

    :param worth: how often each row counts; by default once
    """
    spread = rows.std(axis=0) + 1e-9
    x = (rows - rows.mean(axis=0)) / spread
    each = np.ones(len(x)) if worth is None else worth
    each = each / each.sum()
    weights, bias = np.zeros(x.shape[1]), float(np.log(target.mean() / (1 - target.mean())))
    for _ in range(steps):
        wrong = each * (1 / (1 + np.exp(-(x @ weights + bias))) - target)
        weights = np.maximum(0, weights - 0.5 * (x.T @ wrong + DECAY * weights))
        bias -= 0.5 * float(wrong.sum())
    real = weights / spread
    return real, bias - float(rows.mean(axis=0) @ real)


def fit_kind(rows: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    """The model of one kind, as the package reads it; evidence without weight is left out."""
    names = EVIDENCE[kind]
    marked = [r for r in rows if r["experts"] is not None]
    read = [r for r in rows if r["found"] in ("fault", "no")]
    shares = [min(r["experts"] / 2, 1.0) for r in marked]
    target = np.array(shares + [r["found"] == "fault" for r in read])
    x = matrix([r["evidence"] for r in (*marked, *read)], names)
    is_read = np.repeat([0.0, 1.0], [len(marked), len(read)])
    worth = np.where(is_read > 0, WORTH, 1.0)
    weights, bias = fit_weights(np.column_stack([x, is_read]), 0.98 * target + 0.01, worth)
    kept = {}
    for name, weight in zip(names, weights[:-1], strict=True):
        if weight > 0.005:
            bounds = zip(("low", "high", "missing"), BOUNDS[name], strict=True)
            kept[name] = {"weight": round(float(weight), 4), **dict(bounds)}
    return {
        "bias": round(bias + float(weights[-1]), 4),
        "weights": kept,
        "learnt_from": {"marked by experts": len(marked), "read": len(read)},
    }


def left_out(rows: Sequence[Mapping[str, Any]], kind: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Of rows that were read: the probability by a model of other documents, and whether it is a
    fault."""
    found: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        made = fit_kind([row for row in rows if _fold(row) != fold], kind)
        weights = {name: Weight(**each) for name, each in made["weights"].items()}
        model = Model(made["bias"], weights)
        own = [row for row in rows if _fold(row) == fold and row["found"] is not None]
        found += [(model(row["evidence"]), row["found"] == "fault") for row in own]
    return np.array([p for p, _ in found]), np.array([fault for _, fault in found], bool)


def _fold(row: Mapping[str, Any]) -> int:
    return int(hashlib.sha256(f"fold {row['document']}".encode()).digest()[0] % FOLDS)


def main(evidence: Path, *, output: Path = SHIPPED) -> None:
    """Fit all kinds, write the file of the package, and print how well held-out rows are judged."""
    rows = [json.loads(line) for line in evidence.read_text(encoding="utf-8").splitlines()]
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in EVIDENCE}
    kinds = {kind: fit_kind(own, kind) for kind, own in by_kind.items()}
    version = hashlib.sha256(json.dumps(kinds, sort_keys=True).encode()).hexdigest()[:8]
    text = json.dumps({"version": version, "kinds": kinds}, indent=1)
    output.write_text(text + "\n", encoding="utf-8")
    print(text)
    for kind, own in by_kind.items():
        p, fault = left_out(own, kind)
        by_p = ", ".join(
            f"p over {least}: {fault[p >= least].mean() if (p >= least).any() else 0:.2f}"
            f" of {(p >= least).sum()}"
            for least in (0.4, 0.5, 0.6, 0.7)
        )
        print(f"{kind}: faults among {len(p)} read, left out: {by_p}", file=sys.stderr)
