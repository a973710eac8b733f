"""What segments have that translations often get wrong, found by plain rules.

Each is a rule over the words of the first reference (or of the source, where there is no
reference), and its name says no more than the rule sees. A rule that a language has not is
left out: there is no list of negations for every language, and German writes every noun as
others write names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from albeit.corpus.evalset import EvalSet
from albeit.errors import LanguageError
from albeit.lexicons.detect import Detector
from albeit.lexicons.load import inventory
from albeit.lexicons.words import cut

__all__ = ["UNSPACED", "phenomena"]

UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages that put no spaces between words."""
NEGATIONS = {
    "de": "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder ohne",
    "en": "not no never none nobody nothing nowhere neither nor cannot without",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna ni sin tampoco",
    "fr": "ne n pas jamais rien personne aucun aucune ni sans",
}
_MOSTLY_NONE = frozenset({"also", "and", "as", "or", "so", "then"})
"""Words of the inventory that are more often no connective than one, or in every second line."""
_CAPITALS = frozenset({"cs", "en", "es", "fr", "it", "nl", "pl", "pt", "ro", "ru", "sv"})
"""Languages in which a capital inside a sentence is, for the most part, that of a name."""
_NUMBER = re.compile(r"\d")
_QUESTION = re.compile(r"[?？؟]")
_QUOTED = re.compile(r"[\"“”„«»「」]")
_NAME = re.compile(r"(?<=[^\W\d_])[,;]? (?!I\b)[A-ZÀ-ÖØ-ÞА-ЯČŠŽŘ][^\W\d_]")
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)

Rule = Callable[[str], object]


def phenomena(evalset: EvalSet) -> dict[str, list[int]]:
    """Name to the segments that have it; what no segment has, or every one, is left out."""
    found: dict[str, list[int]] = {}
    for name, rule, lines in _rules(evalset):
        where = [at for at, line in enumerate(lines) if rule(line)]
        if 0 < len(where) < len(evalset):
            found[name] = where
    return found


def _rules(evalset: EvalSet) -> Iterator[tuple[str, Rule, Sequence[str]]]:
    """The rules that the languages of a set have, each with the text it looks at."""
    lines, lang = next(iter(evalset.references.values()), None), evalset.target_lang
    if lines is None:
        lines, lang = evalset.source or (), evalset.source_lang or ""
    for where, text, language in (
        ("in the source", evalset.source or (), evalset.source_lang or ""),
        ("in the reference", lines, lang),
    ):
        if text and (connective := _connective(language)):
            yield f"connective {where}", connective, text
    if lang in NEGATIONS:
        yield "negation", _negation(frozenset(NEGATIONS[lang].split())), lines
    yield "number", _NUMBER.search, lines
    yield "question", _QUESTION.search, lines
    yield "quotation mark", _QUOTED.search, lines
    if lang in _CAPITALS:
        yield "capital inside the sentence (name)", _NAME.search, lines


def _connective(language: str) -> Rule | None:
    try:
        known = inventory(language)
    except LanguageError:
        return None
    detector = Detector(known, tuple(sorted(set(known.connectives) - _MOSTLY_NONE)))
    return lambda line: detector(cut(line, language))


def _negation(words: frozenset[str]) -> Rule:
    def has(line: str) -> bool:
        lower = line.lower()
        return bool(_CONTRACTED.search(lower)) or not words.isdisjoint(re.findall(r"\w+", lower))

    return has
