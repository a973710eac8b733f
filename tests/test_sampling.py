"""Segments for people to judge: useful ones, a random rest, weights that keep means unbiased."""

from __future__ import annotations

import numpy as np
import pytest

import albeit
from albeit.corpus.evalset import Document, EvalSet
from albeit.errors import AlbeitError
from albeit.sampling import Selection, select, utility

SYSTEMS = ("a", "b", "c", "d")


def made(size: int = 60, documents: int = 0) -> tuple[EvalSet, albeit.ScoreTable]:
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in range(40)]
    reference = tuple(" ".join(rng.choice(words, 8)) for _ in range(size))

    def damaged(share: float) -> tuple[str, ...]:
        return tuple(
            " ".join(word if rng.random() > share else "x" for word in line.split())
            for line in reference
        )

    systems = {name: damaged(0.1 * number) for number, name in enumerate(SYSTEMS, 1)}
    step = size // documents if documents else size
    parts = tuple(Document(f"d{k}", k * step, (k + 1) * step) for k in range(documents))
    evalset = EvalSet({"ref": reference}, systems, documents=parts)
    return evalset, albeit.score(evalset, ["chrf", "ter"])


def test_what_orders_systems_as_the_whole_does_and_differs_much_is_useful() -> None:
    scores = np.array([[3.0, 0, 1, 2], [2.0, 0, 2, 2], [1.0, 0, 3, 2]])
    scores[:, 1] = [1.2, 1.1, 1.0]
    found = utility([np.concatenate([scores, scores[:, :1]], axis=1)])
    assert found[0] == found[4] == found.max()
    assert found[1] > found[3]
    assert found[2] < found[0]
    assert ((found >= 0) & (found <= 1)).all()


def test_the_budget_is_kept_and_weights_add_up_to_the_set() -> None:
    evalset, table = made()
    found = select(evalset, table, 20)
    assert len(found.chosen) == 20
    assert sum(each.drawn for each in found.chosen) == 4
    assert found.weights.sum() == pytest.approx(60)
    assert [each.segment for each in found.chosen] == sorted(each.segment for each in found.chosen)
    assert found == select(evalset, table, 20)
    assert found != select(evalset, table, 20, seed=1)
    everything = select(evalset, table, 100)
    assert len(everything.chosen) == 60
    assert set(everything.weights) == {1.0}


def test_weighted_means_are_unbiased() -> None:
    evalset, table = made()
    human = np.random.default_rng(5).normal(size=(4, 60)) + table["chrf"].at("segment") / 10

    def mean(found: Selection) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return found.mean(human[:, [each.segment for each in found.chosen]])

    means = np.array([mean(select(evalset, table, 20, seed=seed)) for seed in range(400)])
    error = means.std(axis=0) / 20
    assert (np.abs(means.mean(axis=0) - human.mean(axis=1)) < 4 * error).all()


def test_whole_documents() -> None:
    evalset, table = made(documents=12)
    found = select(evalset, table, 25, documents=True)
    counts = {each.document: 0 for each in found.chosen}
    for each in found.chosen:
        counts[each.document] += 1
    assert set(counts.values()) == {5}
    assert len(counts) == 5
    assert found.weights.sum() == pytest.approx(60)
    with pytest.raises(AlbeitError, match="do not hold a document that is chosen and one"):
        select(evalset, table, 5, documents=True)


def test_near_duplicates_are_passed_over() -> None:
    evalset, _ = made(10)
    twice = EvalSet(
        {"ref": evalset.references["ref"] * 2},
        {name: lines * 2 for name, lines in evalset.systems.items()},
    )
    found = select(twice, albeit.score(twice, ["chrf"]), 12)
    sure = [each.segment % 10 for each in found.chosen if not each.drawn]
    assert len(sure) == len(set(sure))


def test_what_cannot_be_chosen_is_a_clear_error() -> None:
    evalset, table = made()
    with pytest.raises(AlbeitError, match="at least 5 segments"):
        select(evalset, table, 2)
    one = evalset.select(["a"])
    with pytest.raises(AlbeitError, match="only one system"):
        select(one, albeit.score(one, ["chrf"]), 10)
