from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import albeit
from albeit.errors import AlbeitError
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


def test_names_are_sorted_exist_and_are_documented() -> None:
    assert albeit.__all__ == sorted(albeit.__all__)
    for name in albeit.__all__:
        found = getattr(albeit, name)
        if not isinstance(found, str):
            assert inspect.getdoc(found), name
        assert f"::: albeit.{name}\n" in PAGE, name
    assert set(albeit.__all__) <= set(dir(albeit))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = albeit.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", ["api.md", "metric-names.md", "llm-harnesses.md"])
def test_examples_of_the_documentation(page: str) -> None:
    pytest.importorskip("pandas")
    failed, tried = doctest.testfile(
        str(ROOT / "docs" / page), module_relative=False, encoding="utf-8"
    )
    assert tried > 3
    assert failed == 0


PUBLIC = [name for name in albeit.__all__ if callable(getattr(albeit, name))]
SHOWN_ELSEWHERE = {"Comparison": "compare", "Ranking": "rank_metrics", "Side": "Need"}
"""What is made by something else, whose example shows it."""


FURTHER = [
    "albeit.parsing.annotate",
    "albeit.parsing.annotate_documents",
    "albeit.combine:uniform",
    "albeit.data.read_lines",
    "albeit.evaluation.open_store",
    "albeit.evaluation.score_partitions",
    "albeit.report.page.build.make_report",
]
"""Functions of packages that the pages use."""


@pytest.mark.parametrize("name", [*PUBLIC, *FURTHER])
def test_docstrings_name_parameters_and_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = pkgutil.resolve_name(name if name in FURTHER else f"albeit.{name}")
    text = inspect.getdoc(found) or ""
    if name in SHOWN_ELSEWHERE:
        assert SHOWN_ELSEWHERE[name] in albeit.__all__
    else:
        (example,) = doctest.DocTestFinder(recurse=False).find(found, name)
        assert example.examples
        assert doctest.DocTestRunner().run(example).failed == 0
    made_elsewhere = inspect.isclass(found) and issubclass(found, Exception | Enum)
    if made_elsewhere or "parameters are those of" in text:
        return
    for parameter in inspect.signature(found).parameters:
        assert parameter == "self" or f":param {parameter}:" in text, parameter


IMPORTED = re.compile(r"^(?:>>> )?from (albeit[\w.]*) import ([\w, ]+)$", re.MULTILINE)
DOTTED = re.compile(r"`(albeit(?:\.\w+)+)(?:\([^`]*)?`")
OLD_NAME = re.compile(r"^\| `albeit\.[^|]*\|(?=[^|]*\|$)", re.MULTILINE)
"""The first of two cells: the migration page has old names there."""


def test_names_that_pages_give_exist() -> None:
    missing = []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        text = OLD_NAME.sub("", page.read_text(encoding="utf-8"))
        imported = IMPORTED.findall(text)
        found = [f"{module}.{n.split()[0]}" for module, names in imported for n in names.split(",")]
        # two parts are a group of entry points
        for name in [*found, *(n for n in DOTTED.findall(text) if n.count(".") > 1)]:
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                missing.append(f"{page.name}: {name}")
    assert not missing


LINES = ["one two", "three four"]
UNTYPED: Any = albeit
"""For calls that a type checker would refuse."""
WRONG: dict[str, Callable[[], object]] = {
    r"systems are 'a\.txt', not a list": lambda: UNTYPED.build_evalset(["r"], Path("a.txt")),
    "no translations": lambda: UNTYPED.score(albeit.EvalSet({"r": ("a",)}, {}), ["chrf"]),
    "None isn't a language": lambda: UNTYPED.score(LINES, references=LINES, lang=None),
    "3 isn't a language code": lambda: UNTYPED.score(LINES, references=LINES, source_lang=3),
    "no level 'frame'": lambda: UNTYPED.score(LINES, references=LINES).to_frame("frame"),
    "no level 'arrow'": lambda: UNTYPED.score(LINES, references=LINES).to_arrow("arrow"),
    "list isn't an EvalSet": lambda: UNTYPED.explain(LINES, "chrf", segments=[1]),
    "None isn't a path": lambda: UNTYPED.read(None),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_arguments_are_one_clear_error(said: str) -> None:
    with pytest.raises(AlbeitError, match=said):
        WRONG[said]()


def test_a_series_is_a_list_of_lines() -> None:
    import pandas
    import polars

    expected = list(albeit.score(LINES, ["chrf"], references=LINES).to_records())
    for series in (pandas.Series, polars.Series):
        found = albeit.score(series(LINES), ["chrf"], references=series(LINES))
        assert list(found.to_records()) == expected
