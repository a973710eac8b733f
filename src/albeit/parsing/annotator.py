"""What an annotator is: a value that says which layers it makes, of which languages, and how.

An annotator of another package gives values, text by text (:meth:`Annotator.analyse`); the
rest is here: packing, caching, unpacking. The English model writes records itself, so that
150,000 texts never stand in memory as Python objects.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from albeit.data.levels import Unit
from albeit.parsing.layer import Analysis, AnyLayer
from albeit.parsing.layers import LINES, TOKENS, Tokens
from albeit.parsing.tokenize import words_and_marks

__all__ = ["Annotator", "Lines", "Values", "text_of"]

Lines = tuple[str, ...]
"""A document: its lines in order."""
Values = Mapping[AnyLayer, Any]
"""What was found of one text or document, by layer."""


class Annotator(ABC):
    """Makes layers of texts or documents, for some languages.

    ``layers`` stand in an order in which each comes after those it rests on. Words are never
    kept: they come from :meth:`tokenize` whenever they are needed, so it must be quick.
    """

    name: ClassVar[str]
    languages: frozenset[str]
    layers: tuple[AnyLayer, ...]
    at_hand: tuple[AnyLayer, ...] = ()
    """Layers that :meth:`ground` adds to the words, quicker made than read from a cache."""
    version: str
    """Changes whenever results do: it stands in signatures and names the cache's file."""
    cached: ClassVar[bool] = True
    """Whether results are kept on disk; not where making them is as quick as reading."""
    rules: ClassVar[bool] = False
    """Whether albeit's own version says all there is to say: rules that stand in its source, no model
    and no library beside it."""

    @property
    def units(self) -> frozenset[Unit]:
        """Whether it reads lines, documents or both."""
        return frozenset(layer.unit for layer in self.layers)

    def identity(self, lang: str) -> str:
        """All that results depend on beside the text."""
        return f"{self.name}-{self.version}-{lang}"

    def ensure(self) -> None:
        """Raise, with the command that mends it, where something it runs on is not installed."""
        return

    def tokenize(self, text: str) -> Tokens:
        """The words of a text; by default runs of letters and digits, and single marks."""
        return words_and_marks(text)

    def analyse(
        self, texts: Sequence[str], layers: Collection[AnyLayer], lang: str
    ) -> Iterable[Values]:
        """These layers of each text, in order."""
        raise NotImplementedError(f"{self.name} does not read single texts")

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterable[Values]:
        """These layers of each document, in order."""
        raise NotImplementedError(f"{self.name} does not read documents")

    def records(
        self, contents: Sequence[Any], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Any, dict[AnyLayer, bytes]]]:
        """The layers of each text or document, packed."""
        for content, values in zip(contents, self._made(contents, layers, lang), strict=True):
            yield content, {layer: layer.pack(values[layer]) for layer in layers}

    def values(
        self, contents: Sequence[Any], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Any, Analysis]]:
        """The same as analyses."""
        for content, values in zip(contents, self._made(contents, layers, lang), strict=True):
            yield content, Analysis(text_of(content), self.ground(content) | dict(values))

    def _made(
        self, contents: Sequence[Any], layers: Collection[AnyLayer], lang: str
    ) -> Iterable[Values]:
        documents = bool(contents) and not isinstance(contents[0], str)
        made = self.analyse_documents if documents else self.analyse
        return made(contents, layers, lang)

    def ground(self, content: Any) -> dict[AnyLayer, Any]:
        """What is always there: the words of a text, the lines of a document."""
        return {TOKENS: self.tokenize(content)} if isinstance(content, str) else {LINES: content}

    def unpack(self, content: Any, found: Mapping[AnyLayer, bytes]) -> Analysis:
        """The analysis that some records hold."""
        values = {layer: layer.unpack(record) for layer, record in found.items()}
        return Analysis(text_of(content), self.ground(content) | values)


def text_of(content: str | Lines) -> str:
    """What was analysed as one text."""
    return content if isinstance(content, str) else "\n".join(content)
