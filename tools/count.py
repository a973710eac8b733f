"""Count the code of the repository: lines without blanks, comments and docstrings, and modules.

    python tools/count.py                 # src, research and tests, by package
    python tools/count.py -f json         # one object of named figures

A line counts when a token of code stands on it. A docstring is a string that is an expression of its
own, wherever it stands: of a module, class or function, or below a constant that it explains.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SILENT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)


def docstring_lines(tree: ast.AST) -> set[int]:
    """The lines of every string that is a statement."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def code_lines(text: str) -> int:
    """How many lines of a module hold code."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - docstring_lines(ast.parse(text)))


def counted(folder: Path) -> dict[str, int]:
    """The figures of one folder: modules, lines, lines of code, lines that the formatter skips."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))]
    return {
        "modules": len(texts),
        "lines": sum(text.count("\n") for text in texts),
        "code": sum(code_lines(text) for text in texts),
        "unformatted": sum(text.count("# fmt: ") for text in texts),
    }


def main() -> None:
    """Print the figures of each folder and of each package of the product."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-f", "--format", choices=["text", "json"], default="text")
    args = parser.parse_args()
    folders = [ROOT / name for name in ("src", "research", "benchmarks")]
    folders += [ROOT / "tools", ROOT / "tests"]
    packages = [path for path in sorted((ROOT / "src/albeit").iterdir()) if path.is_dir()]
    figures = {
        str(path.relative_to(ROOT)): counted(path)
        for path in [*folders, *packages]
        if path.is_dir() and any(path.rglob("*.py"))
    }
    if args.format == "json":
        flat = {f"{name}.{key}": n for name, row in figures.items() for key, n in row.items()}
        print(json.dumps(flat, indent=1))
        return
    print(f"{'folder':<28}{'modules':>9}{'lines':>9}{'code':>9}{'unformatted':>13}")
    for name, row in figures.items():
        print(
            f"{name:<28}"
            + "".join(f"{n:>{w}}" for n, w in zip(row.values(), (9, 9, 9, 13), strict=True))
        )


if __name__ == "__main__":
    main()
