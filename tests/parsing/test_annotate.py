"""The runtime around the model: batching, layers, cache use, bad input."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.errors import InputError, LanguageError
from albeit.parsing import annotate, pipeline
from albeit.parsing.annotator import English
from albeit.parsing.encoder import EncodedBatch
from albeit.parsing.layers import (
    CONSTITUENTS,
    DEPENDENCIES,
    EDUS,
    ENTITIES,
    ROLES,
    RST,
    SENTENCES,
    TOKENS,
    VECTORS,
    Analysis,
    Constituent,
    RstNode,
    of_lines,
)
from albeit.store import CacheWarning
from tests.parsing.fake import FakeModel, without

ALL = frozenset(of_lines())
TEXTS = [
    "",
    "Yes.",
    "He left because it rained, and nobody came.",
    "She said no. He did n't listen! Then they went home, as if nothing had happened.",
    "He left because it rained, and nobody came.",
    "lower cased text . with two sentences .",
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))
    return tmp_path


def same(one: Analysis, other: Analysis) -> bool:
    return without(one, VECTORS) == without(other, VECTORS) and np.allclose(
        one[VECTORS].rows, other[VECTORS].rows, atol=1e-3
    )


def check(analysis: Analysis) -> None:
    """Everything that must hold of any analysis with all layers."""
    tokens = analysis[TOKENS]
    size = len(tokens)
    assert all(
        analysis.text[a:b] == form
        for form, (a, b) in zip(tokens.forms, tokens.offsets, strict=True)
    )
    for spans in (analysis[SENTENCES], analysis[EDUS]):
        assert [n for a, b in spans for n in range(a, b)] == list(range(size))
    assert {a for a, _ in analysis[SENTENCES]} <= {a for a, _ in analysis[EDUS]}
    if size:
        tree = analysis[RST]
        assert tree is not None
        assert (tree.first, tree.last) == (0, len(analysis[EDUS]) - 1)
        assert sum(node.is_leaf for node in tree.walk()) == len(analysis[EDUS])
    else:
        assert analysis[RST] is None
    deps = analysis[DEPENDENCIES]
    assert len(deps.upos) == len(deps.heads) == len(deps.relations) == size
    assert [(t.start, t.stop) for t in analysis[CONSTITUENTS]] == list(analysis[SENTENCES])
    for a, b in analysis[SENTENCES]:
        assert [h for h in deps.heads[a:b] if h < 0] == [-1]
        assert all(h < 0 or a <= h < b for h in deps.heads[a:b])
    assert sorted(set(analysis[VECTORS].words.tolist())) == list(range(size))
    assert np.allclose(np.linalg.norm(analysis[VECTORS].rows, axis=1), 1, atol=1e-3)


def test_all_layers_of_all_texts() -> None:
    found = annotate(TEXTS, ALL, annotator=English(FakeModel()))
    assert set(found) == set(TEXTS)
    assert len(found) == 5
    for text in TEXTS:
        check(found[text])
        assert found[text] is found[text]


def test_empty_text_has_empty_layers() -> None:
    analysis = annotate(["  "], ALL, annotator=English(FakeModel()))["  "]
    check(analysis)
    assert (analysis[SENTENCES], analysis[EDUS]) == ((), ())
    assert (analysis[CONSTITUENTS], analysis[ROLES]) == ((), ())
    assert analysis[VECTORS].rows.shape == (0, 16)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=60), max_size=4))
def test_any_unicode(texts: list[str]) -> None:
    found = annotate(texts, ALL, annotator=English(FakeModel()))
    for text in texts:
        check(found[text])


def test_lone_surrogates() -> None:
    check(annotate(["a \udc80 b"], ALL, annotator=English(FakeModel()))["a \udc80 b"])


def test_neighbours_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    rng = random.Random(1)
    words = [
        "we",
        "the",
        "sea",
        ".",
        ",",
        "because",
        "went",
        "said",
        "although",
        "?",
        "they",
        "been",
    ]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 40))) for _ in range(150)]
    together = annotate(texts, ALL, annotator=English(FakeModel()))
    shuffled = rng.sample(texts, len(texts))
    again = annotate(shuffled, ALL, annotator=English(FakeModel()))
    assert all(same(together[text], again[text]) for text in texts)
    for text in texts[:20]:
        assert same(together[text], annotate([text], ALL, annotator=English(FakeModel()))[text])


def test_batches_hold_one_length() -> None:
    model = FakeModel()
    annotate(
        [" ".join("word" for _ in range(n)) for n in range(1, 60)], ALL, annotator=English(model)
    )
    assert all(width % 4 == 0 for _, width in model.shapes)
    assert all(rows <= 4 for rows, _ in model.shapes)


def test_distinct_sentences_are_encoded_once() -> None:
    model = FakeModel()
    texts = [f"The same sentence. {word} follows here." for word in ["One", "Two", "Six", "Ten"]]
    annotate(texts, frozenset({RST}), annotator=English(model))
    assert sum(rows for rows, _ in model.shapes) == 5


def test_only_the_heads_asked_for_run() -> None:
    model = FakeModel()
    annotate(TEXTS, frozenset({RST}), annotator=English(model))
    assert model.heads == {"edus", "rst"}
    found = annotate(TEXTS, frozenset({TOKENS}), annotator=English(model))
    assert found["Yes."][TOKENS].forms == ("Yes", ".")
    assert RST not in found["Yes."]
    with pytest.raises(RuntimeError, match="layer rst was used but not required"):
        found["Yes."][RST]
    assert model.heads == {"edus", "rst"}


def test_a_head_that_two_layers_read_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeModel()
    names: list[str] = []
    head = model.head

    def counted(name: str, *inputs: npt.NDArray[np.generic]) -> list[npt.NDArray[np.float32]]:
        names.append(name)
        return head(name, *inputs)

    monkeypatch.setattr(model, "head", counted)
    annotate(["He left."], frozenset({DEPENDENCIES, CONSTITUENTS}), annotator=English(model))
    assert names.count("tags") == 1


def test_labels_of_spans_see_the_words_around_them() -> None:
    width = 2
    words = np.arange(1, 13, dtype=np.float32).reshape(2, 3, width)
    words[0, 2] = 0
    batch = EncodedBatch(np.arange(2), words, np.array([2, 3]), [])
    row, start, stop = np.array([[0, 0, 2], [0, 1, 2], [1, 0, 1]], np.int32).T
    expected = [[0, 0, 1, 2, 3, 4, 0, 0], [1, 2, 3, 4, 3, 4, 0, 0], [0, 0, 7, 8, 7, 8, 9, 10]]
    assert pipeline.around(batch, row, start, stop).tolist() == expected


def test_long_texts_are_windowed_not_cut() -> None:
    model = FakeModel()
    text = " ".join(f"pneumonoultramicroscopic{n}" for n in range(200))
    analysis = annotate([text], ALL, annotator=English(model))[text]
    check(analysis)
    assert len(analysis[VECTORS].rows) > 1000
    assert max(width for _, width in model.shapes) <= 502
    short = FakeModel()
    # away from the edges a window sees what the whole would: the fake looks one token around
    part = " ".join(text.split()[:50])
    head = annotate([part], frozenset({DEPENDENCIES}), annotator=English(short))[part][DEPENDENCIES]
    assert head.upos[:49] == analysis[DEPENDENCIES].upos[:49]


def test_a_second_run_does_no_model_work() -> None:
    first, second = FakeModel(), FakeModel()
    fresh = annotate(TEXTS, ALL, annotator=English(first))
    cached = annotate(list(reversed(TEXTS)), ALL, annotator=English(second))
    assert first.calls > 0
    assert second.calls == 0
    assert all(same(fresh[text], cached[text]) for text in TEXTS)


def test_only_missing_layers_are_made() -> None:
    annotate(TEXTS, frozenset({EDUS, ROLES}), annotator=English(FakeModel()))
    model = FakeModel()
    annotate(TEXTS, frozenset({EDUS, ROLES, ENTITIES}), annotator=English(model))
    assert model.heads == {"entities"}


def test_another_model_version_has_its_own_cache() -> None:
    annotate(TEXTS, ALL, annotator=English(FakeModel()))
    other = FakeModel()
    other.version = "other"
    annotate(TEXTS, ALL, annotator=English(other))
    assert other.calls > 0


def test_a_cache_that_cannot_be_used_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "file"))
    with pytest.warns(CacheWarning, match="can't be used"):
        annotate(TEXTS, ALL, annotator=English(FakeModel()))
    for text in TEXTS:
        check(annotate([text], ALL, annotator=English(FakeModel()))[text])


def test_unknown_language() -> None:
    with pytest.raises(LanguageError, match=r"no rst for 'de': annotators here make it for en\."):
        annotate(["Guten Tag."], frozenset({RST}), "de")
    assert annotate(["Hi."], frozenset({TOKENS}), "en-GB")["Hi."][TOKENS].forms == ("Hi", ".")


def test_annotations_from_elsewhere() -> None:
    tree = Constituent("S", 0, 1, (Constituent("UH", 0, 1),))
    own = annotate(["Da."], frozenset({TOKENS}))["Da."].replace("Da.", {CONSTITUENTS: (tree,)})
    wanted = frozenset({CONSTITUENTS})
    model = FakeModel()
    found = annotate(["Da.", "Da."], wanted, "ru", given={"Da.": own}, annotator=English(model))
    assert found["Da."] is own
    assert model.calls == 0
    with pytest.raises(InputError, match="have no edus, rst"):
        annotate(["Da."], frozenset({RST}), given={"Da.": own})


def test_tree_of_a_segment_keeps_sentences_whole() -> None:
    text = TEXTS[3]
    analysis = annotate([text], ALL, annotator=English(FakeModel()))[text]
    tree = analysis[RST]
    assert isinstance(tree, RstNode)
    spans = {(node.first, node.last) for node in tree.walk()}
    for a, b in analysis[SENTENCES]:
        inside = [i for i, (x, _) in enumerate(analysis[EDUS]) if a <= x < b]
        assert (inside[0], inside[-1]) in spans
