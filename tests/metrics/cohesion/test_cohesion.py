"""Cohesion, repetition, and hybrids: the paper's example, averages, and whole documents."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction as Share

import numpy as np
import pytest

from albeit import Document, EvalSet, Evaluation, explain, metric, render, score
from albeit.errors import AlbeitWarning, LanguageError
from albeit.metrics.cohesion import Average, Cohesion, agreement
from albeit.metrics.view import Chain, View
from albeit.report.views import chain_table, render_views
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, bits, places, sentences
from tests.metrics.lexical.corpora import Lines

BY_HAND = {
    "E01": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 3) + 1,
    "E02": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 2,
    "E03": Share(1, 2) + 2 + Share(3, 4) + Share(2, 7) + Share(2, 3) + 1 + Share(2, 4) + 1,
    "E04": Share(1, 2) + 2 + Share(2, 3) + Share(2, 7) + Share(2, 3) + 1 + Share(1, 3) + 2,
}
"""Σ m'/m over the fifteen chains of the system, by hand from the paper's table."""
AVERAGES: tuple[Average, ...] = ("precision", "recall", "f")


def test_averages() -> None:
    for name, expected in BY_HAND.items():
        found = agreement(bits(SYSTEM), bits(REFERENCES[name]), "precision")
        assert found == pytest.approx(float(expected / 15), abs=1e-15)
    ours, theirs = {"a": 0b0111, "b": 0b0011}, {"a": 0b1110, "c": 0b1001, "d": 0b0011}
    assert agreement(ours, theirs, "recall") == pytest.approx(2 / 3 / 3)
    assert agreement(ours, theirs, "precision") == pytest.approx(2 / 3 / 2)
    assert agreement(ours, theirs, "f") == 2 * 2 / (5 + 7)
    for average in AVERAGES:
        assert agreement({}, {}, average) == 1
        assert agreement(ours, {}, average) == agreement({}, ours, average) == 0


def value(spec: str, hypothesis: Lines, *references: Lines, lang: str = "en") -> float:
    """The score of one document."""
    texts = {f"r{i}": tuple(lines) for i, lines in enumerate(references)}
    documents = (Document("d", 0, len(hypothesis)),)
    evalset = EvalSet(texts, {"s": tuple(hypothesis)}, documents=documents, target_lang=lang)
    return float(score(evalset, [metric(spec)])[metric(spec)].system[0])


REF = ("The dog barked loudly.", "A cat saw the dog.", "The cats slept.")
GERMAN = ("Der Hund bellte laut.", "Die Katze sah den Hund.", "Die Katzen schliefen.")
FRENCH = ("Le chien aboya.", "Un chat vit le chien.", "Les chats dormaient.")
CHINESE = ("大使馆重新开放", "大使馆关闭", "他们来了")
EMBASSY = ("The embassies reopen.", "An embassy reopened.")
WAITED = ("The embassies closed.", "An embassy waited.")
CARS = ("The dog barked at a car.", "The dogs saw an automobile.")


@pytest.mark.parametrize(
    ("spec", "lang", "hypothesis", "references", "expected"),
    [
        ("cohesion", "en", EMBASSY, [WAITED], 0.5),
        ("cohesion(words=word)", "en", EMBASSY, [WAITED], 1),  # no chains anywhere
        ("cohesion", "de", GERMAN, [GERMAN], 1),
        ("cohesion", "zh", CHINESE, [CHINESE], 1),
        ("cohesion", "fr", FRENCH, [FRENCH], 1),
        ("cohesion", "en", ["A dog."], [["A dog."]], 1),
        ("cohesion", "en", ["", ""], [["", ""]], 1),
        ("cohesion", "en", ["", "", ""], [REF], 0),
        ("lc", "en", [""], [["A dog."]], 0),
        ("hbleu", "en", [""], [["A dog."]], 0.14),
        # content words: dog bark car / dog saw automobile
        ("rc", "en", CARS, [], 2 / 6),
        ("lc", "en", CARS, [], 4 / 6),
        ("lc", "en", ("A poodle came.", "The dog slept."), [], 2 / 4),  # a poodle is a dog
        ("lc", "en", ("A poodle came.", "The cat slept."), [], 0),
        ("lc", "en", ("They reopen.", "A reopening."), [], 1),
        ("rc", "de", ("Der Hund bellte.", "Ein Hund schlief."), [], 2 / 4),
    ],
)
def test_documents_by_hand(
    spec: str, lang: str, hypothesis: Lines, references: list[Lines], expected: float
) -> None:
    assert value(spec, hypothesis, *references, lang=lang) == pytest.approx(expected)


def test_segments_of_several_sentences_are_matched_and_reported() -> None:
    reference = ("The dog barked. The cat saw the dog.", "The cat slept.")
    joined = ("The dog barked and the cat saw the dog.", "The cat slept.")
    with pytest.warns(AlbeitWarning, match="1 of 2 segments hold several sentences"):
        assert value("cohesion", reference, reference) == 1.0
    # joined, the dog has one position in either text: the only chain left is the cat's
    assert value("cohesion", joined, reference) == 1.0
    swapped = ("The cat barked. The cat saw the dog.", "The dog slept.")
    assert value("cohesion", swapped, reference) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("cohesion(realign=no)", joined, reference) == 1.0


@pytest.mark.parametrize(
    ("spec", "lang"), [("cohesion", "xx"), ("cohesion(words=word)", "zh"), ("lc", "de")]
)
def test_languages_without_these_words_are_refused(spec: str, lang: str) -> None:
    with pytest.raises(LanguageError, match=lang):
        value(spec, CHINESE, CHINESE, lang=lang)


LONGER = (*REF, "The government closed the embassy.", "The embassy was attacked.")
OTHER = ("The dog was barking.", "A cat saw the dog.", "The animals slept.", *LONGER[3:])
DOCUMENTS = (Document("one", 0, 3), Document("two", 3, 5))
SET = EvalSet({"r": LONGER}, {"s": OTHER}, documents=DOCUMENTS)


@pytest.mark.parametrize("inner", ["bleu", "chrf", "meteor", "rc"])
@pytest.mark.parametrize(
    "cohesion", ["cohesion", "cohesion(average=f)", "lc", "coref(average=recall)"]
)
def test_a_hybrid_is_the_mixture_at_every_level(inner: str, cohesion: str) -> None:
    mixed = metric(f"hybrid({inner},alpha=.25,cohesion={cohesion})")
    table = score(SET, [mixed, metric(inner), metric(cohesion)])
    for level in ("document", "system"):
        parts = [table[metric(name)].at(level) for name in (cohesion, inner)]
        expected = 0.25 * parts[0] + 0.75 * parts[1] / metric(inner).scale
        assert np.allclose(table[mixed].at(level), expected)
    signature = str(table[mixed].signature)
    assert f"parts:[{metric(cohesion).name}|" in signature
    assert ("documents:" in signature) == cohesion.startswith("coref")


def test_hybrids_by_name_and_their_languages() -> None:
    for inner in ("bleu", "meteor"):
        table = score(SET, [metric(f"h{inner}(alpha=.4)"), metric(f"hybrid({inner},alpha=.4)")])
        one, other = (column.system[0] for column in table.columns.values())
        assert one == other
    own = metric("cohesion").languages or frozenset()
    assert metric("hbleu").languages == own
    assert metric("hmeteor").languages == own & (metric("meteor").languages or frozenset())
    assert metric("hybrid(bleu,cohesion=lc)").languages == frozenset({"en"})


TEXTS = {name: sentences(chains) for name, chains in REFERENCES.items()}
TABLE2 = EvalSet(TEXTS, {"MT": sentences(SYSTEM)}, documents=(Document("d", 0, 9),))


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
    mt = view.texts[system]
    for word, text in SYSTEM.items():
        assert found[word].positions[system] == tuple(p + 1 for p in places(text))
        tokens = [mt.text[slice(*mt.tokens.offsets[t])] for t in found[word].tokens[system]]
        assert {token.lower() for token in tokens} == {word}
    for name, chains in REFERENCES.items():
        own = column(view, name)
        assert {word for word, row in found.items() if row.positions[own]} == set(chains)
    kinds = {kind: {w for w, r in found.items() if r.kind == kind} for kind in ("missed", "false")}
    assert kinds["false"] == {"open", "canada", "china", "chinese", "collaboration"}
    assert {"government", "ople", "manila", "shut", "due"} <= kinds["missed"]
    (explained,) = explain(TABLE2, Cohesion(), documents=["d"])
    assert explained.score == pytest.approx(float(max(BY_HAND.values()) / 15))
    table = score(TABLE2, ["cohesion", "bleu", "hbleu"])
    cohesion, bleu, hbleu = (float(column.system[0]) for column in table.columns.values())
    assert round(cohesion, 4) == 0.5135
    assert hbleu == pytest.approx(0.14 * cohesion + 0.86 * bleu / 100)


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
    evalset = EvalSet(*texts, documents=(Document("d", 0, 2),))
    (explained,) = explain(evalset, Cohesion(), documents=["d"])
    assert (explained.score, explained.losses) == (1.0, ())
    assert "No text has" in render_views([explained])


def test_several_sentences_share_one_numbering() -> None:
    lines = ("The car stopped. The dog barked.", "The car left.")
    found = side_by_side(EvalSet({"r": lines}, {"s": lines}), Cohesion())
    assert rows(found)["car"].positions == ((1, 3), (1, 3))
    assert found.chains is not None
    assert (found.chains.segments, found.chains.length) == (2, 3)
    assert "matched in order" in render(chain_table(found), "text")


def test_a_sentence_without_partner_has_a_number_of_its_own() -> None:
    systems = {"s": ("Rain fell on hills. The dog barked.", "The rain dog left.")}
    texts = {"r": ("The dog barked.", "The dog left.")}, systems
    evalset = EvalSet(*texts, documents=(Document("d", 0, 2),))
    (explained,) = explain(evalset, Cohesion(), documents=["d"])
    found = rows(explained)
    assert found["dog"].positions == ((2, 3), (2, 3))
    assert found["rain"].positions == ((1, 3), ())
