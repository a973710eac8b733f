"""Figures of a model, trained or exported, on any prepared split.

python -m training.report --onnx src/albeit/parsing/weights --split dev
python -m training.report --model research/runs/one/model.safetensors --split dev --noise
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from training import compat

compat.ensure()

from training.batch import Collator, Subwords  # noqa: E402
from training.evaluate import figures  # noqa: E402
from training.noise import noisy_item  # noqa: E402
from training.predict import Analysed, Analyser, Backend  # noqa: E402
from training.rows import Item, read_items  # noqa: E402

NOISE_SEED = 20
LENGTHS = (10, 20, 30, 45)
SCORERS = {"gum": figures.gum, "ewt": figures.ewt, "groups": figures.trees, "umuc": figures.units}
UNSPLIT = ("umuc",)
"""Corpora that are not trained on: measured whole."""


def backend(args: argparse.Namespace, labels: dict[str, list[str]]) -> Backend:
    """The trained network or the exported files."""
    if args.onnx:
        from training.onnx_backend import OnnxBackend

        return OnnxBackend(args.onnx)
    import torch

    from training.model.network import TorchBackend, load

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return TorchBackend(load(args.model, args.data, labels).to(device), device)


def items(args: argparse.Namespace, name: str) -> list[Item]:
    """The items of a corpus, noised with a fixed seed if asked for."""
    file = name if name in UNSPLIT else f"{name}.{args.split}"
    found = list(read_items(args.data / f"{file}.jsonl.gz"))[:: args.every]
    if args.noise:
        rng = random.Random(NOISE_SEED)
        foreign = (args.data / "foreign.txt").read_text(encoding="utf-8").split()
        found = [noisy_item(item, rng, foreign) for item in found]
    return found


def breakdown(gold: list[Item], analysed: list[Analysed]) -> dict[str, dict[str, float]]:
    """Chosen figures by genre and by sentence length."""
    kept = (
        "edu",
        "rst_parseval_nuclearity",
        "rst_original_full",
        "rst_end_to_end_full",
        "upos",
        "las",
    )
    parts: dict[str, list[int]] = {}
    for number, item in enumerate(gold):
        words = len(item.rows[0].words)
        longest = next((top for top in LENGTHS if words <= top), 0)
        for name in (
            item.rows[0].genre,
            f"<= {longest} words" if longest else f"> {LENGTHS[-1]} words",
        ):
            parts.setdefault(name, []).append(number)
    found = {}
    for name, numbers in sorted(parts.items()):
        scores = figures.gum([gold[k] for k in numbers], [analysed[k] for k in numbers])
        found[f"{name} ({len(numbers)})"] = {key: scores[key] for key in kept}
    return found


def main() -> None:
    """Print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data"))
    parser.add_argument("--model", type=Path)
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--corpora", nargs="+", default=["gum", "ewt", "groups"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--breakdown", action="store_true", help="also by genre and length")
    parser.add_argument("--label-weight", type=float, default=0.0)
    parser.add_argument("--threshold", type=float, default=0.0, help="of EDU boundaries")
    parser.add_argument("-f", "--format", choices=["text", "json"], default="text")
    args = parser.parse_args()
    labels = json.loads((args.data / "labels.json").read_text())
    collator = Collator(Subwords(args.data / "base/tokenizer.json"), labels)
    analyser = Analyser(backend(args, labels), collator, args.label_weight, args.threshold)
    found = {}
    for name in args.corpora:
        gold = items(args, name)
        analysed = analyser(gold)
        found[name] = SCORERS[name](gold, analysed)
        if args.breakdown and name == "gum":
            found.update(breakdown(gold, analysed))
    if args.format == "json":
        print(json.dumps(found, indent=1))
        return
    for name, scores in found.items():
        for key, value in scores.items():
            print(f"{name:22} {key:28} {value:6.2f}")


if __name__ == "__main__":
    main()
