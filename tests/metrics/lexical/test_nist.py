from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest

from albeit.data.evalset import EvalSet, documents_from_ids
from albeit.evaluation import score
from albeit.metrics.lexical.bleu import Nist
from tests.conftest import ROOT
from tests.metrics.lexical.corpora import HYPOTHESES, REFERENCES, read, system

GOLDEN = json.loads((ROOT / "tests/golden/nist/mteval-v13a.json").read_text())


def test_equals_mteval_on_small_text() -> None:
    references = dict(zip("ab", REFERENCES, strict=True))
    documents = documents_from_ids(["a", "a", "b", "b", "b"])
    column = score(EvalSet(references, {"s": HYPOTHESES}, documents=documents), [Nist()])["nist"]
    golden = GOLDEN["small"]
    assert column.system == pytest.approx(golden["sys"], abs=1e-9)
    np.testing.assert_allclose(column.at("document")[0], golden["doc"], atol=1e-9)
    np.testing.assert_allclose(column.at("segment")[0], golden["seg"], atol=1e-9)


@pytest.mark.shared
def test_equals_mteval_on_news(shared_data: Path) -> None:
    folder = shared_data / "wmt12" / "fr-en"
    golden = GOLDEN["wmt12/fr-en"]
    ids = [line.split()[0] for line in read(folder / "docids.txt")]
    systems = {name: tuple(read(folder / "systems" / f"{name}.txt")) for name in golden}
    references = {"ref": tuple(read(folder / "ref.txt"))}
    evalset = EvalSet(references, systems, documents=documents_from_ids(ids))
    column = score(evalset, [Nist()])["nist"]
    levels = ("system", column.system), ("first documents", column.at("document")[:, :10])
    for name, found in (*levels, ("first segments", column.at("segment")[:, :20])):
        expected = [values[name] for values in golden.values()]
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_weights_come_from_the_whole_set_and_stand_in_the_signature() -> None:
    evalset = EvalSet({"r": ("a a a b", "a c")}, {"s": ("a", "c")})
    weights = Nist().prepare(evalset)
    assert weights.words == {"a": 0, "b": 1, "c": 2}
    np.testing.assert_allclose(weights.bits[0], [log2(6 / 4), log2(6), log2(6)])
    np.testing.assert_array_equal(weights.keys[1], [0, 1, 2])
    np.testing.assert_allclose(weights.bits[1], [log2(4 / 2), log2(4), log2(4)])
    assert f"|weights:{weights.versions['weights']}|" in str(Nist().signature(weights))
    other = Nist().prepare(EvalSet({"r": ("a a a b", "a d")}, {"s": ("a", "c")}))
    assert other.versions != weights.versions


def test_only_ascii_capitals_are_lowered() -> None:
    def score_of(hypothesis: str, reference: str, lowercase: bool = True) -> float:
        return system(Nist(lowercase=lowercase), [hypothesis], [[reference]])

    assert score_of("THE Élan", "the Élan") == score_of("the Élan", "the Élan")
    assert score_of("élan", "Élan") == 0
    assert score_of("THE cat", "the cat", lowercase=False) < score_of("THE cat", "the cat")
