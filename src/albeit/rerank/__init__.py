"""Choose the best of several translations of each segment, by any metric."""

from albeit.rerank.candidates import CandidateList, CandidateSet, read_candidates
from albeit.rerank.choose import Choice, pairwise, rerank

__all__ = ["CandidateList", "CandidateSet", "Choice", "pairwise", "read_candidates", "rerank"]
