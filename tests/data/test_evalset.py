from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

from albeit.data import Document, EvalSet
from albeit.errors import InputError
from tests.data.strategies import evalsets


def small(**changes: object) -> EvalSet:
    texts: dict[str, object] = {
        "references": {"A": ["a", "b"]},
        "systems": {"x": ["c", "d"], "y": ["e", "f"]},
        "source": ["s", "t"],
    }
    return EvalSet(**(texts | changes))  # type: ignore[arg-type]


def test_without_documents_all_is_one() -> None:
    evalset = small()
    assert (evalset.documents, evalset.has_documents) == ((Document("all", 0, 2),), False)
    assert small(documents=[Document("all", 0, 2)]) == evalset
    assert small(documents=(Document("d", 0, 2),)).has_documents


def test_texts_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        small().systems["z"] = ("g", "h")  # type: ignore[index]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": {"x": ["c"]}}, "system 'x' has 1 segments, but reference 'A' has 2"),
        ({"source": ["s"]}, "source has 1 segments"),
        ({"references": {}, "systems": {}, "source": None}, "has no text"),
        ({"references": {}, "systems": {"x": []}, "source": None}, "it has no segments"),
        ({"references": {"r": "one string"}}, "reference 'r' is str, not a list of lines"),
        ({"references": ["a"]}, "references are given as list"),
        ({"systems": {"s": ["a", float("nan")]}}, "system 's', segment 2: nan is not text"),
        ({"systems": {"s\n": ["a", "b"]}}, r"a system is called 's\\n'"),
        ({"references": {3: ["a", "b"]}}, "a reference is called 3"),
        ({"documents": (Document("d\a", 0, 2),)}, "a document is called"),
        ({"documents": (Document("d", 0, 1),)}, "the documents cover 1 segments of 2"),
        ({"documents": (Document("d", 1, 2),)}, "but segment 1 comes next"),
        ({"documents": (Document("d", 0, 1), Document("d", 1, 2))}, "two documents of one id"),
    ],
)
def test_what_does_not_fit(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(**changes)


def test_choosing_systems_and_references() -> None:
    evalset = small()
    assert list(evalset.select(["y", "x"]).systems) == ["y", "x"]
    assert not evalset.select(["y"]).has_documents
    assert evalset.select(references=[]).references == {}
    assert evalset.select() == evalset
    with pytest.raises(InputError, match=r"evalset has no system 'z'\. It has: x, y"):
        evalset.select(["z"])


@settings(max_examples=25)
@given(evalset=evalsets())
def test_pickling_and_relabelling(evalset: EvalSet) -> None:
    assert pickle.loads(pickle.dumps(evalset)) == evalset
    assert evalset.relabel() == evalset
    renamed = evalset.relabel(name="other", target_lang="fr")
    assert (renamed.name, renamed.target_lang) == ("other", "fr")
    assert (renamed.systems, renamed.documents) == (evalset.systems, evalset.documents)
    assert len(evalset.document_ids()) == len(evalset)
