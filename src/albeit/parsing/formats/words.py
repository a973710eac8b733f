"""Join words from a file without raw text, or find their offsets in the raw text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from albeit.errors import InputError
from albeit.parsing.layers import TOKENS, Analysis, Tokens
from albeit.parsing.tokenize import plain_forms

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def join_forms(forms: Iterable[str]) -> tuple[str, Tokens]:
    """Return words with one space between them, as text and tokens."""
    words = tuple(forms)
    offsets = []
    at = 0
    for word in words:
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), Tokens(words, tuple(offsets))


def attach(analysis: Analysis, text: str) -> Analysis:
    """Return the annotation with the offsets of the raw text of its words.

    White space can differ, and so can the escapes of usual tokenizers (``-LRB-``, quotes as two
    backquotes). Any other difference is an error.
    """
    tokens = analysis.get(TOKENS) or TOKENS.empty()
    groups = list(tokens.groups())
    places = align([_written(analysis.text, tokens, *group) for group in groups], text)
    forms: list[str] = []
    offsets: list[tuple[int, int]] = []
    for (first, stop), (start, end) in zip(groups, places, strict=True):
        alone = stop == first + 1
        forms += [text[start:end]] if alone else tokens.forms[first:stop]
        offsets += [(start, end)] * (stop - first)
    return analysis.replace(text, {TOKENS: Tokens(tuple(forms), tuple(offsets))})


def attach_numbered(analysis: Analysis, text: str, path: str | Path, number: int) -> Analysis:
    """Do the same for an annotation of a file; an error has its number."""
    try:
        return attach(analysis, text)
    except InputError as error:
        raise InputError(f"annotation {number}: {error.what}", path=path, hint=error.hint) from None


def _written(text: str, tokens: Tokens, first: int, stop: int) -> str:
    """Return the text of a word, or of several that are contracted."""
    start, end = tokens.offsets[first]
    return tokens.forms[first] if stop == first + 1 else text[start:end]


def align(forms: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the offsets of words in a text; raise ``InputError`` if it has other words."""
    offsets = []
    at = 0
    for number, form in enumerate(forms, 1):
        while at < len(text) and text[at].isspace():
            at += 1
        for variant in _variants(form):
            if variant and text.startswith(variant, at):
                offsets.append((at, at + len(variant)))
                at += len(variant)
                break
        else:
            raise InputError(
                f"word {number} of an annotation, {form!r}, is not what its text has there: "
                f"{text[at : at + 20]!r}.",
                hint="An annotation must have the same words as the text, in the same order.",
            )
    if text[at:].strip():
        raise InputError(
            f"an annotation ends before its text does; the text goes on: {text[at : at + 20]!r}.",
            hint="An annotation must have the same words as the text, in the same order.",
        )
    return offsets


def _variants(form: str) -> Iterable[str]:
    yield form
    if form in _BRACKETS:
        yield _BRACKETS[form]
    if form in ("``", "''", '"'):
        yield from ('"', "“", "”", "„", "«", "»", "``", "''")
    if form in ("`", "'"):
        yield from ("'", "‘", "’", "`")
    if "'" in form:
        yield form.replace("'", "’")
        yield form.replace("'", "&apos;")
        yield form.replace("'", "&#39;")
    yield from plain_forms([form])
