"""Ceilings of code and text, checked here so that `make test` fails above them; coverage."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tools.check_coverage import compare, summarize
from tools.count import CEILINGS, check_ceilings, count_ceilings, lower_ceilings


def test_figures_are_at_most_their_ceilings() -> None:
    ceilings = json.loads(CEILINGS.read_text(encoding="utf-8"))
    assert check_ceilings(count_ceilings(), ceilings) == []


def test_modules_and_folders_are_small() -> None:
    modules = list((CEILINGS.parents[1] / "src").rglob("*.py"))
    long = [p.name for p in modules if p.read_text(encoding="utf-8").count("\n") > 450]
    folders = Counter(path.parent for path in modules)
    assert (long, [folder for folder, count in folders.items() if count > 20]) == ([], [])


def test_figure_above_its_ceiling_or_without_one_fails() -> None:
    errors = check_ceilings({"a": 2, "b": 2, "c": 1}, {"a": 1, "b": 2})
    assert [error.split(" ")[0] for error in errors] == ["a", "c"]


def test_ceilings_are_lowered_and_never_raised(tmp_path: Path) -> None:
    path = tmp_path / "ceilings.json"
    path.write_text('{"a": 1, "b": 3}')
    lower_ceilings(path, {"a": 2, "b": 2})
    assert json.loads(path.read_text()) == {"a": 1, "b": 2}


def test_count_of_hand_written_files(tmp_path: Path) -> None:
    files = {
        "src/p/a.py": '"""Text."""\n# fmt: skip\nx = 1  # noqa: E501\n',
        "src/p/page.js": "let x;\nlet y;\n",
        "src/p/vendor/other.js": "let z;\n",
        "docs/a.md": "# Two words\n",
        **{f"{name}/a.py": "x = 1\n" for name in ("tests", "research", "benchmarks", "tools")},
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    figures = count_ceilings(tmp_path)
    source = ("src.code", "src.modules", "src.text", "src.noqa", "src.fmt")
    assert [figures[name] for name in source] == [1, 1, 2, 1, 1]
    assert figures["docs.words"] == 3


def test_lower_coverage_fails() -> None:
    def report(lines: int, branches: int) -> dict[str, object]:
        summary = {"num_statements": 1000, "num_branches": 1000}
        covered = {"covered_lines": lines, "covered_branches": branches}
        return {"files": {"src/albeit/data/a.py": {"summary": summary | covered}}}

    recorded = summarize(report(900, 800))
    assert recorded["total"] == recorded["data"] == {"lines": 90.0, "branches": 80.0}
    assert compare(summarize(report(899, 799)), recorded) == []
    assert len(compare(summarize(report(890, 790)), recorded)) == 2
