"""Provide the layers, by object and by name.

Annotators of other packages can add layers, which are then known by name.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from albeit.data.evalset import Unit
from albeit.data.plugins import loaded, plugins
from albeit.errors import AlbeitError
from albeit.parsing.layers.documents import *
from albeit.parsing.layers.drs import *
from albeit.parsing.layers.segments import *
from albeit.parsing.layers.trees import *
from albeit.parsing.needs import *

MODEL_LAYERS = (EDUS, RST, DEPENDENCIES, CONSTITUENTS, ROLES, CONNECTIVES, ENTITIES, VECTORS)
"""Layers of single texts that the model makes; tokens and sentences follow rules."""
DOCUMENT_LAYERS = (LINES, STEMS, LEMMAS, WORDS, CHAINS, COREFERENCE, ANTECEDENTS)
BUILTIN: tuple[AnyLayer, ...] = (TEXT, TOKENS, SENTENCES, *MODEL_LAYERS, DRS, *DOCUMENT_LAYERS)


@cache
def layers() -> dict[str, AnyLayer]:
    """Return all layers by name, built-in ones first; a layer comes after those it rests on."""
    known = {each.name: each for each in BUILTIN}
    for name, target in plugins("albeit.annotators").items():
        annotator: Any = loaded("annotator", name, target)
        for each in getattr(annotator, "layers", ()):
            known.setdefault(each.name, each)
    return known


def layer(name: str) -> AnyLayer:
    """Return the layer of this name."""
    try:
        return layers()[name]
    except KeyError:
        raise AlbeitError(f"there is no layer {name!r}; there are {', '.join(layers())}.") from None


def of_lines() -> list[AnyLayer]:
    """Return the layers of single texts, as annotation files and ``albeit parse`` have them."""
    return [each for each in layers().values() if each.unit is Unit.SEGMENT and each is not TEXT]


def blank(text: str) -> Analysis:
    """Return the annotation of a text without words: every layer is empty."""
    return Analysis(text, {each: each.empty() for each in of_lines() if not each.derived})
