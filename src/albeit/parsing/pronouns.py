"""Personal pronouns: English by case, and those of eight other languages.

A form belongs to one kind, or to several that it doesn't distinguish (German *sie* is feminine or
plural). Two forms of one kind differ in case only. Forms that are mostly something else (French
*le*, Spanish *lo*, articles) aren't listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from albeit.errors import LanguageError
from albeit.languages import normalise

CASES: dict[str, tuple[str, str, str, str, str]] = {
    "he": ("he", "him", "his", "his", "himself"),
    "she": ("she", "her", "her", "hers", "herself"),
    "it": ("it", "it", "its", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
    "i": ("I", "me", "my", "mine", "myself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "you": ("you", "you", "your", "yours", "yourself"),
}
"""Subject, object, before a noun, without a noun, reflexive."""
ENGLISH: dict[str, tuple[str, ...]] = {
    kind: tuple(dict.fromkeys(form.lower() for form in forms)) for kind, forms in CASES.items()
}
"""The forms of each kind in lower case."""
ENGLISH["you"] += ("yourselves",)
THIRD_PERSON = {kind: ENGLISH[kind] for kind in ("he", "she", "it", "they")}
"""The forms of the third person, with *themself*."""
THIRD_PERSON["they"] += ("themself",)
_OTHER_PERSONS = frozenset({"i", "we", "you", "thou"})
"""Kinds of the other persons in all languages."""
LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru"})
"""Languages whose pronouns are known."""


@cache
def pronoun_kinds(language: str, persons: str = "all") -> Mapping[str, tuple[str, ...]]:
    """Return the pronouns of a language, each with its kinds.

    :param persons: ``all``, or ``third`` for the third person only
    """
    code = normalise(language)
    if code not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise LanguageError(f"the pronouns of {language!r} are not known; those of {known} are.")
    found: dict[str, tuple[str, ...]]
    if code == "en":
        found = {form: (kind,) for kind, forms in ENGLISH.items() for form in forms}
    else:
        text = (files("albeit.parsing") / "pronouns.tsv").read_text(encoding="utf-8")
        rows = (line.split("\t") for line in text.splitlines() if line.startswith(f"{code}\t"))
        found = {form: tuple(kinds.split()) for _, kinds, forms in rows for form in forms.split()}
    if persons == "third":
        return {form: kinds for form, kinds in found.items() if not _OTHER_PERSONS & {*kinds}}
    return found
