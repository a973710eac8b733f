import importlib
from pathlib import Path
from types import ModuleType

import pytest

from albeit.annotate.layers import ANTECEDENTS, TOKENS, Analysis, Antecedent, Pronoun, Tokens
from albeit.corpus.evalset import Document, EvalSet
from albeit.engine import Evaluation
from albeit.flags.flag import suspects
from albeit.flags.suspect import PRONOUNS

TEXT = ("The queen spoke.", "Then he left the old house.")
REFERENCE = ("The queen spoke.", "Then she left the old house.")


@pytest.fixture
def antecedents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "experiments"))
    return importlib.import_module("_antecedents")


def made() -> EvalSet:
    return EvalSet({"ref": REFERENCE}, {"bad": TEXT}, None, (Document("d", 0, 2),))


def test_a_feminine_antecedent_is_on_the_side_of_she(antecedents: ModuleType) -> None:
    [one] = suspects(made(), [PRONOUNS])
    forms = ("The", "queen", "spoke", ".", "Then", "he", "left")
    offsets = ((0, 3), (4, 9), (10, 15), (15, 16), (17, 21), (22, 24), (25, 29))
    queen = Antecedent(0, 2, 1, 3.0, "person", "singular", "animate", "feminine")
    layers = {TOKENS: Tokens(forms, offsets), ANTECEDENTS: (Pronoun(5, (queen,)),)}
    analysis = Analysis("\n".join(TEXT), layers)
    value = antecedents.better_taken_up(analysis, len(TEXT[0]) + 1 + one.start, one)
    assert value is not None
    assert 0.9 < value < 1
    assert antecedents.better_taken_up(analysis, 0, one) is None


def test_each_suspect_has_its_piece_from_the_network(antecedents: ModuleType) -> None:
    evalset = made()
    found = suspects(evalset, [PRONOUNS])
    [pieces] = antecedents.by_coreference(Evaluation(evalset))(found, evalset)
    assert pieces["antecedent"] is not None
    assert -1 <= pieces["antecedent"] <= 1


def test_without_documents_nothing_is_said(antecedents: ModuleType) -> None:
    evalset = EvalSet({"ref": REFERENCE}, {"bad": TEXT}, None)
    found = suspects(evalset, [PRONOUNS])
    assert antecedents.by_coreference(Evaluation(evalset))(found, evalset) == [{}]
