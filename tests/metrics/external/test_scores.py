from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.errors import InputError
from albeit.metrics.external import external_columns

SYSTEMS = {"A": ("a", "b", "c"), "B": ("x", "y", "z")}
DOCUMENTS = (Document("d1", 0, 2), Document("d2", 2, 3))
SET = EvalSet({"ref": ("a", "b", "c")}, SYSTEMS, None, DOCUMENTS, "cs")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_segment_scores_give_documents_and_systems(tmp_path: Path) -> None:
    seg = write(tmp_path, "TER.seg.score", "B\t0\nB\t1\nB\t5\nA\t1\nA\t2\nA\t6\n")
    (column,) = external_columns(SET, [seg])
    assert (column.name, column.system.tolist()) == ("TER", [3, 2])
    assert column.at("document").tolist() == [[1.5, 6], [0.5, 5]]
    assert column.at("segment").tolist() == [[1, 2, 6], [0, 1, 5]]
    sys = write(tmp_path, "TER.sys.score", "A\t40\nB\t50\n")
    (column,) = external_columns(SET, [seg, sys], lower_is_better=["TER"])
    assert column.system.tolist() == [40, 50]
    assert not column.higher_is_better
    with pytest.raises(InputError, match=r"as .*TER\.sys\.score does"):
        external_columns(SET, [sys, sys])
    with pytest.raises(InputError, match="no score file has a metric 'X'"):
        external_columns(SET, [sys], lower_is_better=["X"])


def test_a_wmt_submission_is_read_for_its_language_pair(tmp_path: Path) -> None:
    lines = [
        f"AMBER\t{pair}\tnewstest2012\t{system}\t{segment}\t{score + segment}"
        for pair in ("cs-en", "de-en")
        for system, score in (("A", 1), ("B", 0))
        for segment in (1, 2, 3)
    ]
    for name in ("amber.seg.scr", "AMBER.seg.score"):  # WMT12, and as WMT13 asked to name them
        path = write(tmp_path, name, "\n".join(lines) + "\n")
        (column,) = external_columns(SET, [f"mine={path}"])
        assert column.name == "mine"
        assert column.segment == pytest.approx(np.array([[2, 3, 4], [1, 2, 3]]))
    system = "AMBER\tcs-en\tnewstest2012\tA\t0.5\nAMBER\tcs-en\tnewstest2012\tB\t0.25\n"
    (column,) = external_columns(SET, [write(tmp_path, "amber.sys.score", system), path])
    assert (column.name, column.system.tolist()) == ("AMBER", [0.5, 0.25])
    write(tmp_path, "amber.seg.scr", "\n".join(lines[:4]) + "\n")
    with pytest.raises(InputError, match="needs 3"):
        external_columns(SET, [tmp_path / "amber.seg.scr"])


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.sys.score", "A\t1\n", "x has no score of system 'B'"),
        ("x.seg.score", "A\t1\nA\tNone\nA\t1\nB\t1\nB\t1\nB\t1\n", "'A' for segment 2"),
        ("x.txt", "a\tb\tc\n", r":1: the line has 3 fields"),
        ("x.txt", "m\tde-en\tt\tA\t1\n", "no scores for cs-en"),
        ("x.txt", "m\tcs-en\tt\tA\tone\t1\n", r"x\.txt:1: 'one' is not the number"),
        ("x.txt", "m\tcs-en\tt\tA\t1\t1\nm\tcs-en\tt\tA\t2\tx\n", r"x\.txt:2: 'x' is not a fin"),
        ("m.seg.score", "m\tcs-en\tt\tA\t1\t1\nm\tcs-en\tt\tA\t1\n", r":2: the line has 5"),
        (
            "x.txt",
            "m\tcs-en\tt\tA\t4\t1\n",
            r"x\.txt:1: '4' is not the number of a segment \(1 to 3\)",
        ),
        ("x.seg.score", "", "x.seg.score"),
        ("x.txt", "", "x.txt"),
        ("x.txt", "m\tcs-en\tt\tA\t1\nm\tcs-en\tt\tA\t1\n", "scores 'A' again"),
    ],
)
def test_bad_score_files(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        external_columns(SET, [write(tmp_path, name, text)])
