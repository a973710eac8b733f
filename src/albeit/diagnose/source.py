"""Does the source say so? Pronouns, connectives and repeated words of the source's line.

Each function gives 1 where the source is on the side of the mend, -1 where it is on that of the
text, 0 where it says neither, and ``None`` where its language is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from albeit.data.evalset import EvalSet
from albeit.diagnose.connectives import senses_of_source
from albeit.diagnose.pronouns import said_by_source
from albeit.diagnose.straying import has_term
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS, Suspect
from albeit.languages import normalise
from albeit.metrics.connectives.lexicon import sense_class
from albeit.parsing.content import LANGUAGES, UNSPACED, content_words

__all__ = ["repeated_in_source", "side_of_source"]


def side_of_source(suspect: Suspect, evalset: EvalSet) -> float | None:
    """What the source's line has, of pronouns or connectives, or of words that it says again."""
    if evalset.source is None or evalset.source_lang is None:
        return None
    source, lang = evalset.source[suspect.line], evalset.source_lang
    if suspect.kind == PRONOUNS:
        return _side(said_by_source(source, lang), {suspect.said}, {suspect.wanted})
    if suspect.kind == CONNECTIVES:
        said, wanted = (
            {sense_class(sense) for sense in senses.split()}
            for senses in (suspect.said, suspect.wanted)
        )
        return _side(senses_of_source(source, lang), said - wanted, wanted - said)
    document = next(d for d in evalset.documents if d.start <= suspect.line < d.stop)
    reference = list(evalset.references.values())[suspect.reference]
    return repeated_in_source(
        suspect.wanted,
        suspect.line - document.start,
        evalset.source[document.rows],
        reference[document.rows],
        lang,
    )


def _side(
    found: Sequence[Collection[str]] | None, said: set[str], wanted: set[str]
) -> float | None:
    """On whose side the words are that a source line has; what may be either is on none."""
    if found is None:
        return None
    mend = sum(bool(wanted & set(each)) and not said & set(each) for each in found)
    text = sum(bool(said & set(each)) and not wanted & set(each) for each in found)
    return float(bool(mend) - bool(text))


def repeated_in_source(
    term: str, line: int, source: Sequence[str], reference: Sequence[str], lang: str
) -> float | None:
    """Whether the source says one word wherever the reference says the term, and here too.

    :param term: the term's stem
    :param line: the number of the line in question, from 0

    >>> repeated_in_source("bridg", 1, ["die Brücke", "eine Brücke"], ["a bridge", "bridges"], "de")
    1.0
    """
    code = normalise(lang)
    if code not in LANGUAGES:
        return None
    here = [n for n, text in enumerate(reference) if has_term(text, term) and n != line]
    if not here:
        return 0.0
    words = [_words(text, code) for text in source]
    for word in words[line]:
        held = sum(word in words[n] for n in here)
        elsewhere = sum(word in words[n] for n in range(len(words))) - held - 1
        if held >= 0.8 * len(here) and elsewhere <= held:
            return 1.0
    return -1.0


def _words(text: str, code: str) -> set[str]:
    if code in UNSPACED:
        return {text[n : n + 2] for n in range(len(text) - 1) if text[n : n + 2].isalpha()}
    return set(content_words(code).keys(text))
