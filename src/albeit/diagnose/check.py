"""Check translations against their source, without a reference: numbers, and untranslated words.

Flagged as untranslated are:

- letters of the source's script in a translation written in another script
- a line that is its source, or is written in the source's language
- lowercase words of the source line that aren't words of the target language, if both languages
  share a script

Names,
other capitalized words, addresses, code, numbers, words in brackets or quotation marks, loan words,
and cognates aren't flagged. Single words are flagged only if one side is English, whose words are
known, and not from English into French, Spanish, Italian, or Portuguese.
"""

from __future__ import annotations

import itertools
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from albeit.data.evalset import EvalSet
from albeit.data.plausible import looks_like, scripts_of
from albeit.errors import AlbeitError, InputError
from albeit.parsing.tokenize import LETTER_WORDS
from albeit.resources.wordnet import wordnet
from albeit.resources.words import rarity, shared_words, stop_words

LEAST = 0.5
"""The least probability of a finding."""
KINDS = ("untranslated", "numbers")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """Some characters of one line of a translation that are likely an error.

    :param kind: the kind of error, such as ``numbers`` or ``terms``
    :param line: number of the line, from 1
    :param start: first character, from 0
    :param end: the character after the last
    :param message: a description, without the position
    :param probability: the probability that an editor would call this an error
    :param suggestion: a suggested fix, or ``None``
    :param evidence: evidence for and against, as pairs of a name and words

    >>> Finding("numbers", 3, 10, 12, "the source has 17 here", 0.9, "17").to_json()["line"]
    3
    """

    kind: str
    line: int
    start: int
    end: int
    message: str
    probability: float
    suggestion: str | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> tuple[int, int, int]:
        """Line and characters, the order of the text."""
        return self.line, self.start, self.end

    def to_json(self) -> dict[str, object]:
        """Convert to all fields by name; evidence is a list of objects."""
        evidence = [{"name": name, "words": words} for name, words in self.evidence]
        return {**asdict(self), "evidence": evidence}


@dataclass(frozen=True)
class Passage:
    """The lines of a translation and of its source.

    :param lines: the translation
    :param source: the source
    :param target_lang: language of the translation
    :param source_lang: language of the source, ``None`` if unknown
    """

    lines: tuple[str, ...]
    source: tuple[str, ...]
    target_lang: str = "en"
    source_lang: str | None = None

    def pairs(self) -> Iterator[tuple[int, str, str]]:
        """List number, translation, and source of the lines with text."""
        for number, (line, source) in enumerate(zip(self.lines, self.source, strict=True), 1):
            if line.strip() and source.strip():
                yield number, line, source


@dataclass(frozen=True)
class Check:
    """One kind of error that can be found without a reference.

    :param about: a description in one line
    :param find: the findings of a passage, in any order
    :param precision: the share of its findings that were errors in blind reading
    """

    about: str
    find: Callable[[Passage], Iterator[Finding]]
    precision: float


def check(
    translation: Iterable[str],
    source: Iterable[str],
    *,
    lang: str = "en",
    source_lang: str | None = None,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
) -> list[Finding]:
    """Find the likely errors of a translation, in the order of its lines.

    :param translation: one line per segment
    :param source: the source, as many lines
    :param lang: the language translated into
    :param source_lang: the language translated from; without it fewer errors are found
    :param kinds: the kinds of errors [default: all]
    :param least: the least probability of a finding
    :return: the findings

    >>> import albeit
    >>> [found.message for found in albeit.check(["Born in 1986."], ["Geboren 1968."])]
    ["'1986' is not in the source, which has '1968'"]
    """
    systems = {"translation": tuple(translation)}
    evalset = EvalSet({}, systems, tuple(source), source_lang=source_lang, target_lang=lang)
    return check_set(evalset, kinds=kinds, least=least)["translation"]


def check_set(
    evalset: EvalSet,
    *,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
    progress: Progress | None = None,
) -> dict[str, list[Finding]]:
    """Find the likely errors of every system of a test set, by its name.

    :param evalset: translations with their source
    :param kinds: the kinds of errors [default: all]
    :param least: the least probability of a finding
    :param progress: called with the numbers of finished and of all lines
    """
    if evalset.source is None:
        raise InputError(
            f"{evalset.name} has no source text to check translations against.",
            hint="Name it with --source FILE.",
        )
    if not 0 <= least <= 1:
        raise AlbeitError(f"the least probability is from 0 to 1, not {least}.")
    evalset = _with_language(evalset)
    checks = {kind: check_named(kind) for kind in kinds or KINDS}
    done, total = 0, len(evalset) * len(checks) * len(evalset.systems)
    found: dict[str, list[Finding]] = {}
    for system, lines in evalset.systems.items():
        passage = Passage(lines, evalset.source or (), evalset.target_lang, evalset.source_lang)
        of_system: list[Finding] = []
        for check in checks.values():
            of_system += [each for each in check.find(passage) if each.probability >= least]
            done += len(lines)
            if progress is not None:
                progress(done, total)
        found[system] = sorted(of_system, key=lambda each: (each.place, each.kind))
    return found


