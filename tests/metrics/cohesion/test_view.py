from __future__ import annotations

import json

import pytest

from albeit.corpus.evalset import Document, EvalSet
from albeit.metrics.cohesion.cohesion import Cohesion
from albeit.metrics.cohesion.view import ChainView, chain_view
from albeit.report import render
from albeit.report.chains import chain_table, to_html
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, places, sentences
from tests.metrics.cohesion.test_compare import BY_HAND


@pytest.fixture(scope="module")
def view() -> ChainView:
    evalset = EvalSet(
        {name: sentences(chains) for name, chains in REFERENCES.items()},
        {"MT": sentences(SYSTEM)},
        documents=(Document("d", 0, 9),),
    )
    return chain_view(evalset, evalset.documents[0], Cohesion())


def test_the_papers_table_2_comes_back(view: ChainView) -> None:
    rows = {row.word: row for row in view.rows}
    for word, text in SYSTEM.items():
        assert rows[word].places["system", "MT"] == tuple(p + 1 for p in places(text))
    for name, chains in REFERENCES.items():
        found = {word for word, row in rows.items() if ("reference", name) in row.places}
        assert found == set(chains)
    kinds = {kind: {r.word for r in view.rows if r.kind == kind} for kind in ("missed", "false")}
    assert kinds["false"] == {"open", "canada", "china", "chinese", "collaboration"}
    assert {"government", "ople", "manila", "shut", "due"} <= kinds["missed"]
    assert view.scores["system", "MT"] == pytest.approx(float(max(BY_HAND.values()) / 15))
    system, first = ("system", "MT"), ("reference", "E01")
    assert rows["ambassador"].score(system, (first,)) == 0.5
    assert rows["government"].score(system, (first,)) is None


def test_matching_chains_stand_on_top_with_positions_aligned(view: ChainView) -> None:
    text = render(chain_table(view), "text")
    assert text.index("matching") < text.index("missed") < text.index("false")
    line = next(line for line in text.splitlines() if line.startswith("embassy"))
    assert line.count("1 2 3 4 6 7 8") == 4
    assert "1 2 · · · · ·" in line
    record = json.loads(render(chain_table(view), "json"))
    assert "E01" in json.dumps(record)


def test_the_page_stands_alone_and_escapes(view: ChainView) -> None:
    page = to_html([view])
    assert page.count("<tbody") == 3
    assert "http" not in page
    assert 'class="held"' in page
    assert 'class="lost"' in page
    assert 'class="astray"' in page


def test_references_alone_and_texts_without_chains() -> None:
    evalset = EvalSet({"a": ("One dog.", "Two dogs."), "b": ("A cat.", "It.")}, {})
    found = chain_view(evalset, evalset.documents[0], Cohesion())
    assert [(row.word, row.kind) for row in found.rows] == [("dog", "missed")]
    assert "in some references" in render(chain_table(found), "text")
    empty = EvalSet({"a": ("One dog.", "Two cats.")}, {"s": ("One dog.", "A cat.")})
    found = chain_view(empty, empty.documents[0], Cohesion())
    assert found.rows == ()
    assert found.scores["system", "s"] == 1.0
    assert "No text has" in render(chain_table(found), "text")


def test_several_sentences_and_wordnet_share_one_numbering() -> None:
    evalset = EvalSet(
        {"r": ("The car stopped. The dog barked.", "The car left.")},
        {"s": ("The automobile stopped. The dog barked.", "The car left.")},
    )
    found = chain_view(evalset, evalset.documents[0], Cohesion(wordnet="synonyms"))
    row = next(row for row in found.rows if row.word == "car")
    assert row.places == {("reference", "r"): (1, 3), ("system", "s"): (1, 3)}
    assert (found.segments, found.sentences) == (2, 3)
    assert "matched in order" in render(chain_table(found), "text")
