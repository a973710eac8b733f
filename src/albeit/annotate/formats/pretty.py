"""Layers for people to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from albeit.annotate.layers import Analysis, AnyLayer

__all__ = ["write_pretty"]


def write_pretty(analyses: Iterable[Analysis], layers: Sequence[AnyLayer]) -> Iterator[str]:
    """The layers of each text under the text itself."""
    for number, analysis in enumerate(analyses, 1):
        lines = [f"{number}  {' '.join(analysis.text.split())}"]
        for layer in layers:
            lines += [f"   {line}" for line in layer.draw(analysis[layer], analysis)]
        yield "\n".join(lines) + "\n\n"
