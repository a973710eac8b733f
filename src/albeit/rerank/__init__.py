"""Choose the best of several translations, for each segment or for whole documents.

A way of choosing is a function ``(candidates, recipe, *, workers, progress) -> list[Choice]``.
Ours are one line each in :data:`RERANKERS`; other packages add theirs by the entry point group
``albeit.rerankers`` (name = "package.module:function"), and ``albeit rerank --by NAME`` offers them.
"""

from collections.abc import Callable
from typing import cast

from albeit.errors import AlbeitError
from albeit.plugins import loaded, plugins
from albeit.rerank.candidates import Candidate, CandidateList, CandidateSet
from albeit.rerank.choose import Choice, Recipe, rerank
from albeit.rerank.documents import rerank_documents
from albeit.rerank.formats import read_candidates
from albeit.rerank.learn import Learnt, learn_weights
from albeit.rerank.pairs import pairwise

__all__ = [
    "RERANKERS",
    "Candidate",
    "CandidateList",
    "CandidateSet",
    "Choice",
    "Learnt",
    "Recipe",
    "Reranker",
    "learn_weights",
    "pairwise",
    "read_candidates",
    "rerank",
    "rerank_documents",
    "reranker",
    "rerankers",
]

RERANKERS = {
    "segments": "albeit.rerank.choose:rerank",
    "documents": "albeit.rerank.documents:rerank_documents",
}
GROUP = "albeit.rerankers"

Reranker = Callable[..., list[Choice]]
"""One choice for each segment, in order; ``workers`` and ``progress`` change no choice."""


def rerankers() -> tuple[str, ...]:
    """The ways of choosing by name, ours first."""
    return (*RERANKERS, *(name for name in plugins(GROUP) if name not in RERANKERS))


def reranker(name: str) -> Reranker:
    """The way of choosing of this name."""
    target = RERANKERS.get(name) or plugins(GROUP).get(name)
    if target is None:
        raise AlbeitError(f"there is no reranker {name!r}; there are {', '.join(rerankers())}.")
    return cast("Reranker", loaded("reranker", name, target))
