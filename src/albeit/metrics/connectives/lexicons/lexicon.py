"""What a lexicon is: the connectives of a language, and how each may be translated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from albeit.errors import InputError
from albeit.metrics.connectives.lexicons.words import cut

__all__ = ["CLASSIC", "GAP", "Connective", "Form", "Inventory", "Lexicon", "Translation"]

GAP = "…"
"""Stands between the parts of a discontinuous form: ``zwar … aber``."""

CLASSIC = ("although", "even though", "however", "meanwhile", "since", "though", "while", "yet")
"""The eight English connectives of the original ACT."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form as words to be found: one or more parts, each a run of canonical words."""

    parts: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str, language: str) -> Form:
        """Read a form as it is written in a lexicon."""
        parts = tuple(cut(part, language).forms for part in text.replace("...", GAP).split(GAP))
        if not all(parts):
            raise InputError(f"the form {text!r} has an empty part.", hint="Write: zwar … aber")
        return cls(parts)

    def __len__(self) -> int:
        """How many words the form has."""
        return sum(map(len, self.parts))

    def __contains__(self, part: Form) -> bool:
        """Whether this form, in one piece, holds a shorter one."""
        if len(self.parts) > 1 or len(part.parts) > 1 or len(part) >= len(self):
            return False
        words, inner = self.parts[0], part.parts[0]
        places = range(len(words) - len(inner) + 1)
        return any(words[at : at + len(inner)] == inner for at in places)

    def __str__(self) -> str:
        return f" {GAP} ".join(" ".join(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Connective:
    """A connective of the source language: its form, its senses, and what it is not."""

    name: str
    form: Form
    senses: tuple[str, ...]
    excluded: tuple[Form, ...] = ()


@dataclass(frozen=True)
class Inventory:
    """The connectives of a source language, by name."""

    language: str
    connectives: Mapping[str, Connective]
    version: str = ""

    def select(self, names: Iterable[str]) -> Inventory:
        """Only these connectives; names must be known."""
        chosen: dict[str, Connective] = {}
        for name in names:
            if name not in self.connectives:
                known = ", ".join(self.connectives)
                raise InputError(
                    f"{name!r} is not among the connectives of {self.language!r}: {known}."
                )
            chosen[name] = self.connectives[name]
        return Inventory(self.language, chosen, self.version)


@dataclass(frozen=True, slots=True)
class Translation:
    """One way to translate a connective, with the senses it can express there.

    ``count`` is how many sentence pairs of a bitext hold both (``None``: too few to tell;
    from grammar alone). ``doubtful``: that is no more than chance would bring together.
    """

    text: str
    form: Form
    senses: tuple[str, ...]
    count: int | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Lexicon:
    """Translations of source connectives, in order of writing.

    ``blocked`` forms look like a translation and are none (``si bien que`` holds ``bien
    que``): they take their words from every connective that does not list them itself.
    """

    source_lang: str
    target_lang: str
    entries: Mapping[str, tuple[Translation, ...]]
    blocked: tuple[Form, ...] = ()
    version: str = ""
    path: str = field(default="", compare=False)

    def __iter__(self) -> Iterator[tuple[str, Translation]]:
        for source, translations in self.entries.items():
            for translation in translations:
                yield source, translation

    def senses(self, source: str, form: Form) -> tuple[str, ...]:
        """The senses a form can express as a translation of ``source``; none if not listed."""
        return self._senses.get((source, form), ())

    @cached_property
    def _senses(self) -> dict[tuple[str, Form], tuple[str, ...]]:
        return {(source, t.form): t.senses for source, t in self}
