"""Lines too long for metrics whose work grows faster than their words."""

from __future__ import annotations

from albeit.data.evalset import EvalSet
from albeit.errors import InputError
from albeit.metrics.base import Metric
from albeit.metrics.lexical.tokenizers import is_unspaced
from albeit.parsing.needs import Side

__all__ = ["ALIGNED", "LONGEST", "check_lengths"]

LONGEST = 5_000
"""The most words of a line that are compared with each other: some 400 MB."""
ALIGNED = 1_000
"""The most words of a line that are aligned, which takes the third power of them: some seconds."""


def check_lengths(metric: Metric, evalset: EvalSet, most: int = LONGEST) -> None:
    """Raise where a line has more words than a metric can compare."""
    target, source = evalset.target_lang, evalset.source_lang or ""
    texts = [(f"reference {name!r}", text, target) for name, text in evalset.references.items()]
    texts += [(f"system {name!r}", text, target) for name, text in evalset.systems.items()]
    if metric.sees(Side.SOURCE) and evalset.source is not None:
        texts.append(("the source", evalset.source, source))
    for name, lines, lang in texts:
        for number, line in enumerate(lines, 1):
            if len(line) <= most:
                continue
            words = len(line) if is_unspaced(lang) else len(line.split())
            if words > most:
                raise InputError(
                    f"{name}, line {number}: a line of {words:,} words is too long for"
                    f" {metric}, which compares at most {most:,}.",
                    hint="If it is a document, cut it: --resegment.",
                )
