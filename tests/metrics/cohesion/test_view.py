from __future__ import annotations

import json

import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.evaluation import Evaluation, explain
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.view import Chain, View
from albeit.report import render
from albeit.report.views import chain_table, render_views
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, places, sentences
from tests.metrics.cohesion.test_cohesion import BY_HAND

TABLE2 = EvalSet(
    {name: sentences(chains) for name, chains in REFERENCES.items()},
    {"MT": sentences(SYSTEM)},
    documents=(Document("d", 0, 9),),
)


def side_by_side(evalset: EvalSet, metric: Cohesion) -> View:
    (document,) = evalset.documents
    batch = Evaluation(evalset).batch([metric], [document])
    return metric.side_by_side(batch, evalset.systems, tuple(evalset.references))


@pytest.fixture(scope="module")
def view() -> View:
    return side_by_side(TABLE2, Cohesion())


def rows(view: View) -> dict[str, Chain]:
    assert view.chains is not None
    return {row.word: row for row in view.chains.rows}


def column(view: View, name: str) -> int:
    return [text.name for text in view.texts].index(name)


def test_the_papers_table_2_comes_back(view: View) -> None:
    found = rows(view)
    system = column(view, "MT")
    for word, text in SYSTEM.items():
        assert found[word].positions[system] == tuple(p + 1 for p in places(text))
    for name, chains in REFERENCES.items():
        own = column(view, name)
        assert {word for word, row in found.items() if row.positions[own]} == set(chains)
    kinds = {kind: {w for w, r in found.items() if r.kind == kind} for kind in ("missed", "false")}
    assert kinds["false"] == {"open", "canada", "china", "chinese", "collaboration"}
    assert {"government", "ople", "manila", "shut", "due"} <= kinds["missed"]
    (explained,) = explain(TABLE2, Cohesion(), documents=["d"])
    assert explained.score == pytest.approx(float(max(BY_HAND.values()) / 15))


def test_tokens_are_the_words_of_the_chain(view: View) -> None:
    text = view.texts[column(view, "MT")]
    for row in rows(view).values():
        words = [text.text[slice(*text.tokens.offsets[t])] for t in row.tokens[column(view, "MT")]]
        assert {word.lower() for word in words} <= {row.word}
        assert len(words) >= len(row.positions[column(view, "MT")])


def test_matching_chains_stand_on_top_with_positions_aligned(view: View) -> None:
    text = render(chain_table(view), "text")
    assert text.index("matching") < text.index("missed") < text.index("false")
    line = next(line for line in text.splitlines() if line.startswith("embassy"))
    assert line.count("1 2 3 4 6 7 8") == 4
    assert "1 2 · · · · ·" in line
    record = json.loads(render(chain_table(view), "json"))
    scores = {row["chain"]: row["systems.MT"] for row in record["rows"]}
    assert scores["ambassador"]["score"] == 0.5
    assert scores["government"] == "–"


def test_texts_without_chains() -> None:
    texts = {"a": ("One dog.", "Two cats.")}, {"s": ("One dog.", "A cat.")}
    (explained,) = explain(
        EvalSet(*texts, documents=(Document("d", 0, 2),)), Cohesion(), documents=["d"]
    )
    assert (explained.score, explained.losses) == (1.0, ())
    assert "No text has" in render_views([explained])


def test_several_sentences_share_one_numbering() -> None:
    evalset = EvalSet(
        {"r": ("The car stopped. The dog barked.", "The car left.")},
        {"s": ("The car stopped. The dog barked.", "The car left.")},
    )
    found = side_by_side(evalset, Cohesion())
    assert rows(found)["car"].positions == ((1, 3), (1, 3))
    assert found.chains is not None
    assert (found.chains.segments, found.chains.length) == (2, 3)
    assert "matched in order" in render(chain_table(found), "text")


def test_a_sentence_without_partner_has_a_number_of_its_own() -> None:
    evalset = EvalSet(
        {"r": ("The dog barked.", "The dog left.")},
        {"s": ("Rain fell on hills. The dog barked.", "The rain dog left.")},
        documents=(Document("d", 0, 2),),
    )
    (explained,) = explain(evalset, Cohesion(), documents=["d"])
    found = rows(explained)
    assert found["dog"].positions == ((2, 3), (2, 3))
    assert found["rain"].positions == ((1, 3), ())
