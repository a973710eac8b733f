"""Right and wrong translations of the same sentence, a row each: ``contrastive.tsv``.

    id ⇥ src_lang ⇥ context ⇥ source ⇥ reference ⇥ good ⇥ bad ⇥ src_context …

``good`` and ``bad`` become two systems, and people prefer the first on every item. ``context``
holds what stands before the sentence, ``src_context`` the same in the source, sentences parted
by `` || ``; each item is a document. Other columns are for people. A reference that only some
rows have, or that is the good translation itself, is left out, and said to be.
"""

from __future__ import annotations

from pathlib import Path

from albeit.corpus.evalset import EvalSet
from albeit.corpus.formats.itemset import Item, context_lines, evalset_of, languages_of
from albeit.corpus.tables import Table
from albeit.errors import InputError

__all__ = ["BAD", "FILE", "GOOD", "begins", "looks_like", "read", "read_items"]

FILE = "contrastive.tsv"
GOOD, BAD = "good", "bad"


def looks_like(path: Path) -> bool:
    """Whether a folder holds such a table."""
    return (path / FILE).is_file()


def begins(text: str) -> bool:
    """Whether a file begins with its header."""
    return {GOOD, BAD} <= set(text.split("\n", 1)[0].rstrip("\r").split("\t"))


def read_items(path: Path) -> tuple[list[Item], set[str]]:
    """The items of a table, and the source languages that it names."""
    table = Table(path)
    good, bad = table.need(GOOD), table.need(BAD)
    columns = {
        name: table.find(name)
        for name in ("id", "src_lang", "context", "src_context", "source", "reference")
    }
    items: list[Item] = []
    languages: set[str] = set()
    for line, fields in table.rows():
        own = {name: "" if at is None else fields[at] for name, at in columns.items()}
        if fields[good] == fields[bad]:
            raise InputError("the good and the bad translation are the same.", path=path, line=line)
        context, source_context = context_lines(own["context"], own["src_context"])
        items.append(
            Item(
                own["id"] or str(line - 1),
                {GOOD: fields[good], BAD: fields[bad]},
                own["source"],
                own["reference"],
                context,
                source_context,
            )
        )
        languages.add(own["src_lang"])
    if not items:
        raise InputError("has a header but no items.", path=path)
    return items, languages


def read(path: Path, *, unescape: bool = False) -> EvalSet:
    """Read a table, or the one in a folder, whose name gives the languages."""
    folder, file = (path, path / FILE) if path.is_dir() else (path.parent, path)
    items, languages = read_items(file)
    name, source_lang, target_lang = languages_of(folder)
    if len(languages) == 1:
        source_lang = languages.pop() or source_lang
    return evalset_of(
        items, file, name=name, source_lang=source_lang, target_lang=target_lang, unescape=unescape
    )
