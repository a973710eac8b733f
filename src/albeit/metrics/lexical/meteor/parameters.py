"""METEOR 1.5's tuned parameters: what was tuned to human rankings, language by language."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LANGUAGES", "PARAPHRASE", "STEM", "SYNONYM", "Parameters"]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
"""The matchers, in the order in which METEOR tries them."""


@dataclass(frozen=True)
class Parameters:
    """What the score of a language weighs.

    ``alpha`` balances precision and recall, ``beta`` and ``gamma`` shape the penalty for
    fragmentation, ``delta`` is the weight of a content word (1 - delta: a function word).
    ``weights`` are those of exact, stem, synonym and paraphrase matches. ``normalized``
    says whether METEOR has a tokeniser for the language.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    normalized: bool = True


LANGUAGES = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8)),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8)),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2)),
    "it": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5), normalized=False),
}
"""Italian was never tuned: METEOR's language-independent parameters, on tokenised text."""
