"""Any Python function as a metric."""

from __future__ import annotations

from pathlib import Path

import pytest

import albeit
from albeit import AlbeitError, EvalSet, metric

SET = EvalSet(
    {"a": ("one", "two"), "b": ("1", "2")}, {"x": ("one", "3"), "y": ("un", "2")}, ("eins", "zwei")
)


def shared(translations: list[str], references: list[list[str]]) -> list[float]:
    return [float(line in each) for line, each in zip(translations, references, strict=True)]


def lengths(translations: list[str], sources: list[str]) -> list[float]:
    return [len(t) / len(s) for t, s in zip(translations, sources, strict=True)]


def few(**_: object) -> list[float]:
    return [1.0]


def odd(translations: list[str], **_: object) -> list[float]:
    return [float("nan") if line == "3" else 0.0 for line in translations]


def failing(**_: object) -> list[float]:
    raise RuntimeError("no GPU")


constant = 3


def test_lists_go_in_and_scores_come_out() -> None:
    table = albeit.score(
        SET,
        [
            f"function({__name__}:shared)",
            f"function(call={__name__}:lengths,texts=source+translation,better=lower)",
        ],
    )
    first, second = table.columns.values()
    assert first.at("segment").tolist() == [[1, 0], [0, 1]]
    assert second.at("segment").tolist() == [[0.75, 0.25], [0.5, 0.25]]
    assert first.higher_is_better
    assert not second.higher_is_better


def test_a_file_holds_functions_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def ones(translations, references):\n    return [1 for _ in translations]\n")
    made = metric(f"function({file}:ones)")
    assert albeit.score(SET, [made])[str(made)].system.tolist() == [1, 1]
    assert "file:" in str(made.signature())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"{__name__}:few", "gave 1 scores for 2 segments"),
        (f"{__name__}:odd", "gave nan, which is not a number, for '3'"),
        (f"{__name__}:failing", r"raised an error \(RuntimeError: no GPU\)"),
        (f"{__name__}:constant", "is a int, not a function"),
        (f"{__name__}:missing", "cannot be loaded from"),
        ("shared", "is named package.module:name"),
        ("no_such_package:f", "No module named 'no_such_package'"),
        ("nothing.py:f", "there is no file 'nothing.py'"),
    ],
)
def test_what_goes_wrong_is_a_clear_error(call: str, message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        albeit.score(SET, [f"function({call})"])
