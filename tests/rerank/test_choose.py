from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from albeit import Batch
from albeit.annotate.layers import TEXT
from albeit.annotate.needs import Need, Side, read
from albeit.arrays import FloatArray
from albeit.corpus.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning, InputError, MetricError
from albeit.metrics.base import Context, Metric, mean_score, mean_statistics
from albeit.metrics.registry import metric
from albeit.rerank import (
    Candidate,
    CandidateList,
    CandidateSet,
    Recipe,
    learn_weights,
    rerank,
    rerank_documents,
)

CROWD = ("the cat sat on the mat", "the cat sat on a mat", "a cat sat on the mat", "dogs bark")


def lists(
    *candidates: tuple[str, ...], references: tuple[str, ...] = (), document: str | None = None
) -> CandidateSet:
    return CandidateSet(
        tuple(
            CandidateList(
                str(n),
                tuple(map(Candidate, texts)),
                document,
                None,
                (references[n],) if references else (),
            )
            for n, texts in enumerate(candidates)
        )
    )


def recipe(*names: str, **options: object) -> Recipe:
    return Recipe(tuple((metric(name), 1.0) for name in names), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"fast": True}, {"error": 0.05}])
def test_the_candidate_nearest_to_the_others_is_chosen(options: dict[str, object]) -> None:
    assert [c.text for c in rerank(lists(CROWD), recipe("chrf", **options))] == [CROWD[0]]


def test_references_show_what_could_be_reached() -> None:
    found = rerank(lists(CROWD, references=("dogs bark",)), recipe("chrf", against="references"))
    assert found[0].index == 3
    with pytest.raises(InputError, match="chrf needs references"):
        rerank(lists(CROWD), recipe("chrf", against="references"))


def test_metrics_and_features_are_added_up() -> None:
    own = CandidateSet(
        (CandidateList("1", tuple(Candidate(t, {"lm": float(n)}) for n, t in enumerate(CROWD))),)
    )
    assert rerank(own, Recipe((), {"lm": 1.0}))[0].index == 3
    assert rerank(own, Recipe((), {"lm": -1.0}))[0].index == 0
    assert rerank(own, Recipe(((metric("chrf"), 1.0),), {"lm": 0.01}))[0].index in (0, 1, 2)
    with pytest.raises(InputError, match="no feature 'tm'"):
        rerank(own, Recipe((), {"tm": 1.0}))


def test_scores_weigh_candidates_as_references() -> None:
    heavy = tuple(Candidate(t, {"score": -0.1 if t == "dogs bark" else -9.0}) for t in CROWD)
    own = CandidateSet((CandidateList("1", heavy),))
    assert rerank(own, recipe("chrf", temperature=1.0))[0].index == 3
    with pytest.raises(InputError, match="has no score"):
        rerank(lists(CROWD), recipe("chrf", temperature=1.0))


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: rerank(lists(CROWD), Recipe(())), "no metric and no feature"),
        (lambda: rerank_documents(lists(CROWD), Recipe(())), "no metric and no feature"),
        (lambda: recipe("chrf", fast=True, error=0.1), "leave out one"),
        (lambda: recipe("chrf", error=2.0), "between 0 and 1"),
        (lambda: recipe("chrf", "bleu", error=0.1), "one metric"),
        (lambda: recipe("chrf", temperature=0.0), "above 0"),
        (lambda: rerank(lists(CROWD), recipe("rc")), "scores documents"),
        (lambda: rerank_documents(lists(CROWD), recipe("cohesion")), "compares whole documents"),
        (lambda: rerank_documents(lists(CROWD), recipe("chrf"), beam=0), "at least 1"),
        (lambda: rerank_documents(lists(CROWD), recipe("chrf", fast=True)), "leave out fast"),
        (lambda: learn_weights(lists(CROWD, references=("x",)), metric("bleu")), "no features"),
        (lambda: learn_weights(lists(CROWD, references=("x",)), metric("rc")), "over segments"),
    ],
)
def test_what_cannot_be_done(build, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AlbeitError, match=says):
        build()


def test_what_is_wrong_with_candidates() -> None:
    with pytest.warns(AlbeitWarning, match="1 segment of 1 with only one candidate"):
        rerank(lists(("a", "a")), recipe("chrf"))
    with pytest.warns(AlbeitWarning, match="1 empty candidate"):
        rerank_documents(lists(("a", "")), recipe("chrf"))
    with pytest.raises(InputError, match="'1' has no candidate"):
        lists(("a", "b"), ())
    one = CandidateList("1", (Candidate("a"), Candidate("b")))
    with pytest.raises(InputError, match="'1' is there twice"):
        CandidateSet((one, one))
    with pytest.raises(InputError, match="holds no candidates"):
        CandidateSet(())
    with pytest.raises(InputError, match="only one has a document"):
        CandidateSet((one, CandidateList("2", one.candidates, "d")))
    with pytest.raises(InputError, match="1 reference, but"):
        CandidateSet((one, CandidateList("2", one.candidates, references=("r",))))
    uneven = CandidateSet((CandidateList("1", (Candidate("a", {"x": 1.0}), Candidate("b"))),))
    with pytest.raises(InputError, match="candidate 2 of segment '1' has the features none"):
        uneven.features()


