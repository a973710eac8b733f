"""Language tables for metrics, shipped or found on this machine.

    ``wordnet()``                WordNet 3.0: synonym sets, base forms, hypernyms (English)
    ``stemmer(lang)``            the Snowball stemmer, each word stemmed once
    ``function_words(lang)``     the words that carry grammar rather than content
    ``stop_words(lang)``         a wider list for content words: written for albeit
    ``abbreviations(lang)``      abbreviations whose full stop ends no sentence
    ``nonbreaking_prefixes(lang)``  those among them that METEOR's tokenizer uses
    ``rarity(lang)``             how rare a word is in sentences
    ``shared_words(lang)``       English words that a language writes too: made for albeit
    ``genders(lang)``            nouns, titles and names that tell a gender: written for albeit
    ``paraphrases(path)``        METEOR's table of paraphrases, a file of the user's

Everything is loaded once, on first use. ``data/NOTICE`` says where each table comes from
and on what terms.
"""
