"""Annotate texts and documents: layers, annotators, and the store of annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from albeit.data.levels import Unit
from albeit.languages import normalise
from albeit.parsing.annotator import Annotator, Lines, find
from albeit.parsing.layers import Analysis, AnyLayer, closure
from albeit.parsing.supplied import check_supplied, select_supplied
from albeit.store import cache_folder

Content = TypeVar("Content", str, tuple[str, ...])
"""A line, or the lines of a document."""
__all__ = ["Analyses", "annotate", "annotate_documents", "version"]

_BLOCK = 8192
"""Number of texts that are read from and written to the store together."""


class Analyses(Mapping[Content, Analysis], Generic[Content]):
    """Annotations by text (or document), packed until they are first read.

    ``packed`` has one record per layer of ``layers`` for each text, made by ``annotator``.
    ``ready`` has annotations that aren't packed.
    """

    def __init__(
        self,
        packed: Mapping[Content, Sequence[bytes]],
        layers: Sequence[AnyLayer],
        annotator: Annotator,
        ready: Mapping[Content, Analysis],
    ) -> None:
        self._packed: Mapping[Content, Sequence[bytes]] = packed
        self._layers, self._annotator = tuple(layers), annotator
        self._ready: dict[Content, Analysis] = dict(ready)
        self._contents = dict.fromkeys([*packed, *ready])

    def __getitem__(self, content: Content) -> Analysis:
        analysis = self._ready.get(content)
        if analysis is None:
            records = dict(zip(self._layers, self._packed[content], strict=True))
            analysis = self._annotator.unpack(content, records)
            analysis = self._ready.setdefault(content, analysis)
        return analysis

    def __iter__(self) -> Iterator[Content]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)


def annotate(
    texts: Sequence[str],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    given: Mapping[str, Analysis] | None = None,
    annotator: Annotator | None = None,
) -> Mapping[str, Analysis]:
    """Annotate each distinct text once, with at least the given layers.

    Annotations that any process made before come from the store. They are unpacked when they
    are first read.

    :param texts: lines
    :param layers: the layers to make (:mod:`albeit.parsing.layers`)
    :param lang: the language of the texts
    :param given: your own annotations of some texts (:func:`albeit.parsing.supplied.read_supplied`)
    :param annotator: the annotator [default: the first that makes these layers]
    :return: the annotation of each text

    >>> from albeit.parsing import annotate
    >>> from albeit.parsing.layers import EDUS
    >>> line = "We left because it rained."
    >>> len(annotate([line], frozenset({EDUS}))[line][EDUS])
    2
    """
    distinct = list(dict.fromkeys(texts))
    ready: dict[str, Analysis] = {}
    if given is not None:
        check_supplied(distinct, layers, given)
        ready = select_supplied(distinct, given)
        distinct = [text for text in distinct if text not in ready]
    if not distinct:
        return ready
    return _annotate(distinct, layers, lang, annotator or find(layers, lang), ready)


def annotate_documents(
    documents: Sequence[Lines],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    annotator: Annotator | None = None,
) -> Mapping[Lines, Analysis]:
    """Annotate each distinct document once, with layers of whole documents.

    Layers that no annotator makes together come from several. Each of these adds the words that
    its own layers index.

    :param documents: the lines of each document
    :param layers: the layers to make, layers of documents
    :param lang: the language of the documents
    :param annotator: the annotator [default: the first that makes each layer]
    :return: the annotation of each document

    >>> from albeit.parsing import annotate_documents
    >>> from albeit.parsing.layers import CHAINS
    >>> lines = ("The bridge is old.", "The bridge is closed.")
    >>> annotation = annotate_documents([lines], frozenset({CHAINS}))[lines]
    >>> CHAINS in annotation
    True
    """
    distinct = list(dict.fromkeys(documents))
    shares: dict[Annotator, frozenset[AnyLayer]] = {}
    if annotator is not None or not layers:
        shares[annotator or find(layers, lang, Unit.DOCUMENT)] = layers
    else:
        for layer in sorted(layers):
            one = find(frozenset({layer}), lang, Unit.DOCUMENT)
            shares[one] = shares.get(one, frozenset()) | {layer}
    if not distinct:
        return {}
    parts = [_annotate(distinct, some, lang, one, {}) for one, some in shares.items()]
    if len(parts) == 1:
        return parts[0]
    return {
        lines: Analysis(
            "\n".join(lines),
            {layer: part[lines][layer] for part in parts for layer in part[lines]},
        )
        for lines in distinct
    }


def _annotate(
    contents: list[Content],
    layers: frozenset[AnyLayer],
    lang: str,
    annotator: Annotator,
    ready: dict[Content, Analysis],
) -> Mapping[Content, Analysis]:
    """Return the annotations that are ready, and those that the annotator makes."""
    wanted = closure(layers)
    made = [layer for layer in annotator.layers if layer in wanted]
    code = normalise(lang)
    packed: dict[Content, Sequence[bytes]] = {}
    for start in range(0, len(contents), _BLOCK):
        block = contents[start : start + _BLOCK]
        if not made:
            packed.update((content, ()) for content in block)
        elif annotator.cached:
            packed.update(_packed(block, made, annotator, code))
        else:
            for content, values in annotator.values(block, made, code):
                ready[content] = annotator.build(content, values)
    return Analyses(packed, made, annotator, ready)


def _packed(
    contents: Sequence[Content], layers: Sequence[AnyLayer], annotator: Annotator, lang: str
) -> dict[Content, Sequence[bytes]]:
    """Return one record per layer, from the store if it has them."""
    folder = cache_folder()
    if folder is None:
        fresh = annotator.records(contents, layers, lang)
        return {content: [found[layer] for layer in layers] for content, found in fresh}
    from albeit.store.records import open_cache  # SQLite is imported only if it is needed

    cache = open_cache(folder, annotator.identity(lang))
    known = cache.layers(contents, layers)
    # texts that lack the same layers are annotated together, for those layers only
    lacking: dict[tuple[AnyLayer, ...], list[Content]] = {}
    for content, found in known.items():
        missing = tuple(layer for layer in layers if layer not in found)
        if missing:
            lacking.setdefault(missing, []).append(content)
    for missing, some in lacking.items():
        made = dict(annotator.records(some, missing, lang))
        for content, found in made.items():
            known[content].update(found)
        cache.add(made.items())
    return {content: [found[layer] for layer in layers] for content, found in known.items()}


def version(
    lang: str = "en", layers: frozenset[AnyLayer] = frozenset(), unit: Unit = Unit.SEGMENT
) -> str:
    """Return the annotator and version for lines (or documents) of a language, for signatures."""
    return find(layers, lang, unit).identity(normalise(lang))
