from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from albeit import AlbeitError, Document, EvalSet, compare, confidence, metric, score
from albeit.metrics.grammar import Signature
from albeit.metrics.significance import Test as PairedTestName
from albeit.metrics.table import Column, ScoreTable
from tests.evaluation.toys import Exact, Opening, Wrong


def noisy(lines: list[str], rate: float, seed: int) -> tuple[str, ...]:
    """Lines with some words lost, swapped or replaced, as translations differ."""
    rng = random.Random(seed)
    made = []
    for line in lines:
        words = line.split()
        for i in range(len(words) - 1):
            if rng.random() < rate:
                words[i], words[i + 1] = words[i + 1], words[i]
        made.append(" ".join(w if rng.random() > rate else f"w{rng.randrange(90)}" for w in words))
    return tuple(made)


@pytest.fixture(scope="module")
def evalset() -> EvalSet:
    rng = random.Random(0)
    lines = [
        " ".join(f"w{int(rng.paretovariate(0.7)) % 90}" for _ in range(rng.randint(5, 25)))
        for _ in range(150)
    ]
    rates = {"base": 0.20, "alike": 0.195, "better": 0.18, "far": 0.10}
    systems = {name: noisy(lines, rates[name], seed) for seed, name in enumerate(rates, 1)}
    documents = tuple(Document(f"d{i}", i, i + 10) for i in range(0, 150, 10))
    return EvalSet({"ref": tuple(lines)}, systems, documents=documents)


@pytest.fixture(scope="module")
def table(evalset: EvalSet) -> ScoreTable:
    return score(evalset, [metric("bleu"), metric("chrf")])


@pytest.mark.parametrize(("test", "theirs"), [("randomisation", "ar"), ("bootstrap", "bs")])
def test_p_values_agree_with_sacrebleu(
    evalset: EvalSet, table: ScoreTable, test: PairedTestName, theirs: str
) -> None:
    trials = 1000
    systems: Any = [(name, list(lines)) for name, lines in evalset.systems.items()]
    metrics, references = {"bleu": BLEU(), "chrf": CHRF()}, [list(evalset.references["ref"])]
    _, expected = PairedTest(systems, metrics, references, theirs, trials)()
    found = compare(table, test=test, resamples=trials, seed=7)
    seen = []
    for i, system in enumerate(evalset.systems):
        for name, key in (("bleu", "BLEU"), ("chrf", "chrF2")):
            result: Any = expected[key][i]
            assert table.score(name, system).value == pytest.approx(result.score, abs=1e-9)
            if i:
                ours = found.p_value(name, system)
                noise = 4 * np.sqrt(2 * result.p_value * (1 - result.p_value) / trials) + 2 / trials
                assert ours == pytest.approx(result.p_value, abs=noise)
                seen.append(ours)
    assert min(seen) < 0.01
    assert max(seen) > 0.1


def test_intervals_agree_with_sacrebleu(evalset: EvalSet, table: ScoreTable) -> None:
    lines, reference = list(evalset.systems["better"]), [list(evalset.references["ref"])]
    theirs = BLEU().corpus_score(lines, reference, n_bootstrap=1000)
    ours = confidence(table, seed=7).score("bleu", "better").interval
    assert ours is not None
    assert (ours[1] - ours[0]) / 2 == pytest.approx(theirs._ci, rel=0.15)
    assert (ours[1] + ours[0]) / 2 == pytest.approx(theirs._mean, abs=0.3)


def test_documents_are_resampled_as_blocks(table: ScoreTable) -> None:
    """The blocks' rows are sums of segments, so only the number of rows changes."""
    by_segment = confidence(table, resamples=400)
    by_document = confidence(table, resamples=400, unit="document")
    assert by_document["bleu"].confidence is not None
    assert by_document["bleu"].confidence.unit == "document"
    one, other = by_segment.score("bleu", "far"), by_document.score("bleu", "far")
    assert one.value == other.value
    assert one.interval != other.interval
    found = compare(table, unit="document", resamples=400)
    assert found.units == {"bleu": "document", "chrf": "document"}
    assert found.p_value("bleu", "far") < 0.05


def test_seed_and_baseline(table: ScoreTable) -> None:
    first, again, reseeded = (compare(table, resamples=300, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.p_values["bleu"], again.p_values["bleu"])
    assert not np.array_equal(first.p_values["bleu"][1:], reseeded.p_values["bleu"][1:])
    other = compare(table, baseline="far", resamples=300, seed=1)
    assert np.isnan(other.p_value("bleu", "far"))
    assert other.p_value("bleu", "base") == first.p_value("bleu", "far")


def test_records_have_the_difference_and_each_metric_its_unit(evalset: EvalSet) -> None:
    found = compare(score(evalset, [Wrong(), Opening()]), resamples=20)
    assert found.units == {"wrong": "segment", "opening": "document"}
    record = next(row for row in found.to_records() if row.get("difference"))
    assert record["difference"] == pytest.approx(
        found.table.score("wrong", "alike").value - found.table.score("wrong", "base").value
    )
    assert sorted(record) == ["corrected", "difference", "metric", "p", "score", "system"]


LONE = score(EvalSet({"r": ("a", "b")}, {"s": ("a", "b")}), [Exact()])


@pytest.mark.parametrize(
    ("function", "chosen", "options", "message"),
    [
        (confidence, "table", {"level": 95}, "between 0 and 1, not 95"),
        (compare, "table", {"resamples": 0}, "at least 1, not 0"),
        (compare, "table", {"test": "t-test"}, "unknown test 't-test'; there are randomisation"),
        (compare, "table", {"baseline": "nobody"}, "no system 'nobody'"),
        (confidence, "foreign", {}, "read, not computed here"),
        (compare, "lone", {}, "at least two systems"),
        (confidence, "lone", {"unit": "document"}, r"one document alone cannot be .*--docs"),
        (compare, "opening", {"unit": "segment"}, "opening scores whole documents"),
        (confidence, "opening", {"unit": "segment"}, "opening scores whole documents"),
    ],
)
def test_wrong_requests_are_refused(
    evalset: EvalSet, table: ScoreTable, function: Any, chosen: str, options: Any, message: str
) -> None:
    column = Column("comet", Signature("comet"), True, np.ones(4))
    tables = {
        "table": table,
        "foreign": table.with_columns([column]),
        "lone": LONE,
        "opening": score(evalset, [Exact(), Opening()]),
    }
    with pytest.raises(AlbeitError, match=message):
        function(tables[chosen], **options)
