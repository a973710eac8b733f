from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitWarning, LanguageError, MetricError
from albeit.evaluation import score
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from albeit.metrics.significance import compare, confidence
from albeit.parsing import annotate_documents
from albeit.parsing.layers import (
    DEPENDENCIES,
    ENTITIES,
    SENTENCES,
    STEMS,
    TOKENS,
    Analysis,
    Dependencies,
    Entity,
    Tokens,
)
from tests.metrics.cohesion.table2 import REFERENCES, SYSTEM, sentences
from tests.metrics.cohesion.test_compare import BY_HAND


def one_document(
    hypothesis: Sequence[str], *references: Sequence[str], lang: str = "en"
) -> EvalSet:
    return EvalSet(
        {f"r{i}": tuple(lines) for i, lines in enumerate(references)},
        {"s": tuple(hypothesis)},
        documents=(Document("d", 0, len(hypothesis)),),
        target_lang=lang,
    )


def value(
    spec: str, hypothesis: Sequence[str], *references: Sequence[str], lang: str = "en"
) -> float:
    table = score(one_document(hypothesis, *references, lang=lang), [metric(spec)])
    return float(table.columns[str(metric(spec))].system[0])


def test_table_2_from_text_with_the_best_of_four_references() -> None:
    texts = [sentences(chains) for chains in REFERENCES.values()]
    found = value("cohesion", sentences(SYSTEM), *texts)
    assert found == pytest.approx(float(max(BY_HAND.values()) / 15), abs=1e-15)
    for text, expected in zip(texts, BY_HAND.values(), strict=True):
        alone = value("cohesion", sentences(SYSTEM), text)
        assert alone == pytest.approx(float(expected / 15), abs=1e-15)


REF = ("The dog barked loudly.", "A cat saw the dog.", "The cats slept.")


def test_inflected_forms_make_a_chain_by_stem_and_lemma_but_not_as_words() -> None:
    text = ("The embassies reopen.", "An embassy reopened.")
    other = ("The embassies closed.", "An embassy waited.")
    assert value("cohesion", text, other) == 0.5
    assert value("cohesion(words=lemma)", text, other) == 0.5
    assert value("cohesion(words=word)", text, other) == 1.0  # no chains anywhere


def test_wordnet_joins_synonyms_within_and_across_texts() -> None:
    text = ("They bought a car.", "The automobile was old.")
    other = ("They bought a car.", "The car was old.")
    assert value("cohesion", text, other) == 0.0
    assert value("cohesion(wordnet=synonyms)", text, other) == 1.0
    kind = ("They bought a vehicle.", "The craft was old.")
    assert value("cohesion(wordnet=synonyms)", kind, other) == 0.0


def test_a_set_without_documents_is_refused_with_what_to_do() -> None:
    bare = EvalSet({"r": REF}, {"s": REF})
    for spec in ("cohesion", "lc", "rc", "hbleu", "hybrid(chrf)"):
        with pytest.raises(MetricError, match="--docs"):
            score(bare, [metric(spec)])


def test_single_sentences_and_empty_texts_never_crash() -> None:
    assert value("cohesion", ["A dog."], ["A dog."]) == 1.0
    assert value("cohesion", ["", ""], ["", ""]) == 1.0
    assert value("cohesion", ["", "", ""], REF) == 0.0
    assert value("lc", [""], ["A dog."]) == 0.0
    assert value("hbleu", [""], ["A dog."]) == pytest.approx(0.3 * 1.0)


def test_segments_of_several_sentences_are_matched_and_reported() -> None:
    reference = ("The dog barked. The cat saw the dog.", "The cat slept.")
    joined = ("The dog barked and the cat saw the dog.", "The cat slept.")
    with pytest.warns(AlbeitWarning, match="1 of 2 segments hold several sentences"):
        assert value("cohesion", reference, reference) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # joined, the dog stands in one position of either text: no chain is left but the cat's
        assert value("cohesion", joined, reference) == 1.0
        swapped = ("The cat barked. The cat saw the dog.", "The dog slept.")
        assert value("cohesion", swapped, reference) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("cohesion(realign=no)", joined, reference) == 1.0


