"""Candidates for errors: pronouns that a translation exchanges, and what those of a source mean.

A line that has one *he* more than the reference, and one *she* less, has very likely exchanged
them. The words that both lines share show which positions correspond; pronouns far from their
counterpart aren't compared. The rules favor recall: evidence decides the probability.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache

from albeit.languages import normalise
from albeit.parsing.tokenize import LETTERS, WORDS_OR_MARKS
from albeit.parsing.traits import CASES, LANGUAGES, pronoun_kinds


def _by_form(table: Mapping[str, str]) -> dict[str, str]:
    return {form: meaning for meaning, forms in table.items() for form in forms.split()}


_CLASS = {form.lower(): name for name, forms in CASES.items() for form in forms}
_AGREEMENT = {"they": 2, "we": 2, "you": 2, "i": 1, "he": 3, "she": 3, "it": 3}
_VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))


@dataclass(frozen=True, slots=True)
class Word:
    """A pronoun or term of a line: its class, form, and characters."""

    name: str
    form: str
    start: int
    end: int


def pronouns_of(line: str) -> list[Word]:
    """Find the personal pronouns of an English line, in order.

    >>> [word.name for word in pronouns_of("She saw them in the US.")]
    ['she', 'they']
    >>> [word.name for word in pronouns_of("He Wei called Mr. He, but he left.")]
    ['he']
    """
    found = []
    for match in LETTERS.finditer(line):
        form = match.group()
        name = _CLASS.get(form.lower())
        if name is not None and (form.islower() or form == "I" or _opens(line, *match.span())):
            found.append(Word(name, form, *match.span()))
    return found


_INSIDE = re.compile(r"(?:[\w,&/]|\b(?:Mr|Mrs|Ms|Dr|Prof|St)\.)$")
_NAMED = re.compile(r",?\s+(?:[A-Z][a-z]|\d)")


def _opens(line: str, start: int, end: int) -> bool:
    """Check whether a capitalized pronoun opens a sentence; otherwise it is a name (*Mr. He*)."""
    form = line[start:end]
    before = line[:start].rstrip(" ")  # a quotation mark opens a sentence, too
    is_name = form in ("He", "She", "You") and _NAMED.match(line, end) is not None
    return form.istitle() and _INSIDE.search(before) is None and not is_name


def pronoun_like(word: Word, name: str, like: str, line: str) -> str:
    """Choose the form of another pronoun that replaces a word: same case, same capitals.

    :param like: the form that the reference has, which decides if a form has two cases (*her*)

    >>> pronoun_like(pronouns_of("He saw her.")[1], "he", "him", "He saw her.")
    'him'
    """
    cases = _cases(word.form)
    both = [case for case in cases if case in _cases(like)]
    if len(cases) > 1 and not both:
        noun = re.match(r"\s+[^\W\d_]", line[word.end :]) is not None
        both = [case for case in cases if (case == 2) == noun]
    form = CASES[name][(both or list(cases))[0]]
    opening = word.form[0].isupper() and (word.form != "I" or word.start == 0)
    return form[0].upper() + form[1:] if opening else form


def _cases(form: str) -> tuple[int, ...]:
    folded = form.lower()
    own = CASES[_CLASS[folded]]
    return tuple(case for case, each in enumerate(own) if each.lower() == folded)


def verb_after(rest: str, said: str, wanted: str) -> str:
    """Change the verb after a pronoun so that it agrees with another pronoun.

    >>> verb_after(" are late", "they", "she")
    ' is late'
    """
    if _AGREEMENT[said] == _AGREEMENT[wanted]:
        return rest
    for one, many in _VERBS:
        have, want = (one, many) if _AGREEMENT[wanted] == 2 else (many, one)
        if match := re.match(rf"\s+{have}\b", rest):
            return f" {want}{rest[match.end() :]}"
    return rest


_KINDS = _by_form(
    {
        "he it": "er il él lui ele hij он on",
        "it": "es ce ello het оно ono",
        "she it": "sie-sg elle ella lei ela zij она ona",
        "they": "sie-pl ils elles ellos ellas loro eles elas zij-pl они oni one",
        "i": "i",
        "we": "we",
        "you": "you thou",
    }
)
"""English pronouns that a kind of pronoun of another language may mean."""
_CHINESE = _by_form(
    {
        "they": "他们 她们 它们",
        "we": "我们 咱们",
        "you": "你们 您 你",
        "he": "他",
        "she": "她",
        "it": "它",
        "i": "我",
    }
)
_IN_CHINESE = re.compile("其他|他人|他国|自我|我国|" + "|".join(_CHINESE))


def source_pronouns(source: str, lang: str) -> list[frozenset[str]] | None:
    """List for each pronoun of a source line the English pronouns that it may mean.

    ``None`` if the pronouns of the language aren't known.

    >>> [sorted(each) for each in source_pronouns("Sie sagte es ihm.", "de")]
    [['it', 'she', 'they'], ['it'], ['he', 'it']]
    """
    code = normalise(lang)
    if code == "zh":
        found = (_CHINESE.get(match.group()) for match in _IN_CHINESE.finditer(source))
        return [frozenset({name}) for name in found if name]
    known = _known(code)
    if known is None:
        return None
    words = (match.group().lower() for match in LETTERS.finditer(source))
    return [known[word] for word in words if word in known]


@cache
def _known(code: str) -> Mapping[str, frozenset[str]] | None:
    if code == "en":
        return {form: frozenset({name}) for form, name in _CLASS.items()}
    if code not in LANGUAGES:
        return None
    return {
        form: frozenset(name for kind in kinds for name in _KINDS[kind].split())
        for form, kinds in pronoun_kinds(code).items()
    }


class Places:
    """The words of two lines of one language, and which positions correspond.

    Words that both share are aligned; positions between two of them are distributed evenly.
    """

    def __init__(self, one: str, other: str) -> None:
        spans = [[match.span() for match in WORDS_OR_MARKS.finditer(line)] for line in (one, other)]
        self._starts, self._other_starts = ([start for start, _ in own] for own in spans)
        words = [one[a:b].lower() for a, b in spans[0]], [other[a:b].lower() for a, b in spans[1]]
        matcher = SequenceMatcher(None, *words, autojunk=False)
        self._blocks = [(-1, -1, 1), *matcher.get_matching_blocks()]  # the last one is empty
        self._firsts = [a for a, _, _ in self._blocks]

    def word_at(self, start: int) -> int:
        """Find the word of the first line at a character."""
        return max(0, bisect_right(self._starts, start) - 1)

    def other_word_at(self, start: int) -> int:
        """Find the word of the second line that starts at a character."""
        return bisect_left(self._other_starts, start)

    def expected(self, word: int) -> float:
        """Estimate the position in the second line of a word of the first."""
        start, end, first, last = self.around(word)
        return first + (word - start + 0.5) / (end - start) * (last - first) - 0.5

    def around(self, word: int) -> tuple[int, int, int, int]:
        """Find the words of both lines between the shared words around a word, or a shared word."""
        at = bisect_right(self._firsts, word)
        (a, b, size), (next_a, next_b, _) = self._blocks[at - 1 : at + 1]
        if word < a + size:
            return word, word + 1, b + word - a, b + word - a + 1
        return a + size, next_a, b + size, next_b


@lru_cache(maxsize=4096)
def places(one: str, other: str) -> Places:
    """Compare two lines; recent results are cached."""
    return Places(one, other)


PRONOUNS = "pronouns in context"
TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words of one line of one system that may be an error, and the suggested fix.

    :param kind: the row of the profile that it belongs to
    :param system: whose line it is
    :param line: the number of the line, from 0
    :param start: its first character in the line
    :param end: the character after its last
    :param said: the class of these words: ``he``, the stem of a term
    :param wanted: the class of the words of the reference (for terms: of other lines)
    :param suggestion: the words of the suggested fix
    :param fixed: the whole line after the fix
    :param nearness: how close the reference's words are to this position, from 0 to 1
    :param reference: the number of the reference that differs, from 0
    """

    kind: str
    system: str
    line: int
    start: int
    end: int
    said: str
    wanted: str
    suggestion: str
    fixed: str
    nearness: float = 1.0
    reference: int = 0


