"""Warn about texts that are in another language than their label, and lines that are documents.

These are warnings, not errors: a system may have left its source untranslated, and a set may have
long paragraphs. But scores of the wrong language, or of whole documents, look like any other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import median

from albeit.data.evalset import EvalSet
from albeit.data.textio import warn
from albeit.resources.words import stop_words

SAMPLE = 300
"""Lines looked at, spread over a text."""
ENOUGH_LETTERS, ENOUGH_WORDS, ENOUGH_FOR_ANOTHER = 40, 60, 25
"""Below these, there is no warning; another language is recognized by fewer words."""
FOREIGN_LETTERS = 0.7
"""With so many letters of a script that a language is not written in, the text is not in it."""
FEW, MANY = 0.1, 0.2
"""Share of function words: below the one no text of a language, above the other plainly one."""
UNKNOWN = "??"
LONG_LINE = 150
"""Words in the middle line of a text from which on lines are hardly sentences."""

_LATIN = "ca cs da de en es et fi fr ha hr hu id is it lt lv nl no pl pt ro sv tr vi"
_OTHERS = (
    "ar=ARABIC bn=BENGALI el=GREEK fa=ARABIC gu=GUJARATI he=HEBREW hi=DEVANAGARI"
    " ja=CJK+HIRAGANA+KATAKANA kk=CYRILLIC km=KHMER ko=HANGUL+CJK ps=ARABIC ru=CYRILLIC"
    " ta=TAMIL th=THAI uk=CYRILLIC ur=ARABIC zh=CJK"
)
SCRIPTS = dict.fromkeys(_LATIN.split(), ("LATIN",)) | {
    pair[:2]: tuple(pair[3:].split("+")) for pair in _OTHERS.split()
}
"""The scripts of a language, as the names of their letters begin."""
_LANGUAGES = {"HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh", "HANGUL": "ko", "THAI": "th"}
"""Scripts that only one language is written in."""
_LISTED = ("de", "en", "es", "fr", "it", "pt", "ru", "ar")
"""Languages with function words that can be distinguished by them."""
KNOWN = (*_LISTED, "nl", "tr")
"""Languages that are recognized by their function words."""
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "KHMER", "LAO", "MYANMAR", "TIBETAN")
_WORD = re.compile(r"[^\W\d_]+")


def scripts_of(lang: str | None) -> tuple[str, ...]:
    """Return the scripts of a language, as the names of their letters begin [default: Latin]."""
    return SCRIPTS.get(lang or "", ("LATIN",))


def warn_if_implausible(evalset: EvalSet) -> None:
    """Warn about texts that are clearly in another language, and lines that are documents."""
    texts = evalset.targets()
    for what, lines in texts.items():
        _warn_of_language(what, lines, evalset.target_lang, "--lang")
    if evalset.source is not None and evalset.source_lang is not None:
        _warn_of_language("the source", evalset.source, evalset.source_lang, "--source-lang")
    lengths = {what: median(map(count_words, _sample(lines))) for what, lines in texts.items()}
    long = [what for what, length in lengths.items() if length > LONG_LINE]
    if long:
        longest = max(long, key=lambda what: lengths[what])
        what = f"half the lines of {longest} have {lengths[longest]:.0f} words or more, for which"
        what = (
            f"{what} scores of segments are unreliable. If each line is a document, use references"
        )
        what = f"{what} with one sentence per line and --resegment, or cohesion with --docs."
        warn(what, count=len(long))


def detect_language(evalset: EvalSet) -> tuple[str, str] | None:
    """Return what shows that a language that wasn't given is another one, and which.

    The other language is as in :func:`looks_like`. Without references, all systems count.
    """
    if evalset.lang_hint is None:
        return None
    if evalset.lang_hint and evalset.lang_hint != evalset.target_lang:
        return "the file name of the reference", evalset.lang_hint
    texts = evalset.references or evalset.systems
    others = {looks_like(lines, evalset.target_lang) for lines in texts.values()}
    what = "the reference" if evalset.references else "the translation"
    other = others.pop() if len(others) == 1 else None
    return None if other is None else (what, other)


def warn_of_empty_lines(evalset: EvalSet) -> None:
    """Warn about empty lines, which are scored as such, and about texts that are equal."""
    for what, lines in evalset.targets().items():
        if empty := sum(not line.strip() for line in lines):
            warn_of_empty(what, f"{empty} of {len(lines)} lines", empty)
    first: dict[Sequence[str], str] = {}
    for what, lines in evalset.targets().items():
        other = first.setdefault(lines, what)
        if other != what:
            warn(f"{what} is identical to {other}. Check that every text has its own file.")


def warn_of_empty(what: str, which: str, count: int) -> None:
    """Warn about empty lines of a text."""
    effect = "scored as empty translations"
    if what.startswith("reference"):
        effect = "references of empty translations: most metrics score those 100, and others 0"
    warn(f"{what}: {which} are empty; they are {effect}.", count=count)


def _warn_of_language(what: str, lines: Sequence[str], lang: str, option: str) -> None:
    other = looks_like(lines, lang)
    if other is None:
        return
    code, why = "CODE", f"its letters are {other.lower()}"
    if other == UNKNOWN:
        why = "it has few of the usual words"
    elif len(other) == 2:
        code, why = other, f"it looks like {other!r}"
    what = f"{what} does not look like {lang!r}: {why}. Scores for a wrong language are invalid."
    warn(f"{what} If it is in another language, pass {option} {code}.")


def looks_like(lines: Sequence[str], lang: str) -> str | None:
    """Return what a text clearly is if it isn't in this language; ``None`` if it may be.

    A code (``de``), the name of a script (``CYRILLIC``), or :data:`UNKNOWN` for words that aren't
    those of the language.
    """
    text = "\n".join(_sample(lines))
    letters = Counter(script_of(c) for c in text if c.isalpha())
    total = letters.total()
    foreign = Counter({s: n for s, n in letters.items() if s not in SCRIPTS.get(lang, letters)})
    if total < ENOUGH_LETTERS or foreign.total() <= FOREIGN_LETTERS * total:
        return _by_words(text, lang) if lang in _LISTED else None
    script = foreign.most_common(1)[0][0]
    if script == "LATIN":
        return _by_words(text, "") or script
    return "ja" if letters["HIRAGANA"] > 0.05 * total else _LANGUAGES.get(script, script)


def _by_words(text: str, lang: str) -> str | None:
    """Return the language whose function words a text has, if it isn't ``lang``."""
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < ENOUGH_FOR_ANOTHER:
        return None
    shares = {code: sum(w in stop_words(code) for w in words) / len(words) for code in KNOWN}
    best = max(shares, key=lambda code: shares[code])
    own = shares.get(lang, 0.0)
    if best != lang and shares[best] > MANY and shares[best] > 2 * own:
        return best
    return UNKNOWN if lang and own < FEW and len(words) >= ENOUGH_WORDS else None


@cache
def script_of(letter: str) -> str:
    """Return how the name of a letter begins, which is its script."""
    return re.split("[ -]", unicodedata.name(letter, "?"), maxsplit=1)[0]


def _sample(lines: Sequence[str]) -> Sequence[str]:
    return lines[:: max(1, len(lines) // SAMPLE)][:SAMPLE]


def count_words(line: str) -> float:
    """Return the number of words, estimated for scripts without spaces."""
    if line.isascii():
        return len(line.split())
    unspaced = sum(c.isalpha() and script_of(c) in _UNSPACED for c in line[:20])
    return len(line) / 2 if unspaced > 5 else len(line.split())
