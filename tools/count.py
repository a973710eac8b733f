"""Count the code of the repository, and check the figures against the ceilings.

    python tools/count.py                 # src, research and tests, by package
    python tools/count.py --check         # fail if a figure is above tools/ceilings.json
    python tools/count.py --lower         # lower the ceilings to the current figures

A line counts as code if it has a token other than a comment or docstring. A docstring is any
string that is a statement: of a module, class, or function, or below a constant.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = ROOT / "tools" / "ceilings.json"
PLACES = ("tests", "research", "benchmarks", "tools")
TEXT_SUFFIXES = frozenset({".js", ".css", ".html", ".j2", ".toml"})
"""Hand-written files of ``src`` that aren't Python; vendored files and data don't count."""
SILENT = {
    getattr(tokenize, name)
    for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER")
}


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


def count_ceilings(root: Path = ROOT) -> dict[str, int]:
    """Return the figures that have a ceiling."""
    source = root / "src"
    python = [path.read_text(encoding="utf-8") for path in source.rglob("*.py")]
    texts = [
        path.read_text(encoding="utf-8")
        for path in source.rglob("*")
        if path.suffix in TEXT_SUFFIXES and "vendor" not in path.parts
    ]
    pages = [path.read_text(encoding="utf-8") for path in (root / "docs").rglob("*.md")]
    return {
        "src.code": counted(source)["code"],
        "src.modules": len(python),
        "src.text": sum(text.count("\n") for text in texts),
        "src.noqa": sum(len(re.findall(r"#\s*noqa", text)) for text in python),
        "src.fmt": sum(len(re.findall(r"#\s*fmt:", text)) for text in python),
        **{f"{name}.code": counted(root / name)["code"] for name in PLACES},
        "docs.words": sum(len(text.split()) for text in pages),
    }


def check_ceilings(figures: dict[str, int], ceilings: dict[str, int]) -> list[str]:
    """Return one message per figure without a ceiling or above it; print what could be lowered."""
    errors = [
        f"{name} is {figure:,}, above its ceiling of {ceilings.get(name, 0):,}."
        for name, figure in figures.items()
        if figure > ceilings.get(name, 0)
    ]
    lower = [f"{name} to {n:,}" for name, n in figures.items() if n < ceilings.get(name, 0)]
    if lower:
        print(f"ceilings can be lowered (python tools/count.py --lower): {', '.join(lower)}")
    return errors


def lower_ceilings(path: Path, figures: dict[str, int]) -> None:
    """Rewrite the ceilings where the current figures are lower."""
    ceilings: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    lowered = {name: min(n, figures.get(name, n)) for name, n in ceilings.items()}
    path.write_text(json.dumps(lowered, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Print the figures of each folder and package, or check or lower the ceilings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the ceilings")
    parser.add_argument("--lower", action="store_true", help="lower the ceilings")
    args = parser.parse_args()
    if args.check:
        ceilings = json.loads(CEILINGS.read_text(encoding="utf-8"))
        errors = check_ceilings(count_ceilings(), ceilings)
        print("\n".join(errors), end="\n" if errors else "")
        return 1 if errors else 0
    if args.lower:
        lower_ceilings(CEILINGS, count_ceilings())
        return 0
    folders = [ROOT / name for name in ("src", *PLACES)]
    packages = [path for path in sorted((ROOT / "src/albeit").iterdir()) if path.is_dir()]
    figures = {
        str(path.relative_to(ROOT)): counted(path)
        for path in [*folders, *packages]
        if path.is_dir() and any(path.rglob("*.py"))
    }
    print(f"{'folder':<28}{'modules':>9}{'lines':>9}{'code':>9}{'unformatted':>13}")
    for name, row in figures.items():
        numbers = zip(row.values(), (9, 9, 9, 13), strict=True)
        print(f"{name:<28}" + "".join(f"{n:>{width}}" for n, width in numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
