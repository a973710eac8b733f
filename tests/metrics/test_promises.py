"""What every metric promises, checked over the whole registry."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest

from albeit import Batch, Document, EvalSet, Evaluation, Metric, Side, read, score
from albeit.errors import AlbeitError, LanguageError, MetricError, MissingExtraError
from albeit.metrics.registry import metric, names
from tests.conftest import ROOT

PARAPHRASES = ROOT / "tests" / "golden" / "meteor" / "paraphrases.txt"
REQUIRED = {"hybrid": "hybrid(chrf)", "meteor-pa": f"meteor-pa(table={PARAPHRASES})"}
ELSEWHERE = ("program", "function", "comet", "comet-qe")
"""Metrics that need another program, code, or a checkpoint."""
VARIANTS = (
    *("act(target_sense=model)", "act(preset=classic)", "terms(by=reference)"),
    *("pronouns(by=reference)", "pronouns-free(by=antecedents)", "rouge-w(variant=script)"),
)
SPECS = (*(REQUIRED.get(n, n) for n in names() if n not in ELSEWHERE), *VARIANTS)
METRICS = [metric(spec) for spec in SPECS]
PERFECT = (
    *("bleu", "chrf", "chrf++", "ter", "terp-a(table=none)", "rouge-l", "rouge-w", "meteor"),
    *("rouge-l(stem=yes)", "sim", "dr", "dr-lex", "cohesion", "coref", "pronouns"),
)
"""Metrics by which a copy of a reference has the best score that there is."""


@pytest.fixture(scope="module")
def five() -> EvalSet:
    """The four systems of the demonstration and one with empty lines only."""
    evalset = read(ROOT / "examples" / "demo", source_lang="de", target_lang="en")
    return replace(evalset, systems={**evalset.systems, "silent": ("",) * len(evalset)})


def usable(evalset: EvalSet) -> list[Metric]:
    return Evaluation(evalset).usable(METRICS)[0]


def check_alone(evalset: EvalSet, metrics: list[Metric]) -> None:
    together = score(evalset, metrics)
    for number, name in enumerate(evalset.systems):
        alone = score(evalset.select([name]), metrics)
        for one in metrics:
            rows, among = np.asarray(alone[one].statistics), np.asarray(together[one].statistics)
            assert np.array_equal(rows[0], among[number], equal_nan=True), f"{one}, {name}"
            assert alone[one].signature == together[one].signature, f"{one}, {name}"


@pytest.mark.slow
def test_a_system_alone_has_the_score_that_it_has_among_others(five: EvalSet) -> None:
    metrics = usable(five)
    assert len(metrics) >= 50
    check_alone(five, metrics)


def test_without_references_each_system_trains_its_own_aligner(five: EvalSet) -> None:
    bare = replace(five.select([*five.systems][:2]), references={})
    check_alone(bare, [metric("terms"), metric("pronouns-free")])
    assert "aligner:source+own" in str(score(bare, ["terms"])["terms"].signature)
    source, systems = next(iter(five.systems.values())), dict.fromkeys("ab", five.source or ())
    turned = EvalSet({}, systems, source, five.documents, "en", "de")
    check_alone(turned, [metric("act-free")])


class Forbidden(Sequence[Any], Mapping[Any, Any]):
    """Stands in for what a metric doesn't need; any use is an error."""

    def _fail(self, *_: object) -> NoReturn:
        raise AssertionError("the metric reads what its needs don't list")

    def __len__(self) -> int:
        self._fail()

    def __iter__(self) -> Iterator[Any]:
        self._fail()

    def __getitem__(self, key: Any) -> Any:
        self._fail()


