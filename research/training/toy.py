"""Write small random base weights, to run complete training scripts on a CPU.

    python -m training toy research/data/toy

Writes `mpnet` (two layers) and `minilm` (one layer). The stores come from `training.judge.prepare
--every 40` and `training.many.prepare --every 40`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import torch
from safetensors.torch import save_file

from training.base import packed
from training.model.encoder import Config, Encoder

MPNET = Config(width=24, inner=48, layers=2, middle=1, mixed=2, case_after=1, buckets=32)
MINILM = replace(MPNET, layers=1, mixed=1, middle=0, case_after=0, buckets=0)


def write_base(folder: Path, config: Config) -> None:
    """Random weights in the form that `training.base` writes."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    state = Encoder(config).state_dict()
    kept = {name: v for name, v in state.items() if name not in ("cases.weight", "mix")}
    save_file(packed(kept), folder / "model-0.safetensors")
    (folder / "config.json").write_text(json.dumps(asdict(config)))


def main(out: Path) -> None:
    """Write both bases."""
    write_base(out / "mpnet", MPNET)
    write_base(out / "minilm", MINILM)
