"""Figures of document analysers, trained or exported, on a part of GUM.

python -m training.documents.report --model research/runs/documents/d1/model.safetensors --split dev
python -m training.documents.report --onnx src/albeit/parsing/weights/documents --split dev
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from training.documents.figures import Figures
from training.documents.kept import WEIGHTS, load


def trained(args: argparse.Namespace) -> dict[str, float]:
    """Figures of a trained network."""
    import torch

    from training.documents.predict import figures
    from training.documents.start import restore
    from training.documents.train import documents

    device = "cuda" if torch.cuda.is_available() else "cpu"
    path = args.data / f"{args.split}.pickle"
    kept, arrays = documents(path, args.weights, device, args.limit)
    return figures(restore(args.model, device), kept, arrays, args.threshold)


def exported(args: argparse.Namespace) -> dict[str, float]:
    """Figures of exported files, by the package's own code."""
    from albeit.parsing.model import Model, Networks
    from training.documents.runtime import analyse

    model, networks = Model(args.weights), Networks(args.onnx)
    found = Figures()
    for each in load(args.data / f"{args.split}.pickle")[: args.limit]:
        found.add(each, analyse(each, model, networks))
    return found.figures()


def main() -> None:
    """Print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data/documents"))
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the shipped model")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--model", type=Path)
    what.add_argument("--onnx", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--threshold", type=float, default=0.5, help="of mentions (--model)")
    parser.add_argument("--limit", type=int, default=10**9, help="documents, for a smoke test")
    parser.add_argument("-f", "--format", choices=["text", "json"], default="text")
    args = parser.parse_args()
    found = trained(args) if args.model else exported(args)
    if args.format == "json":
        print(json.dumps(found, indent=1))
        return
    for name, value in found.items():
        print(f"{name:32} {value:6.2f}")


if __name__ == "__main__":
    main()
