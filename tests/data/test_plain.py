"""Test sets from lists and data frames."""

from __future__ import annotations

import pandas as pd
import pytest

from albeit.data.build import evalset_of
from albeit.data.evalset import Document
from albeit.errors import InputError

REFERENCE = ["One.", "Two.", "Three."]
OURS = ["One.", "Too.", "Tree."]
FRAME = {
    "src": ["Eins.", "Zwei.", "Drei."],
    "ref": REFERENCE,
    "doc": [1, 1, 2],
    "a": OURS,
    "b": REFERENCE,
}


def test_lists_and_dicts() -> None:
    one = evalset_of(OURS, REFERENCE)
    assert (list(one.systems), list(one.references)) == (["system"], ["ref"])
    assert not one.has_documents
    two = evalset_of(
        {"a": OURS, "b": iter(REFERENCE)},
        [REFERENCE, tuple(OURS)],
        documents=["x", "x", "y"],
        lang="en-GB",
        source_lang="deu",
        source=REFERENCE,
    )
    assert (list(two.systems), list(two.references)) == (["a", "b"], ["ref1", "ref2"])
    assert two.documents == (Document("x", 0, 2), Document("y", 2, 3))
    assert (two.source_lang, two.target_lang) == ("de", "en")
    assert list(evalset_of(OURS, {"mine": REFERENCE}).references) == ["mine"]
    assert evalset_of(OURS).references == {}


def frames() -> dict[str, object]:
    made: dict[str, object] = {"pandas": pd.DataFrame(FRAME)}
    polars = pytest.importorskip("polars", reason="polars is not installed")
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    class Stream:
        """Nothing but Arrow's own interface."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return arrow.table(FRAME).__arrow_c_stream__(requested_schema)

    return made | {
        "polars": polars.DataFrame(FRAME),
        "arrow": arrow.table(FRAME),
        "stream": Stream(),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "stream"])
def test_frames(kind: str) -> None:
    frame = frames()[kind]
    found = evalset_of(frame, "ref", source="src", documents="doc", source_lang="de")
    assert list(found.systems) == ["a", "b"]
    assert found.systems["a"] == tuple(OURS)
    assert found.source == ("Eins.", "Zwei.", "Drei.")
    assert [d.id for d in found.documents] == ["1", "2"]
    assert list(evalset_of(frame, ["ref", "b"], systems=["a"]).references) == ["ref", "b"]
    with pytest.raises(InputError, match=r"no column 'reff'\. It has: src, ref, doc, a, b\."):
        evalset_of(frame, "reff")
    with pytest.raises(InputError, match="'doc' of the data frame holds no text"):
        evalset_of(frame, "ref")


@pytest.mark.parametrize(
    ("given", "beside", "told"),
    [
        ("One.", {}, "is no EvalSet"),
        (None, {}, "is no EvalSet"),
        (7, {}, "is no EvalSet"),
        (OURS, {"references": "One."}, "not a list of lines"),
        (OURS, {"references": REFERENCE[:2]}, "has 3 segments, but"),
        (OURS, {"references": REFERENCE, "systems": ["a"]}, "names columns of a data frame"),
        (OURS, {"references": REFERENCE, "documents": "x"}, "one document id per segment"),
        (OURS, {"references": REFERENCE, "documents": ["x", "y", "x"]}, "starts again"),
        ([*OURS[:2], None], {"references": REFERENCE}, "None is no text"),
        (
            pd.DataFrame({"ref": REFERENCE, "a": [*OURS[:2], None]}),
            {"references": "ref"},
            "is no text",
        ),
    ],
)
def test_mistakes(given: object, beside: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        evalset_of(given, **beside)  # type: ignore[arg-type]
