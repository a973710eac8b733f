"""Every explanation states the very score of its segment or document, and what is lost adds up."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albeit import Document, EvalSet, explain, read, score
from albeit.metrics.registry import load, metric, names
from albeit.metrics.view import View, divide_loss
from tests.conftest import ROOT
from tests.metrics.connectives.conftest import BAD, GOOD, REFERENCE, SOURCE
from tests.metrics.lexical.corpora import corpora

DEMO = read(ROOT / "examples" / "demo", source_lang="de", target_lang="en")
LEXICAL = [
    *("bleu", "bleu(smooth=none)", "bleu(smooth=add-k,max_ngram=2,lowercase=yes)"),
    *("bleu(smooth=floor,smooth_value=3)", "chrf", "chrf++", "chrf(eps_smoothing=yes)"),
    *("chrf(whitespace=yes,beta=1)", "ter", "ter(normalized=yes,no_punct=yes)"),
]
CHAINS = ["cohesion", "cohesion(average=recall)", "cohesion(average=f)", "cohesion(realign=no)"]
ANALYSED = [
    *("dr", "dr-lex", "dr(labels=relation)", "discotk-light", "sim", "sim(weights=equal)"),
    *("sim(part=recall,weights=set)", "judge", "judge-small", "coref", "coref(average=recall)"),
]
DOCUMENTS = [
    *("pronouns", "pronouns(persons=all,by=reference)", "pronouns-free"),
    *("pronouns-free(by=antecedents)", "connectives-free", "terms", "terms(by=reference)"),
    "on-target",
]
SENTENCES = (
    *("The dog barked.", "A dog came, but it left.", "He stayed because the dog barked."),
    *("", "We stopped. The dogs bark!", "However, the bank lends money."),
)


def check(evalset: EvalSet, spec: str) -> list[View]:
    """Views against scores: equal to the last bit; losses to rounding; places in their texts."""
    chosen = metric(spec)
    column = score(evalset, [chosen])[chosen]
    ids = [document.id for document in evalset.documents]
    views = explain(evalset, chosen, documents=ids)
    scores = column.document if column.segment is None else column.segment
    assert scores is not None
    assert len(views) == scores.size
    for view in views:
        row = view.place - 1 if isinstance(view.place, int) else ids.index(view.place)
        expected = scores[list(evalset.systems).index(view.system), row]
        assert view.score == expected or (math.isnan(view.score) and math.isnan(expected))
        missing = (view.perfect - view.score) * (1 if chosen.higher_is_better else -1)
        if not math.isnan(view.score):
            lost = sum(loss.amount for loss in view.losses)
            assert lost == pytest.approx(missing, abs=1e-5 * chosen.scale)
        check_places(view)
    return views


def check_places(view: View) -> None:
    places = [p for link in view.links for p in (link.one, link.other)]
    places += [p for loss in view.losses for p in loss.places]
    for place in places:
        assert all(0 <= token < len(view.texts[place.text].tokens) for token in place.tokens)
    for link in view.links:
        assert 0 <= link.strength <= 1
    for text in view.texts:
        for start, stop in text.tokens.offsets:
            assert 0 <= start <= stop <= len(text.text)
    for tree in view.trees:
        for node in tree.root.walk() if tree.root else ():
            assert node.start < node.stop <= len(view.texts[tree.text].tokens)
    json.dumps(view.to_json(), allow_nan=False)


def made(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> EvalSet:
    texts = {f"r{n}": tuple(lines) for n, lines in enumerate(references)}
    return EvalSet(texts, {"s": tuple(hypotheses)}, documents=(Document("d", 0, len(hypotheses)),))


@pytest.mark.parametrize("spec", [*ANALYSED, *DOCUMENTS])
def test_a_part_of_it_by_networks(spec: str) -> None:
    """Every view is made by itself, so that a network reads each line many times: two documents
    of two systems."""
    evalset = DEMO.select(["careful", "shuffled"])
    check(evalset.take(range(evalset.documents[1].stop)), spec)


@pytest.mark.parametrize("spec", [*LEXICAL, *CHAINS])
@settings(max_examples=40)
@given(corpora)
def test_texts_that_were_made(spec: str, texts: tuple[list[str], list[list[str]]]) -> None:
    for view in check(made(*texts), spec):
        assert 0 <= view.score <= 1 or spec in LEXICAL


@pytest.mark.parametrize("spec", ANALYSED)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(*[st.sampled_from(SENTENCES)] * 3), min_size=1, max_size=3))
def test_analysed_texts_that_were_made(spec: str, texts: list[tuple[str, str, str]]) -> None:
    ours, *theirs = zip(*texts, strict=True)
    check(made(ours, theirs), spec)


@pytest.mark.parametrize("spec", ["act(alignment=no)", "act", "act(alignment=no,variant=a56)"])
def test_connectives(spec: str) -> None:
    references, systems = {"ref": REFERENCE, "other": GOOD}, {"good": GOOD, "bad": BAD}
    evalset = EvalSet(references, systems, SOURCE, source_lang="en", target_lang="de")
    views = check(evalset, spec)
    since = next(view for view in views if view.system == "bad" and view.place == 4)
    (loss,) = since.losses
    assert loss.details["connective"] == "since"
    source = since.texts[-1]
    assert source.side == "source"
    words = [source.text[slice(*source.tokens.offsets[t])] for t in loss.places[0].tokens]
    assert words == ["Since"]
    (nothing,) = {view.notes for view in views if view.place == 2}
    assert nothing == ("No connective that counts: no score.",)


def test_every_metric_that_explains_itself_is_tested_here() -> None:
    tested = {metric(spec).name for spec in [*LEXICAL, *CHAINS, *ANALYSED, *DOCUMENTS, "act"]}
    elsewhere = {"comet", "comet-qe"}  # tests/metrics/external/test_comet.py
    elsewhere |= {"judge-many"}  # tests/metrics/judge/test_many.py
    assert {name for name in names() if load(name).explains()} == tested | elsewhere


def test_the_reference_that_scored_is_the_one_shown() -> None:
    reference = ("Analysts say the bank lends, because markets like it.",)
    evalset = EvalSet({"far": ("A dog.",), "near": reference}, {"s": reference})
    for spec in ("dr", "dr-lex", "ter", "chrf", "sim"):
        (view,) = explain(evalset, metric(spec), segments=[1])
        assert [text.name for text in view.texts] == ["s", "near"]
        assert view.score == pytest.approx(view.perfect, abs=1e-3)


rates = st.floats(0.01, 1)


@given(rates, rates, st.floats(0.5, 3))
def test_shares_of_an_f_measure_add_up(precision: float, recall: float, beta: float) -> None:
    extra, missing = divide_loss(precision, recall, beta)
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert extra * (1 - precision) + missing * (1 - recall) == pytest.approx(1 - f)
