"""Prose has no word of ``tools/forbidden.txt``, and no sentence over 35 words, without exceptions.

Prose is README, pages, help, scripts of the report, and docstrings, comments, messages in ``src``.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from albeit.cli import list_parsers
from albeit.cli.parser import Parser, read_text
from tests.conftest import ROOT

LONGEST = 35
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src").rglob("*.py"))
ASSETS = [path for path in (ROOT / "src").rglob("*.js") if "vendor" not in path.parts]
BLOCK = re.compile(r"(?ms)^```.*?^```|^(?: {4}| *albeit |\t|>>> |\.\.\. |\||#).*?$")
SPAN = re.compile(r"`[^`\n]*`|\]\([^)]*\)|https?:\S+|:param \w+:")


LIST = (ROOT / "tools/forbidden.txt").read_text(encoding="utf-8")
RULES = [line.split("|") for line in LIST.splitlines() if not line.startswith("#")]
WORDS = "|".join(re.split(r"\s{2,}", rule[0])[0] for rule in RULES)
FORBIDDEN = re.compile(rf"(?<![\w.-])(?:{WORDS})(?![\w-])", re.I)
ALLOWED = re.compile("|".join(phrase.strip() for rule in RULES for phrase in rule[1:]), re.I)


def faults(text: str) -> list[str]:
    """Return forbidden words, and long sentences of paragraphs and items, but not of tables."""
    found = FORBIDDEN.findall(ALLOWED.sub("", re.sub(r"\s+", " ", SPAN.sub("", text))))
    text = SPAN.sub("`x`", BLOCK.sub("\n", text).replace("``", "`"))
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*|#=`\d])", text):
        sentences = re.split(r"(?<=[.!?:])\s+", block.strip())
        found += [each for each in sentences if len(each.split()) > LONGEST and each[-1] in ".!?:"]
    return found


def texts_of(source: str) -> Iterator[str]:
    """Yield comments, messages, and docstrings, with parameters one by one."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(x.value) if isinstance(x, ast.Constant) else "x" for x in node.values)
        elif isinstance(node, ast.Constant) and re.search(r"\w \w", str(node.value)):
            head, *parameters = inspect.cleandoc(str(node.value)).split("\n:param ")
            yield head
            for first, _, rest in (each.partition("\n\n") for each in parameters):
                yield from (" ".join(first.split()), rest)


@pytest.mark.parametrize("path", [*PAGES, *MODULES, *ASSETS], ids=lambda path: path.name)
def test_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    texts = {".md": [BLOCK.sub("", text)], ".py": texts_of(text), ".js": text.split("\n")}
    found = [each for one in texts[path.suffix] for each in faults(one)]
    assert [each for each in found if path.suffix != ".js" or FORBIDDEN.fullmatch(each)] == []


@pytest.mark.parametrize("parser", [*list_parsers()], ids=lambda parser: parser.prog)
def test_help(parser: Parser) -> None:
    head = read_text(parser.kind)[0]
    texts = (head[0], parser.format_help(full=True).partition(head[-1])[2])
    assert [each for text in texts for each in faults(text)] == []


def test_the_check_finds_words_and_sentences() -> None:
    assert faults("A `fault` stands beside it; fault tolerance") == ["stands", "beside"]
    assert len(faults("| a |\n\n" + "word " * 36 + ".\n- short")) == 1
    assert list(texts_of('"""A b.\n\n:param c: d"""\n# e f')) == ["# e f", "A b.\n", "c: d", ""]
