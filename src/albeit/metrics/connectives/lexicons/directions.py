"""What there is for a direction: a lexicon that ships, one turned round, or what a user's file says.

A lexicon from English into a language can be read as from that language into English. Every translation that is listed, and not doubtful, becomes a connective of the source, with all
senses in which it is listed; what it may be translated by are the English connectives that list
it, each with the senses in which it does.

A user's file is a lexicon of translations, or a DiMLex file of one side. A DiMLex file lists the connectives of one language with their senses, and no translations. Beside
English, whose connectives ship with albeit, it serves either side: each connective of the source
may be translated by every one of the target that can have the same sense.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from albeit.errors import InputError, LanguageError
from albeit.languages import normalise
from albeit.metrics.connectives.lexicons.lexicon import (
    CLASSIC,
    Connective,
    Form,
    Inventory,
    Lexicon,
    Translation,
)
from albeit.metrics.connectives.lexicons.load import inventory, lexicon, read_dimlex, read_lexicon

__all__ = ["TURNED", "by_sense", "classic", "direction", "supplied", "turned"]


TURNED = ("de", "fr", "it")
"""Languages whose lexicons bear being read backwards: they rest on evidence from bitext."""


@cache
def direction(source_lang: str, target_lang: str) -> tuple[Inventory, Lexicon]:
    """The connectives of a source language and their translations, for any direction there is."""
    if normalise(target_lang) == "en" and normalise(source_lang) in TURNED:
        return turned(lexicon("en", source_lang))
    return inventory(source_lang), lexicon(source_lang, target_lang)


def turned(forward: Lexicon) -> tuple[Inventory, Lexicon]:
    """A lexicon from English, turned round."""
    source, target = forward.target_lang, forward.source_lang
    entries: dict[str, dict[str, Translation]] = {}
    forms: dict[str, Form] = {}
    for english, translation in forward:
        if translation.doubtful:
            continue
        name = str(translation.form)
        forms[name] = translation.form
        back = Translation(
            english, Form.parse(english, target), translation.senses, translation.count
        )
        entries.setdefault(name, {})[english] = back
    connectives = {
        name: Connective(name, form, _senses(entries[name].values()))
        for name, form in forms.items()
    }
    blocked = {str(form): Connective(str(form), form, ()) for form in forward.blocked}
    known = Inventory(source, blocked | connectives, forward.version)
    listed = {name: tuple(found.values()) for name, found in entries.items()}
    made = replace(
        forward, source_lang=source, target_lang=target, entries=listed, blocked=(), path=""
    )
    return known, made


def classic(lexicon: Lexicon) -> tuple[str, ...]:
    """The source connectives of a turned lexicon that may be one of the eight English ones."""
    return tuple(
        name
        for name, found in lexicon.entries.items()
        if any(each.text in CLASSIC for each in found)
    )


def _senses(translations: Iterable[Translation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sense for each in translations for sense in each.senses))


SHIPPED = "en"
"""The language whose connectives come with albeit."""


def supplied(path: str, languages: tuple[str, str]) -> tuple[Inventory, Lexicon]:
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
