"""Sentences that were judged one by one, each with what stands before it: a document an item.

Some test sets are tables in which every row has its own sentence and context. As an
:class:`EvalSet`, an item is a document: the lines of its context, the same in every text, then
the sentence itself, the only line that people judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.corpus.build import language_pair
from albeit.corpus.entities import unescape_line
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.textio import counted, shown, warn, warn_entities

__all__ = ["BREAK", "Item", "context_lines", "evalset_of", "languages_of", "places"]

BREAK = " || "
"""Between the sentences of a context."""


@dataclass(frozen=True)
class Item:
    """A sentence in several translations; a field that the table has not is empty."""

    id: str
    translations: Mapping[str, str]
    source: str = ""
    reference: str = ""
    context: tuple[str, ...] = ()
    source_context: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many lines its document has."""
        return len(self.context) + 1

    def unescaped(self) -> Item:
        """The same item with HTML entities resolved."""
        return Item(
            self.id,
            {name: unescape_line(text) for name, text in self.translations.items()},
            unescape_line(self.source),
            unescape_line(self.reference),
            tuple(map(unescape_line, self.context)),
            tuple(map(unescape_line, self.source_context)),
        )


def context_lines(context: str, source_context: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The context's sentences as lines; in one line where source and translation differ in number."""
    target = tuple(context.split(BREAK)) if context else ()
    source = tuple(source_context.split(BREAK)) if source_context else ()
    if target and source and len(target) != len(source):
        return (" ".join(target),), (" ".join(source),)
    return target, source


def places(items: Sequence[Item]) -> list[int]:
    """The segment at which each item's sentence stands."""
    found, end = [], 0
    for item in items:
        end += len(item)
        found.append(end - 1)
    return found


def evalset_of(
    items: Sequence[Item],
    path: Path,
    *,
    name: str,
    source_lang: str | None,
    target_lang: str,
    unescape: bool = False,
) -> EvalSet:
    """The test set of a table; what it lacks gives a warning."""
    if unescape:
        items = [item.unescaped() for item in items]
    documents: list[Document] = []
    for doc_id, item in zip(_unique(items), items, strict=True):
        start = documents[-1].stop if documents else 0
        documents.append(Document(doc_id, start, start + len(item)))

    def text(sentences: Iterator[str]) -> tuple[str, ...]:
        pairs = zip(items, sentences, strict=True)
        return tuple(line for item, sentence in pairs for line in (*item.context, sentence))

    systems = {
        system: text(item.translations[system] for item in items)
        for system in items[0].translations
    }
    references = (
        {"ref": text(item.reference for item in items)} if _has_reference(items, path) else {}
    )
    source = None
    if all(item.source for item in items):
        source = tuple(line for item in items for line in _source_lines(item))
        unknown = sum(bool(item.context) and not item.source_context for item in items)
        if unknown:
            warn(
                f"the context of {counted(unknown, 'item')} has no source; its lines are empty there.",
                path=shown(path),
                count=unknown,
            )
    texts = (*references.values(), *systems.values())
    warn_entities((line for lines in texts for line in lines), path)
    return EvalSet(references, systems, source, tuple(documents), source_lang, target_lang, name)


def _source_lines(item: Item) -> tuple[str, ...]:
    return (*(item.source_context or ("",) * len(item.context)), item.source)


def _has_reference(items: Sequence[Item], path: Path) -> bool:
    """Whether the reference is there for all, and is not itself one of the translations."""
    with_one = sum(bool(item.reference) for item in items)
    if 0 < with_one < len(items):
        warn(
            f"only {with_one} of {len(items)} items have a reference; it was left out.",
            path=shown(path),
            count=with_one,
        )
    if with_one < len(items):
        return False
    for name in items[0].translations:
        if all(item.translations[name] == item.reference for item in items):
            warn(
                f"the reference is the translation {name!r} itself; it was left out.",
                path=shown(path),
            )
            return False
    return True


def _unique(items: Sequence[Item]) -> Iterator[str]:
    """The items' ids, numbered where one comes again."""
    seen: Counter[str] = Counter()
    for item in items:
        seen[item.id] += 1
        yield item.id if seen[item.id] == 1 else f"{item.id}#{seen[item.id]}"


def languages_of(folder: Path) -> tuple[str, str | None, str]:
    """Name, source and target language that a folder's name gives: ``ctxpro-x-en``; x is any."""
    whole = folder.resolve().name
    match = re.fullmatch(r"(.+)-([a-z]{1,3})-([a-z]{2,3})", whole)
    if match is None:
        return whole or "evalset", None, "en"
    name, source, target = match.groups()
    pair = language_pair(f"{target if source == 'x' else source}-{target}")
    if pair is None:
        return whole, None, "en"
    return name, None if source == "x" else pair[0], pair[1]
