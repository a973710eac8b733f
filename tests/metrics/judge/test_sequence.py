"""The network of judge-many: what it reads, and its values in any batch."""

from __future__ import annotations

import json
import random
import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.metrics.judge.chunking import facts
from albeit.metrics.judge.sequence import Sequences, Texts
from albeit.parsing.model import ModelError

gguf = pytest.importorskip("gguf", reason="gguf is not installed: albeit[multilingual] brings it")
pytest.importorskip(
    "sentencepiece", reason="sentencepiece is not installed: albeit[multilingual] brings it"
)

Floats = Any
FOLDER = Path(__file__).parent / "many"
BASE = FOLDER / "base.gguf"
HEADS, SIZE, LONGEST = 2, 32, 96
ITEMS = (
    Texts("the bear is in", "the bier is in the", "der Bär 说话。"),
    Texts("the bear is in", "the bier is in the", None),
    Texts("the bear is in", None, "der Bär 说话。"),
    Texts("o", "the the the", "x y"),
    Texts("š 𐎠 👩‍👧", "\u200b", None),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "networks"


@pytest.fixture
def network() -> Sequences:
    return Sequences(FOLDER, str(BASE))


class Slow:
    """The same network as its definition says it, in double precision, a sequence at a time."""

    def __init__(self, cutter: Any) -> None:
        self.cutter = cutter
        file = gguf.GGUFReader(BASE)
        self.base = {
            t.name.removesuffix(".weight"): gguf.dequantize(t.data, t.tensor_type).astype(float)
            for t in file.tensors
        }
        with np.load(FOLDER / "adapter.npz") as stored:
            own = {name: stored[name].astype(float) for name in stored.files}
        self.own = {
            name: value * own[f"{name}.scale"][:, None] if f"{name}.scale" in own else value
            for name, value in own.items()
            if not name.endswith(".scale")
        }

    def product(self, n: int, name: str, *parts: str) -> Floats:
        """A merged matrix [out, in]."""
        whole = np.concatenate([self.base[f"blk.{n}.{part}"] for part in parts])
        up, down = (self.own[f"layers.{n}.{name}.{part}"] for part in ("up", "down"))
        return whole + 2 * up @ down

    def layer(self, h: Floats, n: int) -> Floats:
        def normal(x: Floats, name: str) -> Floats:
            scale = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
            return x * scale * self.base[f"blk.{n}.{name}"]

        theta = 1e6 if n == 1 else 1e4  # in this base every second layer looks far
        angle = np.outer(np.arange(len(h)), theta ** -(np.arange(0, SIZE, 2) / SIZE))
        cosine, sine = (np.tile(part, 2) for part in (np.cos(angle), np.sin(angle)))

        def turned(x: Floats) -> Floats:
            across = np.concatenate([-x[:, SIZE // 2 :], x[:, : SIZE // 2]], 1)
            return x * cosine + across * sine

        x = normal(h, "attn_norm") @ self.product(n, "enter", "attn_q", "attn_k", "attn_v").T
        *queries, key, value = np.split(x, HEADS + 2, axis=1)
        key = turned(normal(key, "attn_k_norm"))
        heads = []
        for query in queries:
            close = turned(normal(query, "attn_q_norm")) @ key.T / np.sqrt(SIZE)
            close[np.triu_indices(len(h), 1)] = -np.inf
            shares = np.exp(close - close.max(1, keepdims=True))
            heads.append(shares / shares.sum(1, keepdims=True) @ value)
        seen = np.concatenate(heads, 1) @ self.product(n, "leave", "attn_output").T
        h = h + normal(seen, "post_attention_norm")
        inner = normal(h, "ffn_norm") @ self.product(n, "wide", "ffn_gate", "ffn_up").T
        gate, up = np.split(inner, 2, axis=1)
        gate = gate * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3))) / 2
        return h + normal(gate * up @ self.product(n, "narrow", "ffn_down").T, "post_ffw_norm")

    def norm(self, x: Floats, place: str) -> Floats:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return x * self.own[f"head.{place}.norm.weight"] + self.own[f"head.{place}.norm.bias"]

    def __call__(self, texts: Texts) -> tuple[float, float]:
        """The score and the logarithm of its standard error."""
        ids, sides = [2], [0]
        for side, text in ((3, texts.source), (1, texts.reference), (2, texts.translation)):
            if text is not None:
                own = self.cutter.encode(" ".join(text.split()))
                ids += [*own, 1 if side == 2 else 4]  # the end, or a line break
                sides += [side] * len(own) + [0]
        h = self.base["token_embd"][ids] * np.sqrt(64) + self.own["sides.weight"][sides]
        states = []
        for n, place in enumerate(("middle", "last")):
            h = self.layer(h, n)
            centre, spread = (self.own[f"head.{place}.{part}"] for part in ("centre", "spread"))
            states.append(self.norm((h - centre) / spread, place))
        mine = np.array(sides) == 2
        theirs = np.array(sides) == (3 if texts.reference is None else 1)
        told = [0.0] * 3
        if texts.reference is not None:
            told = (2 * facts([texts.translation], [texts.reference])[0] - 1).tolist()
        for own in states:
            unit = own / np.sqrt((own**2).sum(1, keepdims=True))
            close = unit[mine] @ unit[theirs].T
            told += [2 * close.max(1).mean() - 1, 2 * close.max(0).mean() - 1]
        told.append(float(texts.reference is None))
        one, other = (self.norm(states[1][side].mean(0), "last") for side in (mine, theirs))
        joined = np.concatenate([states[1][-1], one, other, abs(one - other), one * other])
        w = {
            name: self.own[f"head.{name}.weight"]
            for name in ("up", "facts", "score", "plain", "error")
        }
        inside = np.tanh(w["up"] @ joined + self.own["head.up.bias"] + w["facts"] @ told)
        score = w["score"] @ inside + w["plain"] @ told + self.own["head.score.bias"]
        return float(score[0]), float((w["error"] @ inside + self.own["head.error.bias"])[0])


def test_it_computes_what_its_definition_says(network: Sequences) -> None:
    """In single precision, sums of 320 products of numbers near 1 differ in the fifth digit."""
    slow = Slow(network.tokenizer)
    expected = np.array([slow(item) for item in ITEMS])
    found = network.read(ITEMS)
    assert found.spreads is not None
    assert found.scores == pytest.approx(expected[:, 0], abs=1e-4)
    assert np.log(found.spreads) == pytest.approx(expected[:, 1], abs=1e-4)
    assert np.ptp(found.scores) > 0.1


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (ITEMS[0], "der Bär 说话。\nthe bier is in the\nthe bear is in"),
        (ITEMS[1], "the bier is in the\nthe bear is in"),
        (Texts(" the  bear is\tin", None, "der  Bär 说话。\n"), "der Bär 说话。\nthe bear is in"),
    ],
)
def test_the_texts_that_are_there_are_read_as_one_sequence(
    network: Sequences, item: Texts, text: str
) -> None:
    (inputs,) = network.inputs([item])
    last = int(inputs.last[0])
    ids, sides = inputs.ids[0], inputs.sides[0]
    assert (ids[0], ids[last]) == (2, 1)
    assert not ids[last + 1 :].any()
    assert network.tokenizer.decode(ids[1:last].tolist()) == text
    breaks = [k for k in range(1, last) if ids[k] == 4]
    assert not sides[[0, *breaks, *range(last, len(sides))]].any()
    assert [side for side, _ in groupby(sides[sides > 0])] == list(item.by_side())


