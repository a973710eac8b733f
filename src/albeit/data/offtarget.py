"""Find lines that aren't in the target language, by script and function words.

A line is off-target only if that is clear: too short lines, names, and addresses aren't judged.
Languages with the same script and without a list of function words aren't distinguished.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from albeit.data.evalset import EvalSet
from albeit.data.plausible import KNOWN, SAMPLE, SCRIPTS, looks_like, script_of
from albeit.data.textio import warn
from albeit.resources.words import stop_words

_ADDRESS = re.compile(r"[#@]\w+|\S*(?:[/\\]|\w\.\w)\S*")
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


def is_off_target(line: str, lang: str) -> bool:
    """Return whether a line is clearly in another language."""
    text = _ADDRESS.sub(" ", line)
    runs = _RUN.findall(text)
    units: Counter[str] = Counter()
    for script, letters in (pair for run in runs for pair in groupby(run, script_of)):
        units[script] += len([*letters]) if script in _CHARACTERS else 1
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
    return _by_words([run.lower() for run in runs], lang)


def _by_words(words: list[str], lang: str) -> bool:
    """Return whether a line has another language's function words, and not its own."""
    if len(words) < _WORDS:
        return False
    shares = {code: sum(word in stop_words(code) for word in words) for code in KNOWN}
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
