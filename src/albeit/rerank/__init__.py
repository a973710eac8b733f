"""Choose the best of several translations, for each segment or for whole documents."""

from albeit.rerank.candidates import Candidate, CandidateList, CandidateSet
from albeit.rerank.choose import Choice, Recipe, rerank
from albeit.rerank.documents import rerank_documents
from albeit.rerank.formats import read_candidates
from albeit.rerank.learn import Learnt, learn_weights
from albeit.rerank.pairs import pairwise

__all__ = [
    "Candidate",
    "CandidateList",
    "CandidateSet",
    "Choice",
    "Learnt",
    "Recipe",
    "learn_weights",
    "pairwise",
    "read_candidates",
    "rerank",
    "rerank_documents",
]
