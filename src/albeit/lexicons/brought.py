"""What a user's file says about a direction: a lexicon of translations, or a DiMLex file of one side.

A DiMLex file lists the connectives of one language with their senses, and no translations. Beside
English, whose connectives ship with albeit, it serves either side: each connective of the source
may be translated by every one of the target that can have the same sense.
"""

from __future__ import annotations

from pathlib import Path

from albeit.errors import InputError, LanguageError
from albeit.languages import normalise
from albeit.lexicons.dimlex import read_dimlex
from albeit.lexicons.lexicon import Inventory, Lexicon, Translation
from albeit.lexicons.load import inventory, read_lexicon

__all__ = ["brought", "by_sense"]

SHIPPED = "en"
"""The language whose connectives come with albeit."""


def brought(path: str, languages: tuple[str, str]) -> tuple[Inventory, Lexicon]:
    """The connectives of the source, and how each may be translated."""
    source, target = map(normalise, languages)
    if not _is_xml(path):
        return inventory(source), read_lexicon(path)
    if source == SHIPPED:
        known = inventory(source)
        return known, by_sense(known, read_dimlex(path, target), path)
    if target == SHIPPED:
        known = read_dimlex(path, source)
        return known, by_sense(known, inventory(target), path)
    raise LanguageError(
        f"{path}: a DiMLex file is read beside English, whose connectives albeit knows; {source}-{target}"
        " has no English side. Make a lexicon: albeit lexicon induce --dimlex FILE."
    )


def by_sense(source: Inventory, target: Inventory, path: str) -> Lexicon:
    """Connectives of two languages paired by the senses they share."""
    entries: dict[str, tuple[Translation, ...]] = {}
    for name, connective in source.connectives.items():
        shared = (
            (other, tuple(sense for sense in connective.senses if sense in other.senses))
            for other in target.connectives.values()
        )
        found = tuple(Translation(o.name, o.form, senses) for o, senses in shared if senses)
        if found:
            entries[name] = found
    if not entries:
        raise InputError(
            "no entry has a sense (PDTB) of a connective of the other language.", path=path
        )
    version = target.version if source.language == SHIPPED else source.version
    return Lexicon(source.language, target.language, entries, (), version, path)


def _is_xml(path: str) -> bool:
    """Whether a file begins as XML does; one that cannot be read is refused by who reads it."""
    try:
        with Path(path).open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    except OSError:
        return False
