"""The annotators there are, and which one makes what of which language.

A built-in annotator is a file here and a line in the table below. Other packages add theirs
by the entry point group ``albeit.annotators`` (name = "package.module:VALUE"), and with them the
layers that they make; they come after ours. What a user supplies in files is one too
(:class:`albeit.parsing.supplied.Supplied`), found by text instead of by language.
"""

from __future__ import annotations

from functools import cache

from albeit.data.levels import Unit
from albeit.data.plugins import loaded, plugins
from albeit.errors import AlbeitError, LanguageError
from albeit.languages import normalise
from albeit.parsing.annotator import Annotator
from albeit.parsing.layers import LINES, TOKENS, AnyLayer, closure

__all__ = ["BUILTIN", "annotator", "annotators", "find", "made_by", "makers_of"]

BUILTIN = {
    "english": "albeit.parsing.annotators.english:ENGLISH",
    "english-documents": "albeit.parsing.annotators.english:ENGLISH_DOCUMENTS",
    "plain": "albeit.parsing.annotators.plain:PLAIN",
    "plain-unspaced": "albeit.parsing.annotators.plain:UNSPACED_PLAIN",
}
_GROUND = frozenset({TOKENS, LINES})
"""What every annotator gives."""


def annotators() -> list[str]:
    """All annotators by name, built-in ones first."""
    return [*BUILTIN, *(name for name in plugins("albeit.annotators") if name not in BUILTIN)]


@cache
def annotator(name: str) -> Annotator:
    """The annotator of this name."""
    target = BUILTIN.get(name) or plugins("albeit.annotators").get(name)
    if target is None:
        raise AlbeitError(f"there is no annotator {name!r}; there are {', '.join(annotators())}.")
    found = loaded("annotator", name, target)
    if not isinstance(found, Annotator):
        raise AlbeitError(f"the plug-in {target!r} for annotator {name!r} is no albeit Annotator.")
    return found


def made_by(one: Annotator, layers: frozenset[AnyLayer]) -> list[AnyLayer]:
    """What an annotator must make for these layers, in order; the rest it has at hand."""
    wanted = closure(layers)
    return [layer for layer in one.layers if layer in wanted]


def find(layers: frozenset[AnyLayer], lang: str, unit: Unit = Unit.SEGMENT) -> Annotator:
    """The first annotator that makes all these layers of lines, or of documents, in a language.

    It is one for all that a metric reads, since layers of a text point into one sequence of words.
    """
    code = normalise(lang)
    wanted = {each for each in closure(layers) if not each.derived} - _GROUND
    known: set[str] = set()
    for one in map(annotator, annotators()):
        if unit in one.units and wanted <= {*one.layers, *one.at_hand}:
            if code in one.languages:
                one.ensure()
                return one
            known |= one.languages
    names = ", ".join(map(str, sorted(layers))) or "annotation"
    others = f"annotators here make it for {', '.join(sorted(known))}" if known else "none makes it"
    raise LanguageError(
        f"no {names} for {code!r}: {others}. Leave out the metrics that need it, bring annotations"
        " of your own (--annotations FILE), or install an annotator (docs/annotate.md)."
    )


def makers_of(layers: frozenset[AnyLayer], lang: str) -> dict[Annotator, frozenset[AnyLayer]]:
    """Who makes which of these layers of documents, in a language.

    Layers of documents may come from several annotators: each gives the words that its own
    point into.
    """
    found: dict[Annotator, frozenset[AnyLayer]] = {}
    for layer in sorted(layers):
        one = find(frozenset({layer}), lang, Unit.DOCUMENT)
        found[one] = found.get(one, frozenset()) | {layer}
    return found or {find(layers, lang, Unit.DOCUMENT): layers}
