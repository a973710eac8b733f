from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.errors import LanguageError
from albeit.metrics.lexical.rouge import RougeL, RougeW
from albeit.metrics.registry import metric
from tests.metrics.lexical.corpora import HYPOTHESES, REFERENCES, read, statistics, system

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "rouge" / "rouge-1.5.5.json").read_text()
)
SPECS = {"ROUGE-L": "rouge-l(stem={stem})", "ROUGE-W-1.2": "rouge-w(stem={stem},variant=script)"}
sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=9)


def by_the_paper(hypothesis: Sequence[str], reference: Sequence[str], weight: float) -> float:
    """F of the weighted common subsequence, from the recursive definition of Lin (2004)."""

    @cache
    def run(i: int, j: int) -> int:
        if i == 0 or j == 0 or reference[i - 1] != hypothesis[j - 1]:
            return 0
        return run(i - 1, j - 1) + 1

    @cache
    def common(i: int, j: int) -> float:
        if i == 0 or j == 0:
            return 0.0
        if reference[i - 1] == hypothesis[j - 1]:
            k = run(i - 1, j - 1)
            return common(i - 1, j - 1) + float((k + 1) ** weight - k**weight)
        return max(common(i - 1, j), common(i, j - 1))

    value = common(len(reference), len(hypothesis))
    if value == 0:
        return 0.0
    precision = (value / len(hypothesis) ** weight) ** (1 / weight)
    recall = (value / len(reference) ** weight) ** (1 / weight)
    return float(2 * precision * recall / (precision + recall))


def f_scores(golden: list[list[float]]) -> list[float]:
    return [f for _, _, f in golden]


@pytest.mark.parametrize("kind", ["plain", "stem"])
@pytest.mark.parametrize("name", list(SPECS))
def test_equals_rouge_155_on_small_text(name: str, kind: str) -> None:
    ours = metric(SPECS[name].format(stem="yes" if kind == "stem" else "no"))
    hypotheses = [line or "x" for line in HYPOTHESES]
    rows = statistics(ours, hypotheses, REFERENCES[:1])
    np.testing.assert_allclose(rows[:, 0], f_scores(GOLDEN["small"][kind][name]), atol=2e-5)


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["plain", "stem"])
@pytest.mark.parametrize("name", list(SPECS))
def test_equals_rouge_155_on_news(shared_data: Path, name: str, kind: str) -> None:
    folder = shared_data / "wmt12" / "fr-en"
    golden = f_scores(GOLDEN["wmt12/fr-en cmu-avenue, first 60"][kind][name])
    ours = metric(SPECS[name].format(stem="yes" if kind == "stem" else "no"))
    hypotheses = read(folder / "systems" / "cmu-avenue.txt", len(golden))
    rows = statistics(ours, hypotheses, [read(folder / "ref.txt", len(golden))])
    np.testing.assert_allclose(rows[:, 0], golden, atol=2e-5)


@given(hypothesis=sentences, reference=sentences, weight=st.sampled_from([1.0, 1.2, 2.0]))
@settings(max_examples=100, deadline=None)
def test_equals_the_recursive_definition(
    hypothesis: list[str], reference: list[str], weight: float
) -> None:
    ours = RougeW(weight=weight)
    found = system(ours, [" ".join(hypothesis)], [[" ".join(reference)]])
    assert found == pytest.approx(by_the_paper(hypothesis, reference, weight))
    if weight == 1:
        plain = system(RougeL(), [" ".join(hypothesis)], [[" ".join(reference)]])
        assert plain == pytest.approx(found)


def test_lin_2004_example() -> None:
    """Lin's example: of two subsequences of one length the unbroken one is worth more."""
    reference = [["a b c d e f g"]]
    assert system(RougeL(), ["a b c d h i k"], reference) == pytest.approx(4 / 7)
    assert system(RougeL(), ["a h b k c i d"], reference) == pytest.approx(4 / 7)
    unbroken = system(RougeW(weight=2), ["a b c d h i k"], reference)
    broken = system(RougeW(weight=2), ["a h b k c i d"], reference)
    assert unbroken == pytest.approx(0.571, abs=5e-4)
    assert broken == pytest.approx(0.286, abs=5e-4)


def test_beta_weighs_recall() -> None:
    reference = [["a b c d"]]
    assert system(RougeL(beta=1e6), ["a b"], reference) == pytest.approx(0.5)
    assert system(RougeL(beta=1e-6), ["a b"], reference) == pytest.approx(1)
    assert system(RougeL(), ["a b"], reference) == pytest.approx(2 / 3)


def test_words_of_other_languages_keep_their_letters() -> None:
    assert system(RougeL(), ["ein Bär"], [["ein Bär"]], lang="de") == 1
    assert system(RougeL(), ["Bär"], [["Bar"]], lang="de") == 0
    assert system(RougeL(stem=True), ["die Bären"], [["die Bär"]], lang="de") == 1
    with pytest.raises(LanguageError):
        system(RougeL(stem=True), ["猫"], [["猫"]], lang="zh")
