"""The tools that compare source trees: the list of removals, and what counts as a difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import albeit
from tools.baseline import Removed, open_tree, read_baseline
from tools.record_scores import Case, scores
from tools.record_scores import find_differences as find_score_differences
from tools.replay import compare, locate_error, normalize, read_cases

LISTED = """
# comment
command select      # nothing
option score --shard   # use --only
metric dr-doc       # use cohesion
parameter act alignment=meaning   # use alignment=yes
case score x y      # other reasons
key profile rows.*.about   # new name
value * notes.*     # new wording
rename check fault error   # new name
"""
COVERED = (
    *("select a", "score a --shard 1/2", "score a -m dr-doc(depth=1)", "score x y"),
    *("score a -m hybrid(dr-doc)", "score a -m act(alignment=meaning)"),
)
NOT_COVERED = (
    *("score select", "compare a --shard 1/2", "score a -m dr", "score a -m act(alignment=yes)"),
    "score a -m act-free(alignment=meaning)",
)


@pytest.fixture
def removed(tmp_path: Path) -> Removed:
    (tmp_path / "removed.txt").write_text(LISTED)
    return Removed.read(tmp_path / "removed.txt")


@pytest.mark.parametrize("line", [*COVERED, *NOT_COVERED])
def test_removed_names_cover_commands_that_use_them(removed: Removed, line: str) -> None:
    assert removed.covers(line, line.split()) is (line in COVERED)


@pytest.mark.parametrize("line", ["metric dr-doc", "colour red  # x", "option --shard  # x"])
def test_wrong_entry_of_the_list_is_an_error(tmp_path: Path, line: str) -> None:
    (tmp_path / "removed.txt").write_text(f"# first\n{line}\n")
    with pytest.raises(SystemExit, match=r"removed\.txt:2: "):
        Removed.read(tmp_path / "removed.txt")


@pytest.mark.parametrize(
    ("out", "differences"),
    [
        ({"a": 1.0, "b": [1, 2], "c": "x"}, 0),
        ({"a": 1.0, "b": [1, 2]}, 1),
        ({"a": 1.0, "b": [1, 2], "c": "x", "d": 1}, 1),
        ({"a": 1.0000001, "b": [1, 2], "c": "x"}, 1),
        ({"a": 1, "b": [1, 2], "c": "x"}, 1),
        ({"a": 1.0, "b": [1], "c": "x"}, 1),
        ({"b": [1, 2], "a": 1.0, "c": "x"}, 1),
    ],
)
def test_every_difference_is_found(out: object, differences: int) -> None:
    old = {"score a": {"status": 0, "out": {"a": 1.0, "b": [1, 2], "c": "x"}}}
    new = {"score a": {"status": 0, "out": out}}
    assert len(compare(old, new, Removed())) == differences
    assert len(compare(old, {}, Removed())) >= 1


@pytest.mark.parametrize(
    ("line", "old", "new", "status", "allowed"),
    [
        ("profile a", {"rows": {"x": {"about": 1}}}, {"rows": {"x": {}}}, 0, True),
        ("score a", {"notes": ["x"]}, {"notes": ["y"]}, 0, True),
        ("check a", [{"fault": 1}], [{"error": 1}], 0, True),
        ("check a", [{"fault": 1}], [{"error": 2}], 0, False),
        ("select a", 1, 0, 2, True),
        ("select a", 1, 0, 1, False),
        ("metrics", {"chrf": 1, "dr-doc": 1}, {"chrf": 1}, 0, True),
    ],
)
def test_listed_differences_are_allowed(
    removed: Removed, line: str, old: object, new: object, status: int, allowed: bool
) -> None:
    before, after = ({line: {"status": s, "out": out}} for s, out in ((0, old), (status, new)))
    assert (compare(before, after, removed) == []) is allowed


def test_names_and_versions_are_normalized() -> None:
    rows = [{"system": "a", "signature": "chrf|v:0.2.0"}, {"system": "b", "version": "1"}]
    first, second = {"system": "a", "signature": "chrf|v:*"}, {"system": "b", "version": "*"}
    assert normalize(rows) == {"a": first, "b": second}


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("albeit: error: a.txt:3: is wrong.", ("a.txt", 3)),
        ("albeit: warning: b.txt: x\nalbeit: error: the file a.txt is wrong.", ("a.txt", None)),
        ("albeit: error: see other.txt:1.", (None, None)),
    ],
)
def test_file_and_line_of_a_message(message: str, place: tuple[str | None, int | None]) -> None:
    assert locate_error("score a.txt -i x=b.txt", message) == place


def test_commands_are_written_once() -> None:
    for name in ("right", "wrong"):
        assert len(set(read_cases(name))) == len(read_cases(name)) > 100


def test_missing_and_changed_columns_of_scores(tmp_path: Path, removed: Removed) -> None:
    def save(name: str, **columns: Sequence[float]) -> Path:
        named = {f"demo {metric} system": np.array(values) for metric, values in columns.items()}
        np.savez(tmp_path / name, **named)  # type: ignore[arg-type]
        return tmp_path / name

    old = save("old.npz", **{"chrf": [1, 1], "dr-doc": [1, 1], "ter": [1, 1], "bleu": [1, 1]})
    new = save("new.npz", chrf=[1, 1], ter=[1, 1 + 1e-15])
    messages = [message.split(":")[0] for message in find_score_differences(old, new, removed)]
    assert messages == ["demo ter system", "demo bleu system"]


def test_metric_that_a_tree_lacks_has_no_scores(capsys: pytest.CaptureFixture[str]) -> None:
    evalset = albeit.EvalSet({"r": ("one",)}, {"a": ("one",)})
    names = ("chrf", "none", "judge-src", "short")
    columns = scores([Case("set", evalset, names, {"short": "ter"})])
    assert {key.split(" ")[1] for key in columns} == {"chrf", "short"}
    assert "set none: unknown metric" in capsys.readouterr().err


def test_baseline_is_a_full_commit_and_a_folder_is_a_tree(tmp_path: Path) -> None:
    assert len(read_baseline()) == 40
    with open_tree(str(tmp_path)) as tree:
        assert tree == tmp_path
