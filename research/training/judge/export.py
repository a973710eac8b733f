"""Write a trained student as the file that ships: 8-bit products with static ranges, no word table.

    python -m training.judge.export --model RUNS/s/model.safetensors --out src/albeit/metrics/judge/weights

Inputs of `judge.onnx`: `words` [b, t, 384], the vectors of `[CLS] translation [SEP] reference [SEP]`
from the analyser's own table (the judge was trained with it as it is), `attention_mask` and `case_ids`
[b, t] (the reference's side is `training.judge.store.REFERENCE` higher). Outputs: `score` [b], higher is
better, and `marks` [b, t], a logit a subword: is the translation wrong there? All large products run
on bytes, the head's too, so that no score depends on what else is in its batch. Ranges are those of
training pairs, read one by one. `meta.json` gets the file's checksum and that of the word table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

from training import compat

compat.ensure()

from training.export import write as write_onnx  # noqa: E402
from training.judge.batches import learnable  # noqa: E402
from training.judge.network import Judge, load, notes  # noqa: E402
from training.judge.store import Store  # noqa: E402
from training.judge.store import load as load_store  # noqa: E402
from training.onnx_backend import OnnxBackend  # noqa: E402
from training.quantise import quantise_linear, shrink  # noqa: E402
from training.record import Recorder  # noqa: E402

NAME = "judge"
LONGEST = 192
"""Subwords of a pair that are read at once. Few training pairs are longer, and of longer ones not even
the reference itself scores near the top; they are read in pieces."""


def export(judge: Judge, path: Path) -> None:
    """The float32 file; word vectors are given from outside."""
    judge.encoder.words = nn.Identity()  # type: ignore[assignment]
    for block in judge.encoder.blocks:
        block.attention.fuse()  # type: ignore[operator, union-attr]
    vectors = torch.randn(2, 8, judge.encoder.config.width)
    mask = torch.ones(2, 8, dtype=torch.int64)
    cases = torch.tensor([[0, 1, 1, 0, 7, 7, 7, 0]] * 2)
    names = ["words", "attention_mask", "case_ids"], ["score", "marks"]
    axes = {0: "b", 1: "t"}
    sizes = {**dict.fromkeys(names[0], axes), "score": {0: "b"}, "marks": axes}
    write_onnx(judge, (vectors, mask, cases), path, names, sizes)


def record(folder: Path, store: Store, model: str, table: torch.Tensor, count: int) -> Recorder:
    """Run the float32 file over training pairs, one at a time: padding must not be recorded."""
    rng = np.random.default_rng(5)
    groups = np.flatnonzero(learnable(store, model))
    recorder = Recorder(folder)
    for group in rng.choice(groups, count, replace=False):
        pair = rng.integers(store.starts[group], store.starts[group + 1])
        batch = store.batch(np.array([pair]))
        vectors = table[torch.from_numpy(batch["ids"])].numpy()
        recorder.run(NAME, vectors, batch["mask"], batch["cases"])
    return recorder


def compare(judge: Judge, network: bytes, store: Store, table: torch.Tensor, count: int) -> str:
    """How far the written file's scores are from PyTorch's, over development pairs."""
    session = OnnxBackend(Path()).open(network)
    dev = np.flatnonzero(store["group_dev"][store["pair_group"]])
    scores: list[tuple[float, float]] = []
    for pair in np.random.default_rng(6).choice(dev, min(count, len(dev)), replace=False):
        batch = store.batch(np.array([pair]))
        vectors = table[torch.from_numpy(batch["ids"])]
        mask, cases = batch["mask"], batch["cases"]
        with torch.no_grad():
            plain, _ = judge(vectors, torch.from_numpy(mask), torch.from_numpy(cases))
        inputs = {"words": vectors.numpy(), "attention_mask": mask, "case_ids": cases}
        scores.append((plain.item(), float(session.run(["score"], inputs)[0][0])))
    one, other = np.array(scores).T
    return (
        f"{len(scores)} development pairs, 8 bits against PyTorch's float32: r ="
        f" {np.corrcoef(one, other)[0, 1]:.4f}, mean gap {np.abs(one - other).mean():.3f}, largest"
        f" {np.abs(one - other).max():.3f}, where scores' deviation is {one.std():.3f}"
    )


def main() -> None:
    """Export, record, quantise, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--base", type=Path, default=Path("research/data/base"))
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--analyser", type=Path, default=Path("src/albeit/annotate/weights"))
    parser.add_argument("--pairs", type=int, default=400, help="for the ranges")
    parser.add_argument("--out", type=Path, default=Path("src/albeit/metrics/judge/weights"))
    args = parser.parse_args()
    judge = load(args.model, args.base)
    table = judge.encoder.words.weight.detach()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}.onnx"
        export(judge, path)
        learnt = notes(args.model).get("model", "all")
        store = load_store(args.store)
        found = record(path.parent, store, learnt, table, args.pairs).ranges()
        model = onnx.load(str(path))
    quantise_linear(model, found[NAME])
    shrink(model)
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"{NAME}.onnx").write_bytes(data)
    about = {
        "version": hashlib.sha256(data).hexdigest()[:16],
        "words": words_digest(args.analyser),
        "longest": LONGEST,
    }
    (args.out / "meta.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(f"{len(data) / 2**20:.1f} MiB, version {about['version']}")
    print(compare(judge, data, store, table, args.pairs))


def words_digest(analyser: Path) -> str:
    """The checksum of the analyser's word table, as it stands in its file."""
    width, place = (
        json.loads((analyser / "meta.json").read_text())[k] for k in ("width", "embeddings")
    )
    data = (analyser / "encoder.onnx").read_bytes()
    table = data[place["table"] : place["table"] + place["rows"] * width]
    return hashlib.sha256(table).hexdigest()[:16]


if __name__ == "__main__":
    main()
