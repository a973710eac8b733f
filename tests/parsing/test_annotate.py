"""The shipped model over texts: batches, layers, use of the cache, damage, and bad input."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.errors import InputError, LanguageError
from albeit.parsing import annotate, layers
from albeit.parsing.annotator import English
from albeit.parsing.layers import EDUS, RST, SENTENCES, TOKENS, VECTORS, Analysis
from albeit.parsing.model import WEIGHTS, Model, ModelError
from tests.parsing.formats.strategies import without

ALL = frozenset(layers.of_lines())
TEXTS = [
    "",
    "  ",
    "Yes.",
    "He left because it rained.",
    "She said no. He did n't listen! Then they went home, as if nothing had happened.",
    "Although the plan, which was announced on Monday, failed, nobody resigned. He was glad.",
    "the president said that he would n't come , but they went home anyway .",
    "&quot; Why? &quot; she asked ; WHY NOT, HE SAID",
    "Das ist nicht translated .",
    "a \udc80 b",
    "This is said again and again, " * 150,
]


class Recording(Model):
    """The shipped model, which keeps the shapes of its batches and the heads that ran."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        super().__init__(folder)
        self.shapes: list[tuple[int, ...]] = []
        self.heads: list[str] = []

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[npt.NDArray[np.float32]]:
        if name == "encoder":
            self.shapes.append(inputs[0].shape)
        else:
            self.heads.append(name)
        return super().head(name, *inputs)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of the model to damage, without the networks over documents."""
    shutil.copytree(WEIGHTS, tmp_path / "weights", ignore=shutil.ignore_patterns("documents"))
    return tmp_path / "weights"


def run(model: Model, texts: list[str], *wanted: layers.AnyLayer) -> dict[str, Analysis]:
    return dict(annotate(texts, frozenset(wanted), annotator=English(model)))


def same(one: Analysis, other: Analysis) -> bool:
    close = np.allclose(one[VECTORS].rows, other[VECTORS].rows, atol=1e-3)
    return close and without(one, VECTORS) == without(other, VECTORS)


def check(analysis: Analysis) -> None:
    """Everything that must hold of any analysis with all layers."""
    tokens, tree, deps = analysis[TOKENS], analysis[RST], analysis[layers.DEPENDENCIES]
    size = len(tokens)
    assert [analysis.text[a:b] for a, b in tokens.offsets] == list(tokens.forms)
    for spans in (analysis[SENTENCES], analysis[EDUS]):
        assert [n for a, b in spans for n in range(a, b)] == list(range(size))
    assert {a for a, _ in analysis[SENTENCES]} <= {a for a, _ in analysis[EDUS]}
    assert (tree is None) == (size == 0)
    if tree is not None:
        assert (tree.first, tree.last) == (0, len(analysis[EDUS]) - 1)
        assert sum(node.is_leaf for node in tree.walk()) == len(analysis[EDUS])
    assert len(deps.upos) == len(deps.heads) == len(deps.relations) == size
    assert [(t.start, t.stop) for t in analysis[layers.CONSTITUENTS]] == list(analysis[SENTENCES])
    for a, b in analysis[SENTENCES]:
        assert [h for h in deps.heads[a:b] if h < 0] == [-1]
        assert all(h < 0 or a <= h < b for h in deps.heads[a:b])
    assert sorted(set(analysis[VECTORS].words.tolist())) == list(range(size))
    assert np.allclose(np.linalg.norm(analysis[VECTORS].rows, axis=1), 1, atol=1e-3)


def test_all_layers_of_all_texts() -> None:
    found = annotate([*TEXTS, TEXTS[3]], ALL)
    assert set(found) == set(TEXTS)
    for analysis in found.values():
        check(analysis)
    analysis = found[TEXTS[3]]
    assert analysis[EDUS] == ((0, 2), (2, 6))
    leaves = layers.RstNode(0, 0), layers.RstNode(1, 1)
    assert analysis[RST] == layers.RstNode(0, 1, "NS", "causal", *leaves)
    assert analysis[layers.DEPENDENCIES].heads == (1, -1, 4, 4, 1, 1)
    assert [c.tokens for c in analysis[layers.CONNECTIVES]] == [(2,)]


@settings(max_examples=40)
@given(texts=st.lists(st.text(max_size=60), max_size=4))
def test_any_unicode(texts: list[str]) -> None:
    for analysis in annotate(texts, ALL).values():
        check(analysis)


def test_neighbours_and_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    rng = random.Random(1)
    words = ["we", "the", "sea", ".", ",", "because", "went", "said", "although", "they"]
    texts = TEXTS + [" ".join(rng.choices(words, k=rng.randint(1, 40))) for _ in range(60)]
    together = annotate(texts, ALL)
    monkeypatch.setenv("ALBEIT_THREADS", "2")
    again = run(Model(), rng.sample(texts, len(texts)), *ALL)
    assert all(same(together[text], again[text]) for text in texts)
    assert all(same(together[text], annotate([text], ALL)[text]) for text in texts[:20])


def test_batches_hold_one_length_and_distinct_sentences_once() -> None:
    model = Recording()
    run(model, [" ".join(["word"] * n) for n in range(1, 60)], layers.DEPENDENCIES)
    assert all(width % 4 == 0 and rows <= 4 for rows, width in model.shapes)
    model = Recording()
    run(model, [f"The same sentence. {w} follows here." for w in ["One", "Two", "Six", "Ten"]], RST)
    assert sum(rows for rows, _ in model.shapes) == 5


def test_only_the_heads_of_the_layers_run_and_shared_ones_once() -> None:
    model = Recording()
    run(model, TEXTS, RST)
    found = run(model, TEXTS, TOKENS)["Yes."]
    assert set(model.heads) == {"edus", "rst"}
    assert found[TOKENS].forms == ("Yes", ".")
    with pytest.raises(RuntimeError, match="layer rst was used but not required"):
        found[RST]
    run(model, ["He left."], layers.DEPENDENCIES, layers.CONSTITUENTS)
    assert model.heads.count("tags") == 1


def test_long_texts_are_read_in_windows() -> None:
    model = Recording()
    text = " ".join(f"pneumonoultramicroscopic{n}" for n in range(200))
    analysis = run(model, [text], *ALL)[text]
    check(analysis)
    assert len(analysis[VECTORS].rows) > 1000
    assert max(width for _, width in model.shapes) <= 502


def test_only_what_the_cache_lacks_is_computed() -> None:
    fresh = run(Recording(), TEXTS, EDUS, layers.ROLES)
    model = Recording()
    cached = run(model, TEXTS[::-1], EDUS, layers.ROLES)
    assert not model.calls
    assert fresh == cached
    run(model, TEXTS, EDUS, layers.ROLES, layers.ENTITIES)
    assert set(model.heads) == {"entities"}
    model.version = "other"
    run(model, TEXTS, EDUS)
    assert "edus" in model.heads


def test_languages_and_supplied_annotations() -> None:
    with pytest.raises(LanguageError, match=r"no rst for 'de': annotators here make it for en\."):
        annotate(["Guten Tag."], frozenset({RST}), "de")
    assert annotate(["Hi."], frozenset({TOKENS}), "en-GB")["Hi."][TOKENS].forms == ("Hi", ".")
    own = annotate(["Da."], frozenset({TOKENS}))["Da."].replace("Da.", {layers.CONSTITUENTS: ()})
    found = annotate(["Da."] * 2, frozenset({layers.CONSTITUENTS}), "ru", given={"Da.": own})
    assert found["Da."] is own
    with pytest.raises(InputError, match="have no edus, rst"):
        annotate(["Da."], frozenset({RST}), given={"Da.": own})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("edus.onnx", lambda data: data[:-1], r"damaged.*Name a folder with a network"),
        ("encoder.onnx", lambda data: b"x" + data[1:], r"damaged.*Name a folder with a network"),
        ("rst.onnx", None, r"damaged.*Name a folder with a network"),
        ("tokenizer.json", lambda _: b"{", r"tokenizer\.json: cannot be loaded"),
        ("meta.json", None, r"meta\.json: the model is missing"),
        ("meta.json", lambda _: b"[1", "not a description"),
        ("meta.json", lambda _: b'{"version": "1"}', "lacks embeddings, labels"),
    ],
)
def test_a_damaged_model_is_an_error(weights: Path, name: str, change: Any, message: str) -> None:
    data = (weights / name).read_bytes()
    (weights / name).unlink()
    if change is not None:
        (weights / name).write_bytes(change(data))
    with pytest.raises(ModelError, match=message):
        run(Model(weights), TEXTS, RST)
