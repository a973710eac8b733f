"""The words of a document: those of its lines, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layer import Span
from albeit.annotate.layers import Tokens
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize

__all__ = ["document_words"]


def document_words(lines: Sequence[str]) -> tuple[Tokens, tuple[Span, ...]]:
    """Words, placed in the lines joined by line feeds, and sentences, which end with their line."""
    forms: list[str] = []
    offsets: list[Span] = []
    sentences: list[Span] = []
    at = 0
    for line in lines:
        tokens = tokenize(line)
        base = len(forms)
        for first, stop in split_sentences(tokens.forms, tokens.offsets):
            sentences.append((base + first, base + stop))
        forms += tokens.forms
        offsets += [(at + start, at + stop) for start, stop in tokens.offsets]
        at += len(line) + 1
    return Tokens(tuple(forms), tuple(offsets)), tuple(sentences)
