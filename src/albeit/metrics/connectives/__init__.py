"""Accuracy of connective translation, and lexicons of connectives and their translations."""

from albeit.metrics.connectives.lexicon import CLASSIC, Detector, Inventory, Lexicon, sense_class
from albeit.metrics.connectives.load import direction, inventory, lexicon, pairs, read_lexicon
from albeit.metrics.connectives.words import cut

__all__ = [
    "CLASSIC",
    "Detector",
    "Inventory",
    "Lexicon",
    "cut",
    "direction",
    "inventory",
    "lexicon",
    "pairs",
    "read_lexicon",
    "sense_class",
]
