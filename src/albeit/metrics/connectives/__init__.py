"""Accuracy of connective translation, and lexicons of connectives and their translations."""

from albeit.metrics.connectives.lexicon import (
    CLASSIC,
    SENSES,
    Connective,
    Detector,
    Form,
    Inventory,
    Lexicon,
    SenseTest,
    Translation,
    agreement,
    parse_sense,
    sense_class,
)
from albeit.metrics.connectives.load import (
    direction,
    inventory,
    lexicon,
    pairs,
    read_dimlex,
    read_lexicon,
)
from albeit.metrics.connectives.words import Words, cut

__all__ = [
    "CLASSIC",
    "SENSES",
    "Connective",
    "Detector",
    "Form",
    "Inventory",
    "Lexicon",
    "SenseTest",
    "Translation",
    "Words",
    "agreement",
    "cut",
    "direction",
    "inventory",
    "lexicon",
    "pairs",
    "parse_sense",
    "read_dimlex",
    "read_lexicon",
    "sense_class",
]
