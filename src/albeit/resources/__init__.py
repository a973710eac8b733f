"""Language tables: what metrics know about words, shipped or found on this machine.

    ``wordnet()``                WordNet 3.0: synonym sets, base forms, hypernyms (English)
    ``stemmer(lang)``            the Snowball stemmer, each word stemmed once
    ``function_words(lang)``     the words that carry grammar rather than content
    ``stop_words(lang)``         a wider list for content words: written for albeit
    ``nonbreaking_prefixes(lang)``  abbreviations whose full stop ends no sentence
    ``rarity(lang)``             how rare a word is in sentences
    ``paraphrases(path)``        METEOR's table of paraphrases, a file of the user's

Everything is loaded once, on first use. ``data/NOTICE`` says where each table comes from
and on what terms.
"""

from __future__ import annotations

from albeit.resources.paraphrase import ParaphraseTable, paraphrases
from albeit.resources.wordnet import WordNet, wordnet
from albeit.resources.words import (
    function_words,
    nonbreaking_prefixes,
    rarity,
    stemmer,
    stop_words,
)

__all__ = [
    "ParaphraseTable",
    "WordNet",
    "function_words",
    "nonbreaking_prefixes",
    "paraphrases",
    "rarity",
    "stemmer",
    "stop_words",
    "wordnet",
]
