from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.data.evalset import EvalSet
from albeit.errors import AlbeitWarning, InputError
from albeit.metrics.lexical.ter import COSTS, TerpA
from tests.metrics.lexical.corpora import assert_additive, statistics

PLAIN = TerpA(table="none")


def cost(hypothesis: str, reference: str) -> float:
    return float(statistics(PLAIN, [hypothesis], [[reference]])[0, 0])


def without_shifts(hypothesis: list[str], reference: list[str]) -> float:
    """Plain weighted edit distance, for exact matches."""
    row = [j * COSTS.delete for j in range(len(reference) + 1)]
    for word in hypothesis:
        above, row = row, [row[0] + COSTS.insert]
        for j, other in enumerate(reference):
            step = 0.0 if word == other else COSTS.substitute
            row.append(min(above[j] + step, above[j + 1] + COSTS.insert, row[j] + COSTS.delete))
    return row[-1]


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9)


@given(words, words)
@settings(max_examples=40)
def test_shifts_only_save(hypothesis: list[str], reference: list[str]) -> None:
    found = cost(" ".join(hypothesis), " ".join(reference))
    assert 0 <= found <= without_shifts(hypothesis, reference) + 1e-9


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("red green blue black", "red green blue black", 0),
        ("red green extra blue black", "red green blue black", COSTS.insert),
        ("red green black", "red green blue black", COSTS.delete),
        ("red green quick black", "red green blue black", COSTS.substitute),
        ("blue red green black", "red green blue black", COSTS.shift),
        # stop words don't move alone, although that would cost less
        ("houses streets gardens of", "of houses streets gardens", COSTS.insert + COSTS.delete),
    ],
)
def test_each_edit_has_its_cost(hypothesis: str, reference: str, expected: float) -> None:
    assert cost(hypothesis, reference) == pytest.approx(expected)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paraphrase table of two entries, in METEOR's form."""
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "table.txt"
    path.write_text("0.5\nablaze car\ncar on fire\n0.1\nin spite of\ndespite\n")
    return path


def test_paraphrases_of_the_table_either_way(table: Path) -> None:
    ours = TerpA(table=str(table))
    pairs = [
        ("we saw a car on fire there", "we saw a ablaze car there", 0.5, 3),
        ("we went in spite of rain", "we went despite rain", 0.1, 3),
        ("we went despite rain", "we went in spite of rain", 0.1, 3),
    ]
    for hypothesis, reference, p, edits in pairs:
        each = -0.1469465037633749 * np.log10(p) - 0.07843705907022736 * p + 0.17708577297831574
        found = statistics(ours, [hypothesis], [[reference]])[0, 0]
        least = min(edits * each - 0.2306579294476191, cost(hypothesis, reference))
        assert found == pytest.approx(least)
    assert_additive(ours, [h for h, *_ in pairs], [[r for _, r, *_ in pairs]])


def test_signature_names_the_table(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evalset = EvalSet({"r": ("a",)}, {"s": ("a",)})
    assert "|paraphrases:none|" in str(PLAIN.signature(PLAIN.prepare(evalset)))
    ours = TerpA(table=str(table))
    digest = sha256(table.read_bytes()).hexdigest()[:8]
    assert f"|paraphrases:{digest}|" in str(ours.signature(ours.prepare(evalset)))
    monkeypatch.delenv("ALBEIT_PARAPHRASES", raising=False)
    monkeypatch.setattr("albeit.resources.paraphrase.find_spec", lambda name: None)
    with pytest.warns(AlbeitWarning, match="no paraphrases .* pip install --no-deps pycocoevalcap"):
        assert TerpA().prepare(evalset) is None
    monkeypatch.setenv("ALBEIT_PARAPHRASES", str(table))
    assert f"|paraphrases:{digest}|" in str(TerpA().signature(TerpA().prepare(evalset)))
    with pytest.raises(InputError, match="no paraphrase table"):
        TerpA(table="nowhere.gz").prepare(evalset)
