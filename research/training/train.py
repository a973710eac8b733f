"""Step 3: train the encoder and all heads together.

    python -m training.train --out research/runs/one --seed 1

Minutes on a data-centre GPU, many hours on a CPU (`--limit 400 --epochs 1` to try it out). Prints
the development figures of the averaged weights at the end and writes `model.safetensors` and
`dev.json`. The initial head weights are the same for every seed, which only moves data order,
noise and dropout: so models of several seeds can be averaged weight by weight.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import deque
from copy import deepcopy
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from training import compat

compat.ensure()

from training import feed  # noqa: E402
from training.batch import Collator, Subwords  # noqa: E402
from training.evaluate import figures  # noqa: E402
from training.model import distil, eight_bit  # noqa: E402
from training.model.losses import WEIGHTS, losses, middle_loss, outputs  # noqa: E402
from training.model.network import Network, TorchBackend, base_encoder, save, start_from  # noqa: E402
from training.predict import Analyser  # noqa: E402
from training.rows import read_items  # noqa: E402
from training.steps import rate  # noqa: E402

HEAD_SEED = 7
MASK = 103


def initial(args: argparse.Namespace, labels: dict[str, list[str]]) -> Network:
    """A network on the pretrained encoder, or one that starts from trained weights."""
    torch.manual_seed(HEAD_SEED)
    network = Network(base_encoder(args.data / args.base, args.layers), labels, args.dropout)
    if args.init:
        state = {name: value.float() for name, value in load_file(args.init).items()}
        start_from(network, state, args.keep_layers)
    return network


def parameter_groups(network: Network, args: argparse.Namespace) -> list[dict[str, object]]:
    """Heads at their own rate; the encoder's rate falls from layer to layer downwards."""
    groups: list[dict[str, object]] = []
    heads = [
        p
        for n, p in network.named_parameters()
        if n.startswith("heads") or "cases" in n or n.endswith("mix")
    ]
    groups.append({"params": heads, "lr": args.head_lr, "weight_decay": 0.01})
    encoder = network.encoder
    depth = len(encoder.blocks)
    for number, block in enumerate(encoder.blocks):
        rate = args.lr * args.layer_decay ** (depth - 1 - number)
        groups.append({"params": list(block.parameters()), "lr": rate, "weight_decay": 0.01})
    rate = args.lr * args.layer_decay**depth
    rest = [*encoder.positions.parameters(), *encoder.norm.parameters()]
    groups.append({"params": rest, "lr": rate, "weight_decay": 0.0})
    encoder.words.weight.requires_grad_(False)
    return groups


def masked(ids: Tensor, share: float) -> Tensor:
    """Hide some subwords (special tokens have the smallest ids)."""
    hidden = (torch.rand(ids.shape, device=ids.device) < share) & (ids > MASK)
    return torch.where(hidden, MASK, ids)


def objective(
    out: dict[str, Tensor], batch: dict[str, Tensor], soft: dict[str, Tensor] | None, gold: float
) -> dict[str, Tensor]:
    """The gold losses, or a mix of them and the teachers' (those alone where nothing is gold)."""
    if soft is None:
        return losses(out, batch)
    taught = distil.losses(out, soft, batch)
    if not gold:
        return taught
    hard = losses(out, batch)
    return {name: gold * hard[name] + (1 - gold) * taught[name] for name in hard}


def evaluate(
    network: Network, collator: Collator, args: argparse.Namespace, device: str
) -> dict[str, dict[str, float]]:
    """Development figures."""
    analyser = Analyser(TorchBackend(network, device), collator)
    found: dict[str, dict[str, float]] = {}
    for name, score in (("gum", figures.gum), ("ewt", figures.ewt), ("groups", figures.trees)):
        items = list(read_items(args.data / f"{name}.dev.jsonl.gz"))
        items = items[:: args.dev_every]
        found[name] = score(items, analyser(items))
    return found


