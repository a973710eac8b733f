"""Write the teachers' scores of annotated and unannotated sentences, for students to learn from.

    python -m training.teach --teachers T/t1/model.safetensors T/t2/model.safetensors --out taught

Teachers read every batch once; a student reads the batches again and again without them, which
makes its steps several times as fast. Annotated items come several times, with new noise; the
unannotated ones (`training.unlabelled`) once. Probabilities are kept in half precision, with the
first teacher's word vectors. The best teacher comes first.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from training import feed
from training.batch import Collator, Subwords
from training.model import distil
from training.model.losses import Batch, outputs
from training.model.network import Network, load
from training.options import read_options
from training.rows import Item, read_items

FILE = 100
"""Batches per file."""


@dataclass(kw_only=True)
class Settings(feed.FeedSettings):
    """The options of scoring by teachers."""

    teachers: list[Path]
    rounds: int = 4
    """Copies of annotated items, each with other noise."""
    budget: int = 8000


def plan(items: list[Item], sizes: list[int], gold: int, settings: Settings) -> feed.Plan:
    """Return annotated items in every round, the others in one of them, in batches of their own."""
    rng = random.Random(settings.seed)
    silver = list(range(gold, len(items)))
    rng.shuffle(silver)
    batches: feed.Plan = []
    for number in range(settings.rounds):
        for chosen in (range(gold), silver[number :: settings.rounds]):
            batches += feed.epoch_batches(items, sizes, chosen, settings.budget, rng)
    rng.shuffle(batches)
    return batches


@torch.no_grad()
def score(teachers: list[Network], batch: Batch) -> dict[str, Tensor]:
    """Return the teachers' mean probabilities, and the first one's word vectors."""
    parts, vectors = [], []
    for teacher in teachers:
        words, _ = teacher(batch)
        vectors.append(words.flatten(0, 1).index_select(0, batch["flat"]))
        parts.append(distil.probabilities(outputs(teacher.heads, words, batch), batch))
    means = {name: torch.stack([p[name] for p in parts]).mean(0) for name in parts[0]}
    return {name: value.half() for name, value in (means | {"words": vectors[0]}).items()}


def main(settings: Settings) -> None:
    """Score everything and write it."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    labels = json.loads((settings.data / "labels.json").read_text())
    collator = Collator(Subwords(settings.data / "base/tokenizer.json"), labels)
    singles, groups = feed.load_items(settings)
    gold = [*singles, *groups]
    silver = list(read_items(settings.data / "silver.jsonl.gz"))[: settings.limit or None]
    items = [*gold, *silver]
    teachers = [load(path, settings.data, labels).to(device) for path in settings.teachers]
    batches = plan(items, feed.item_sizes(items, collator), len(gold), settings)
    print(f"{len(items)} items, {len(batches)} batches", flush=True)
    settings.out.mkdir(parents=True, exist_ok=True)
    started = time.time()
    kept: list[tuple[Batch, dict[str, Tensor]]] = []
    for number, arrays in enumerate(feed.make_loader(items, batches, collator, settings), 1):
        batch = feed.move(device, arrays)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            kept.append((batch, score(teachers, batch)))
        if len(kept) == FILE or number == len(batches):
            torch.save(kept, settings.out / f"{number:06}.pt")
            print(f"{number} {time.time() - started:.0f} s", flush=True)
            kept = []


if __name__ == "__main__":
    main(read_options(Settings))
