"""The layers there are: each is an object in a file here, and a name in the table below.

The annotators of other packages bring theirs: the layers that they make are known by name.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from albeit.data.levels import Unit
from albeit.data.plugins import loaded, plugins
from albeit.errors import AlbeitError
from albeit.parsing.layer import Analysis, AnyLayer, Layer
from albeit.parsing.layers.coreference import (
    ANTECEDENTS,
    COREFERENCE,
    Antecedent,
    Cluster,
    Mention,
    Pronoun,
)
from albeit.parsing.layers.drs import DRS, Box, Condition
from albeit.parsing.layers.relations import DEPENDENCIES, ROLES, Dependencies, Predicate
from albeit.parsing.layers.spans import CONNECTIVES, EDUS, ENTITIES, SENTENCES, Connective, Entity
from albeit.parsing.layers.text import LINES, TEXT, TOKENS, Tokens
from albeit.parsing.layers.trees import (
    CONSTITUENTS,
    RST,
    Constituent,
    Nuclearity,
    RstNode,
)
from albeit.parsing.layers.vectors import VECTORS, Vectors
from albeit.parsing.layers.words import CHAINS, LEMMAS, STEMS, WORDS, Chains, DocumentWords, chains

__all__ = [
    "ANTECEDENTS",
    "BUILTIN",
    "CHAINS",
    "CONNECTIVES",
    "CONSTITUENTS",
    "COREFERENCE",
    "DEPENDENCIES",
    "DRS",
    "EDUS",
    "ENTITIES",
    "LEMMAS",
    "LINES",
    "MODEL_LAYERS",
    "ROLES",
    "RST",
    "SENTENCES",
    "STEMS",
    "TEXT",
    "TOKENS",
    "VECTORS",
    "WORDS",
    "Analysis",
    "Antecedent",
    "AnyLayer",
    "Box",
    "Chains",
    "Cluster",
    "Condition",
    "Connective",
    "Constituent",
    "Dependencies",
    "DocumentWords",
    "Entity",
    "Layer",
    "Mention",
    "Nuclearity",
    "Predicate",
    "Pronoun",
    "RstNode",
    "Tokens",
    "Vectors",
    "blank",
    "chains",
    "closure",
    "layer",
    "layers",
    "of_lines",
]

MODEL_LAYERS = (EDUS, RST, DEPENDENCIES, CONSTITUENTS, ROLES, CONNECTIVES, ENTITIES, VECTORS)
"""Layers of lines that a model makes; words and sentences follow from the text by rule."""
DOCUMENT_LAYERS = (LINES, STEMS, LEMMAS, WORDS, CHAINS, COREFERENCE, ANTECEDENTS)
BUILTIN: tuple[AnyLayer, ...] = (TEXT, TOKENS, SENTENCES, *MODEL_LAYERS, DRS, *DOCUMENT_LAYERS)


@cache
def layers() -> dict[str, AnyLayer]:
    """All layers by name, built-in ones first; a layer comes after those it rests on."""
    known = {each.name: each for each in BUILTIN}
    for name, target in plugins("albeit.annotators").items():
        annotator: Any = loaded("annotator", name, target)
        for each in getattr(annotator, "layers", ()):
            known.setdefault(each.name, each)
    return known


def layer(name: str) -> AnyLayer:
    """The layer of this name."""
    try:
        return layers()[name]
    except KeyError:
        raise AlbeitError(f"there is no layer {name!r}; there are {', '.join(layers())}.") from None


def closure(wanted: frozenset[AnyLayer]) -> frozenset[AnyLayer]:
    """These layers and all that they rest on."""
    below = frozenset(low for each in wanted for low in each.rests_on)
    return wanted if below <= wanted else closure(wanted | below)


def of_lines() -> list[AnyLayer]:
    """The layers of single lines, as files of annotations hold them and ``albeit parse`` shows."""
    return [each for each in layers().values() if each.unit is Unit.SEGMENT and each is not TEXT]


def blank(text: str) -> Analysis:
    """The analysis of a text without words: every layer is there, and empty."""
    return Analysis(text, {each: each.empty() for each in of_lines() if not each.derived})
