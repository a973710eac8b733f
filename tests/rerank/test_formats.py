from __future__ import annotations

from pathlib import Path

import pytest

from albeit.errors import InputError
from albeit.rerank import read_candidates
from albeit.rerank.formats import with_lines

JSON = (
    '{"id": "a", "doc_id": "d", "source": "s", "references": ["r"], "candidates":'
    ' ["x", {"text": "y", "score": -1, "features": {"lm": 2}}]}\n'
    '{"doc_id": "d", "source": "t", "references": {"A": "q"}, "candidates": ["z", "w"]}\n'
)
MOSES = "0 ||| a b ||| lm= -1.5 tm= 1 2 ||| -3\n0 ||| a c ||| lm= -2 tm= 3 4 ||| -4\n1 ||| d ||| lm= 0 tm= 0 0 ||| -1\n1 ||| e ||| lm= 0 tm= 0 1 ||| -1\n"


def write(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    return [str(path)]


def test_json_lines(tmp_path: Path) -> None:
    found = read_candidates(write(tmp_path / "c.jsonl", JSON))
    assert [one.id for one in found.lists] == ["a", "2"]
    assert found.lists[0].candidates[1].features == {"lm": 2.0, "score": -1.0}
    assert found.lists[1].references == ("q",)
    assert [d.id for d in found.documents] == ["d"]


def test_moses_lists(tmp_path: Path) -> None:
    found = read_candidates(write(tmp_path / "nbest", MOSES))
    assert found.lists[0].texts == ("a b", "a c")
    assert found.features() == ("lm", "tm.1", "tm.2", "score")


def test_one_file_a_candidate_with_references_and_documents(tmp_path: Path) -> None:
    paths = [*write(tmp_path / "a", "1\n2\n"), *write(tmp_path / "b", "3\n4\n")]
    found = with_lines(
        read_candidates(paths), references=write(tmp_path / "r", "5\n6\n"), docs=["x", "y"]
    )
    assert found.lists[1].texts == ("2", "4")
    assert found.lists[1].references == ("6",)
    assert found.lists[1].document == "y"
    with pytest.raises(InputError, match="3 lines, but there are 2 segments"):
        with_lines(found, source=write(tmp_path / "s", "1\n2\n3\n")[0])
    with pytest.raises(InputError, match="has 1 line, but"):
        read_candidates([*paths, *write(tmp_path / "c", "1\n")])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("plain\n", "neither JSON lines nor an n-best list"),
        ("{\n", ":1: is not JSON"),
        ('{"candidates": "x"}\n', "list of 'candidates'"),
        ('{"candidates": ["x"], "refs": []}\n', "unknown key 'refs'"),
        ('{"candidates": [3]}\n', "candidate 1 is neither"),
        (
            '{"candidates": [{"text": "x", "score": "a"}]}\n',
            "'score' of candidate 1 is not a number",
        ),
        ('{"candidates": [{"text": "x", "score": NaN}]}\n', "is not a number"),
        ('{"candidates": [{"text": "x", "features": 3}]}\n', "not an object of names"),
        ('{"candidates": ["a\\nb"]}\n', "not a text of one line"),
        ('{"candidates": ["a"], "references": 3}\n', "neither a list nor"),
        ("0 ||| a\n", ":1: is not id"),
        ("0 ||| a ||| x= b\n", ":1: its features or score"),
        ("0 ||| a ||| 1\n1 ||| b ||| 1\n0 ||| c ||| 1\n", ":3: segment '0' starts again"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_candidates(write(tmp_path / "c", text))
