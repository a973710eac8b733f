from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def texts(files: Path) -> Path:
    """Two documents of two segments."""
    (files / "r.txt").write_text("A dog came.\nThe dog left.\nA cat.\nThe cat.\n", encoding="utf-8")
    (files / "s.txt").write_text("A dog came.\nIt left.\nA cat.\nThe cat.\n", encoding="utf-8")
    return files


def test_chains_of_a_file_pair(texts: Path, albeit: Run) -> None:
    result = albeit("chains", "r.txt", "-i", "s.txt")
    assert result.status == 0
    assert "cat" in result.out
    assert "missed: in references only\ndog" in result.out
    assert "cohesion: s 1.0000" in result.out


def test_one_document_of_several_in_any_format(texts: Path, albeit: Run) -> None:
    common = ("chains", "r.txt", "-i", "s.txt", "--docs", "docs.txt", "-d", "two")
    assert "dog" not in albeit(*common).out
    assert albeit(*common, "-f", "html").out.startswith("<!doctype html>")
    assert '"two"' in albeit(*common, "-f", "json").out
    several = albeit("chains", "r.txt", "-i", "s.txt", "--docs", "docs.txt", "-d", "two", "one")
    assert several.out.index("document two") < several.out.index("document one")


def test_references_alone_are_shown(texts: Path, albeit: Run) -> None:
    result = albeit("chains", "r.txt", "s.txt")
    assert result.status == 0
    assert "in some references\ndog" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chains",), "no text given"),
        (("chains", "r.txt", "-i", "s.txt", "-d", "x"), "no document 'x'"),
        (("chains", "r.txt", "-i", "s.txt", "-m", "bleu"), "no chains of its own"),
        (("chains", "r.txt", "-i", "s.txt", "--lang", "xx"), "'xx'"),
    ],
)
def test_mistakes_are_explained(
    texts: Path, albeit: Run, arguments: tuple[str, ...], message: str
) -> None:
    result = albeit(*arguments)
    assert result.status == 2
    assert message in result.err
    assert not result.out


def test_scores_without_documents_ask_for_them(texts: Path, albeit: Run) -> None:
    result = albeit("score", "r.txt", "-i", "s.txt", "-m", "cohesion")
    assert result.status == 2
    assert "--docs" in result.err
    assert (
        albeit("score", "r.txt", "-i", "s.txt", "-m", "cohesion", "--docs", "docs.txt").status == 0
    )
