from __future__ import annotations

from dataclasses import replace

from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.connectives.free import ActFree
from albeit.metrics.connectives.lexicons import CLASSIC, inventory
from albeit.metrics.connectives.lexicons.find import Detector
from albeit.metrics.connectives.lexicons.words import cut
from albeit.metrics.connectives.source_sense import senses_of
from albeit.parsing.layers import CONNECTIVES, TOKENS, Analysis, Connective, Tokens


def test_by_the_source_alone(evalset: EvalSet) -> None:
    bare = replace(evalset, references={}, documents=())
    metric = ActFree(source_sense="any", alignment="no")
    column = score(bare, [metric])[metric]
    assert column.system.tolist() == [1.0, 0.25]  # "seit" can be a translation of "since"
    assert column.statistics is not None
    assert column.statistics[1].sum(axis=0).tolist() == [1, 0, 3]


def test_senses_as_read() -> None:
    text = "Since it rains, we stay, yet go."
    words = cut(text, "en")
    connectives = Detector(inventory("en"), CLASSIC)(words)
    read = Analysis(
        text,
        {
            TOKENS: Tokens(words.forms, words.offsets),
            CONNECTIVES: (
                Connective((0,), "Contingency.Cause.Reason"),
                Connective((7,), "Sad.Mood"),
            ),
        },
    )
    found = senses_of(connectives, text, read, inventory("en"))
    assert found[0] == ("Contingency.Cause",)
    assert found[1] == inventory("en").connectives["yet"].senses
    assert senses_of(connectives, text, None, inventory("en"))[0] == (
        "Temporal.Asynchronous",
        "Contingency.Cause",
    )


def test_what_the_model_reads_for_another_metric_is_not_looked_at(evalset: EvalSet) -> None:
    model, free = ActFree(alignment="no"), ActFree(source_sense="any", alignment="no")
    alone = score(evalset, [free])[free]
    beside = score(evalset, [model, free])[free]
    assert alone.statistics is not None
    assert beside.statistics is not None
    assert beside.statistics.tolist() == alone.statistics.tolist()