def train(args: argparse.Namespace) -> None:
    """Train, evaluate, save."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    if device == "cpu":
        torch.set_num_threads(args.threads)
    labels: dict[str, list[str]] = json.loads((args.data / "labels.json").read_text())
    collator = Collator(Subwords(args.data / "base/tokenizer.json"), labels)
    network = initial(args, labels).to(device)
    original = None
    if args.middle_weight:
        original = base_encoder(args.data / args.base, args.layers).to(device).eval()
        original.requires_grad_(False)
    torch.manual_seed(args.seed)
    source: feed.Source
    if args.taught:
        source = feed.Taught(args.taught, args.epochs, args.seed, device)
    else:
        source = feed.Annotated(args, collator, device)
    groups = parameter_groups(network, args)
    turned = None
    if args.states:
        turned = torch.nn.Linear(network.encoder.config.width, source.width).to(device)
        groups.append({"params": list(turned.parameters()), "lr": args.head_lr})
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda")
    started = time.time()

    def progress(step: int) -> float:
        """How much of the training is done, by steps or by the clock."""
        share = (step + 1) / len(source)
        return max(share, (time.time() - started) / (60 * args.minutes)) if args.minutes else share

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: rate(progress(s)))
    average = deepcopy(network).requires_grad_(False)
    pairs = [
        (a, p)
        for a, p in zip(average.parameters(), network.parameters(), strict=True)
        if p.requires_grad
    ]
    weights = {**WEIGHTS, "middle": args.middle_weight, "states": args.states}
    size = sum(p.numel() for p in network.heads.parameters())
    print(f"{len(source)} steps at most, {size} in heads", flush=True)

    network.train()
    recent: deque[dict[str, Tensor]] = deque(maxlen=8)
    rounding = False
    for step, (batch, soft) in enumerate(source):
        recent.append(batch)
        if not rounding and progress(step) > args.eight_bit_from:
            eight_bit.attach(network.encoder, eight_bit.ranges(network.encoder, recent))
            rounding = True
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            words, middle = network({**batch, "ids": masked(batch["ids"], args.mask)})
            out = outputs(network.heads, words, batch)
            parts = objective(out, batch, soft, 0.0 if "silver" in batch else args.gold)
            if turned is not None and soft is not None:
                parts["states"] = distil.states_loss(turned(words), soft["words"], batch)
            if original is not None:
                parts["middle"] = middle_loss(network.encoder, original, middle, batch)
        loss = torch.stack([weights[name] * part for name, part in parts.items()]).sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        decay = min(args.ema, (step + 1) / (step + 10))
        torch._foreach_lerp_([a for a, _ in pairs], [p for _, p in pairs], 1 - decay)
        if step % 200 == 0 or step == len(source) - 1:
            totals = {name: round(part.item(), 4) for name, part in parts.items()}
            print(f"{step} {time.time() - started:.0f}s {loss.item():.3f} {totals}", flush=True)
            if not math.isfinite(loss.item()):
                raise FloatingPointError("the loss is not finite")
        if progress(step) >= 1:
            break
    seconds = time.time() - started
    average.eval()
    notes = {k: str(v) for k, v in vars(args).items()}
    save(average, args.out / "model.safetensors", **notes)
    if rounding:
        eight_bit.attach(average.encoder, eight_bit.ranges(average.encoder, recent))
    dev = evaluate(average, collator, args, device)
    print(f"trained {seconds:.0f}s, evaluated {time.time() - started - seconds:.0f}s", flush=True)
    for name, scores in dev.items():
        print(args.out.name, name, {k: round(v, 2) for k, v in scores.items()}, flush=True)
    (args.out / "dev.json").write_text(
        json.dumps({"arguments": notes, "dev": dev, "seconds": seconds}, indent=1)
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--data", type=Path, default=Path("research/data"))
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--minutes", type=float, default=0, help="end by the clock at the latest")
    p.add_argument("--budget", type=int, default=14000, help="subwords a batch, padding included")
    p.add_argument("--lr", type=float, default=5e-4, help="of the encoder's top layer")
    p.add_argument("--head-lr", type=float, default=1e-3)
    p.add_argument("--layer-decay", type=float, default=0.85)
    p.add_argument("--dropout", type=float, default=0.33, help="in the heads")
    p.add_argument("--ema", type=float, default=0.998)
    p.add_argument("--base", default="base", help="folder of the pretrained encoder, in --data")
    p.add_argument("--layers", type=int, default=0, help="keep so many of its layers; 0 all")
    p.add_argument(
        "--eight-bit-from",
        type=float,
        default=2.0,
        help="share of the training after which the encoder is trained as if in 8 bits",
    )
    p.add_argument("--groups", type=int, default=1200, help="multi-sentence items an epoch")
    p.add_argument("--noise", type=float, default=0.35, help="share of items that are noised")
    p.add_argument("--mask", type=float, default=0.05, help="share of subwords that are hidden")
    p.add_argument("--middle-weight", type=float, default=4.0)
    p.add_argument(
        "--permissive", action="store_true", help="leave out non-commercial genres of GUM"
    )
    p.add_argument("--extra", nargs="*", default=[], help="further prepared files")
    p.add_argument("--init", type=Path, help="start from these trained weights")
    p.add_argument("--keep-layers", type=int, nargs="*", help="layers of --init to start from")
    p.add_argument("--taught", type=Path, help="what teachers said (training.teach), to learn from")
    p.add_argument(
        "--states", type=float, default=0.0, help="weight of the first teacher's word vectors"
    )
    p.add_argument(
        "--gold", type=float, default=0.5, help="share of the gold losses in distillation"
    )
    p.add_argument("--limit", type=int, default=0, help="items a corpus, to try things out")
    p.add_argument(
        "--dev-every", type=int, default=1, help="evaluate on every n-th development item"
    )
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--threads", type=int, default=2)
    return p


def main() -> None:
    """Train as asked."""
    asked = parser()
    args = asked.parse_args()
    if args.states and not args.taught:
        asked.error("--states learns a teacher's vectors: it needs --taught.")
    train(args)


if __name__ == "__main__":
    main()
