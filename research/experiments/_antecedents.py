"""Coreference as evidence: does what a pronoun seems to take up agree better with the suggestion?

The network says what a pronoun of the translation may take up, and how likely; number, animacy and
gender of it decide how far the pronoun that stands there agrees, and how far the suggested one would.
Tried beside what ships: it judges left-out rows no better (docs/results/flags.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from albeit.annotate.layers import ANTECEDENTS, TOKENS, Analysis
from albeit.corpus.evalset import Document, EvalSet
from albeit.engine import Evaluation
from albeit.flags.evidence import Gatherer, Pieces
from albeit.flags.suspect import PRONOUNS, Suspect
from albeit.metrics.pronouns.free import PronounsFree, agreement, is_expletive

__all__ = ["better_taken_up", "by_coreference"]

_THIRD = frozenset(("he", "she", "it", "they"))


def by_coreference(evaluation: Evaluation) -> Gatherer:
    """A gatherer over the analyses of an evaluation; kept ones are not made again."""
    metric = PronounsFree(by="antecedents")

    def gatherer(suspects: Sequence[Suspect], evalset: EvalSet) -> list[Pieces]:
        if evaluation.problem(metric) is not None:
            return [{} for _ in suspects]
        found: dict[int, float | None] = {}
        for document, numbers in _by_document(suspects, evalset).items():
            analyses = evaluation.batch([metric], [document]).document_analyses
            for n in numbers:
                one = suspects[n]
                lines = tuple(evalset.systems[one.system][document.rows])
                start = sum(len(line) + 1 for line in lines[: one.line - document.start])
                found[n] = better_taken_up(analyses[lines], start + one.start, one)
        return [{"antecedent": found.get(n)} for n in range(len(suspects))]

    return gatherer


def _by_document(suspects: Sequence[Suspect], evalset: EvalSet) -> dict[Document, list[int]]:
    """Numbers of exchanged third-person pronouns, by their documents."""
    at = [document for document in evalset.documents for _ in range(len(document))]
    found: dict[Document, list[int]] = defaultdict(list)
    for n, one in enumerate(suspects):
        if one.kind == PRONOUNS and {one.said, one.wanted} <= _THIRD:
            found[at[one.line]].append(n)
    return found


def better_taken_up(analysis: Analysis, start: int, suspect: Suspect) -> float | None:
    """By how much the suggested pronoun agrees better with what it may take up, from -1 to 1.

    :param analysis: of the translation's document
    :param start: the first character of the pronoun in the document
    """
    tokens = analysis[TOKENS]
    for pronoun in analysis[ANTECEDENTS]:
        if tokens.offsets[pronoun.word][0] == start:
            if is_expletive(tokens.forms, pronoun.word):
                return None
            said, wanted = (
                agreement(pronoun, tokens.forms, kind).degree
                for kind in (suspect.said, suspect.wanted)
            )
            return wanted - said
    return None