@pytest.mark.slow
def test_no_metric_reads_beyond_its_needs(five: EvalSet, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Batch.seen_by

    def forbid(self: Batch, one: Metric) -> Batch:
        seen = original(self, one)
        sides = ("references", "documents", "analyses", "source_analyses")
        hidden = (*sides, "document_analyses", "source_document_analyses")
        kept = {n: Forbidden() for n in hidden if getattr(self, n) and not getattr(seen, n)}
        return replace(seen, **kept)  # type: ignore[arg-type]

    metrics = usable(five)
    monkeypatch.setattr(Batch, "seen_by", forbid)
    assert len(score(five, metrics).metrics) >= 45


def test_systems_are_scored_by_the_sum_of_their_rows(five: EvalSet) -> None:
    copy = next(iter(five.references.values()))
    copies = replace(five, systems={"same": copy, "silent": five.systems["silent"]})
    table = score(copies, PERFECT)
    for spec in PERFECT:
        column, chosen = table[spec], metric(spec)
        rows = np.asarray(column.statistics)
        assert np.isfinite(rows).all(), spec
        assert column.system == pytest.approx(chosen.score(rows.sum(axis=1))), spec
        best = chosen.scale if chosen.higher_is_better else 0
        assert column.at("document")[0] == pytest.approx(best, abs=1e-4), spec
        assert column.system[1] == pytest.approx(chosen.scale - best, abs=chosen.scale / 20), spec


@pytest.mark.parametrize("one", METRICS, ids=str)
def test_what_is_missing_is_an_error_before_any_work(one: Metric) -> None:
    lines = ("It was late. He slept, however.", "while he slept it rained", "the end")
    documents = (Document("d", 0, 3),)
    whole = EvalSet({"r": lines}, {"s": lines}, lines, documents, "de", "en", "set")

    def check(error: type[AlbeitError], message: str, **changes: Any) -> None:
        with pytest.raises(error, match=message):
            score(replace(whole, **changes), [one])

    if one.reads(Side.SOURCE):
        check(MetricError, "needs the source text", source=None)
    if one.reads(Side.REFERENCE):
        check(MetricError, "needs at least one reference", references={})
    if one.by_document:
        check(MetricError, "document boundaries are missing.*--docs", documents=())
    if one.languages is not None:
        check(LanguageError, "'fi'|fi", target_lang="fi")


@pytest.mark.parametrize("one", METRICS, ids=str)
def test_a_metric_that_does_not_read_the_whole_set_is_prepared_alike_for_any(one: Metric) -> None:
    """Sets that are read in batches rely on it."""
    lines = ("It was late. He slept, however.", "while he slept it rained", "the end")
    whole = EvalSet({"r": lines}, {"s": lines[::-1]}, lines, source_lang="en", target_lang="en")
    if not one.whole_set:
        contexts = [one.prepare(evalset) for evalset in (whole, whole.take([2]))]
        assert pickle.dumps(contexts[0]) == pickle.dumps(contexts[1])


@pytest.mark.parametrize("one", METRICS, ids=str)
def test_names_and_signatures(one: Metric) -> None:
    """The engine adds ``refs`` and ``annotations``; no parameter may be called so."""
    assert metric(str(one)) == one
    try:
        keys = [key for key, _ in one.signature().fields]
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    assert len({*keys, "refs", "annotations", "v"}) == len(keys) + 3


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bleu(max_ngram=0)", "max_ngram"),
        ("bleu(smooth_value=1)", "smooth_value"),
        ("bleu(smooth=floor,smooth_value=-1)", "smooth_value"),
        ("chrf(beta=0)", "beta"),
        ("chrf(word_order=-1)", "word_order"),
        ("nist(max_ngram=0)", "max_ngram"),
        ("rouge-l(beta=0)", "beta"),
        ("rouge-w(weight=.5)", "weight"),
        ("dr(lambda=0)", "above 0 and at most 1"),
        ("dr-lex(lambda=0)", "above 0 and at most 1"),
        ("cp-stm(depth=0)", "depth"),
        ("dp-hwcm-c(length=10)", "length"),
        ("drs-stm(depth=0)", "depth"),
        ("hybrid(bleu,alpha=2)", "between 0 and 1"),
        ("hybrid(bleu,cohesion=chrf)", "isn't a cohesion metric"),
        ("hybrid(ter)", "better when lower"),
    ],
)
def test_wrong_parameters_are_named(spec: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        metric(spec)


def test_an_optional_side_shows_in_the_signature(five: EvalSet) -> None:
    terms = metric("terms")
    assert not terms.reads(Side.REFERENCE)
    assert terms.sees(Side.REFERENCE)
    for parts, changes in (
        ("source:yes|refs:2 aligner:source+refs.", {}),
        ("source:yes|refs:0 aligner:source+own", {"references": {}}),
        ("source:no|refs:2", {"source": None}),
    ):
        changed = replace(five.select(["careful"]), **changes)
        signature = str(score(changed, [terms])["terms"].signature)
        assert all(part in signature for part in parts.split())
