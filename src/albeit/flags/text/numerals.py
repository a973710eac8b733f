"""The numbers of a line, each with the values that it may stand for.

``1.000`` is a thousand or one; ``3亿5000万`` is one number; *twenty-five million* is one number in
words. Where a format leaves it open, all readings are kept: whoever compares two numbers asks
whether they can be the same (:func:`same`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from albeit.flags.text.number_words import scales, small

__all__ = ["Number", "listed", "numbers_in", "same"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a line.

    :param start: its first character
    :param end: the character after its last, a multiplier included
    :param text: the number as it is written
    :param values: what it may be, multiplied
    :param plain: what it may be without its multiplier; equal to ``values`` where it has none
    :param written: in digits, or in Chinese numerals that can be nothing else
    """

    start: int
    end: int
    text: str
    values: frozenset[Fraction]
    plain: frozenset[Fraction]
    written: bool = True

    @property
    def scaled(self) -> bool:
        """Whether it has a multiplier."""
        return self.values != self.plain


_SPACES = "\u00a0\u202f\u2009"
_DATE = r"\d{1,4}(?P<sep>[./-])\d{1,2}(?P=sep)\d{1,4}(?![\d])"
_HAN = "〇零一二三四五六七八九十百千万亿兆两萬億"
_HAN_DIGITS = {**{c: k for k, c in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_HANGUL_GROUPS = {"천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_EAST = _HAN_SCALES | _HAN_GROUPS | _HANGUL_GROUPS
_EASTERN = re.compile(
    "[多余余几来數数]?([" + "".join(_EAST) + "]+)(?![瓦克卡]|(?<=千)米)"
)  # 千瓦 is kilowatt
_ROMAN = re.compile(
    r"\b(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXL])(?=\b|(?:e|er|ère|ème|o|a|th|st|nd|rd)\b)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHARES = {"成": 10, "折": 10, "割": 10}
"""Tenths, which other languages give in per cent."""
_ERAS = {"平成": 1988, "令和": 2018, "昭和": 1925, "民国": 1911}
"""Years that a Japanese or Chinese era counts from."""


_GROUP = rf"(?:[.,'’٬ {_SPACES}]\d{{3}}(?!\d))"
_DIGITS = re.compile(rf"{_DATE}|\d{{1,3}}{_GROUP}+(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?")
_MORE = re.compile(r" ?(\d+)(?![.,]\d)")


@lru_cache(maxsize=1 << 14)
def numbers_in(line: str, lang: str | None = None) -> tuple[Number, ...]:
    """The numbers of a line, in order: digits, then numerals and words.

    :param line: the text
    :param lang: its language, which says how numbers are grouped and spelled out

    >>> [sorted(map(int, n.values)) for n in numbers_in("25 million in 1999", "en")]
    [[25000000], [1999]]
    """
    text = _western(line)
    found = _shared(text, [*_in_digits(text, lang)])
    taken = {k for each in found for k in range(each.start, each.end)}
    spelled = (*_in_han(text), *_in_words(text, lang))
    found += [each for each in spelled if not taken.intersection(range(each.start, each.end))]
    return tuple(sorted(found, key=lambda each: (each.start, each.end)))


def same(one: Number, other: Number) -> bool:
    """Whether two numbers can be the same: in value, as years, as hours.

    Two numbers that both have multipliers are compared with these; if only one has, the other
    may share it (*10 to 20 million*). One may be the other rounded.
    """
    if one.values & other.values:
        return True
    if not (one.scaled and other.scaled) and one.plain & other.plain:
        return True
    if any(_rounded(a, b) or _rounded(b, a) for a in one.values for b in other.values):
        return True
    return _years(one, other) or _years(other, one)


_KEPT, _DROPPED = 3, 2
"""A rounded number keeps so many digits at least, and drops so many, where it is not rounded up."""


def _rounded(short: Fraction, long: Fraction) -> bool:
    """Whether one number is the other rounded: 19.93 million for 19,930,300."""
    if not long or abs(short / long - 1) > Fraction(1, 100):
        return False
    kept, known = _significant(short), _significant(long)
    cut = known.startswith(kept)  # as if digits were dropped by mistake
    if len(kept) < _KEPT or len(known) < len(kept) + (_DROPPED if cut else 1):
        return False
    places = len(kept) - 1
    return f"{float(long):.{places}e}" == f"{float(short):.{places}e}"


def _significant(value: Fraction) -> str:
    """The digits of a number from its first to its last that is not 0."""
    return format(float(value), ".12g").replace(".", "").strip("0")


def _years(long: Number, short: Number) -> bool:
    """1990 and 90, 2005 and 05."""
    return (
        len(short.text) == 2
        and short.text.isdigit()
        and any(1800 <= year < 2100 and year % 100 in short.plain for year in long.plain)
    )


_MARKS = {"．": ".", "：": ":", "－": "-", "％": "%"}


def _western(line: str) -> str:
    """Digits of all scripts, and full-width marks, as ASCII; every character stays in its place."""
    if line.isascii():
        return line
    made = []
    for c in line:
        digit = unicodedata.decimal(c, None)
        made.append(str(digit) if digit is not None else _MARKS.get(c, c))
    return re.sub(r"(?<=\d)・(?=\d)", ".", "".join(made))


def _in_digits(text: str, lang: str | None) -> Iterator[Number]:
    end = 0
    for match in _DIGITS.finditer(text):
        start = match.start()
        if start < end:
            continue
        if listed(match[0]):
            for part in re.finditer(r"\d+", match[0]):
                at = frozenset([Fraction(part[0])])
                place = start + part.start(), start + part.end()
                yield Number(*place, part[0], at, at, written=False)
        if match["sep"]:
            for part in re.finditer(r"\d+", match[0]):
                at = frozenset([Fraction(part[0])])
                yield Number(start + part.start(), start + part.end(), part[0], at, at)
            continue
        plain = _readings(match[0])
        plain |= {value + _ERAS.get(text[max(0, start - 2) : start], 0) for value in plain}
        end = match.end()
        plain |= {value * _SHARES.get(text[end : end + 1], 1) for value in plain}
        factor, end = _multiplier(text, end, lang)
        values = frozenset(value * factor for value in plain)
        while factor > 1 and (more := _MORE.match(text, end)):
            less, stop = _multiplier(text, more.end(), lang)
            loose = more[0][0] == " " and less == 1 and (factor != 1000 or len(more[1]) != 3)
            if loose or less >= factor or len(more[1]) >= len(str(factor)):
                break
            values = frozenset(value + int(more[1]) * less for value in values)
            factor, end = less, stop
        yield Number(start, end, text[start:end], values, plain)


_RANGE = re.compile(r"\s*(?:to|bis|à|a|至|到|[-–—~～])\s*", re.IGNORECASE)


def _shared(text: str, found: list[Number]) -> list[Number]:
    """The same numbers; one before a number with a multiplier may share it (*60 to 85 billion*)."""
    made = list(found)
    for place, (one, other) in enumerate(pairwise(found)):
        if other.scaled and not one.scaled and _RANGE.fullmatch(text[one.end : other.start]):
            factor = max(other.values) / max(other.plain)
            made[place] = replace(one, values=frozenset(value * factor for value in one.plain))
    return made


def listed(digits: str) -> bool:
    """Whether digits may be several numbers with commas between: *249,289,299*, *2000,2005*."""
    parts = digits.split(",")
    return len(parts) > 1 and (
        all(len(part) == 4 for part in parts) or (len(parts) > 2 and len(parts[0]) == 3)
    )


def _readings(digits: str) -> frozenset[Fraction]:
    """What digits with separators may mean."""
    marks = [c for c in digits if not c.isdigit()]
    bare = re.sub(r"\D", "", digits)
    if not marks:
        return frozenset([Fraction(bare)])
    last = digits.rfind(marks[-1])
    decimal = Fraction(re.sub(r"\D", "", digits[:last]) + "." + digits[last + 1 :])
    if len(set(marks)) > 1:
        return frozenset([decimal])
    if len(marks) > 1 or marks[0] not in ".,٫":
        return frozenset([Fraction(bare)])
    if len(digits) - last - 1 == 3 and not digits.startswith("0"):
        return frozenset([Fraction(bare), decimal])
    return frozenset([decimal])


def _multiplier(text: str, end: int, lang: str | None) -> tuple[int, int]:
    """The multiplier that follows a number, and where it ends; 1 where there is none."""
    if match := _EASTERN.match(text, end + (text[end : end + 1] == " ")):
        factor = 1
        for c in match[1]:
            factor *= _EAST[c]
        return factor, match.end()
    rest = re.compile(r"[\s\u00a0-]?[^\W\d_]+(?: [^\W\d_]+){0,2}").match(text, end)
    if rest is None:
        return 1, end
    words = rest[0].lower()
    glued = words.lstrip(" \u00a0-\t")
    for stem, factor in scales(lang).items():
        whole = stem.endswith("=")
        stem = stem.rstrip("=")
        first = glued.split(" ")[0]
        if glued.startswith(stem) if not whole else first == stem:
            if (
                whole
                and len(stem) < 3
                and words[0] in " \u00a0\t"
                and stem not in ("bn", "tn", "mn")
            ):
                continue  # "5 m" is metres
            length = len(words) - len(glued) + (len(stem) if " " in stem else len(first))
            return factor, end + length
    return 1, end


_SOME = re.compile("[几幾多余來来数]")
_IN_HAN = re.compile(
    f"[{_HAN}]+(?:{_SOME.pattern}[十百千万亿萬億]+)?(?:点[〇零一二三四五六七八九]+)?"
)


def _in_han(text: str) -> Iterator[Number]:
    """Chinese numerals; sure are those that no common word is made of."""
    for match in _IN_HAN.finditer(text):
        digits = _SOME.sub("", match[0])
        read = {value for each in _either(digits) if (value := _han(each)) is not None}
        if not read:
            continue
        after = text[match.end() : match.end() + 1]
        values = read | {value * _SHARES.get(after, 1) for value in read}
        if after == "半":
            values |= {value + Fraction(1, 2) for value in read}
        long = len(digits) > 2 and any(c in _HAN_DIGITS for c in digits)
        at = frozenset(values)
        yield Number(match.start(), match.end(), digits, at, at, written=long)
    for match in re.finditer("半", text):
        half = frozenset([Fraction(1, 2), Fraction(50), Fraction(6), Fraction(30)])
        yield Number(match.start(), match.end(), "半", half, half, written=False)


_NEIGHBOURS = re.compile("([一二两三四五六七八])([二三四五六七八九])(?![〇零一二三四五六七八九])")


def _either(digits: str) -> tuple[str, ...]:
    """What a numeral may say: *六七千* is six or seven thousand, *五一* the first of May."""
    match = _NEIGHBOURS.search(digits)
    if all(c in _HAN_DIGITS for c in digits):
        return (digits, *digits) if len(digits) == 2 else (digits,)
    if match is None or "点" in digits[: match.start()]:
        return (digits,)
    return tuple(digits[: match.start()] + one + digits[match.end() :] for one in match.groups())


def _han(digits: str) -> Fraction | None:
    """The value of a run of Chinese numerals."""
    whole, _, part = digits.partition("点")
    if all(c in _HAN_DIGITS for c in whole):
        value = Fraction("".join(str(_HAN_DIGITS[c]) for c in whole))
    else:
        total = group = digit = 0
        for c in whole:
            if c in _HAN_DIGITS:
                digit = _HAN_DIGITS[c]
            elif c in _HAN_SCALES:
                group += max(digit, 1) * _HAN_SCALES[c]
                digit = 0
            else:
                factor = _HAN_GROUPS[c]
                total = (
                    max(total + group + digit, 1) * factor
                    if factor > 10**4
                    else total + max(group + digit, 1) * factor
                )
                group = digit = 0
        value = Fraction(total + group + digit)
    if part:
        value += Fraction("0." + "".join(str(_HAN_DIGITS[c]) for c in part))
    return value or None


_JOINTS = frozenset(("and", "a", "und", "et", "y", "e"))
"""Words that may stand within a number, or between two."""


def _in_words(text: str, lang: str | None) -> Iterator[Number]:
    """Numbers spelled out, several words of one number together, and Roman numerals."""
    known, factors = small(lang), scales(lang)
    run: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(text):
        word = match[0].lower()
        numeric = word in known or _scale(word, factors) or _fused(word, lang)
        linked = run and text[run[-1][1] : match.start()] in (" ", "-", "-", "\u00a0")
        if run and not (linked and (numeric or word in _JOINTS)):
            yield from _spelled(text, run, lang)
            run = []
        if numeric or (run and linked):
            run.append((match.start(), match.end(), word))
    yield from _spelled(text, run, lang)
    for match in _ROMAN.finditer(text):
        if value := _roman(match[0]):
            at = frozenset([Fraction(value)])
            yield Number(match.start(), match.end(), match[0], at, at, written=False)


def _scale(word: str, factors: dict[str, int]) -> int:
    """The factor of a multiplier that is a word of its own, 0 for other words."""
    for stem, factor in factors.items():
        if " " not in stem and len(stem) >= 3 and word.startswith(stem.rstrip("=")):
            return factor
    return 0


_GERMAN = re.compile(
    "(?:(?:(?P<hundreds>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)?hundert)?"
    "(?:und)?(?:(?P<unit>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?"
    "(?P<tens>zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)?)(?:s?te[nrsm]?)?"
)
_GERMAN_UNITS = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_GERMAN_TENS = [
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
]


@lru_cache(maxsize=1 << 14)
def _fused(word: str, lang: str | None) -> int:
    """German numbers in one word (*fünfundzwanzig*), 0 for other words."""
    if lang not in (None, "de") or len(word) < 7 or not (match := _GERMAN.fullmatch(word)):
        return 0
    value = 0
    if "hundert" in word:
        value += 100 * (_GERMAN_UNITS.index(match["hundreds"]) + 1 if match["hundreds"] else 1)
    if match["unit"]:
        value += _GERMAN_UNITS.index(match["unit"]) + 1
    if match["tens"]:
        value += 10 * (_GERMAN_TENS.index(match["tens"].replace("ss", "ß")) + 2)
    return value


def _spelled(text: str, run: list[tuple[int, int, str]], lang: str | None) -> Iterator[Number]:
    """The numbers of a run of number words: each by itself, and all together."""
    known, factors = small(lang), scales(lang)
    while (
        run
        and run[-1][2] not in known
        and not (_scale(run[-1][2], factors) or _fused(run[-1][2], lang))
    ):
        run.pop()
    if not run:
        return
    for start, end, word in run:
        if not (word in known or _fused(word, lang) or _scale(word, factors)):
            continue  # "and"
        values = frozenset(known.get(word, ())) or frozenset(
            [Fraction(_fused(word, lang) or _scale(word, factors))]
        )
        yield Number(start, end, text[start:end], values, values, written=False)
    joined = [n for n, (_, _, word) in enumerate(run) if word in _JOINTS]
    parts = [run] + [run[a:b] for a, b in pairwise([0, *joined, len(run)]) if joined]
    for part in parts:
        total = group = Fraction(0)
        for _, _, word in part:
            factor = _scale(word, factors)
            if factor and (group or word not in known):  # "cent" is a hundred, or multiplies
                group = max(group, Fraction(1)) * factor
                if factor >= 1000:
                    total, group = total + group, Fraction(0)
            elif word in known:
                group += known[word][0]
            else:
                group += _fused(word, lang)
        start, end = part[0][0], part[-1][1]
        if len(part) > 1 and total + group:
            values = frozenset([total + group])
            yield Number(start, end, text[start:end], values, values, written=False)


def _roman(text: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50}
    total = 0
    for here, after in zip(text, text[1:] + " ", strict=True):
        value = values[here]
        total += -value if values.get(after, 0) > value else value
    return total
