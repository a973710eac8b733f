"""Lines too long for metrics whose work grows with the square of their words."""

from __future__ import annotations

from albeit.corpus.evalset import EvalSet
from albeit.errors import InputError
from albeit.metrics.base import Metric
from albeit.metrics.lexical.tokenizers import is_unspaced

__all__ = ["LONGEST", "check_lengths"]

LONGEST = 5_000
"""The most words of a line that are compared with each other: some 400 MB."""


def check_lengths(metric: Metric, evalset: EvalSet) -> None:
    """Raise where a line has more words than a metric can compare."""
    unspaced = is_unspaced(evalset.target_lang)
    texts = [("reference", *item) for item in evalset.references.items()]
    texts += [("system", *item) for item in evalset.systems.items()]
    for kind, name, lines in texts:
        for number, line in enumerate(lines, 1):
            if len(line) <= LONGEST:
                continue
            words = len(line) if unspaced else len(line.split())
            if words > LONGEST:
                raise InputError(
                    f"{kind} {name!r}, line {number}: a line of {words:,} words is too long for"
                    f" {metric}, which compares at most {LONGEST:,}.",
                    hint="If it is a document, cut it: --resegment.",
                )
