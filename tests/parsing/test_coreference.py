"""The shipped networks over documents: what they find, and that nothing else matters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing import annotate, annotate_documents, coreference, layers
from albeit.parsing.annotator import English, EnglishDocuments
from albeit.parsing.coreference import APART, BLOCK, in_blocks, in_sight
from albeit.parsing.encoder import Recent, make_batch
from albeit.parsing.model import Model

STORY = (
    "Anna bought an old bicycle because her car had broken down. It was red.",
    "She repaired it in the evening, and her brother helped her.",
    "",
    "He likes bicycles.",
)
OTHER = ("The bank closed on Monday.", "Its customers were angry. They wrote letters.")
ALL = frozenset({layers.EDUS, layers.COREFERENCE, layers.ANTECEDENTS})


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")


def mentions(analysis: layers.Analysis) -> list[list[str]]:
    forms = analysis[layers.TOKENS].forms
    clusters = (c for c in analysis[layers.COREFERENCE] if len(c.mentions) > 1)
    return [[" ".join(forms[m.start : m.stop]) for m in c.mentions] for c in clusters]


def test_a_story_and_what_its_pronouns_may_take_up() -> None:
    found = annotate_documents([STORY], ALL)[STORY]
    assert found[layers.LINES] == STORY
    assert found.text == "\n".join(STORY)
    forms = found[layers.TOKENS].forms
    assert [found.text[a:b] for a, b in found[layers.TOKENS].offsets] == list(forms)
    assert len(found[layers.SENTENCES]) == 4
    anna = next(c for c in found[layers.COREFERENCE] if c.mentions[0].head == 0)
    assert (anna.kind, anna.number, anna.gender) == ("person", "singular", "feminine")
    assert "She" in [forms[m.head] for m in anna.mentions]
    assert any("It" in each and "an old bicycle" in each for each in mentions(found))
    told = {forms[p.word]: p.antecedents[0] for p in found[layers.ANTECEDENTS] if p.antecedents}
    assert forms[told["It"].head] == "bicycle"
    assert told["It"].traits == ("singular", "inanimate")  # by the words before it, not by itself
    assert told["She"].gender == "feminine"
    assert all(
        a.head < p.word and p.antecedents[0].score >= a.score
        for p in found[layers.ANTECEDENTS]
        for a in p.antecedents
    )
    for layer in (layers.ANTECEDENTS, layers.COREFERENCE):
        assert layer.from_json(layer.to_json(found[layer])) == found[layer]
        assert layer.unpack(layer.pack(found[layer])) == found[layer]
    (line, *_) = layers.ANTECEDENTS.render(found[layers.ANTECEDENTS], found)
    assert line.split() == ["6", "her"]


def test_other_documents_and_layers_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    together = annotate_documents([STORY, OTHER, STORY[:1]], ALL | {layers.CHAINS})
    monkeypatch.setattr(coreference, "CHUNK", 1)
    apart = annotate_documents([OTHER, STORY[:1], STORY], ALL)
    assert all(together[lines][layer] == apart[lines][layer] for lines in together for layer in ALL)
    for layer in (*ALL, layers.CHAINS):
        alone = annotate_documents([STORY], frozenset({layer}))[STORY]
        assert alone[layer] == together[STORY][layer]


def test_sentences_read_as_lines_are_not_read_again() -> None:
    lines = [line for document in (STORY, OTHER) for line in document]
    long = (*STORY, "word " * 700, *OTHER)
    model = Model()
    read, alone = EnglishDocuments(model), EnglishDocuments(Model())
    annotate([*lines, long[4]], frozenset({layers.RST}), annotator=English(model))
    calls = model.calls
    documents = [STORY, OTHER, long]
    found = dict(read.records(documents, sorted(ALL), "en"))
    assert model.calls == calls
    assert found == dict(alone.records(documents, sorted(ALL), "en")), "to the last bit"
    dict(read.records([("Something else.", *STORY)], sorted(ALL), "en"))
    assert model.calls == calls + 1, "what is new is read"


def test_what_is_remembered_is_bounded() -> None:
    recent = Recent(limit=4 * 8 * 10)
    words = [(f"word{number}", "again") for number in range(100)]
    for number in range(100):
        rows = np.full((1, 2, 8), number, np.float32)
        recent.keep([words[number]], make_batch(np.array([0]), rows, np.array([2]), []))
    found = {n: rows[0, 0] for n, rows in recent.find(words).items()}
    assert found == {n: n for n in range(95, 100)}


@pytest.mark.parametrize("lines", [(), ("",), ("", "  "), ("Yes",)])
def test_documents_without_mentions(lines: tuple[str, ...]) -> None:
    found = annotate_documents([lines], ALL)[lines]
    assert found[layers.EDUS] == (((0, 1),) if lines == ("Yes",) else ())
    assert found[layers.ANTECEDENTS] == ()
    assert not mentions(found)


@pytest.mark.slow
def test_a_very_long_document() -> None:
    lines = tuple(f"{OTHER[k % 2]} It was day {k}." for k in range(300))
    found = annotate_documents([lines], ALL)[lines]
    assert found[layers.EDUS][-1][1] == len(found[layers.TOKENS].forms)
    heads = [mention.head for cluster in found[layers.COREFERENCE] for mention in cluster.mentions]
    assert max(heads) > len(found[layers.TOKENS].forms) - 10, "the end is read too"


@given(st.lists(st.lists(st.integers(1, 90), min_size=1, max_size=30), min_size=1, max_size=3))
def test_a_block_sees_its_neighbours_in_columns_of_their_own(documents: list[list[int]]) -> None:
    empty = np.full((1, BLOCK), -APART)
    parts = [
        np.concatenate([in_blocks(np.repeat(np.arange(len(sizes)), sizes) + base, -APART), empty])
        for base, sizes in zip(range(0, 12 * APART, 4 * APART), documents, strict=False)
    ]
    numbers = np.concatenate(parts)
    sight = in_sight(numbers)
    for block, seen in enumerate(sight.tolist()):
        assert {n % len(seen): n for n in seen} == dict(enumerate(seen))
        if numbers[block, 0] >= 0:
            beside = numbers[max(0, block - 1) : block + 2].ravel()
            assert set(beside[beside >= 0].tolist()) <= set(seen)
            assert -APART not in seen
