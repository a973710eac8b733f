"""Connectives and their translations, as readable data, and what reads, checks and makes it."""

from albeit.metrics.connectives.lexicons.lexicon import (
    CLASSIC,
    Connective,
    Form,
    Inventory,
    Lexicon,
    Translation,
)
from albeit.metrics.connectives.lexicons.load import (
    inventory,
    lexicon,
    pairs,
    read_inventory,
    read_lexicon,
)
from albeit.metrics.connectives.lexicons.senses import SENSES, SenseTest, agreement, parse_sense

__all__ = [
    "CLASSIC",
    "SENSES",
    "Connective",
    "Form",
    "Inventory",
    "Lexicon",
    "SenseTest",
    "Translation",
    "agreement",
    "inventory",
    "lexicon",
    "pairs",
    "parse_sense",
    "read_inventory",
    "read_lexicon",
]
