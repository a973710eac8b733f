from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.data import EvalSet
from albeit.data.evalset import Document
from albeit.data.scores import ScoreFile, read_score_table, read_scores, write_scores
from albeit.errors import InputError

SYSTEMS = {"x": ("a", "b", "c"), "y": ("d", "e", "f")}
DOCUMENTS = (Document("d1", 0, 2), Document("d2", 2, 3))
SET = EvalSet({"refA": ("a", "b", "c")}, SYSTEMS, documents=DOCUMENTS, name="tiny")
TSV = "t.tsv"


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_name_and_level_come_from_the_file(tmp_path: Path) -> None:
    scores = read_scores(put(tmp_path, "bleu-v2.seg.score", "x 1\nx\tNone\nx -3e2\n"), SET)
    assert (scores.name, scores.level) == ("bleu-v2", "segment")
    assert dict(scores.scores) == {"x": (1.0, None, -300.0)}
    assert read_scores(put(tmp_path, "a.doc.score", "refA 1\nrefA 2\n"), SET).level == "document"
    assert read_scores(put(tmp_path, "b", "x 1\n"), SET, name="b", level="system").name == "b"
    with pytest.raises(InputError, match="does not have the level"):
        read_scores(tmp_path / "b")


@settings(max_examples=40)
@given(
    scores=st.dictionaries(
        st.sampled_from(["a", "b.1", "ü"]),
        st.tuples(*[st.none() | st.floats(allow_nan=False, allow_infinity=False)] * 3),
        min_size=1,
    )
)
def test_round_trip(scores: dict[str, tuple[float | None, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.seg.score")
        write_scores(ScoreFile("m", "segment", scores), path)
        assert read_scores(path).scores == scores


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a system called 'a b'"):
        write_scores(ScoreFile("m", "system", {"a b": (1.0,)}), tmp_path / "m.sys.score")
    with pytest.raises(InputError, match="nan isn't a score"):
        write_scores(ScoreFile("m", "system", {"a": (float("nan"),)}), tmp_path / "m.sys.score")
    with pytest.raises(InputError, match="no level 'word'"):
        ScoreFile("m", "word", {})  # type: ignore[arg-type]


def test_long_table_in_any_order(tmp_path: Path) -> None:
    rows = "bleu x d2 3 0.3,bleu x d1 1 0.1,bleu x d1 2 None,ter y d1 1 1,ter y d1 2 2,ter y d2 3 3"
    text = f"metric system doc_id seg_id score,{rows},".replace(" ", "\t").replace(",", "\n")
    one, two = read_score_table(put(tmp_path, "t.tsv", text), SET)
    assert (one.name, one.level, dict(one.scores)) == ("bleu", "segment", {"x": (0.1, None, 0.3)})
    assert (two.name, dict(two.scores)) == ("ter", {"y": (1.0, 2.0, 3.0)})
    assert read_score_table(tmp_path / "t.tsv")[1].scores == two.scores


def test_wide_tables_of_documents_and_systems(tmp_path: Path) -> None:
    text = "system\tdocument\tbleu\tter\nx\td2\t1\t2\nx\td1\t3\t4\n"
    one, two = read_score_table(put(tmp_path, "d.tsv", text), SET)
    assert (one.level, dict(one.scores)) == ("document", {"x": (3.0, 1.0)})
    assert dict(two.scores) == {"x": (4.0, 2.0)}
    (one,) = read_score_table(put(tmp_path, "s.tsv", "system\tbleu\nx\t1\ny\t2\n"), SET)
    assert (one.level, dict(one.scores)) == ("system", {"x": (1.0,), "y": (2.0,)})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.seg.score",
            "x nan\n",
            r"a\.seg\.score:1: 'nan' is not a finite number\. Or write None",
        ),
        ("a.seg.score", "x 1\n\n", r"a\.seg\.score:2: the line has 0 cells"),
        ("a.seg.score", "x 1\nx 2\n", "has 2 segment scores for 'x', but tiny needs 3"),
        ("a.doc.score", "x 1\nx 2\nx 3\n", "has 3 document scores for 'x', but tiny needs 2"),
        (TSV, "system\tmetric\tbleu\nx\tm\t1\n", "needs 'metric' and 'score'"),
        (TSV, "system\tbleu\tbleu\nx\t1\t1\n", "a column is there twice"),
        (TSV, "system\tbleu\nx\t1\nx\t1\n", r"t\.tsv:3: .* a score for system 'x' already"),
        (TSV, "system\tbleu\n", "has a header, but no scores"),
        (TSV, "system\tsegment\tbleu\nx\t0\t1\n", r"t\.tsv:2: '0' is not the number of a segment"),
        (TSV, "system\tsegment\tbleu\nx\t1\t1\nx\t3\t1\n", "no score for segment 2 of 'x'"),
        (TSV, "system\tdocument\tbleu\nx\td3\t1\n", "scores document 'd3', which isn't in"),
        (TSV, "system\tdocument\tbleu\nx\td1\t1\n", "no score for document 'd2' of 'x'"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    read_it = read_score_table if name == TSV else read_scores
    with pytest.raises(InputError, match=message):
        read_it(put(tmp_path, name, text), SET)
