"""The papers by name, and the page of all their tables."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from types import ModuleType

from albeit._version import __version__
from albeit.errors import InputError
from albeit.parsing import version
from albeit.report import Table, render
from albeit.reproduce.sets import Work, published

HEAD = """# Reproductions of published results

The tables of three papers with our values next to theirs, made by one command. METEOR's paraphrase
table is installed with `pip install --no-deps pycocoevalcap`; rows without it are marked.

    albeit reproduce all --data DIR -f markdown

"""
PAPERS = ("guzman2014", "gong2015", "hajlaoui2013")


def load(paper: str) -> ModuleType:
    """Return the module of a paper."""
    return import_module(f"albeit.reproduce.{paper}")


def list_tables() -> Table:
    """List the papers with their tables and language pairs."""
    rows = [
        (paper, published(paper)["title"], *map(" ".join, (load(paper).TABLES, load(paper).PAIRS)))
        for paper in PAPERS
    ]
    note = "DIR/wmt12/cs-en has src.txt, ref.txt, docids.txt, systems/NAME.txt, and judgments.csv."
    return Table.of(["paper", "title", "tables", "pairs"], rows, "Papers", [note])


def _chosen(what: str, known: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return what is wanted, in the order of what there is; all without a choice."""
    for name in wanted:
        if name not in known:
            raise InputError(f"there is no {what} {name}; there are {', '.join(known)}.")
    return [name for name in known if name in wanted or not wanted]


def make(paper: str, work: Work, tables: Sequence[str], pairs: Sequence[str]) -> list[Table]:
    """Make tables of a paper, of all tables and language pairs unless some are chosen."""
    module = load(paper)
    work.pairs = _chosen(f"language pair in {paper}", module.PAIRS, pairs)
    made: list[Table] = module.make(work, _chosen(f"table in {paper}", module.TABLES, tables))
    return made


def page(paper: str, tables: Sequence[Table]) -> str:
    """Write a paper's tables as a section of a page in Markdown."""
    about = published(paper)
    made = f"{date.today():%-d %B %Y}, albeit {__version__}{_commit()}, annotator {version()}."
    head = [f"## {about['title']}", f"    albeit reproduce {paper} --data DIR -f markdown", made]
    shown = re.sub(r" ?\| ?", "|", render(tables, "markdown"))
    parts = [*head, about["about"].strip(), shown, about.get("figure", "")]
    return "\n\n".join(parts).rstrip() + "\n"


def _commit() -> str:
    """Return the commit of a checkout of albeit; nothing for an installed package."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return f", commit {found.strip()}"
