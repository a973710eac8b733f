"""Networks as training has them, very small and untrained."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from training.options import WEIGHTS
from training.rows import Frame, Row


@pytest.fixture(scope="session")
def small_judge() -> Callable[[int], Any]:
    """Makes a judge of the wide kind from a seed."""
    torch = pytest.importorskip("torch", reason="training needs PyTorch")
    toy = pytest.importorskip("training.toy", reason="training needs safetensors")
    network = pytest.importorskip("training.judge.network")

    def made(seed: int) -> Any:
        torch.manual_seed(seed)
        sizes = {"width": 128, "inner": 256, "attention_heads": 4}
        config = replace(toy.MPNET, mixed=1, case_after=0, cases=12, **sizes)
        return network.Judge(toy.Encoder(config), 32, 0.0).eval()

    return made


@pytest.fixture(scope="session")
def example_row() -> Callable[[], Row]:
    """Makes a sentence with all layers."""

    def make() -> Row:
        return Row(
            id="x",
            source="gum",
            genre="news",
            words=["Although", "it", "rained", ",", "we", "left", "."],
            edus=[0, 4],
            upos=["SCONJ", "PRON", "VERB", "PUNCT", "PRON", "VERB", "PUNCT"],
            xpos=["IN", "PRP", "VBD", ",", "PRP", "VBD", "."],
            heads=[3, 3, 6, 3, 6, 0, 6],
            rels=["mark", "nsubj", "advcl", "punct", "nsubj", "root", "punct"],
            brackets=[(0, 7, "S"), (0, 3, "SBAR"), (3, 4, "X"), (4, 5, "NP")],
            frames=[Frame(2, [(1, 2, "ARG0")]), Frame(5, [(0, 3, "ARGM-ADV"), (4, 5, "ARG0")])],
            connectives=[(0, 1, "Comparison.Concession")],
            entities=[],
        )

    return make


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """The folder of a pretrained encoder, small and random."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    toy = pytest.importorskip("training.toy", reason="training needs safetensors")
    toy.write_base(tmp_path / "base", toy.MPNET)
    return tmp_path / "base"


@pytest.fixture(scope="session")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The training data of `judge` from 96 made-up segments of WMT23."""
    from training.judge import groups, segments, store

    rng = random.Random(1)
    nouns = "bridge river closed three days minister said Monday old city report house"
    words = nouns.split()
    made = []
    for k in range(96):
        text = f"The {' '.join(rng.sample(words, 8))} in {k} was easy."
        outputs = {"a": text.replace("easy", "simple"), "b": f"{' '.join(rng.sample(words, 5))}."}
        about = "wmt23", f"wmt23/zh-en:{k}", f"wmt23:{k // 2}", "源 文"
        levels = {"a": -1.0, "b": -9.0}
        made.append(segments.Segment(*about, {"refA": text}, outputs, levels=levels))
    cutter = store.Cutter(WEIGHTS / "tokenizer.json")
    contrast = groups.contrast([("kind", "A cat.", "A cat!", "Dogs.")])
    path = tmp_path_factory.mktemp("store") / "judge.npz.xz"
    store.compress(store.pack([*groups.make(made, cutter.size), *contrast], cutter), path)
    return path