def test_no_score_depends_on_its_neighbours(
    network: Sequences, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    words = ["the", "bear", "is", "in", "die", "Oder.", "der", "Bär", "说话。", "an,", "been!"]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 12)))

    items = [Texts(text(), text(), None) for _ in range(10)]
    items += [Texts(text(), rng.choice([text(), None]), text()) for _ in range(20)]
    together = network.read(items)
    mixed = rng.sample(range(len(items)), len(items))
    again = network.read([items[k] for k in mixed])
    assert np.array_equal(together.scores[mixed], again.scores)
    assert np.array_equal(np.asarray(together.spreads)[mixed], np.asarray(again.spreads))
    for k in range(0, len(items), 4):
        assert network.read([items[k]]).scores[0] == together.scores[k]
    monkeypatch.setenv("ALBEIT_THREADS", "2")
    assert np.array_equal(Sequences(FOLDER, str(BASE)).read(items).scores, together.scores)


@pytest.mark.parametrize(("reference", "source"), [(True, True), (True, False), (False, True)])
def test_long_texts_are_read_in_chunks_to_their_end(
    network: Sequences, reference: bool, source: bool
) -> None:
    sentence = "The bear is in the den. "
    others = sentence * 20 if reference else None, "Die Bären sind da. " * 20 if source else None
    long, changed = (Texts(ours, *others) for ours in (sentence * 20, sentence * 19 + "o o o"))
    reading = network.read([long, changed], ("en", "de"))
    assert (reading.chunks >= 4).all()
    assert reading.scores[0] != reading.scores[1]
    words = 0
    for batch in network.inputs([long]):
        assert (batch.last < LONGEST).all()
        for ids, sides in zip(batch.ids, batch.sides, strict=True):
            words += len(network.tokenizer.decode(ids[sides == 2].tolist()).split())
    assert words == len(long.translation.split())


def test_layers_are_merged_once(network: Sequences, cache: Path) -> None:
    expected = network.read(ITEMS).scores
    assert len(list(cache.iterdir())) == 2
    again = Sequences(FOLDER, str(BASE))
    again.file.tensors = {k: v for k, v in again.file.tensors.items() if k.startswith("token")}
    assert np.array_equal(again.read(ITEMS).scores, expected)
    for path in cache.iterdir():
        path.write_bytes(path.read_bytes()[:-7])
    assert np.array_equal(Sequences(FOLDER, str(BASE)).read(ITEMS).scores, expected)


def test_damaged_files_are_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    shutil.copytree(FOLDER, folder)
    (folder / "adapter.npz").write_bytes(b"other")
    with pytest.raises(ModelError, match="damaged, it is not version"):
        Sequences(folder, str(BASE)).read(ITEMS)
    (folder / "adapter.npz").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        Sequences(folder, str(BASE)).read(ITEMS)
    meta = json.loads((folder / "meta.json").read_text())
    del meta["base"]
    (folder / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(ModelError, match="lacks base"):
        Sequences(folder, str(BASE))
