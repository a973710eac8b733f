"""Lexicons turned round: from English into a language read as from that language into English.

Every translation that is listed, and not doubtful, becomes a connective of the source, with all
senses in which it is listed; what it may be translated by are the English connectives that list
it, each with the senses in which it does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from albeit.languages import normalise
from albeit.lexicons.lexicon import CLASSIC, Connective, Form, Inventory, Lexicon, Translation
from albeit.lexicons.load import inventory, lexicon

__all__ = ["TURNED", "classic", "direction", "turned"]

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
