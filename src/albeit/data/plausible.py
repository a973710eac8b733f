"""Warn about texts and lines in another language than their label, and lines that are documents.

These are warnings, not errors: a system may have left its source untranslated, and a set may have
long paragraphs. But scores of the wrong language, or of whole documents, look like any other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby
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
_ADDRESS = re.compile(r"[#@]\w+|\S*(?:[/\\]|\w\.\w)\S*")
_SIGN = re.compile(r"[#@/\\]|\w\.\w")
"""What every address has."""
_RUN = re.compile(r"[^\W\d_]+")
_CHARACTERS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "KHMER", "LAO", "MYANMAR", "TIBETAN")
"""Scripts whose characters are counted; of others, words are."""
_FEWEST, _FOREIGN = 5, 0.7
"""So many words or characters of another script, and this share of the line."""
_PHONETIC = {"ja": ("HIRAGANA", "KATAKANA"), "ko": ("HANGUL",)}
"""Scripts that a line of these languages has if it isn't very short."""
_KANA, _HAN = 0.1, 8
"""The share of kana that Chinese doesn't have; how many characters aren't very few."""
_WORDS, _OTHER, _OWN = 8, 0.3, 0.1
"""With so many words: the least share of another language's function words, and the most of its
own."""
_LEAST, _SHARE = 2, 0.01
"""So many lines, and this share of those looked at, are worth a warning."""
_LETTERS = {"ru": "ыэъё", "uk": "іїєґ"}
"""Letters that Russian has and Ukrainian doesn't have, and the reverse."""


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
    shares = {c: sum(map(stop_words(c).__contains__, words)) / len(words) for c in KNOWN}
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


def is_off_target(line: str, lang: str) -> bool:
    """Return whether a line is clearly in another language."""
    text = _ADDRESS.sub(" ", line) if _SIGN.search(line) else line
    runs = _RUN.findall(text)
    units = Counter({"LATIN": len(runs)}) if text.isascii() else _count_scripts(runs)
    total = units.total()
    foreign = total - sum(units[script] for script in SCRIPTS.get(lang, units))
    if foreign >= _FEWEST and foreign > _FOREIGN * total:
        return True
    if lang == "zh":
        kana = sum(units[script] for script in _PHONETIC["ja"])
        return kana >= _FEWEST and kana > _KANA * total
    if lang in _PHONETIC:
        return total >= _HAN and not any(units[script] for script in _PHONETIC[lang])
    if lang in _LETTERS:
        used = {code for code, own in _LETTERS.items() if set(own) & set(text.lower())}
        return len(runs) >= _FEWEST and len(used) > 0 and lang not in used
    return _has_foreign_words([run.lower() for run in runs], lang)


def _count_scripts(runs: Sequence[str]) -> Counter[str]:
    """Count words by script, and characters of scripts without spaces."""
    units: Counter[str] = Counter()
    for script, letters in (pair for run in runs for pair in groupby(run, script_of)):
        units[script] += len([*letters]) if script in _CHARACTERS else 1
    return units


def _has_foreign_words(words: list[str], lang: str) -> bool:
    """Return whether a line has another language's function words, and not its own."""
    if len(words) < _WORDS:
        return False
    shares = {code: sum(map(stop_words(code).__contains__, words)) for code in KNOWN}
    mine = shares.pop(lang, None)
    if mine is None:  # no list: the other language must be plain
        return max(shares.values()) > (_OTHER + _OWN) * len(words)
    return mine < _OWN * len(words) and max(shares.values()) > _OTHER * len(words)


def warn_of_off_target(evalset: EvalSet) -> None:
    """Warn about translations in another language; of a long text, a sample is looked at.

    A text that is in another language as a whole has a warning of its own.
    """
    lang = evalset.target_lang
    for name, lines in evalset.systems.items():
        step = max(1, len(lines) // SAMPLE)
        seen = range(0, len(lines), step)
        off = [n for n in seen if is_off_target(lines[n], lang)]
        if len(off) < max(_LEAST, _SHARE * len(seen)) or looks_like(lines, lang):
            continue
        where = f"{len(off)} of {len(seen)} lines" + (" looked at" if step > 1 else "")
        what = f"system {name!r}: {where} are not in {lang!r} (line {off[0] + 1}, for example)."
        what = f"{what} Some metrics score such lines high; -m on-target shows the share of others."
        warn(what, count=len(off))
