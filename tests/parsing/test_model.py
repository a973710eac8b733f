"""The shipped model: it loads, it parses, damage is told, neighbours do not matter."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.parsing import annotate, version
from albeit.parsing.annotator import English
from albeit.parsing.encoder import casing
from albeit.parsing.layers import CONNECTIVES, DEPENDENCIES, EDUS, RST, VECTORS, RstNode
from albeit.parsing.model import WEIGHTS, Model, ModelError, load_model, threads
from tests.parsing.fake import without
from tests.parsing.test_annotate import ALL, check

TEXTS = [
    "He left because it rained.",
    "Although the plan, which was announced on Monday, failed, nobody resigned. He was glad.",
    "the president said that he would n't come , but they went home anyway .",
    "&quot; Why? &quot; she asked ; WHY NOT, HE SAID",
    "Das ist nicht translated .",
]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of the model to do harm to; the encoder is not needed for that."""
    for path in WEIGHTS.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path / path.name)
    return tmp_path


def test_all_layers() -> None:
    found = annotate(TEXTS, ALL)
    for text in TEXTS:
        check(found[text])


def test_a_tree_that_nobody_doubts() -> None:
    analysis = annotate(TEXTS[:1], ALL)[TEXTS[0]]
    assert analysis[EDUS] == ((0, 2), (2, 6))
    assert analysis[RST] == RstNode(0, 1, "NS", "causal", RstNode(0, 0), RstNode(1, 1))
    assert analysis[DEPENDENCIES].heads == (1, -1, 4, 4, 1, 1)
    assert [c.tokens for c in analysis[CONNECTIVES]] == [(2,)]


def test_neighbours_and_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    together = annotate(TEXTS, ALL)
    monkeypatch.setenv("ALBEIT_THREADS", "2")
    other = Model()
    shuffled = annotate(random.Random(1).sample(TEXTS, len(TEXTS)), ALL, annotator=English(other))
    for text in TEXTS:
        alone = annotate([text], ALL)[text]
        for one in (alone, shuffled[text]):
            assert without(one, VECTORS) == without(together[text], VECTORS)
            assert np.abs(one[VECTORS].rows - together[text][VECTORS].rows).max() <= 1e-3


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=80))
def test_any_unicode(text: str) -> None:
    check(annotate([text, "\udcff" + text], ALL)[text])


def test_a_long_text_is_not_cut() -> None:
    text = "This is said again and again, " * 150
    check(annotate([text], ALL)[text])


def test_versions() -> None:
    assert version() == f"{load_model().version}-t2"
    assert version("en_US") == version()


@pytest.mark.parametrize("name", ["edus.onnx", "encoder.onnx"])
def test_a_damaged_network(weights: Path, name: str) -> None:
    data = bytearray((weights / name).read_bytes())
    data[len(data) // 2] ^= 1
    (weights / name).write_bytes(data)
    with pytest.raises(ModelError, match=r"damaged.*Reinstall"):
        annotate(TEXTS, frozenset({EDUS}), annotator=English(Model(weights)))


def test_a_missing_network(weights: Path) -> None:
    (weights / "rst.onnx").unlink()
    with pytest.raises(ModelError, match=r"damaged.*Reinstall"):
        annotate(TEXTS, frozenset({RST}), annotator=English(Model(weights)))


def test_a_damaged_tokenizer(weights: Path) -> None:
    (weights / "tokenizer.json").write_text("{")
    with pytest.raises(ModelError, match=r"tokenizer\.json: cannot be loaded"):
        annotate(TEXTS, frozenset({EDUS}), annotator=English(Model(weights)))


def test_no_model_at_all(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"meta\.json: the model is missing"):
        Model(tmp_path)
    (tmp_path / "meta.json").write_text("[1")
    with pytest.raises(ModelError, match="not a description"):
        Model(tmp_path)
    (tmp_path / "meta.json").write_text('{"version": "1"}')
    with pytest.raises(ModelError, match="lacks embeddings, labels"):
        Model(tmp_path)


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_THREADS", "3")
    assert threads() == 3
    monkeypatch.delenv("ALBEIT_THREADS")
    assert threads() >= 1


@pytest.mark.parametrize(
    ("word", "kind"), [("the", 1), ("The", 2), ("UN", 3), ("McDonald", 4), ("12%", 5), ("I", 2)]
)
def test_casing(word: str, kind: int) -> None:
    assert casing(word) == kind
