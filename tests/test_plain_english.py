"""Prose has no word of ``tools/forbidden.txt``, and pages have no very long sentence.

Prose is README, the pages, help, and docstrings, comments, and messages in ``src``. Code blocks
and code spans of pages aren't prose.
"""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

from albeit.cli import COMMANDS, command_parser
from tests.conftest import ROOT

LONGEST = 35
"""Words in a sentence of a page."""
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src").rglob("*.py"))
ASSETS = [path for path in (ROOT / "src").rglob("*.js") if "vendor" not in path.parts]
BLOCK = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`|\]\([^)]*\)|https?:\S+|:param \w+:")
TEXT = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}


def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the forbidden words, and the phrases that are allowed."""
    lines = (ROOT / "tools/forbidden.txt").read_text(encoding="utf-8").splitlines()
    rules = [line.split("|") for line in lines if not line.startswith("#")]
    words = "|".join(re.split(r"\s{2,}", rule[0])[0] for rule in rules)
    allowed = "|".join(phrase.strip() for rule in rules for phrase in rule[1:])
    return re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])", re.I), re.compile(allowed, re.I)


FORBIDDEN, ALLOWED = _patterns()


def forbidden_in(text: str) -> list[str]:
    return FORBIDDEN.findall(ALLOWED.sub("", re.sub(r"\s+", " ", SPAN.sub("", text))))


def long_sentences(text: str) -> list[str]:
    """Return long sentences of paragraphs and list items, but not of tables and headings."""
    blocks = re.split(r"\n\s*\n|\n(?=\s*[-*|#\d])", SPAN.sub("`x`", text))
    prose = [block.strip() for block in blocks if not re.match(r"\s*[|#]", block)]
    sentences = [each for block in prose for each in re.split(r"(?<=[.!?:])\s+", block)]
    return [each for each in sentences if len(each.split()) > LONGEST]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages(path: Path) -> None:
    text = BLOCK.sub("", path.read_text(encoding="utf-8"))
    assert forbidden_in(text) + long_sentences(text) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name: str) -> None:
    assert forbidden_in(command_parser(name).format_help()) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_docstrings_comments_and_messages(path: Path) -> None:
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    texts = [token.string for token in tokens if token.type in TEXT]
    assert forbidden_in("\n".join(text for text in texts if re.search(r"\w \w", text))) == []


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_scripts_of_the_report(path: Path) -> None:
    assert forbidden_in(path.read_text(encoding="utf-8")) == []


def test_the_check_finds_words_and_sentences() -> None:
    assert forbidden_in("A `fault` stands beside it; fault tolerance") == ["stands", "beside"]
    assert len(long_sentences("| a |\n\n" + "word " * 36 + ".\n- short")) == 1