def test_other_languages_and_unknown_ones() -> None:
    german = ("Der Hund bellte laut.", "Die Katze sah den Hund.", "Die Katzen schliefen.")
    assert value("cohesion", german, german, lang="de") == 1.0
    chinese = ("大使馆重新开放", "大使馆关闭", "他们来了")
    assert value("cohesion", chinese, chinese, lang="zh") == 1.0
    with pytest.raises(LanguageError, match="'xx'"):
        value("cohesion", german, german, lang="xx")
    with pytest.raises(LanguageError):
        value("cohesion(wordnet=synonyms)", german, german, lang="de")


@pytest.mark.parametrize(
    "spec",
    ["cohesion(tolerance=2)", "cohesion(wordnet=synonyms,words=word)", "cohesion(average=g)"],
)
def test_wrong_parameters_are_named(spec: str) -> None:
    with pytest.raises(MetricError, match="cohesion"):
        metric(spec)


def test_documents_resample_and_segments_do_not() -> None:
    documents = tuple(Document(str(i), 3 * i, 3 * i + 3) for i in range(4))
    lines = REF * 4
    worse = ("The dog barked.", "A bird saw it.", "The cats slept.") * 4
    evalset = EvalSet({"r": lines}, {"a": lines, "b": worse}, documents=documents)
    table = score(evalset, [metric("cohesion"), metric("hbleu")])
    low, high = confidence(table, resamples=20).score("cohesion", "a").interval or (0, 0)
    assert low == high == 1.0
    assert compare(table, resamples=50).p_value("hbleu", "b") < 0.5
    with pytest.raises(MetricError, match="segments cannot be resampled"):
        confidence(table, unit="segment")


def test_parts_of_speech_and_entities_come_from_analyses() -> None:
    def analysis(text: str, tags: str, *entities: Entity) -> Analysis:
        forms = tuple(text.split())
        upos = tuple(tags.split())
        blank = Dependencies(upos, (-1,) * len(forms), ("dep",) * len(forms))
        return Analysis(
            text,
            {
                TOKENS: Tokens(forms, tuple((0, 0) for _ in forms)),
                SENTENCES: ((0, len(forms)),),
                DEPENDENCIES: blank,
                ENTITIES: entities,
            },
        )

    one = analysis("New York runs", "PROPN PROPN VERB", Entity("place", 0, 2))
    two = analysis("York sleeps running", "PROPN VERB VERB")
    batch = Batch(
        [one.text, two.text],
        [[one.text, two.text]],
        None,
        [Document("d", 0, 2)],
        analyses={one.text: one, two.text: two},
        document_analyses=annotate_documents([(one.text, two.text)], frozenset({STEMS})),
    )

    def chains(spec: str) -> set[str]:
        cohesion = metric(spec)
        assert hasattr(cohesion, "read")
        assert hasattr(cohesion, "pair")
        (words,) = cohesion.read([tuple(batch.hypotheses)], batch)
        return set(cohesion.pair(words, words)[0])

    assert chains("cohesion") == {"york", "run"}
    assert chains("cohesion(entities=yes)") == {"run"}
    assert chains("cohesion(content=pos)") == {"york", "run"}
    assert metric("cohesion(entities=yes)").statistics(batch, None).shape == (1, 2)


def test_worker_count_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    words = np.array(["dog", "cat", "embassy", "attack", "threat", "week", "close", "china"])
    lines = tuple(" ".join(rng.choice(words, 6)) + "." for _ in range(400))
    other = tuple(" ".join(rng.choice(words, 6)) + "." for _ in range(400))
    documents = tuple(Document(str(i), 20 * i, 20 * i + 20) for i in range(20))
    evalset = EvalSet({"r": lines}, {"a": other}, documents=documents)
    metrics = [metric("cohesion"), metric("lc")]
    once, twice = score(evalset, metrics), score(evalset, metrics, workers=2)
    for name in once.columns:
        assert np.array_equal(once.columns[name].at("document"), twice.columns[name].at("document"))
