"""METEOR 1.5: translation and reference aligned word by word, then scored for coverage and order.

One metric a set of matchers, as METEOR's ``-m`` has it: exact words, stems, WordNet
synonyms, paraphrases.
"""

from __future__ import annotations

from albeit.metrics.lexical.meteor.metric import (
    Meteor,
    MeteorExact,
    MeteorParaphrase,
    MeteorStem,
    MeteorSynonym,
)

__all__ = ["Meteor", "MeteorExact", "MeteorParaphrase", "MeteorStem", "MeteorSynonym"]
