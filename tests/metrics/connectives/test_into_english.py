"""ACT into English: lexicons turned round, with and without the model's reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data import read
from albeit.data.evalset import Document, EvalSet
from albeit.evaluation import explain, score
from albeit.metrics.connectives.act import Act
from albeit.metrics.connectives.scores import CaseCounts
from albeit.metrics.registry import metric
from albeit.report.act import assess

SOURCE = ("Obwohl es regnet, gehen wir aus.", "Wir bleiben, weil es regnet.", "Nichts.")
REFERENCE = ("Although it rains, we go out.", "We stay because it rains.", "Nothing.")
GOOD = ("Though it rains, we go out.", "We stay because it rains.", "Nothing.")
BAD = ("Since it rains, we go out.", "We stay, it rains.", "Nothing.")


def made() -> EvalSet:
    return EvalSet(
        {"ref": REFERENCE}, {"good": GOOD, "bad": BAD}, SOURCE, (Document("d", 0, 3),), "de", "en"
    )


@pytest.mark.parametrize("reading", ["lexicon", "model"])
def test_by_hand(reading: str) -> None:
    # obwohl: although; though is a synonym, since no translation of it. weil: missing in "bad"
    chosen = metric(f"act(connectives=all,target_sense={reading})")
    column = score(made(), [chosen])[chosen]
    assert column.system.tolist() == [1, 0]
    _, view = explain(made(), chosen, segments=[1])
    assert view.score == 0
    assert view.losses[0].label.startswith("obwohl: nothing found here")
    _, view = explain(made(), chosen, segments=[2])
    assert view.losses[0].label == "weil: nothing found here, because in the reference"


def test_what_is_no_connective_there_does_not_count() -> None:
    # "since 1990" has a source word of the lexicon on one side, and no connective on the other
    lines = ("We have lived here since 1990.",)
    texts = EvalSet({"ref": lines}, {"s": lines}, ("Wir wohnen hier seit 1990.",), (), "de", "en")
    by_form, by_model = (
        score(texts, [metric(f"act(connectives=all,target_sense={way})")])
        for way in ("lexicon", "model")
    )
    (form,), (model,) = by_form.columns.values(), by_model.columns.values()
    assert form.system.tolist() == [1]
    assert model.statistics is not None
    assert model.statistics[0, 0].tolist() == [0, 0, 0, 0, 0, 1, 0, 0]  # neither; nothing counts


def test_assessments_read_with_the_model_too() -> None:
    found = assess(made(), Act(connectives="all", target_sense="model"))
    assert [v.case for v in found.verdicts["good"]] == [2, 1]
    assert found.verdicts["good"][1].in_candidate.senses == ("Contingency.Cause",)


def test_one_number_under_one_signature() -> None:
    """``albeit act score`` and the metric count the same verdicts, and say which variant it is."""
    folder = Path(__file__).resolve().parents[3] / "examples" / "demo"
    evalset = read(folder, source_lang="de", target_lang="en")
    every = [Act(target_sense="model", variant=variant) for variant in ("auto", "a", "a56")]
    found = score(evalset, every)
    for one, used in zip(every, ("a56", "a", "a56"), strict=True):
        assert f"|variant:{used}|" in str(found[one].signature)
        assessed = assess(evalset, one)
        assert assessed.signature == found[one].signature
        for n, verdicts in enumerate(assessed.verdicts.values()):
            counts = CaseCounts.of(verdicts)
            rows = found[one].statistics
            assert rows is not None
            assert counts == CaseCounts.from_sums(rows[n].sum(axis=0))
            said = counts.act_a if used == "a" else counts.act_a56
            assert found[one].system[n] == pytest.approx(said, nan_ok=True)
    assert found[every[0]].system.tolist() == found[every[2]].system.tolist()
    assert found[every[0]].system.tolist() != found[every[1]].system.tolist()
