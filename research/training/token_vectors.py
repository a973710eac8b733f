"""Token vectors against human rankings: WMT12's segment τ of greedy-matching F1.

    python -m training.token_vectors --onnx src/albeit/annotate/weights --data ../shared/data --year 12

Also tries the vectors centred, and scaled to unit variance by dimension, with statistics of
training sentences. The choice among them is made on WMT13 (`--year 13`), the figure is WMT12's.
"""

from __future__ import annotations

import argparse
import html
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.batch import CLS, SEP, Subwords
from training.evaluate import vectors
from training.onnx_backend import OnnxBackend
from training.rows import read_items

PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
Floats = npt.NDArray[np.float32]


def encode(backend: OnnxBackend, ids: list[list[int]]) -> list[Floats]:
    """The middle layer's vectors of each text, special tokens left out."""
    found: dict[int, Floats] = {}
    order = sorted(range(len(ids)), key=lambda k: len(ids[k]))
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        width = max(len(ids[k]) for k in batch) + 2
        array = np.zeros((len(batch), width), np.int64)
        for row, k in enumerate(batch):
            array[row, : len(ids[k]) + 2] = [CLS, *ids[k], SEP]
        _, middle = backend.encode(array, (array > 0).astype(np.int64), np.zeros_like(array))
        for row, k in enumerate(batch):
            found[k] = np.asarray(middle[row, 1 : len(ids[k]) + 1], np.float32)
    return [found[k] for k in range(len(ids))]


def unit(rows: Floats) -> Floats:
    """Rows of length one."""
    scaled: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return scaled


def main() -> None:
    """Print τ by language pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--prepared", type=Path, default=Path("research/data"))
    parser.add_argument("--onnx", type=Path, default=Path("src/albeit/annotate/weights"))
    parser.add_argument("--year", choices=["12", "13"], default="12")
    parser.add_argument("--segments", type=int, default=0, help="judged segments a pair, 0 for all")
    args = parser.parse_args()
    backend = OnnxBackend(args.onnx)
    subwords = Subwords(args.prepared / "base/tokenizer.json")

    def ids(text: str) -> list[int]:
        return [k for word in html.unescape(text).split() for k in subwords(word)][:510]

    sample = random.Random(2).sample(list(read_items(args.prepared / "gum.train.jsonl.gz")), 500)
    rows = np.concatenate(encode(backend, [ids(" ".join(i.rows[0].words)) for i in sample]))
    mean, deviation = rows.mean(0), rows.std(0)
    nothing, one = np.zeros_like(mean), np.ones_like(mean)
    views = {"plain": (nothing, one), "centred": (mean, one), "scaled": (mean, deviation)}
    taus: dict[str, list[float]] = {name: [] for name in views}
    for pair in PAIRS:
        folder = args.data / f"wmt{args.year}" / pair
        judged = vectors.wmt12_pairs(folder) if args.year == "12" else vectors.wmt13_pairs(folder)
        if args.segments:
            lines = sorted({line for line, _, _ in judged})
            kept = set(random.Random(1).sample(lines, min(args.segments, len(lines))))
            judged = [judgment for judgment in judged if judgment[0] in kept]
        texts = vectors.texts(folder, judged)
        encoded = dict(zip(texts, encode(backend, [ids(t) for t in texts.values()]), strict=True))
        for name, (shift, scale) in views.items():
            own = {key: unit((value - shift) / scale) for key, value in encoded.items()}
            scores = {key: vectors.greedy_f1(own[key], own["ref", key[1]]) for key in own}
            taus[name].append(vectors.tau(judged, scores))
        print(pair, {name: round(values[-1], 4) for name, values in taus.items()}, flush=True)
    print("mean", {name: round(float(np.mean(values)), 4) for name, values in taus.items()})


if __name__ == "__main__":
    main()
