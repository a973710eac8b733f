"""Lists in, numbers out."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu

import albeit
from albeit.errors import InputError, MetricError

OURS = ["The dog barked.", "We went home.", "The end"]
ONE = ["A dog barked.", "We left for home.", "The end"]
OTHER = ["The dog was barking.", "We went home.", "It ended"]
WRONG: list[Any] = ["a", None]
SOURCE = ["Der Hund bellte.", "Wir gingen heim.", "Ende"]


def test_the_numbers_are_those_of_the_table() -> None:
    expected = sacrebleu.corpus_chrf(OURS, [ONE]).score
    assert albeit.corpus_score(OURS, ONE, "chrf") == pytest.approx(expected)
    scores = albeit.sentence_scores(OURS, ONE, metric="chrf")
    assert scores == [sacrebleu.sentence_chrf(a, [b]).score for a, b in zip(OURS, ONE, strict=True)]


def test_judge_is_the_default() -> None:
    assert albeit.corpus_score(OURS, ONE) == pytest.approx(
        float(albeit.score(OURS, ["judge"], references=ONE)["judge"].system[0])
    )


def test_several_references_as_sacrebleu_and_as_hugging_face_write_them() -> None:
    by_reference = albeit.corpus_score(OURS, [ONE, OTHER], "bleu")
    by_segment = albeit.corpus_score(OURS, list(zip(ONE, OTHER, strict=True)), "bleu")
    by_name = albeit.corpus_score(OURS, {"a": ONE, "b": OTHER}, "bleu")
    expected = pytest.approx(sacrebleu.corpus_bleu(OURS, [ONE, OTHER]).score)
    assert by_reference == by_segment == by_name == expected
    assert albeit.sentence_scores(["a b"], [["a b", "c"]], "chrf") == [100]
    assert albeit.sentence_scores(["a b"], [["a b"]], "chrf") == [100]


def test_rows_of_comet_and_of_data_sets() -> None:
    rows: list[dict[str, Any]] = [
        {"src": s, "mt": t, "ref": r} for s, t, r in zip(SOURCE, OURS, ONE, strict=True)
    ]
    assert albeit.sentence_scores(rows, metric="chrf") == albeit.sentence_scores(OURS, ONE, "chrf")
    many = [
        {"prediction": t, "references": [a, b], "docid": 1}
        for t, a, b in zip(OURS, ONE, OTHER, strict=True)
    ]
    expected = albeit.corpus_score(OURS, [ONE, OTHER], "bleu")
    assert albeit.corpus_score(many, metric="bleu") == expected
    assert albeit.corpus_score(iter(rows), metric="ter") == albeit.corpus_score(OURS, ONE, "ter")


def test_documents_and_sources() -> None:
    found = albeit.corpus_score(OURS, ONE, "rc", documents=[1, 1, 2])
    assert 0 <= found <= 1
    call = f"function(call={__name__}:by_source,texts=source+translation)"
    assert albeit.corpus_score(OURS, None, call, SOURCE) == pytest.approx(
        sum(len(a) / len(b) for a, b in zip(OURS, SOURCE, strict=True)) / 3
    )


def by_source(translations: list[str], sources: list[str]) -> list[float]:
    return [len(a) / len(b) for a, b in zip(translations, sources, strict=True)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: albeit.corpus_score("one text", ["a"]), "isn't a list of translations"),
        (lambda: albeit.sentence_scores(OURS, ONE, "lc"), "scores whole documents"),
        (lambda: albeit.corpus_score(OURS, ONE[:2], "chrf"), "but reference 'ref' has 2"),
        (lambda: albeit.corpus_score(OURS, [ONE, OTHER, OURS], "chrf"), "in two ways"),
        (lambda: albeit.corpus_score(OURS, [["a"], ["b", "c"], ["d"]]), "different numbers"),
        (lambda: albeit.corpus_score([{"text": "a"}]), "a row has no translation; it has text"),
        (lambda: albeit.corpus_score([{"mt": "a"}], ["b"]), "rows have their own references"),
        (lambda: albeit.corpus_score([{"mt": "a", "ref": "b"}, {"mt": "c"}]), "row 2 has no 'ref'"),
        (lambda: albeit.corpus_score(WRONG, ["b", "c"], "chrf"), "None is not text"),
    ],
)
def test_what_cannot_be_scored_is_a_clear_error(call: Any, message: str) -> None:
    with pytest.raises((InputError, MetricError), match=message):
        call()