def test_a_document_is_chosen_as_a_whole() -> None:
    """Repetition ties sentences together: the document takes the same word again."""
    own = lists(
        ("The dog barked.", "The hound barked."),
        ("Then a cat left.", "Then the hound left."),
        document="d",
    )
    texts = [c.text for c in rerank_documents(own, recipe("rc"), beam=4)]
    assert texts == ["The hound barked.", "Then the hound left."]
    greedy = [c.text for c in rerank_documents(own, recipe("rc"), beam=1)]
    assert greedy[0] == "The dog barked."


def test_documents_without_document_metrics_are_chosen_by_sums() -> None:
    own = lists(CROWD, CROWD[::-1], document="d")
    for_document = [c.text for c in rerank_documents(own, recipe("chrf"))]
    assert for_document == [c.text for c in rerank(own, recipe("chrf"))]


def test_weights_are_found_that_choose_best() -> None:
    rows = []
    for n in range(12):
        good, bad = f"right words number {n} here", f"wrong thing {n}"
        rows.append(
            CandidateList(
                str(n),
                (
                    Candidate(bad, {"lm": 1.0 + n % 3, "noise": float(n % 5), "tm": -2.0}),
                    Candidate(good, {"lm": 0.5, "noise": float(n % 4), "tm": -1.0}),
                ),
                references=(good,),
            )
        )
    own = CandidateSet(tuple(rows))
    found = learn_weights(own, metric("bleu"))
    assert found.score == pytest.approx(100.0)
    assert found.before < 10
    assert [c.index for c in rerank(own, Recipe((), found.weights))] == [1] * 12
    again = learn_weights(own, metric("ter"), start={"lm": -1.0})
    assert again.score == pytest.approx(0.0)


def test_document_metrics_may_compare_with_references() -> None:
    own = lists(CROWD, CROWD, references=(CROWD[3], CROWD[3]), document="d")
    found = rerank_documents(own, recipe("chrf", "cohesion", against="references"))
    assert [c.index for c in found] == [3, 3]
    with pytest.raises(MetricError):
        rerank_documents(own, recipe("cohesion"))


@dataclass(frozen=True)
class Copied(Metric):
    """How many words of the document are the source's: a metric over documents that reads it."""

    name: ClassVar[str] = "copied"
    summary: ClassVar[str] = "words that stand in the source"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    @property
    def needs(self) -> frozenset[Need]:
        return read(TEXT, side=Side.HYPOTHESIS) | read(TEXT, side=Side.SOURCE)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        assert batch.sources is not None
        own = [set(" ".join(batch.hypotheses[d.rows]).split()) for d in batch.documents]
        theirs = [set(" ".join(batch.sources[d.rows]).split()) for d in batch.documents]
        return mean_statistics([float(len(a & b)) for a, b in zip(own, theirs, strict=True)])

    def score(self, sums: FloatArray) -> FloatArray:
        return mean_score(sums)


def sourced() -> CandidateSet:
    lists = [
        CandidateList(str(n), (Candidate("x y"), Candidate(text)), "d", source=text)
        for n, text in enumerate(["one two", "three four"])
    ]
    return CandidateSet(tuple(lists), source_lang="de")


def test_documents_are_chosen_with_their_source() -> None:
    """It was dropped, and metrics that need it refused."""
    choices = rerank_documents(sourced(), Recipe(((Copied(), 1.0),)))
    assert [choice.text for choice in choices] == ["one two", "three four"]


def test_workers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("albeit.rerank.choose.CHUNK", 1)
    recipe = Recipe(((metric("chrf"), 1.0),))
    told: list[tuple[int, int]] = []
    alone = rerank(sourced(), recipe, progress=lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]
    assert rerank(sourced(), recipe, workers=2) == alone
    by_document = rerank_documents(sourced(), recipe)
    assert rerank_documents(sourced(), recipe, workers=2) == by_document


def test_ties_are_named() -> None:
    (first, *_) = rerank(sourced(), Recipe(((metric("chrf"), 1.0),)))
    assert first.tied == (0, 1), "two candidates are as far from each other either way"
