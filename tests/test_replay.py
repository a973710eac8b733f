"""The tools that compare source trees: the list of removals, and what counts as a difference."""

from __future__ import annotations

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


@pytest.fixture
def removed(tmp_path: Path) -> Removed:
    (tmp_path / "removed.txt").write_text(LISTED)
    return Removed.read(tmp_path / "removed.txt")


@pytest.mark.parametrize(
    ("line", "covered"),
    [
        ("select a", True),
        ("score select", False),
        ("score a --shard 1/2", True),
        ("compare a --shard 1/2", False),
        ("score a -m dr-doc(depth=1)", True),
        ("score a -m hybrid(dr-doc)", True),
        ("score a -m dr", False),
        ("score a -m act(alignment=meaning)", True),
        ("score a -m act(alignment=yes)", False),
        ("score a -m act-free(alignment=meaning)", False),
        ("score x y", True),
    ],
)
def test_removed_names_cover_commands_that_use_them(
    removed: Removed, line: str, covered: bool
) -> None:
    assert removed.covers(line, line.split()) is covered


@pytest.mark.parametrize("line", ["metric dr-doc", "colour red  # x", "option --shard  # x"])
def test_wrong_entry_of_the_list_is_an_error(tmp_path: Path, line: str) -> None:
    (tmp_path / "removed.txt").write_text(f"# first\n{line}\n")
    with pytest.raises(SystemExit, match=r"removed\.txt:2: "):
        Removed.read(tmp_path / "removed.txt")


def test_every_difference_is_found() -> None:
    old = {"score a": {"status": 0, "out": {"a": 1.0, "b": [1, 2], "c": "x"}}}
    changes = [
        {"a": 1.0, "b": [1, 2]},
        {"a": 1.0, "b": [1, 2], "c": "x", "d": 1},
        {"a": 1.0000001, "b": [1, 2], "c": "x"},
        {"a": 1, "b": [1, 2], "c": "x"},
        {"a": 1.0, "b": [1], "c": "x"},
        {"b": [1, 2], "a": 1.0, "c": "x"},
    ]
    for out in changes:
        assert len(compare(old, {"score a": {"status": 0, "out": out}}, Removed())) == 1, out
    assert compare(old, old, Removed()) == []
    assert len(compare(old, {}, Removed())) >= 1


def test_listed_differences_are_allowed(removed: Removed) -> None:
    def case(line: str, out: object, status: int = 0) -> dict[str, object]:
        return {line: {"status": status, "out": out}}

    about = case("profile a", {"rows": {"terms": {"about": "x", "score": 1}}})
    new = case("profile a", {"rows": {"terms": {"score": 1}}})
    assert compare(about, new, removed) == []
    assert (
        compare(case("score a", {"notes": ["x"]}), case("score a", {"notes": ["y"]}), removed) == []
    )
    assert compare(case("check a", [{"fault": 1}]), case("check a", [{"error": 1}]), removed) == []
    assert compare(case("check a", [{"fault": 1}]), case("check a", [{"error": 2}]), removed) != []
    assert compare(case("select a", 1), case("select a", 0, 2), removed) == []
    assert compare(case("select a", 1), case("select a", 0, 1), removed) != []
    listing = case("metrics", {"chrf": 1, "dr-doc": 1})
    assert compare(listing, case("metrics", {"chrf": 1}), removed) == []


def test_names_and_versions_are_normalized() -> None:
    rows = [{"system": "a", "signature": "chrf|v:0.2.0"}, {"system": "b", "version": "1"}]
    assert normalize(rows) == {
        "a": {"system": "a", "signature": "chrf|v:*"},
        "b": {"system": "b", "version": "*"},
    }


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
        assert len(set(read_cases(name))) == len(read_cases(name))


def test_missing_and_changed_columns_of_scores(tmp_path: Path, removed: Removed) -> None:
    old, new = tmp_path / "old.npz", tmp_path / "new.npz"
    names = ("demo chrf system", "demo dr-doc system", "demo ter system", "demo bleu system")
    np.savez(old, **{name: np.ones(2) for name in names})  # type: ignore[arg-type]
    values = {"demo chrf system": np.ones(2), "demo ter system": np.array([1, 1 + 1e-15])}
    np.savez(new, **values)  # type: ignore[arg-type]
    messages = find_score_differences(old, new, removed)
    assert [message.split(":")[0] for message in messages] == [
        "demo ter system",
        "demo bleu system",
    ]


def test_metric_that_a_tree_lacks_has_no_scores(capsys: pytest.CaptureFixture[str]) -> None:
    evalset = albeit.EvalSet({"r": ("one",)}, {"a": ("one",)})
    columns = scores(
        [Case("set", evalset, ("chrf", "none", "judge-src", "short"), {"short": "ter"})]
    )
    assert {key.split(" ")[1] for key in columns} == {"chrf", "short"}
    assert "set none: unknown metric" in capsys.readouterr().err


def test_baseline_is_a_full_commit_and_a_folder_is_a_tree(tmp_path: Path) -> None:
    assert len(read_baseline()) == 40
    with open_tree(str(tmp_path)) as tree:
        assert tree == tmp_path
