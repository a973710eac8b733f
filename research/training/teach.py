"""What teachers say of annotated and unannotated sentences, kept for students to learn from.

    python -m training.teach --teachers T/t1/model.safetensors T/t2/model.safetensors --out taught

Teachers look once at every batch; a student goes over the batches again and again without them,
which makes its steps several times as fast. Annotated items come several times, noised anew; the
unannotated ones (`training.unlabelled`) once. Probabilities are kept in half precision, with the
first teacher's word vectors.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import torch
from torch import Tensor

from training import compat

compat.ensure()

from training import feed  # noqa: E402
from training.batch import Collator, Subwords  # noqa: E402
from training.model import distil  # noqa: E402
from training.model.losses import Batch, outputs  # noqa: E402
from training.model.network import Network, load  # noqa: E402
from training.rows import Item, read_items  # noqa: E402

FILE = 100
"""Batches a file."""


def plan(items: list[Item], sizes: list[int], gold: int, args: argparse.Namespace) -> feed.Plan:
    """Annotated items in every round, the others in one of them, in batches of their own."""
    rng = random.Random(args.seed)
    silver = list(range(gold, len(items)))
    rng.shuffle(silver)
    found: feed.Plan = []
    for number in range(args.rounds):
        for chosen in (list(range(gold)), silver[number :: args.rounds]):
            batches = feed.epoch_batches(items, sizes, chosen, args.budget, rng) if chosen else []
            found.extend((batch, rng.randrange(2**31)) for batch in batches)
    rng.shuffle(found)
    return found


@torch.no_grad()
def said(teachers: list[Network], batch: Batch) -> dict[str, Tensor]:
    """The teachers' mean probabilities, and the first one's word vectors."""
    parts = []
    vectors = []
    for teacher in teachers:
        words, _ = teacher(batch)
        vectors.append(words.flatten(0, 1).index_select(0, batch["flat"]))
        parts.append(distil.probabilities(outputs(teacher.heads, words, batch), batch))
    soft = {**distil.average(parts), "words": vectors[0]}
    return {name: value.half() for name, value in soft.items()}


def main() -> None:
    """Look at everything and write it."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--data", type=Path, default=Path("research/data"))
    p.add_argument("--teachers", type=Path, nargs="+", required=True, help="the best first")
    p.add_argument("--out", type=Path, required=True, help="a folder")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rounds", type=int, default=4, help="noised copies of annotated items")
    p.add_argument("--budget", type=int, default=8000, help="subwords a batch, padding included")
    p.add_argument("--noise", type=float, default=0.35, help="share of items that are noised")
    p.add_argument("--permissive", action="store_true", help="leave out non-commercial genres")
    p.add_argument("--extra", nargs="*", default=[], help="further prepared files")
    p.add_argument("--limit", type=int, default=0, help="items a corpus, to try things out")
    p.add_argument("--workers", type=int, default=2)
    args = p.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    labels = json.loads((args.data / "labels.json").read_text())
    collator = Collator(Subwords(args.data / "base/tokenizer.json"), labels)
    singles, groups = feed.load_items(args)
    gold = [*singles, *groups]
    items = [*gold, *list(read_items(args.data / "silver.jsonl.gz"))[: args.limit or None]]
    teachers = [load(path, args.data, labels).to(device) for path in args.teachers]
    batches = plan(items, feed.sizes_of(items, collator), len(gold), args)
    print(f"{len(items)} items, {len(batches)} batches", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.time()
    kept: list[tuple[Batch, dict[str, Tensor]]] = []
    for number, arrays in enumerate(feed.loader(items, batches, collator, args), 1):
        batch = feed.to(device, arrays)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            kept.append((batch, said(teachers, batch)))
        if len(kept) == FILE or number == len(batches):
            torch.save(kept, args.out / f"{number:06}.pt")
            print(f"{number} {time.time() - started:.0f} s", flush=True)
            kept = []


if __name__ == "__main__":
    main()
