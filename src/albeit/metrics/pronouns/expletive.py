"""*It* that means nothing: "it is estimated that", "it was not easy to", "it remains to be seen whether".

A rule over words: *it*, a form of *be* or *seem*, and within a few words of the same clause *that*,
*to*, *whether* or *how*. Some that mean something ("it is easy to use") are taken for expletive too.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["is_expletive"]

_BEFORE = frozenset(
    (
        "will",
        "would",
        "may",
        "might",
        "can",
        "could",
        "should",
        "must",
        "has",
        "have",
        "had",
        "not",
        "n't",
        "also",
        "still",
        "only",
        "now",
        "very",
        "so",
        "really",
        "often",
        "always",
        "never",
        "already",
    )
)
_BE = frozenset(
    (
        "is",
        "was",
        "'s",
        "’s",
        "be",
        "been",
        "being",
        "seems",
        "seemed",
        "appears",
        "appeared",
        "becomes",
        "became",
        "remains",
        "takes",
        "took",
    )
)
_CLAUSE = frozenset(("that", "to", "whether", "how"))
_ENDS = frozenset((".", "!", "?", ";", ",", ":", "--", "–", "—"))
_WITH_TO = frozenset(("next", "due", "close", "similar", "thanks", "up"))
"""Words after which *to* begins no clause."""
_REACH = 6


def is_expletive(forms: Sequence[str], word: int) -> bool:
    """Whether the word is such an *it*."""
    if forms[word].lower() != "it":
        return False
    after = [form.lower() for form in forms[word + 1 : word + 1 + 2 * _REACH]]
    start = next((n for n, form in enumerate(after) if form not in _BEFORE), len(after))
    if start == len(after) or after[start] not in _BE:
        return False
    stop = next((n for n in range(start, len(after)) if after[n] not in _BE | _BEFORE), len(after))
    for n in range(stop + 1, min(stop + _REACH, len(after))):
        if after[n - 1] in _ENDS or after[n] in _ENDS:
            return False
        if after[n] in _CLAUSE and after[n - 1] not in _WITH_TO:
            return True
    return False