def _with_language(evalset: EvalSet) -> EvalSet:
    """Detect the language of the source if it isn't given, and log it."""
    if evalset.source is None or evalset.source_lang is not None:
        return evalset
    lang = looks_like(evalset.source, evalset.target_lang)
    if lang is None or len(lang) != 2 or not lang.isalpha():
        return evalset
    logging.getLogger("albeit").info(
        "the source looks like %r, and is checked as such; if it isn't, pass --source-lang CODE",
        lang,
    )
    return evalset.relabel(source_lang=lang)


def check_named(kind: str) -> Check:
    """Return the check of a kind."""
    from albeit.diagnose import numbers

    if kind not in KINDS:
        raise AlbeitError(f"there is no check {kind!r}; there are {', '.join(KINDS)}.")
    return numbers.CHECK if kind == "numbers" else _UNTRANSLATED


@lru_cache(maxsize=1 << 16)
def distance(one: str, other: str) -> int:
    """Count the letters to change, add, drop, or exchange with their neighbor.

    >>> distance("Merkel", "Mekrel"), distance("Obama", "Osama"), distance("", "abc")
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            best = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


_VERBATIM = re.compile(
    r"\S*(?:://|www\.|\w@\w)\S*|[@#]\w+|\w+(?:\.\w+)+(?:/\S*)?|<[^>]*>|`[^`]*`|\{[^}]*\}|\w*_\w*"
    r"|(?<![\w:]):[a-z0-9_+-]+:(?!\w)"
)


_Word = re.Match[str]


@lru_cache(maxsize=1 << 14)
def _words_in(line: str) -> tuple[_Word, ...]:
    """Split a line with spaces into words, without numbers, addresses, tags, and code."""
    skipped = _verbatim_spans(line)
    words = LETTER_WORDS.finditer(line)
    return tuple(w for w in words if not any(a <= w.start() < b for a, b in skipped))


def _verbatim_spans(line: str) -> tuple[tuple[int, int], ...]:
    """Find addresses, mentions, file names, tags, ``:smile:``, and code."""
    return tuple(match.span() for match in _VERBATIM.finditer(line))


@lru_cache(maxsize=1 << 14)
def _script_of(character: str) -> str:
    """Return the script of a letter (``LATIN``, ``CJK``), empty for other characters."""
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").split(" ")[0]
    if name in ("FULLWIDTH", "HALFWIDTH", "FEMININE", "MASCULINE", "MICRO", "MODIFIER", "ANGSTROM"):
        return ""
    return name.split("-")[0]


@lru_cache(maxsize=1 << 16)
def _is_english(word: str) -> bool:
    """Check whether a word is in the English word lists, in any of its forms."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    if low in rarity("en") or low in stop_words("en") or wordnet().base_forms(low):
        return True
    parts = [part for part in re.split("[-']", low) if part]
    return len(parts) > 1 and all(_is_english(part) for part in parts)


