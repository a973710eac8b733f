from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys

import pytest

import albeit
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_names_are_sorted_exist_and_are_documented() -> None:
    assert albeit.__all__ == sorted(albeit.__all__)
    for name in albeit.__all__:
        found = getattr(albeit, name)
        if not isinstance(found, str):
            assert inspect.getdoc(found), name
        assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE), name
    assert set(albeit.__all__) <= set(dir(albeit))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = albeit.nothing  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, albeit; print(sorted({'numpy', 'numba', 'rich'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("page", ["api.md", "grammar.md", "significance.md", "harness.md"])
def test_examples_of_the_documentation(page: str) -> None:
    pytest.importorskip("pandas")
    failed, tried = doctest.testfile(
        str(ROOT / "docs" / page), module_relative=False, encoding="utf-8"
    )
    assert tried > 3
    assert failed == 0
