"""Words and lines of the source that were left as they are.

Flagged: letters of the source's script in a translation written in another (Chinese characters in
English); a line that is its source, or is written in the source's language; and, where both
languages have one script, words in lower case that stand in the source line and are no words of
the target language. Not flagged: names and other capitalised words, addresses, code, numbers, a
word in brackets or quotation marks that the translator kept on purpose, loan words and cognates
(*international*). For single words one side must be English, whose words are known; between two other
languages, and from English into French, Spanish, Italian, Portuguese, only lines are found.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from albeit.data.plausible import scripts_of
from albeit.diagnose.checks.passage import Check, Passage
from albeit.diagnose.finding import Finding
from albeit.diagnose.text.words import Word, is_english, placeless, script_of, words_in
from albeit.resources import shared_words, stop_words

__all__ = ["CHECK"]

SCRIPT, LINE, LANGUAGE, RUN, WORD = 0.95, 0.95, 0.8, 0.8, 0.7
"""How sure a finding is: letters of another script, a whole line, its language, words, one word."""
COPIED = 0.8
"""A line is its source if so many of its words are the source's."""
_COGNATES = ("fr", "es", "it", "pt", "ro", "ca")
"""Languages that share too many words with English for one alone to say anything."""
_LANGUAGES = {"de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "en": "English"}


def find(passage: Passage) -> Iterator[Finding]:
    """What each line shares with its source and should not."""
    ours, theirs = scripts_of(passage.target_lang), scripts_of(passage.source_lang)
    latin = "LATIN" in ours
    for number, line, source in passage.pairs():
        if latin:
            yield from _other_script(number, line, source, ours)
        if set(ours) & set(theirs) or not latin:
            yield from _same_script(number, line, source, passage)


def _other_script(number: int, line: str, source: str, ours: tuple[str, ...]) -> Iterator[Finding]:
    """Runs of letters in a script that the translation is not written in."""
    skipped = placeless(line)
    start = None
    runs: list[tuple[int, int]] = []
    for place, character in enumerate(line + "\n"):
        script = script_of(character)
        if script and script not in ours and script != "GREEK":
            start = place if start is None else start
            end = place + 1
        elif start is not None and (script or character == "\n" or place - end > 2):
            runs.append((start, end))
            start = None
    for start, end in runs:
        words = line[start:end]
        kept = _glossed(line, start, end) or any(a <= start < b for a, b in skipped)
        if not kept:
            shown = words if len(words) <= 20 else words[:19] + "…"
            copied = "the source has it" if words in source else "the source has it in other words"
            message = f"{shown!r} is left untranslated"
            evidence = (("script", script_of(words[0]).lower()), ("source", copied))
            yield Finding("untranslated", number, start, end, message, SCRIPT, None, evidence)


def _glossed(line: str, start: int, end: int) -> bool:
    """Whether some words stand alone in brackets, after what they explain."""
    before, after = line[:start].rstrip(), line[end:].lstrip()
    return before[-1:] in "(（[" and after[:1] in ")）]" and bool(before) and bool(after)


def _same_script(number: int, line: str, source: str, passage: Passage) -> Iterator[Finding]:
    words, theirs = words_in(line), words_in(source)
    whole = _whole_line(words, theirs, passage)
    if whole:
        name = _LANGUAGES.get(passage.source_lang or "", "the source's language")
        message = "the line is its source" if whole == LINE else f"the line is in {name}"
        yield Finding("untranslated", number, 0, len(line), message, whole)
        return
    known = {word.form for word in theirs if word.form.islower()}
    named = {
        (one.form, other.form) for one, other in itertools.pairwise(theirs) if one.capital
    }  # "Mt. Everest region": what follows a name may be part of it
    left = [_left(word, known, line, passage) for word in words]
    for place, pair in enumerate(itertools.pairwise(words)):
        left[place + 1] &= (pair[0].form, pair[1].form) not in named
    for start, stop in _runs(left):
        first, last = words[start].start, words[stop - 1].end
        message = f"{line[first:last]!r} is left untranslated"
        several = stop - start > 1
        evidence = (("source", "has the same words" if several else "has the same word"),)
        probability = RUN if several else WORD
        yield Finding("untranslated", number, first, last, message, probability, None, evidence)


def _whole_line(words: tuple[Word, ...], source: tuple[Word, ...], passage: Passage) -> float:
    """How sure it is that a line is its source or in its language; 0 if it is not."""
    forms = [word.form.lower() for word in words]
    low = [word for word in words if not word.capital and len(word.form) > 2]
    if passage.source_lang == passage.target_lang or not low:
        return 0.0
    if len(forms) > 2 and forms == [word.form.lower() for word in source]:
        return LINE
    if len(forms) < 4 or len(low) < 2:
        return 0.0
    shared = sum((Counter(forms) & Counter(word.form.lower() for word in source)).values())
    if shared >= COPIED * max(len(forms), len(source)):
        return LINE
    mine, its = stop_words(passage.target_lang), stop_words(passage.source_lang or "")
    if not mine or not its:
        return 0.0
    of_source = sum(form in its and form not in mine for form in forms)
    of_target = sum(form in mine and form not in its for form in forms)
    return LANGUAGE if of_source >= 3 and of_source > 3 * of_target else 0.0


def _left(word: Word, known: set[str], line: str, passage: Passage) -> bool:
    """Whether one word of the source was left, by what is known of the words of both languages."""
    form, source, target = word.form, passage.source_lang, passage.target_lang
    if word.capital or form not in known or len(form) < 4 or _quoted(line, word):
        return False
    if target == "en":
        return not is_english(form)
    if target == "de" and form.endswith("ive"):  # a form of "impulsiv"
        return False
    if source == "en" and target not in _COGNATES and (shared := shared_words(target)):
        return is_english(form) and form not in shared and form not in stop_words(target)
    return source == "en" and "LATIN" not in scripts_of(target) and is_english(form)


def _runs(left: list[bool]) -> Iterator[tuple[int, int]]:
    """Neighbouring words that were left."""
    for key, places in itertools.groupby(range(len(left)), key=left.__getitem__):
        if key:
            found = list(places)
            yield found[0], found[-1] + 1


def _quoted(line: str, word: Word) -> bool:
    """Whether a word stands in quotation marks or brackets with at most three others."""
    before = re.search(r"[\"“„«»‘'(\[][^\"“”„«»]{0,25}$", line[: word.start])
    after = re.match(r"[^\"“”„«»]{0,25}[\"”“»«’')\]]", line[word.end :])
    return bool(before and after)


CHECK = Check("words and lines of the source that are left as they are", find, precision=0.62)
