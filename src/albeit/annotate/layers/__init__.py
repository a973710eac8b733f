"""The layers there are: each is one file here and one name in the table below.

Other packages add theirs by the entry point group ``albeit.layers``
(name = "package.module:VALUE").
"""

from __future__ import annotations

from functools import cache

from albeit.annotate.layer import Analysis, AnyLayer, Layer
from albeit.annotate.layers.antecedents import ANTECEDENTS, Antecedent, Pronoun
from albeit.annotate.layers.chains import CHAINS, Chains, chains
from albeit.annotate.layers.connectives import CONNECTIVES, Connective
from albeit.annotate.layers.constituents import CONSTITUENTS, Constituent
from albeit.annotate.layers.coreference import COREFERENCE, Cluster, Mention
from albeit.annotate.layers.dependencies import DEPENDENCIES, Dependencies
from albeit.annotate.layers.drs import DRS, Box, Condition
from albeit.annotate.layers.edus import EDUS
from albeit.annotate.layers.entities import ENTITIES, Entity
from albeit.annotate.layers.lines import LINES
from albeit.annotate.layers.roles import ROLES, Predicate
from albeit.annotate.layers.rst import RST, Nuclearity, RstNode
from albeit.annotate.layers.rst_document import RST_DOCUMENT
from albeit.annotate.layers.sentences import SENTENCES
from albeit.annotate.layers.text import TEXT
from albeit.annotate.layers.tokens import TOKENS, Tokens
from albeit.annotate.layers.vectors import VECTORS, Vectors
from albeit.annotate.layers.words import LEMMAS, STEMS, WORDS, DocumentWords
from albeit.corpus.levels import Unit
from albeit.errors import AlbeitError
from albeit.plugins import loaded, plugins

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
    "ROLES",
    "RST",
    "RST_DOCUMENT",
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

BUILTIN: tuple[AnyLayer, ...] = (
    TEXT,
    TOKENS,
    SENTENCES,
    EDUS,
    RST,
    DEPENDENCIES,
    CONSTITUENTS,
    ROLES,
    CONNECTIVES,
    ENTITIES,
    VECTORS,
    DRS,
    LINES,
    STEMS,
    LEMMAS,
    WORDS,
    CHAINS,
    RST_DOCUMENT,
    COREFERENCE,
    ANTECEDENTS,
)


@cache
def layers() -> dict[str, AnyLayer]:
    """All layers by name, built-in ones first; a layer comes after those it rests on."""
    known = {each.name: each for each in BUILTIN}
    for name, target in plugins("albeit.layers").items():
        found = loaded("layer", name, target)
        if not isinstance(found, Layer) or found.name != name:
            raise AlbeitError(f"the plug-in {target!r} is no albeit layer called {name!r}.")
        known.setdefault(name, found)
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
