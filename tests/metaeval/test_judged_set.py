from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from albeit.data import EvalSet, documents_from_ids
from albeit.data.judgment_files import read_judgments
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import AlbeitWarning, InputError
from albeit.metaeval import JudgedSet, join, read_judged

LINES = ("one two three", "four", "five six", "seven")


def evalset(**systems: tuple[str, ...]) -> EvalSet:
    documents = documents_from_ids(["a", "a", "b", "b"])
    return EvalSet({"ref": LINES}, systems, documents=documents)


def ratings(*rows: tuple[str, int, float]) -> Ratings:
    names, segment, score = zip(*rows, strict=True)
    systems = tuple(dict.fromkeys(names))
    index = np.array([systems.index(name) for name in names])
    return Ratings(systems, index, np.array(segment), np.array(score))


TWO = evalset(x=("x", "", "x", "x"), y=("y",) * 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "systems").mkdir()
    texts = {"ref": LINES, "systems/x": ("x",) * 4, "systems/y": ("y",) * 4, "odd_ref": LINES}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def put(folder: Path, header: str, *rows: str) -> None:
    text = "\n".join(line.replace(" ", "\t") for line in (header, *rows))
    (folder / "judgments.tsv").write_text(text + "\n")


def test_what_only_one_side_has_is_left_out_and_said_to_be() -> None:
    three = evalset(x=("x",) * 4, y=("y",) * 4, copy=LINES)
    given = ratings(("x", 0, 1.0), ("copy", 0, 9.0), ("refA", 1, 9.0), ("made", 2, 1.0))
    with pytest.warns(AlbeitWarning) as told:
        found = join(three, given, ignored={"made"})
    assert tuple(found.evalset.systems) == found.judgments.systems == ("x",)
    assert len(found.judgments) == 1
    said = [str(w.message) for w in told]
    assert said == [
        "system 'copy' is identical to the reference 'ref'; excluded.",
        "refA, made: judged like a system, but not a system of the set; excluded.",
        "no judgments of y; excluded.",
    ]


def test_lines_of_several_systems_in_one_text() -> None:
    with pytest.warns(AlbeitWarning, match="p, q: their lines are in one text, 'mt'"):
        found = join(evalset(mt=("m",) * 4), ratings(("p", 0, 1.0), ("q", 2, 2.0)))
    assert found.judgments.systems == ("mt",)
    assert isinstance(found.judgments, Ratings)
    assert found.judgments.matrix(4)[0].tolist()[::2] == [1.0, 2.0]


def test_judged_only_keeps_what_people_saw() -> None:
    given = ratings(("x", 0, 1.0), ("y", 0, 2.0), ("y", 1, 3.0), ("x", 3, 4.0))
    with pytest.warns(AlbeitWarning, match=r"1 empty line without judgments: x \(1\)"):
        found = join(TWO, given)
    kept = found.judged_only()
    assert kept.evalset.systems["x"] == ("x", "x")
    assert [d.id for d in kept.evalset.documents] == ["a", "b"]
    assert kept.judgments.segment.tolist() == [0, 0, 1]
    assert kept.lengths == (3, 1)


def test_a_part_of_a_set_keeps_its_own_judgments() -> None:
    left, right = np.array([0, 0, 1]), np.array([1, 1, 0])
    pairs = Pairs(("x", "y"), np.array([0, 2, 3]), left, right, np.array([1, -1, 1]))
    part = JudgedSet(TWO, pairs).take([2, 3])
    assert part.judgments.segment.tolist() == [0, 1]
    assert len(JudgedSet(TWO, pairs).select(["y"]).judgments) == 0


def test_a_folder_is_read_with_its_judgments(folder: Path) -> None:
    put(folder, "segment system mqm_penalty", "1 x 5", "1 y 0", "4 odd_ref 0", "2 HUMAN 0")
    with pytest.warns(AlbeitWarning, match="odd_ref, HUMAN: judged like a system"):
        found = read_judged(folder)
    assert isinstance(found.judgments, Ratings)
    assert found.judgments.score.tolist() == [-5.0, 0.0]
    assert tuple(found.evalset.references) == ("ref",)
    assert tuple(read_judged(folder, systems=["y"]).evalset.systems) == ("y",)


def test_words_empty_cells_and_wrong_signs(folder: Path) -> None:
    put(folder, "segment system judgment", "1 x perfect", "2 x poor", "3 y medium", "4 y ")
    with pytest.warns(AlbeitWarning, match="1 row without a judgment: not judged"):
        found = read_judged(folder)
    assert isinstance(found.judgments, Ratings)
    assert found.judgments.score.tolist() == [2.0, 0.0, 1.0]
    put(folder, "segment system judgment", "1 x splendid")
    with pytest.raises(InputError, match=r"judgments\.tsv:2: 'splendid' is not a finite number"):
        read_judged(folder)
    put(folder, "segment system mqm", "1 x 5", "1 y 0")
    with pytest.warns(AlbeitWarning, match="mqm is positive, so higher is taken as better"):
        read_judgments(folder / "judgments.tsv")
    put(folder, "segment system mqm_penalty", "1 x -5")
    with pytest.raises(InputError, match="they are not penalties"):
        read_judged(folder)
    put(folder, "segment system mqm", "1 x 5", "1 z 2")
    with pytest.raises(InputError, match="judgments of 'z', but the systems are x"):
        read_judged(folder)


def test_a_folder_without_judgments(folder: Path) -> None:
    with pytest.raises(InputError, match=r"has none of judgments\.csv, .*judgments="):
        read_judged(folder)
    put(folder, "segment better worse", "1 x y")
    (folder / "judgments.tsv").rename(folder / "elsewhere.tsv")
    assert len(read_judged(folder, judgments=folder / "elsewhere.tsv").judgments) == 1
