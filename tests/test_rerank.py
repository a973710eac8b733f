"""Choices among given translations: how candidates are read, compared, and chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import albeit
from albeit import EvalSet, Metric, metric
from albeit.errors import AlbeitError, AlbeitWarning, InputError
from albeit.rerank import CandidateList, CandidateSet, Comparer, pairwise, read_candidates, rerank

JSON = (
    '{"id": "a", "doc_id": "d", "source": "s", "references": ["r"], "candidates":'
    ' ["x", {"text": "y", "score": -1, "features": {"lm": 2}}]}\n'
    '{"source": "t", "references": {"A": "q"}, "candidates": ["z|||", "w"]}\n'
)
MOSES = (
    "0 ||| a b ||| lm= -1.5 tm= 1 2 ||| -3\n0 ||| a c ||| lm= -2 ||| -4\n"
    "1 ||| d ||| lm= 0 ||| -1\n1 ||| e ||| lm= 0\n"
)


def write(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    return [str(path)]


def test_json_lines_and_moses_lists(tmp_path: Path) -> None:
    found = read_candidates(write(tmp_path / "c.jsonl", JSON))
    assert [one.id for one in found.lists] == ["a", "2"]
    assert [one.texts for one in found.lists] == [("x", "y"), ("z|||", "w")]
    assert [one.source for one in found.lists] == ["s", "t"]
    assert found.lists[1].references == ("q",)
    references = write(tmp_path / "r", "5\n6\n")
    found = read_candidates(write(tmp_path / "c.jsonl", JSON), references=references)
    assert [one.references for one in found.lists] == [("5",), ("6",)]
    assert [one.source for one in found.lists] == ["s", "t"]

    found = read_candidates(write(tmp_path / "nbest", MOSES))
    assert [one.texts for one in found.lists] == [("a b", "a c"), ("d", "e")]
    assert [one.id for one in found.lists] == ["0", "1"]


def test_one_file_per_candidate(tmp_path: Path) -> None:
    (named,) = write(tmp_path / "b", "3\n4")
    paths = [*write(tmp_path / "a", "1\n2\n"), f"new={named}"]
    references, source = write(tmp_path / "r", "5\n6\n"), write(tmp_path / "s", "7\n8\n")[0]
    found = read_candidates(paths, references=references, source=source)
    last = found.lists[1]
    assert (last.texts, last.references, last.source) == (("2", "4"), ("6",), "8")
    assert found.files == {"a": str(tmp_path / "a"), "new": str(tmp_path / "b")}
    with pytest.raises(InputError, match="has 1 line, but"):
        read_candidates([*paths, *write(tmp_path / "c", "1\n")])
    (source,) = write(tmp_path / "s", "1\n2\n3\n")
    with pytest.raises(InputError, match="3 lines, but there are 2 segments"):
        read_candidates(write(tmp_path / "c.jsonl", JSON), source=source)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("plain\n", ":1: is not JSON.*: give at least two"),
        ("{\n", ":1: is not JSON"),
        ('{"candidates": "x"}\n', "list of 'candidates'"),
        ('{"candidates": ["x"], "refs": []}\n', "unknown key 'refs'"),
        ('{"candidates": [3]}\n', "candidate 1 is not a text of one line"),
        ('{"candidates": [{"score": 3}]}\n', "candidate 1 is not a text of one line"),
        ('{"candidates": ["a\\nb"]}\n', "not a text of one line"),
        ('{"candidates": ["a"], "references": 3}\n', "neither a list nor"),
        ("0 ||| a\n", ":1: is not id"),
        ("0 ||| a ||| 1\n1 ||| b ||| 1\n0 ||| c ||| 1\n", ":3: segment '0' starts again"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_candidates(write(tmp_path / "c", text))


CROWD = ("the cat sat on the mat", "the cat sat on a mat", "a cat sat on the mat", "dogs bark")


def lists(*candidates: tuple[str, ...], references: tuple[str, ...] = ()) -> CandidateSet:
    own: list[tuple[str, ...]] = [(one,) for one in references] or [()] * len(candidates)
    pairs = enumerate(zip(candidates, own, strict=True))
    return CandidateSet(tuple(CandidateList(str(n), c, references=r) for n, (c, r) in pairs))


def weigh(*names: str) -> list[tuple[Metric, float]]:
    return [(metric(name), 1.0) for name in names]


def test_references_show_what_could_be_reached() -> None:
    own = lists(CROWD, references=("dogs bark",))
    found = rerank(own, weigh("chrf"), against="references")
    assert found[0].index == 3
    with pytest.raises(InputError, match="chrf needs references"):
        rerank(lists(CROWD), weigh("chrf"), against="references")


def test_ratings_are_weighted_sums() -> None:
    chrf, ter = (rerank(lists(CROWD), weigh(name))[0] for name in ("chrf", "ter"))
    both = rerank(lists(CROWD), [(metric("chrf"), 0.5), (metric("ter"), 2.0)])[0]
    expected = 0.5 * np.array(chrf.ratings) + 2 * np.array(ter.ratings)
    np.testing.assert_allclose(both.ratings, expected)
    assert max(ter.ratings) <= 0, "fewer errors are better"


@pytest.mark.parametrize(
    ("choose", "says"),
    [
        (lambda: rerank(lists(CROWD), weigh("rc")), "rc scores documents"),
        (lambda: rerank(lists(CROWD), weigh("ter"), fast=True), "ter has no mean statistics"),
        (lambda: pairwise((), "chrf"), "no candidate"),
    ],
)
def test_what_cannot_be_done(choose: Callable[[], object], says: str) -> None:
    with pytest.raises(AlbeitError, match=says):
        choose()


def test_what_is_wrong_with_candidates() -> None:
    with pytest.warns(AlbeitWarning, match="1 segment of 1 with only one candidate"):
        rerank(lists(("a", "a")), weigh("chrf"))
    with pytest.warns(AlbeitWarning, match="1 empty candidate"):
        rerank(lists(("a", "")), weigh("chrf"))
    with pytest.raises(InputError, match="'1' has no candidate"):
        lists(("a", "b"), ())
    one = CandidateList("1", ("a", "b"))
    for several, says in (
        ((), "holds no candidates"),
        ((one, one), "'1' is there twice"),
        ((one, CandidateList("2", one.texts, "s")), "only one has a source"),
        ((one, CandidateList("2", one.texts, references=("r",))), "1 reference, but"),
    ):
        with pytest.raises(InputError, match=says):
            CandidateSet(several)


def test_workers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("albeit.rerank.CHUNK", 1)
    own, told = lists(("x y", "one two"), ("x y", "three four")), []
    alone = rerank(own, weigh("chrf"), progress=lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]
    assert rerank(own, weigh("chrf"), workers=2) == alone
    assert alone[0].tied == (0, 1), "two candidates are as far from each other either way"


TEXTS = (
    "The cat sat on the mat.",
    "A cat sat on a mat",
    "",
    "Dogs bark!",
    "The cat sat on the mat.",
)
LINES = st.lists(st.text("ab c.", max_size=12), min_size=1, max_size=6)
FAST = ("chrf", "chrf++", "bleu", "chrf(eps_smoothing=yes)", "bleu(smooth=add-k)")


@pytest.mark.parametrize("name", [*FAST, "ter", "rouge-l"])
def test_the_matrix_holds_what_scoring_gives(name: str) -> None:
    found = pairwise(TEXTS, name)
    for j, reference in enumerate(TEXTS):
        evalset = EvalSet({"r": (reference,) * len(TEXTS)}, {"s": TEXTS})
        scores = albeit.score(evalset, [name])[metric(name)].at("segment")[0]
        np.testing.assert_allclose(found[:, j], scores, rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_counted_once_or_pair_by_pair_is_the_same(texts: list[str]) -> None:
    for name in FAST[:3]:
        one = CandidateList("1", tuple(texts))
        comparer = Comparer(metric(name), CandidateSet((one,)))
        left = [text for text in texts for _ in texts]
        slow = comparer.metric.segment_score(comparer.compare(left, texts * len(texts), None))
        np.testing.assert_array_equal(comparer.score(one).ravel(), slow)


@pytest.mark.parametrize("block", [1, 7, 1 << 15])
def test_blocks_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = pairwise(TEXTS, "ter")
    monkeypatch.setattr("albeit.rerank.BLOCK", block)
    np.testing.assert_array_equal(pairwise(TEXTS, "ter"), expected)


@pytest.mark.parametrize("name", ["chrf", "bleu"])
def test_the_mean_of_equal_texts_is_the_text(name: str) -> None:
    once, twice = (CandidateList("1", (CROWD[0],) * n) for n in (1, 2))
    several, doubled = CandidateList("2", CROWD), CandidateList("3", CROWD * 2)
    comparer = Comparer(metric(name), CandidateSet((once,)))
    for one in (once, twice):
        found, slow = comparer.expect(one, fast=True), comparer.expect(one)
        np.testing.assert_allclose(found, slow, rtol=1e-12)
    found = comparer.expect(several, fast=True)
    np.testing.assert_allclose(comparer.expect(doubled, fast=True), [*found, *found], rtol=1e-12)
