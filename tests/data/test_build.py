from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from albeit.data import BLANK_LINES, EvalSet, build_evalset, read_docids
from albeit.data.build import add_systems, evalset_of, language_pair, name_of, read_pairs
from albeit.data.evalset import Document
from albeit.errors import AlbeitWarning, InputError

REFERENCE = ["One.", "Two.", "Three."]
OURS = ["One.", "Too.", "Tree."]
GERMAN = ["Eins.", "Zwei.", "Drei."]
FRAME = {"src": GERMAN, "ref": REFERENCE, "doc": [1, 1, 2], "a": OURS, "b": REFERENCE}
pytestmark = pytest.mark.usefixtures("files")
FILES = {
    "ref.txt": "One.\nTwo.\nThree.\n",
    "ref2.txt": "1.\n2.\n3.\n",
    "a.txt": "Ones.\n\nThrees.\n",
    "b.txt": "x\ny\nz\n",
    "beam=5.txt": "x\ny\nz\n",
    "other/a.txt": "x\ny\nz\n",
    "docids.txt": "d1\t1\tde\nd1\t2\tde\nd2\t1\tde\n",
    "no-id.txt": "d\n\td\nd\n",
    "short.txt": "x\ny\n",
    "long.txt": "x\ny\nz\nw\n",
    "blank.txt": "a\nb\n\n \nc\n\n",
    "blank2.txt": "x\n\n\n\nz\n\n",
    "bad.txt": "x\ny\n!\n\nz\n\n",
    "empty.txt": "\n\n",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)


def test_everything_at_once() -> None:
    texts = ["ref.txt", "second=ref2.txt"], ["b.txt", "mine=a.txt", "beam=5.txt", "o=other/a.txt"]
    evalset = build_evalset(
        *texts, source="ref2.txt", docs="docids.txt", source_lang="de", name="tiny"
    )
    assert list(evalset.references) == ["ref", "second"]
    assert list(evalset.systems) == ["b", "mine", "beam=5", "o"]
    assert evalset.systems["mine"] == ("Ones.", "", "Threes.")
    assert evalset.source == ("1.", "2.", "3.")
    assert [(d.id, len(d)) for d in evalset.documents] == [("d1", 2), ("d2", 1)]
    assert (evalset.name, evalset.source_lang, evalset.target_lang) == ("tiny", "de", "en")
    assert read_docids("docids.txt") == ("d1", "d1", "d2")


