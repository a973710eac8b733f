from __future__ import annotations

from pathlib import Path

import pytest

from albeit.errors import InputError
from albeit.rerank import read_candidates

JSON = (
    '{"id": "a", "doc_id": "d", "source": "s", "references": ["r"], "candidates":'
    ' ["x", {"text": "y", "score": -1, "features": {"lm": 2}}]}\n'
    '{"source": "t", "references": {"A": "q"}, "candidates": ["z|||", "w"]}\n'
)
MOSES = (
    "0 ||| a b ||| lm= -1.5 tm= 1 2 ||| -3\n0 ||| a c ||| lm= -2 ||| -4\n"
    "1 ||| d ||| lm= 0 ||| -1\n1 ||| e ||| lm= 0\n"
)


def write(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    return [str(path)]


def test_json_lines(tmp_path: Path) -> None:
    found = read_candidates(write(tmp_path / "c.jsonl", JSON))
    assert [one.id for one in found.lists] == ["a", "2"]
    assert [one.texts for one in found.lists] == [("x", "y"), ("z|||", "w")]
    assert [one.source for one in found.lists] == ["s", "t"]
    assert found.lists[1].references == ("q",)
    references = write(tmp_path / "r", "5\n6\n")
    found = read_candidates(write(tmp_path / "c.jsonl", JSON), references=references)
    assert [one.references for one in found.lists] == [("5",), ("6",)]
    assert [one.source for one in found.lists] == ["s", "t"]


def test_moses_lists(tmp_path: Path) -> None:
    found = read_candidates(write(tmp_path / "nbest", MOSES))
    assert [one.texts for one in found.lists] == [("a b", "a c"), ("d", "e")]
    assert [one.id for one in found.lists] == ["0", "1"]


def test_one_file_per_candidate(tmp_path: Path) -> None:
    paths = [
        *write(tmp_path / "a", "1\n2\n"),
        f"new={write(tmp_path / 'b', '3' + chr(10) + '4')[0]}",
    ]
    references, source = write(tmp_path / "r", "5\n6\n"), write(tmp_path / "s", "7\n8\n")[0]
    found = read_candidates(paths, references=references, source=source)
    assert found.lists[1].texts == ("2", "4")
    assert found.lists[1].references == ("6",)
    assert found.lists[1].source == "8"
    assert found.files == {"a": str(tmp_path / "a"), "new": str(tmp_path / "b")}
    with pytest.raises(InputError, match="has 1 line, but"):
        read_candidates([*paths, *write(tmp_path / "c", "1\n")])
    with pytest.raises(InputError, match="3 lines, but there are 2 segments"):
        read_candidates(
            write(tmp_path / "c.jsonl", JSON), source=write(tmp_path / "s", "1\n2\n3\n")[0]
        )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("plain\n", ":1: is not JSON.*: give at least two"),
        ("{\n", ":1: is not JSON"),
        ('{"candidates": "x"}\n', "list of 'candidates'"),
        ('{"candidates": ["x"], "refs": []}\n', "unknown key 'refs'"),
        ('{"candidates": [3]}\n', "candidate 1 is not a text of one line"),
        ('{"candidates": [{"score": 3}]}\n', "candidate 1 is not a text of one line"),
        ('{"candidates": ["a\\nb"]}\n', "not a text of one line"),
        ('{"candidates": ["a"], "references": 3}\n', "neither a list nor"),
        ("0 ||| a\n", ":1: is not id"),
        ("0 ||| a ||| 1\n1 ||| b ||| 1\n0 ||| c ||| 1\n", ":3: segment '0' starts again"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_candidates(write(tmp_path / "c", text))
