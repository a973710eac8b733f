"""The network of judge-many: what it reads, and its values in any batch."""

from __future__ import annotations

import json
import random
import shutil
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from albeit.metrics.judge.sequence import Sequences, Texts
from albeit.parsing.model import ModelError
from tests.metrics.judge.networks import BASE, FOLDER, check_neighbors, extra

extra("gguf"), extra("sentencepiece")
LONGEST = 96
ITEMS = (
    Texts("the bear is in", "the bier is in the", "der Bär 说话。"),
    Texts("the bear is in", "the bier is in the", None),
    Texts("the bear is in", None, "der Bär 说话。"),
    Texts("o", "the the the", "x y"),
    Texts("š 𐎠 👩‍👧", "\u200b", None),
)


@pytest.fixture
def network() -> Sequences:
    return Sequences(FOLDER, str(BASE))


def test_golden_values(network: Sequences) -> None:
    """As computed once in double precision from the definition of the network.

    ``research/tests/test_many_export.py`` compares the network with the one that is trained.
    """
    found = network.read(ITEMS)
    scores = [-0.814894, -0.942512, -0.870081, 0.403781, -0.475753]
    assert found.scores == pytest.approx(scores, abs=1e-4)
    spreads = [10.114484, 10.407609, 7.657469, 12.154999, 12.766616]
    assert found.spreads == pytest.approx(spreads, rel=1e-4)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (ITEMS[0], "der Bär 说话。\nthe bier is in the\nthe bear is in"),
        (ITEMS[1], "the bier is in the\nthe bear is in"),
        (Texts(" the  bear is\tin", None, "der  Bär 说话。\n"), "der Bär 说话。\nthe bear is in"),
    ],
)
def test_given_texts_are_read_as_one_sequence(network: Sequences, item: Texts, text: str) -> None:
    (inputs,) = network.inputs([item])
    last = int(inputs.last[0])
    ids, sides = inputs.ids[0], inputs.sides[0]
    assert (ids[0], ids[last]) == (2, 1)
    assert not ids[last + 1 :].any()
    assert network.tokenizer.decode(ids[1:last].tolist()) == text
    breaks = [k for k in range(1, last) if ids[k] == 4]
    assert not sides[[0, *breaks, *range(last, len(sides))]].any()
    assert [side for side, _ in groupby(sides[sides > 0])] == list(item.by_side())


def test_no_score_depends_on_its_neighbors(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    words = ["the", "bear", "is", "in", "die", "Oder.", "der", "Bär", "说话。", "an,", "been!"]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 12)))

    items = [Texts(text(), text(), None) for _ in range(10)]
    items += [Texts(text(), rng.choice([text(), None]), text()) for _ in range(20)]
    check_neighbors(lambda: Sequences(FOLDER, str(BASE)), items, monkeypatch)


@pytest.mark.parametrize(("reference", "source"), [(True, True), (True, False), (False, True)])
def test_long_texts_are_read_to_their_end(
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
