"""Judged translations with their texts, a row each: ``judgments.tsv`` without text files.

    docid ⇥ doc_line ⇥ source ⇥ reference ⇥ context ⇥ system ⇥ hypothesis ⇥ score …

Rows of the same source, docid and doc_line are one item; each system must have translated
each of them, and several judges may have rated it. Where hypotheses are tokenised
(``hypothesis_tok``), so is the reference taken (``reference_tok``). ``context`` (or
``ref_context``) holds what stands before the sentence, sentences parted by `` || ``; each item
is a document. Every column of numbers can be the score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from albeit.corpus.evalset import EvalSet
from albeit.corpus.formats.itemset import Item, context_lines, evalset_of, languages_of
from albeit.corpus.openings import beginning
from albeit.corpus.tables import Table
from albeit.corpus.textio import counted, shown, warn
from albeit.errors import InputError

__all__ = ["FILE", "HYPOTHESIS", "begins", "looks_like", "read", "read_items", "row_key"]

FILE = "judgments.tsv"
HYPOTHESIS = ("hypothesis", "hypothesis_tok")
Key = tuple[str, ...]


def looks_like(path: Path) -> bool:
    """Whether a folder holds such a table, and no files of translations."""
    file = path / FILE
    return file.is_file() and not (path / "systems").is_dir() and begins(beginning(file))


def begins(text: str) -> bool:
    """Whether a file begins with its table."""
    names = set(text.split("\n", 1)[0].rstrip("\r").split("\t"))
    return "system" in names and bool(names & set(HYPOTHESIS))


def row_key(table: Table) -> Callable[[Sequence[str]], Key]:
    """What distinguishes the item of a row from others."""
    wanted = (table.find("docid"), table.find("doc_line"), table.need("source"))
    columns = [at for at in wanted if at is not None]
    return lambda fields: tuple(fields[at] for at in columns)


def read_items(path: Path) -> dict[Key, Item]:
    """The items of a table in order, each with the translations of all systems."""
    table = Table(path)
    system, text = table.need("system"), table.need(*HYPOTHESIS)
    tokenised = table.names[text].endswith("_tok")
    reference = table.find(*(("reference_tok",) if tokenised else ()), "reference")
    context = table.find("context", "ref_context")
    source = table.need("source")
    key_of = row_key(table)
    items: dict[Key, Item] = {}
    other: set[Key] = set()
    for line, fields in table.rows():
        key = key_of(fields)
        own = "" if reference is None else fields[reference]
        before, _ = context_lines("" if context is None else fields[context], "")
        if key not in items:
            number = str(len(items) + 1)
            items[key] = Item(number, {}, fields[source], own, before)
        item = items[key]
        if (item.reference, item.context) != (own, before):
            other.add(key)
        known = item.translations.get(fields[system], fields[text])
        if known != fields[text]:
            raise InputError(
                f"{fields[system]!r} translates this sentence otherwise than before.",
                path=path,
                line=line,
            )
        items[key] = replace(item, translations={**item.translations, fields[system]: known})
    if other:
        warn(
            f"{counted(len(other), 'item')} with another reference or context in a later row;"
            " the first was taken.",
            path=shown(path),
            count=len(other),
        )
    return _complete(items, path)


def _complete(items: dict[Key, Item], path: Path) -> dict[Key, Item]:
    """The items with their systems in one order; a system must have all."""
    if not items:
        raise InputError("has a header but no translations.", path=path)
    systems = list(dict.fromkeys(name for item in items.values() for name in item.translations))
    for item in items.values():
        for name in systems:
            if name not in item.translations:
                raise InputError(
                    f"{name!r} has no translation of item {item.id}, {item.source[:40]!r}.",
                    path=path,
                    hint="Every system needs a row for every item.",
                )
    return {
        key: replace(item, translations={name: item.translations[name] for name in systems})
        for key, item in items.items()
    }


def read(path: Path, *, unescape: bool = False) -> EvalSet:
    """Read a table, or the one in a folder, whose name gives the languages."""
    folder, file = (path, path / FILE) if path.is_dir() else (path.parent, path)
    name, source_lang, target_lang = languages_of(folder)
    return evalset_of(
        list(read_items(file).values()),
        file,
        name=name,
        source_lang=source_lang,
        target_lang=target_lang,
        unescape=unescape,
    )