_NEAR = 5.0
"""Maximum distance in words of the two of an exchange."""
_SAME = 6.0
"""Maximum distance in words of two of one class that count as the same."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A pronoun of the translation, that of the reference, and how close they are."""

    said: Word
    wanted: Word
    nearness: float


def exchanges(text: str, reference: str) -> list[Exchange]:
    """Find the exchanged pronouns of a line, nearest first.

    Pronouns that both lines have near each other are removed; the others are paired by distance.

    >>> [one] = exchanges("Then he left.", "Then she left.")
    >>> one.said.form, one.wanted.form, one.nearness
    ('he', 'she', 1.0)
    """
    own, others = pronouns_of(text), pronouns_of(reference)
    if not any(a.name != b.name for a in own for b in others):
        return []
    both = places(text, reference)
    distance = {
        (a, b): abs(both.expected(both.word_at(a.start)) - both.other_word_at(b.start))
        for a in own
        for b in others
    }

    def pair(*, same: bool, reach: float) -> list[tuple[Word, Word]]:
        """Pair the words of one class, or of two, nearest first, each at most once."""
        order = sorted(distance, key=lambda pair: (distance[pair], pair[0].start, pair[1].start))
        found: list[tuple[Word, Word]] = []
        for a, b in order:
            fits = (a.name == b.name) == same and distance[a, b] <= reach
            if fits and not any(a == c or b == d for c, d in found):
                found.append((a, b))
        return found

    for a, b in pair(same=True, reach=_SAME):
        distance = {key: d for key, d in distance.items() if key[0] != a and key[1] != b}
    exchanged = pair(same=False, reach=_NEAR)
    return [Exchange(a, b, 1 - distance[a, b] / (_NEAR + 1)) for a, b in exchanged]


