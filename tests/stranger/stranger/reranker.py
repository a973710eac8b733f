"""A way of choosing: the shortest candidate."""

from typing import Any

from albeit.rerank import CandidateSet, Choice, Recipe


def shortest(candidates: CandidateSet, recipe: Recipe, **how: Any) -> list[Choice]:
    choices = []
    for one in candidates.lists:
        rated = tuple(-float(len(text)) for text in one.texts)
        best = rated.index(max(rated))
        choices.append(Choice(one.id, best, one.texts[best], rated))
    return choices