SCRIPT, LINE, LANGUAGE, RUN, WORD = 0.95, 0.95, 0.8, 0.8, 0.7
"""How sure a finding is: letters of another script, a whole line, its language, words, one word."""
COPIED = 0.8
"""A line is its source if so many of its words are the source's."""
_COGNATES = ("fr", "es", "it", "pt", "ro", "ca")
"""Languages that share too many words with English for a single word to be evidence."""
_LANGUAGES = {"de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "en": "English"}


def _find_untranslated(passage: Passage) -> Iterator[Finding]:
    """Find the untranslated words of each line."""
    own, others = scripts_of(passage.target_lang), scripts_of(passage.source_lang)
    latin = "LATIN" in own
    for number, line, source in passage.pairs():
        if latin:
            yield from _other_script(number, line, source, own)
        if set(own) & set(others) or not latin:
            yield from _same_script(number, line, source, passage)


def _other_script(number: int, line: str, source: str, own: tuple[str, ...]) -> Iterator[Finding]:
    """Find runs of letters in a script in which the translation isn't written."""
    skipped = _verbatim_spans(line)
    for start, end in _script_runs(line, (*own, "GREEK")):
        if _glossed(line, start, end) or any(a <= start < b for a, b in skipped):
            continue
        words = line[start:end]
        short = words if len(words) <= 20 else words[:19] + "…"
        copied = "the source has it" if words in source else "the source has it in other words"
        evidence = (("script", _script_of(words[0]).lower()), ("source", copied))
        message = f"{short!r} is left untranslated"
        yield Finding("untranslated", number, start, end, message, SCRIPT, None, evidence)


def _script_runs(line: str, own: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Find runs of letters in other scripts; two other characters may be between them."""
    start = None
    for index, character in enumerate(line + "\n"):
        script = _script_of(character)
        if script and script not in own:
            start = index if start is None else start
            end = index + 1
        elif start is not None and (script or character == "\n" or index - end > 2):
            yield start, end
            start = None


def _glossed(line: str, start: int, end: int) -> bool:
    """Decide whether words are alone in brackets, after what they explain."""
    before, after = line[:start].rstrip(), line[end:].lstrip()
    return before[-1:] in "(（[" and after[:1] in ")）]" and bool(before) and bool(after)


def _same_script(number: int, line: str, source: str, passage: Passage) -> Iterator[Finding]:
    words, others = _words_in(line), _words_in(source)
    whole = _whole_line(words, others, passage)
    if whole:
        name = _LANGUAGES.get(passage.source_lang or "", "the source's language")
        message = "the line is its source" if whole == LINE else f"the line is in {name}"
        yield Finding("untranslated", number, 0, len(line), message, whole)
        return
    known = {word[0] for word in others if word[0].islower()}
    # what follows a name may be part of it: "Mt. Everest region"
    named = {(one[0], two[0]) for one, two in itertools.pairwise(others) if one[0][0].isupper()}
    left = [_left(word, known, line, passage) for word in words]
    for index, (one, two) in enumerate(itertools.pairwise(words), 1):
        left[index] &= (one[0], two[0]) not in named
    for is_left, run in itertools.groupby(zip(left, words, strict=True), key=lambda pair: pair[0]):
        if is_left:
            own = [word for _, word in run]
            start, end = own[0].start(), own[-1].end()
            message = f"{line[start:end]!r} is left untranslated"
            plural, probability = ("s", RUN) if len(own) > 1 else ("", WORD)
            evidence = (("source", f"has the same word{plural}"),)
            yield Finding("untranslated", number, start, end, message, probability, None, evidence)


def _whole_line(words: tuple[_Word, ...], source: tuple[_Word, ...], passage: Passage) -> float:
    """How sure it is that a line is its source or in its language; 0 if it is not."""
    forms = [word[0].lower() for word in words]
    low = [word for word in words if not word[0][0].isupper() and len(word[0]) > 2]
    if passage.source_lang == passage.target_lang or not low:
        return 0.0
    if len(forms) > 2 and forms == [word[0].lower() for word in source]:
        return LINE
    if len(forms) < 4 or len(low) < 2:
        return 0.0
    shared = sum((Counter(forms) & Counter(word[0].lower() for word in source)).values())
    if shared >= COPIED * max(len(forms), len(source)):
        return LINE
    mine, its = stop_words(passage.target_lang), stop_words(passage.source_lang or "")
    if not mine or not its:
        return 0.0
    of_source = sum(form in its and form not in mine for form in forms)
    of_target = sum(form in mine and form not in its for form in forms)
    return LANGUAGE if of_source >= 3 and of_source > 3 * of_target else 0.0


def _left(word: _Word, known: set[str], line: str, passage: Passage) -> bool:
    """Decide whether a word of the source is untranslated, by the words of both languages."""
    form, source, target = word[0], passage.source_lang, passage.target_lang
    if word[0][0].isupper() or form not in known or len(form) < 4 or _quoted(line, word):
        return False
    if target == "en":
        return not _is_english(form)
    if target == "de" and form.endswith("ive"):  # a form of "impulsiv"
        return False
    if source == "en" and target not in _COGNATES and (shared := shared_words(target)):
        return _is_english(form) and form not in shared and form not in stop_words(target)
    return source == "en" and "LATIN" not in scripts_of(target) and _is_english(form)


def _quoted(line: str, word: _Word) -> bool:
    """Return whether a word is in quotation marks or brackets with at most three others."""
    before = re.search(r"[\"“„«»‘'(\[][^\"“”„«»]{0,25}$", line[: word.start()])
    after = re.match(r"[^\"“”„«»]{0,25}[\"”“»«’')\]]", line[word.end() :])
    return bool(before and after)


_UNTRANSLATED = Check(
    "words and lines of the source that are left as they are", _find_untranslated, precision=0.62
)
