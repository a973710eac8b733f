"""The files that ship of a judge of many languages compute what training computed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from albeit.metrics.judge.sequence import SequenceInputs, Sequences

torch = pytest.importorskip("torch", reason="only training needs it")
export = pytest.importorskip("training.many.export", reason="training needs onnx")
base_of = pytest.importorskip("training.many.base", reason="training needs PyTorch")
trained = pytest.importorskip("training.many.network", reason="training needs PyTorch")

LAYERS, PIECES = 6, 50
"""Six layers: the last one has positions that reach further."""
HEADS, INNER, SIZE, WIDTH = trained.HEADS, trained.INNER, trained.SIZE, trained.WIDTH
PARTS = {"enter": (HEADS * SIZE, SIZE, SIZE), "wide": (INNER, INNER)}


def made_up(rng: np.random.Generator) -> dict[str, Any]:
    """A base of the true sizes with random weights."""
    sizes = {"enter": ((HEADS + 2) * SIZE, WIDTH), "leave": (WIDTH, HEADS * SIZE)}
    sizes |= {"wide": (2 * INNER, WIDTH), "narrow": (WIDTH, INNER)}
    base = {"words": rng.normal(size=(PIECES, WIDTH)) / 25}
    for n in range(LAYERS):
        for name, size in sizes.items():
            base[f"layers.{n}.{name}.weight"] = rng.normal(size=size) / np.sqrt(size[1])
        for name in base_of.NORMS:
            size = SIZE if name in ("of_query", "of_key") else WIDTH
            base[f"layers.{n}.{name}"] = 1 + 0.1 * rng.normal(size=size)
    return {name: torch.from_numpy(value.astype(np.float32)) for name, value in base.items()}


def as_file(base: dict[str, Any]) -> SimpleNamespace:
    """The same as Gemma's file shows it."""
    weights: dict[str, Any] = {}
    for n in range(LAYERS):
        for name, theirs in base_of.JOINED.items():
            whole = base[f"layers.{n}.{name}.weight"].numpy()
            parts = np.split(whole, np.cumsum(PARTS[name])[:-1]) if name in PARTS else [whole]
            weights |= {f"blk.{n}.{t}": part for t, part in zip(theirs, parts, strict=True)}
        for name, t in base_of.NORMS.items():
            weights[f"blk.{n}.{t}"] = base[f"layers.{n}.{name}"].numpy()
    return SimpleNamespace(weight=weights.__getitem__, words=lambda ids: base["words"].numpy()[ids])


def test_what_ships_computes_what_was_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was learned is rounded to bytes beforehand; the rest is in single precision."""
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    rng = np.random.default_rng(4)
    torch.manual_seed(4)
    base = made_up(rng)
    judge = trained.Judge(base, LAYERS, 4).eval()
    with torch.no_grad():
        for name, own in judge.named_parameters():
            if own.requires_grad and "people" not in name:
                own.copy_(torch.randn_like(own) / np.sqrt(own.shape[-1]))
        judge.head.people.copy_(torch.tensor([0.5, 0.1]))
        for _, own in judge.head.named_buffers():
            own.copy_(1 + 0.1 * torch.randn_like(own))
        learnt = {name: value.float().numpy() for name, value in judge.learnt().items()}
        stored = export.packed(learnt)
        known = dict(judge.named_parameters()) | dict(judge.named_buffers())
        for name in learnt:
            scale = stored.get(f"{name}.scale")
            whole = stored[name].astype(np.float32) * (1 if scale is None else scale[:, None])
            known[name].copy_(torch.from_numpy(whole))
    export.write(export.settled(learnt, 0.0), tmp_path, export.PLAIN, export.Shape(LAYERS))
    network = Sequences(tmp_path)
    network.__dict__["file"] = as_file(base)
    ids = rng.integers(4, PIECES, (3, 16))
    sides = np.array(
        [
            [0, 3, 3, 3, 0, 1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 0],
            [0, 1, 1, 1, 1, 1, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0],
            [0, 3, 3, 3, 3, 3, 3, 0, 2, 2, 2, 2, 2, 2, 2, 0],
        ]
    )
    last = np.array([14, 10, 15])
    facts = rng.random((3, 3)).astype(np.float32)
    score, spread = network.run(SequenceInputs(ids, sides, last, facts))
    mask = np.arange(16) <= last[:, None]
    with torch.no_grad():
        expected, error = judge(*map(torch.from_numpy, (ids, sides, mask, facts)))
    assert score == pytest.approx(expected.numpy(), abs=2e-3)
    assert spread == pytest.approx(error.numpy() - np.log(0.5), abs=2e-3)
    assert np.ptp(score) > 0.05
