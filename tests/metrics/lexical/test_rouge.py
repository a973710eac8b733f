from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.errors import LanguageError
from albeit.metrics.lexical.rouge import RougeL, RougeW
from albeit.metrics.registry import metric
from tests.conftest import ROOT
from tests.metrics.lexical.corpora import HYPOTHESES, REFERENCES, Lines, read, statistics, system

GOLDEN = json.loads((ROOT / "tests/golden/rouge/rouge-1.5.5.json").read_text())
SPECS = {"ROUGE-L": "rouge-l(stem={stem})", "ROUGE-W-1.2": "rouge-w(stem={stem},variant=script)"}
sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=9)


def by_the_paper(hypothesis: Lines, reference: Lines, weight: float) -> float:
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


def check_golden(name: str, kind: str, values: str, hypotheses: Lines, references: Lines) -> None:
    rouge = metric(SPECS[name].format(stem="yes" if kind == "stem" else "no"))
    expected = [f for _, _, f in GOLDEN[values][kind][name]]
    rows = statistics(rouge, hypotheses[: len(expected)], [references[: len(expected)]])
    np.testing.assert_allclose(rows[:, 0], expected, atol=2e-5)


@pytest.mark.parametrize("kind", ["plain", "stem"])
@pytest.mark.parametrize("name", list(SPECS))
def test_equals_rouge_155_on_small_text(name: str, kind: str) -> None:
    check_golden(name, kind, "small", [line or "x" for line in HYPOTHESES], [*REFERENCES[0]])


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["plain", "stem"])
@pytest.mark.parametrize("name", list(SPECS))
def test_equals_rouge_155_on_news(shared_data: Path, name: str, kind: str) -> None:
    folder = shared_data / "wmt12" / "fr-en"
    texts = [read(folder / path) for path in ("systems/cmu-avenue.txt", "ref.txt")]
    check_golden(name, kind, "wmt12/fr-en cmu-avenue, first 60", *texts)


@given(hypothesis=sentences, reference=sentences, weight=st.sampled_from([1.0, 1.2, 2.0]))
def test_equals_the_definition(hypothesis: list[str], reference: list[str], weight: float) -> None:
    ours = RougeW(weight=weight)
    found = system(ours, [" ".join(hypothesis)], [[" ".join(reference)]])
    assert found == pytest.approx(by_the_paper(hypothesis, reference, weight))
    if weight == 1:
        plain = system(RougeL(), [" ".join(hypothesis)], [[" ".join(reference)]])
        assert plain == pytest.approx(found)


@pytest.mark.parametrize(
    ("rouge", "lang", "ours", "theirs", "expected"),
    [
        (RougeL(beta=1e6), "en", "a b", "a b c d", 0.5),
        (RougeL(beta=1e-6), "en", "a b", "a b c d", 1),
        (RougeL(), "en", "a b", "a b c d", 2 / 3),
        (RougeL(), "de", "ein Bär", "ein Bär", 1),
        (RougeL(), "de", "Bär", "Bar", 0),
        (RougeL(stem=True), "de", "die Bären", "die Bär", 1),
    ],
)
def test_by_hand(rouge: RougeL, lang: str, ours: str, theirs: str, expected: float) -> None:
    found = system(rouge, [ours], [[theirs]], lang=lang)
    assert found == pytest.approx(expected, abs=5e-4)


def test_languages_without_a_stemmer_are_refused() -> None:
    with pytest.raises(LanguageError):
        system(RougeL(stem=True), ["猫"], [["猫"]], lang="zh")
