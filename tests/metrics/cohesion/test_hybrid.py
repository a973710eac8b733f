from __future__ import annotations

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import MetricError
from albeit.evaluation import score
from albeit.metrics.registry import metric

REFERENCE = (
    "The dog barked loudly in the old garden.",
    "A cat saw the dog there.",
    "The cats slept all day long.",
    "The government closed the embassy.",
    "The embassy of the government was attacked.",
)
SYSTEM = (
    "The dog was barking in the old garden.",
    "A cat looked at the dog.",
    "The animals slept all day.",
    "The government shut the embassy.",
    "Then the embassy of the government was attacked.",
)
SET = EvalSet(
    {"r": REFERENCE}, {"s": SYSTEM}, documents=(Document("one", 0, 3), Document("two", 3, 5))
)


@pytest.mark.parametrize("inner", ["bleu", "chrf", "meteor", "rc"])
@pytest.mark.parametrize(
    "cohesion", ["cohesion", "cohesion(average=f)", "lc", "coref(average=recall)"]
)
def test_the_score_is_the_mixture_at_every_level(inner: str, cohesion: str) -> None:
    mixed = metric(f"hybrid({inner},alpha=.25,cohesion={cohesion})")
    table = score(SET, [mixed, metric(inner), metric(cohesion)] if inner != cohesion else [mixed])
    for level in ("document", "system"):
        parts = [table[metric(name)].at(level) for name in (cohesion, inner)]
        expected = 0.25 * parts[0] + 0.75 * parts[1] / metric(inner).scale
        assert np.allclose(table[mixed].at(level), expected)


def test_hbleu_and_hmeteor_are_hybrids_by_name() -> None:
    names = [
        "hbleu(alpha=.4)",
        "hybrid(bleu,alpha=.4)",
        "hmeteor(alpha=.2)",
        "hybrid(meteor,alpha=.2)",
    ]
    table = score(SET, [metric(name) for name in names])
    found = [column.system[0] for column in table.columns.values()]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert "parts:[cohesion|" in str(table["hbleu(alpha=0.4)"].signature)


def test_languages_are_those_of_both_parts() -> None:
    assert metric("hbleu").languages == metric("cohesion").languages
    both = (metric("cohesion").languages or frozenset()) & (
        metric("meteor").languages or frozenset()
    )
    assert metric("hmeteor").languages == both
    assert metric("hybrid(bleu,cohesion=lc)").languages == frozenset({"en"})


def test_a_hybrid_with_coreference_names_the_network_that_reads_documents() -> None:
    mixed = metric("hybrid(chrf,cohesion=coref(average=recall))")
    signature = str(score(SET, [mixed])[mixed].signature)
    assert "documents:" in signature
    assert "average:recall" in signature


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hybrid(bleu,alpha=2)", "between 0 and 1"),
        ("hybrid(bleu,cohesion=chrf)", "no cohesion metric"),
        ("hybrid(ter)", "better when lower"),
        ("hybrid", "needs metric"),
    ],
)
def test_mixtures_that_make_no_sense_are_refused(spec: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        metric(spec)