SPEAKERS = frozenset(("i", "we", "you"))
"""Classes of the first and second person."""
_QUOTES = re.compile(r"[\"“”„«»]|''|``")
_EMPTY_IT = re.compile(
    r"\W+(?:(?:will|would|may|might|can|could|should|must|has|have|had|not|also|still|now)\W+)*"
    r"(?:is|was|'s|’s|be|been|seems?|seemed|appears?|appeared|takes?|took|remains?|turns?|turned)"
    r"\b(?:\W+\w+){0,4}?\W+(?:that|to|whether|how|why|who|when|if|for)\b",
    re.IGNORECASE,
)
_CLEFT = re.compile(r"\bit (?:is|was|were|'s) $", re.IGNORECASE)


def _is_harmless(one: Exchange, text: str, reference: str) -> bool:
    """Check whether exchanged pronouns aren't an error by their form alone.

    So are expletives (*it is clear that*), clefts (*it was they who came*), *we* and *you*, and
    pronouns of which one line quotes what the other reports.
    """
    said, wanted = one.said, one.wanted
    quotes = len(_QUOTES.findall(text)) - len(_QUOTES.findall(reference))
    return (
        (said.name == "it" and _EMPTY_IT.match(text, said.end) is not None)
        or (wanted.name == "it" and _EMPTY_IT.match(reference, wanted.end) is not None)
        or _CLEFT.search(text[: said.start]) is not None
        or {said.name, wanted.name} == {"we", "you"}
        or ((said.name in SPEAKERS) != (wanted.name in SPEAKERS) and quotes != 0)
    )


def fix_pronoun(one: Exchange, text: str) -> tuple[str, str]:
    """Choose the form of the other pronoun, and adapt the text after it."""
    word, other = one.said, one.wanted
    form = pronoun_like(word, other.name, other.form, text)
    return form, verb_after(text[word.end :], word.name, other.name)


def line_candidates(system: str, line: int, text: str, reference: str) -> list[Candidate]:
    """Find the candidates of one line against one reference.

    :param system: the system
    :param line: the number of the line, from 0

    >>> [one] = line_candidates("A", 0, "Then he left.", "Then she left.")
    >>> one.suggestion, one.fixed
    ('she', 'Then she left.')
    """
    found = []
    for one in exchanges(text, reference):
        if _is_harmless(one, text, reference):
            continue
        form, rest = fix_pronoun(one, text)
        start, end = one.said.start, one.said.end
        fixed = text[:start] + form + rest
        names = one.said.name, one.wanted.name
        found.append(
            Candidate(PRONOUNS, system, line, start, end, *names, form, fixed, one.nearness)
        )
    return found
