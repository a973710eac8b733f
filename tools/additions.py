"""Count the code of each addition of CONTRIBUTING.md in a package outside the repository.

    python -m tools.additions

The package is ``tests/stranger``; ``tests/cli/test_plugins.py`` installs it in a temporary folder
and uses all of it. Lines are those of code, without blanks, comments and docstrings.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tools.count import code_lines

PACKAGE = Path(__file__).resolve().parents[1] / "tests" / "stranger"
ADDITIONS = {
    "metric": "metric",
    "document metric that reads the source": "document_metric",
    "annotator with a layer of its own": "annotator",
    "language": "language",
    "corpus format that streams": "corpus_format",
    "explanation": "metric.explain",
}
"""Addition to its module, or to the method of a module's class."""


@dataclass(frozen=True)
class Count:
    """What an addition took: files of its own, lines of code, lines of ``pyproject.toml``."""

    files: int
    lines: int
    points: int


def count(name: str) -> Count:
    """What one of :data:`ADDITIONS` took."""
    module, _, method = ADDITIONS[name].partition(".")
    text = (PACKAGE / "stranger" / f"{module}.py").read_text(encoding="utf-8")
    if method:
        return Count(0, code_lines(_method(text, method)), 0)
    within = sum(
        code_lines(_method(text, own))
        for place in ADDITIONS.values()
        for owner, _, own in [place.partition(".")]
        if own and owner == module
    )
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = [t for group in project["entry-points"].values() for t in group.values()]
    points = sum(target.partition(":")[0] == f"stranger.{module}" for target in targets)
    return Count(1, code_lines(text) - within, points)


def _method(text: str, name: str) -> str:
    """The source of the one method of this name."""
    found = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    (node,) = found
    return dedent("\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno]))


def main() -> None:
    """Print the table."""
    print("| addition | files | lines of code | lines of `pyproject.toml` |")
    print("| --- | --- | --- | --- |")
    for name in ADDITIONS:
        found = count(name)
        print(f"| {name} | {found.files} | {found.lines} | {found.points} |")


if __name__ == "__main__":
    main()
