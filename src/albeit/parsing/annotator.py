"""Define annotators, and find the one for some layers and a language.

An annotator of another package returns values, text by text (:meth:`Annotator.analyse`). This
class packs, stores, and unpacks them. The English model writes records itself, so that 150,000
texts are never in memory as Python objects.

Other packages add annotators, with the layers that they make, in the entry-point group
``albeit.annotators`` (name = "package.module:VALUE"). Built-in annotators come first.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from albeit.data.levels import Unit
from albeit.data.plugins import loaded, plugins
from albeit.errors import AlbeitError, LanguageError
from albeit.languages import normalise
from albeit.parsing.layers import LINES, TOKENS, Analysis, AnyLayer, Tokens, closure
from albeit.parsing.tokenize import words_and_marks

Lines = tuple[str, ...]
"""A document: its lines in order."""
Values = Mapping[AnyLayer, Any]
"""The annotation of one text or document, by layer."""


class Annotator(ABC):
    """Makes layers of texts or documents, for some languages.

    ``layers`` are in an order in which each comes after those it rests on. Words are never
    stored: they come from :meth:`tokenize` when they are needed, so it must be fast.
    """

    name: ClassVar[str]
    languages: frozenset[str]
    layers: tuple[AnyLayer, ...]
    at_hand: tuple[AnyLayer, ...] = ()
    """Layers that :meth:`ground` adds to the words, because making them is faster than reading."""
    version: str
    """Changes whenever results do: it is part of signatures and of the store's file name."""
    cached: ClassVar[bool] = True
    """Whether results are stored on disk; not if making them is as fast as reading them."""
    rules: ClassVar[bool] = False
    """Whether results depend on albeit's version only, not on a model or another library."""

    @property
    def units(self) -> frozenset[Unit]:
        """Whether it reads lines, documents, or both."""
        return frozenset(layer.unit for layer in self.layers)

    def identity(self, lang: str) -> str:
        """Return a name for all that results depend on, apart from the text."""
        return f"{self.name}-{self.version}-{lang}"

    def ensure(self) -> None:
        """Raise an error with the installation command if something is not installed."""
        return

    def tokenize(self, text: str) -> Tokens:
        """Return the words of a text; by default runs of letters and digits, and single marks."""
        return words_and_marks(text)

    def analyse(
        self, texts: Sequence[str], layers: Collection[AnyLayer], lang: str
    ) -> Iterable[Values]:
        """Return these layers of each text, in order."""
        raise NotImplementedError(f"{self.name} doesn't read single texts")

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterable[Values]:
        """Return these layers of each document, in order."""
        raise NotImplementedError(f"{self.name} doesn't read documents")

    def values(
        self, contents: Sequence[Any], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Any, Values]]:
        """Yield the layers of each text or document."""
        documents = bool(contents) and not isinstance(contents[0], str)
        analyse = self.analyse_documents if documents else self.analyse
        return zip(contents, analyse(contents, layers, lang), strict=True)

    def records(
        self, contents: Sequence[Any], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Any, dict[AnyLayer, bytes]]]:
        """Yield the packed layers of each text or document."""
        for content, values in self.values(contents, layers, lang):
            yield content, {layer: layer.pack(values[layer]) for layer in layers}

    def ground(self, content: Any) -> dict[AnyLayer, Any]:
        """Return what is always there: the words of a text, or the lines of a document."""
        return {TOKENS: self.tokenize(content)} if isinstance(content, str) else {LINES: content}

    def build(self, content: Any, values: Values) -> Analysis:
        """Return the annotation with these layers."""
        return Analysis(join_lines(content), self.ground(content) | dict(values))

    def unpack(self, content: Any, records: Mapping[AnyLayer, bytes]) -> Analysis:
        """Return the annotation of packed layers."""
        return self.build(content, {layer: layer.unpack(data) for layer, data in records.items()})


def join_lines(content: str | Lines) -> str:
    """Return a text or document as one text."""
    return content if isinstance(content, str) else "\n".join(content)


BUILTIN = {
    "english": "albeit.parsing.english:ENGLISH",
    "english-documents": "albeit.parsing.english:ENGLISH_DOCUMENTS",
    "plain": "albeit.parsing.chains:PLAIN",
    "plain-unspaced": "albeit.parsing.chains:UNSPACED_PLAIN",
}


def annotators() -> list[str]:
    """Return the names of all annotators, built-in ones first."""
    return [*BUILTIN, *(name for name in plugins("albeit.annotators") if name not in BUILTIN)]


@cache
def annotator(name: str) -> Annotator:
    """Return the annotator of this name."""
    target = BUILTIN.get(name) or plugins("albeit.annotators").get(name)
    if target is None:
        raise AlbeitError(f"there is no annotator {name!r}; there are {', '.join(annotators())}.")
    value = loaded("annotator", name, target)
    if not isinstance(value, Annotator):
        raise AlbeitError(f"the plug-in {target!r} for annotator {name!r} isn't an Annotator.")
    return value


def find(layers: frozenset[AnyLayer], lang: str, unit: Unit = Unit.SEGMENT) -> Annotator:
    """Return the first annotator that makes all these layers of lines, or of documents.

    All layers that a metric reads come from one annotator, because they index the same words.
    """
    code = normalise(lang)
    wanted = {each for each in closure(layers) if not each.derived} - {TOKENS, LINES}
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
        f"no {names} for {code!r}: {others}. Omit the metrics that need it, supply your own"
        " annotations (--annotations FILE), or install an annotator (docs/annotate.md)."
    )
