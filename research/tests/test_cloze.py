"""Cloze heads: what is hidden, what is read of it, and a training of a few steps."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from albeit.metrics.judge.cloze import CLASSES, NONE, NOUN, THIS, Target, connectives, pronouns
from training.batch import CLS, SEP
from training.cloze import store, texts
from training.judge.store import Cutter

TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")
LINES = [
    "The minister met Angela in Paris.",
    "She said that the minister was late, but he denied it.",
    "However, this is not the end.",
    "Angela left because of the rain.",
]


def document(name: str = "d") -> texts.Document:
    return texts.Document(name, [line.split() for line in LINES])


def names(found: list[Target], words: list[str]) -> list[tuple[str, str]]:
    return [(" ".join(words[t.start : t.stop]), t.name) for t in found]


def test_classes_of_pronouns_recurring_names_and_connectives() -> None:
    words = document().words
    known = [("She", "she"), ("he", "he"), ("it.", "it"), ("this", THIS)]
    assert names(pronouns(words), words) == known
    assert not pronouns(["says", "this", "house", "is", "that", "big"])
    # Angela begins her sentence
    assert names(store.recurring(words), words) == [("minister", NOUN)]
    known = [("", NONE), ("but", "but"), ("However,", "however"), ("", NONE)]
    assert names(connectives(words), words) == known
    also = ["Prices", "fell.", "For", "example,", "oil", "did."]
    assert names(connectives(also), also)[-1] == ("For example,", "for example")


@pytest.fixture
def places() -> store.Places:
    builder = store.Builder(Cutter(TOKENIZER), random.Random(1))
    builder.learn(document())
    return store.Places.of(builder.arrays())


def test_a_hidden_word_leaves_a_mask_and_no_trace_in_the_casing_after_it(
    places: store.Places,
) -> None:
    chosen = places.chosen("train")
    classes = [CLASSES[k] for k in places.table[chosen, store.CLASS]]
    however = chosen[classes.index("however")]
    ids, _cases, at = places.read(np.array([however]))
    assert (ids[0], ids[-1]) == (CLS, SEP)
    assert np.flatnonzero(ids == store.MASK).tolist() == at.tolist()
    hidden = chosen[classes.index(NONE)]
    _, before, where = places.read(np.array([hidden]))
    assert before[where[0] + 1] == 1  # "She" after a mask looks as any word does


def test_several_places_of_a_text_are_hidden_at_once(places: store.Places) -> None:
    chosen = places.chosen("train")
    ids, _, at = places.read(chosen[:3])
    assert (ids == store.MASK).sum() == (at >= 0).sum() > 1
    assert all(ids[k] == store.MASK for k in at if k >= 0)


def test_it_trains_tests_and_comes_back(tmp_path: Path, places: store.Places) -> None:
    torch = pytest.importorskip("torch", reason="training needs PyTorch")
    network = pytest.importorskip("training.cloze.network")
    train = pytest.importorskip("training.cloze.train")
    toy = pytest.importorskip("training.toy", reason="training needs safetensors")
    config = replace(toy.MPNET, case_after=0, mixed=1, cases=12)
    torch.manual_seed(1)
    encoder = toy.Encoder(config)
    before = {n: v.clone() for n, v in encoder.state_dict().items()}
    cloze = network.Cloze(encoder, 1)
    settings = train.Settings(
        judge=Path(), out=tmp_path, lr=1e-3, until=time.time() + 600, limit=3, texts=2, sample=8
    )
    assert train.fit(cloze, places, settings, "cpu") == 3
    for name, value in cloze.encoder.state_dict().items():
        assert torch.equal(value, before[name]), "the judge's own stays"
    places.table[-4:, 0] = store.PARTS.index("dev")
    figures = train.measure(cloze, places, "cpu", settings)
    assert 0 <= figures["connectives"] <= 1
    network.save(cloze, tmp_path / "a/adapter.npz")
    fresh = toy.Encoder(config)
    fresh.load_state_dict(before)
    again = network.load(fresh, tmp_path / "a/adapter.npz")
    text = [places.read(places.chosen("train")[:1])]
    one, other = (train.predict(c, text, "cpu", 2) for c in (cloze, again))
    assert np.abs(one - other).max() < 0.1  # bytes
