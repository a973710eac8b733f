"""The result of annotating: a mapping from text to analysis that unpacks on first look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from albeit.annotate.layer import Analysis, AnyLayer

__all__ = ["Analyses"]

K = TypeVar("K", str, tuple[str, ...])


class Analyses(Mapping[K, Analysis], Generic[K]):
    """Analyses by text (or document), kept packed until they are asked for; then the same object.

    ``packed`` holds, for each, one record a layer of ``layers``; ``ready`` holds analyses that are there already.
    """

    def __init__(
        self,
        packed: Mapping[K, Sequence[bytes]],
        layers: Sequence[AnyLayer],
        unpack: Callable[[K, Mapping[AnyLayer, bytes]], Analysis],
        ready: Mapping[K, Analysis],
    ) -> None:
        self._packed: Mapping[K, Sequence[bytes]] = packed
        self._layers = tuple(layers)
        self._unpack: Callable[[K, Mapping[AnyLayer, bytes]], Analysis] = unpack
        self._ready: dict[K, Analysis] = dict(ready)
        self._contents = dict.fromkeys([*packed, *ready])

    def __getitem__(self, content: K) -> Analysis:
        analysis = self._ready.get(content)
        if analysis is None:
            found = dict(zip(self._layers, self._packed[content], strict=True))
            analysis = self._unpack(content, found)
            analysis = self._ready.setdefault(content, analysis)
        return analysis

    def __iter__(self) -> Iterator[K]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)