@pytest.mark.parametrize(
    ("references", "systems", "docs", "message"),
    [
        (["ref.txt"], ["long.txt"], None, r"long\.txt:4: has 4 lines, but ref\.txt has 3: line 4"),
        (["ref.txt"], ["a.txt", "other/a.txt"], None, r"other/a\.txt: .* already, from a\.txt"),
        (["-"], ["x=-"], None, "standard input is named more than once"),
        ("ref.txt", [], None, "refs are 'ref.txt', not a list"),
        ([], [], BLANK_LINES, "has no text"),
        (["ref.txt"], [], "no-id.txt", r"no-id\.txt:2: the line has no document id"),
        (["blank.txt"], ["bad.txt"], BLANK_LINES, r"bad\.txt:3: the line is not empty, but ends"),
        (["empty.txt"], [], BLANK_LINES, "no lines with text"),
    ],
)
def test_broken(references: list[str], systems: list[str], docs: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_evalset(references, systems, docs=docs)


def test_names_and_language_pairs() -> None:
    names = {"a.txt": "a", "x/a.b.txt.gz": "a.b", "uedin.2884": "uedin.2884", "-": "stdin"}
    names |= {"Its-LATL.2652.txt": "Its-LATL.2652", "hyp.en": "hyp", ".txt": ".txt"}
    assert {path: name_of(path) for path in names} == names
    pairs = [language_pair(name) for name in ("cs-en", "en-zh_TW", "newstest", "xx-en")]
    assert pairs == [("cs", "en"), ("en", "zh"), None, None]


def test_blank_lines_end_documents() -> None:
    evalset = build_evalset(["blank.txt"], ["blank2.txt"], source="blank.txt", docs=BLANK_LINES)
    assert evalset.references["blank"] == evalset.source == ("a", "b", "c")
    assert evalset.systems["blank2"] == ("x", "", "z")
    assert evalset.document_ids() == ("1", "1", "2")
    with pytest.warns(AlbeitWarning, match="all 3 segments are one document"):
        assert len(build_evalset(["b.txt"], [], docs=BLANK_LINES).documents) == 1


def test_pairs_with_lost_characters_are_ignored_with_a_warning() -> None:
    Path("a.fr").write_text("oui\nn\ufffdn\n", encoding="utf-8")
    with pytest.warns(AlbeitWarning, match=r"a\.fr: 1 sentence pair with U\+FFFD ignored"):
        assert read_pairs("short.txt", "a.fr") == [("x", "oui")]


def test_a_system_next_to_a_test_set_must_have_its_length() -> None:
    evalset = EvalSet({"ref": ("a", "b")}, {"own": ("c", "d")})
    assert list(add_systems(evalset, ["short.txt"]).systems) == ["short", "own"]
    with pytest.raises(InputError, match=r"b\.txt:3: has 3 lines, but test set 'evalset' has 2"):
        add_systems(evalset, ["b.txt"])
    with pytest.raises(InputError, match="there is a system 'own' already, from the test set"):
        add_systems(evalset, ["own=short.txt"])


def test_lists_and_dicts() -> None:
    one = evalset_of(OURS, REFERENCE)
    assert (list(one.systems), list(one.references)) == (["system"], ["ref"])
    assert not one.has_documents
    systems, references = {"a": OURS, "b": iter(REFERENCE)}, [REFERENCE, tuple(OURS)]
    ids = ["x", "x", "y"]
    two = evalset_of(
        systems, references, documents=ids, lang="en-GB", source_lang="deu", source=REFERENCE
    )
    assert (list(two.systems), list(two.references)) == (["a", "b"], ["ref1", "ref2"])
    assert two.documents == (Document("x", 0, 2), Document("y", 2, 3))
    assert (two.source_lang, two.target_lang) == ("de", "en")
    assert evalset_of(OURS).references == {}


class Stream:
    """Nothing but Arrow's own interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pa.table(FRAME).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "stream"])
def test_frames(kind: str) -> None:
    make = {"pandas": pd.DataFrame, "arrow": pa.table, "stream": lambda _: Stream()}
    if kind == "polars":
        make["polars"] = pytest.importorskip("polars", reason="polars isn't installed").DataFrame
    frame = make[kind](FRAME)
    found = evalset_of(frame, "ref", source="src", documents="doc", source_lang="de")
    assert list(found.systems) == ["a", "b"]
    assert found.systems["a"] == tuple(OURS)
    assert found.source == ("Eins.", "Zwei.", "Drei.")
    assert [d.id for d in found.documents] == ["1", "2"]
    assert list(evalset_of(frame, ["ref", "b"], systems=["a"]).references) == ["ref", "b"]
    with pytest.raises(InputError, match=r"no column 'reff'\. It has: src, ref, doc, a, b\."):
        evalset_of(frame, "reff")
    with pytest.raises(InputError, match="'doc' of the data frame has no text"):
        evalset_of(frame, "ref")


@pytest.mark.parametrize(
    ("given", "beside", "told"),
    [
        ({}, {}, "dict of systems is empty"),
        (7, {}, "isn't an EvalSet"),
        (OURS, {"references": "One."}, "not a list of lines"),
        (OURS, {"references": REFERENCE, "systems": ["a"]}, "names columns of a data frame"),
        (OURS, {"references": REFERENCE, "documents": "x"}, "one document id per segment"),
        (OURS, {"references": REFERENCE, "documents": ["x", "y", "x"]}, "starts again"),
        (pd.DataFrame({"ref": ["a", "b"], "a": ["c", None]}), {"references": "ref"}, "is not text"),
    ],
)
def test_mistakes(given: object, beside: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        evalset_of(given, **beside)  # type: ignore[arg-type]
