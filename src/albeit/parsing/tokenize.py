"""Split text into words.

:func:`tokenize` splits English as Universal Dependencies (GUM, EWT) does. A text is split at
white space; each chunk is split by one pattern, and the result is remembered, because a corpus
has far fewer distinct chunks than words. Tokenized text (``do n't``, ``rock @-@ hard``,
``&quot;``) doesn't change. Only white space and control characters are dropped: the tokens of
any Unicode string cover the rest of it in order.

:func:`cut_words` splits text in many languages, by script. Text with spaces is split much as in
Universal Dependencies: punctuation is separate, numbers are whole, and French and Italian elisions
(``l'``, ``dell'``) are separate from the noun. Chinese, Japanese, and Thai have no spaces and
are split by ICU's dictionaries. Invisible marks, such as those for the direction of writing, are
not part of any word.

The simple patterns for metrics and checks are here too, each with its meaning.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from albeit.errors import MissingExtraError
from albeit.parsing.needs import Tokens

Span = tuple[int, int]

CHUNKS = re.compile(r"\S+")
"""Runs without white space: words with their punctuation."""
LETTERS = re.compile(r"[^\W\d_]+")
"""Runs of letters."""
LETTER_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
"""Words of letters, with inner apostrophes and hyphens."""
WORDS = re.compile(r"\w+(?:['’-]\w+)*")
"""Words of letters and digits, with inner apostrophes and hyphens."""
ELIDED_WORDS = re.compile(r"\w+(?:-\w+)*")
"""Words of letters and digits, with inner hyphens: an apostrophe ends an elided word."""
WORDS_OR_MARKS = re.compile(rf"{WORDS.pattern}|[^\w\s]")
"""The words of ``WORDS``, and single punctuation marks."""
RUNS_OR_MARKS = re.compile(r"\w+|[^\w\s]")
"""Runs of letters and digits, and single punctuation marks."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0e00-\u0e4e\u0eb0-\u0ecd\u0f18-\u0fbc\u102b-\u103e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u200c\u200d\u00ad\ufe00-\ufe0f\ufe20-\ufe2f"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_L = f"(?:[^\\W_{_HAN}]|[{_MARKS}])"
_APOS = "(?:['’‘`´ʼ]|&apos;|&\\#39;)"


def _read_patterns() -> dict[str, str]:
    """Return lists of English words, as alternatives of a regular expression."""
    lines = (files("albeit.parsing") / "english.tsv").read_text(encoding="utf-8").splitlines()
    return {name: "|".join(words.split()) for name, words in (line.split("\t") for line in lines)}


PATTERNS = _read_patterns()
_PREFIXES, _SUFFIXES = PATTERNS["prefixes"], PATTERNS["suffixes"]
_ABBREVIATIONS, _CAPITALS = PATTERNS["abbreviations"], PATTERNS["capital-abbreviations"]
_BEFORE_NUMBER = "no|art|sec|p|ch|eq|tel|sat|sun|ca|c"
_UNITS = r"am|pm|a\.m\.|p\.m\.|kg|km|mm|cm|mph|lbs?|kwh|mw|hrs?|mins?|ft|k|m"

# Repetitions are bounded where a failed match is tried again from the next character: without a
# bound, one long chunk takes quadratic time.
_PIECE = re.compile(
    rf"""
    (?:(?:https?|ftp|file)://|www\.)[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}}…]
  | (?:mailto:)?[\w.+%-]{{1,64}}+@[\w-]+(?:\.[\w-]+)*\w
  | @[^\w\s]@ | [@\#][^\W\d_]\w+
  | [nN]{_APOS}[tT](?!\w) | {_APOS}(?:s|re|ve|ll|d|m)(?!\w) | ['’]\d\ds?(?!\w)
  | &(?:quot|amp|apos|lt|gt|nbsp|\#\d{{1,7}}|\#x[0-9a-f]{{1,6}});
  | \w[\w-]{{0,200}}+(?:\.\w[\w-]{{0,200}}+){{0,9}}\.(?:{_SUFFIXES})(?![\w.])
    (?:/[^\s<>"“”]*[^\s<>"“”.,;:!?')\]])?
  | (?<![\w)]) [:;=] ['o^-]? [()\[\]DPpO|/\\*]+ (?![\w]) | <3(?!\d) | \^_+\^
  | \.{{2,}} | …\.? | [!?]+ | -{{2,}} | \*{{2,}} | ={{2,}} | _{{2,}} | ~{{2,}} | \+{{2,}} | \#{{2,}}
  | <<+ | >>+ | `` | '' | ’’ | ‘‘
  | \d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?(?![\w/]) | (?:\+?\d-)?\d{{3}}-(?:\d{{3}}-)?\d{{4}}(?![\w-])
  | (?<!\w)\.\d+ (?!\w)
  | \d++(?:[.,:]\d++){{0,99}}+(?:st|nd|rd|th|['’]?s)?(?![^\W\d_])
  | \d++(?:[.,:]\d++){{0,99}}+(?=(?:{_UNITS})(?!\w))
  | (?:{_ABBREVIATIONS}|(?-i:{_CAPITALS}))\.(?!\w)
  | (?:[^\W\d_]\.){{2,}}(?:[^\W\d_](?![^\W_]))?
  | (?<!\w)[^\W\d_]\.[^\W\d_](?![\w.])
  | (?:us|u|hk|au|nz|ca)?\$
  | [^\W\d_]{{1,3}}&(?:amp;)?[^\W\d_]{{1,3}}(?!\w)
  | e-(?:mail|commerce)\w* | s/he(?!\w)
  | (?<!\w)(?:{_PREFIXES})-(?={_L}){_L}+
  | {_L}+(?:_+{_L}+|{_APOS}{_L}+)*
  | [{_HAN}]
  | [\s\S]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLITIC = re.compile(rf"(?P<not>n(?:{_APOS}t))$|{_APOS}(?:s|re|ve|ll|d|m)$", re.IGNORECASE)
_FUSED = {word.replace("+", ""): word.index("+") for word in PATTERNS["fused"].split("|")}
_CHUNK = re.compile("[^\\s\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffe\uffff]+")
_FINAL_INITIAL = re.compile(r"^[^\W\d_]\.$")
_NUMBERED = re.compile(rf"^(?:{_BEFORE_NUMBER})\.$", re.IGNORECASE)
_ABBREVIATED = re.compile(rf"^(?:{_ABBREVIATIONS})\.$", re.IGNORECASE)
_DIGIT = re.compile(r"\d|#")

_REMEMBERED = 1 << 17
_memo: dict[str, tuple[Span, ...]] = {}


def tokenize(text: str) -> Tokens:
    """Return the tokens of an English text."""
    spans: list[Span] = []
    chunks = [(m.start(), m.group()) for m in _CHUNK.finditer(text)]
    last = len(chunks) - 1
    for i, (start, chunk) in enumerate(chunks):
        if (
            len(chunk) < 5
            and chunk[-1] == "."
            and i != last
            and _keeps_stop(chunk, chunks[i + 1][1])
        ):
            spans.append((start, start + len(chunk)))
            continue
        if i == last and _ABBREVIATED.match(chunk):
            spans += [(start, start + len(chunk) - 1), (start + len(chunk) - 1, start + len(chunk))]
            continue
        cuts = _memo.get(chunk)
        if cuts is None:
            if len(_memo) >= _REMEMBERED:
                _memo.clear()
            cuts = _memo[chunk] = tuple(_cut(chunk))
        if len(cuts) == 1:
            spans.append((start, start + len(chunk)))
        else:
            spans.extend([(start + a, start + b) for a, b in cuts])
    return _tokens(text, spans)


def _tokens(text: str, spans: list[Span]) -> Tokens:
    return Tokens(tuple([text[a:b] for a, b in spans]), tuple(spans))


def join_forms(forms: Iterable[str]) -> tuple[str, Tokens]:
    """Return words with one space between them, as text and tokens."""
    words = tuple(forms)
    offsets = []
    at = 0
    for word in words:
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), Tokens(words, tuple(offsets))


def words_and_marks(text: str) -> Tokens:
    """Return runs of letters and digits, and single marks: words of a language without rules."""
    return _tokens(text, [match.span() for match in RUNS_OR_MARKS.finditer(text)])


def _keeps_stop(chunk: str, following: str) -> bool:
    """Return whether the stop is part of the word: initials (``J. Smith``), and ``No. 5``."""
    if _FINAL_INITIAL.match(chunk):
        return chunk[0].isupper() and (chunk[0] != "I" or following[0].isupper())
    return bool(_NUMBERED.match(chunk) and _DIGIT.match(following))


def _cut(chunk: str) -> Iterable[Span]:
    """Yield the tokens of one chunk."""
    for match in _PIECE.finditer(chunk):
        start, end = match.span()
        if not chunk[start].isalpha():
            yield start, end
            continue
        if start == 0 and end == len(chunk) - 1 and chunk[end] == "-":
            yield 0, len(chunk)  # an incomplete word, or the first half of "pre- and post-war"
            return
        yield from _clitics(chunk, start, end)


def _clitics(chunk: str, start: int, end: int) -> Iterable[Span]:
    """Split clitics such as ``n't`` and ``'s`` off a word, and fused words such as *gonna*."""
    word = chunk[start:end]
    fused = _FUSED.get(word.lower())
    if fused:
        yield start, start + fused
        yield start + fused, end
        return
    clitic = _CLITIC.search(word)
    if clitic and clitic.start() > 0:
        yield from _clitics(chunk, start, start + clitic.start())
        yield start + clitic.start(), end
    else:
        yield start, end


_PLAIN = {"@-@": "-", "@/@": "/", "@,@": ",", "@.@": ".", "``": '"', "''": '"'}
_ENTITY = re.compile(r"&(?:quot|amp|apos|lt|gt|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)


def plain_forms(forms: Iterable[str]) -> list[str]:
    """Return the tokens as the model reads them: without tokenizer marks and entities."""
    return [_plain(form) if form[0] in "&@`'" or "&" in form else form for form in forms]


def _plain(form: str) -> str:
    if form in _PLAIN:
        return _PLAIN[form]
    return html.unescape(form) if _ENTITY.search(form) else form


INSTALL = "pip install 'albeit[multilingual]'"
_INVISIBLE = (
    "\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u2069\ufeff\ufffe\uffff"
)
_ARABIC = (
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_SIGNS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0900-\u0903\u093a-\u094f\u0962\u0963"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u200c\u200d\ufe00-\ufe0f\ufe20-\ufe2f" + _ARABIC
)
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_SPACED_LETTER = f"(?:[^\\W\\d_{_UNSPACED}]|[{_SIGNS}])"
_ELIDED = (
    "[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu"
    "|un|all|dall|dell|nell|sull|coll|quest|quell|bell|sant|cos|dov|com|anch|nient|mezz|tutt"
)
_JOINING = "\\u200c\\u200d\\ufe00-\\ufe0f"
"""Joiners and variants: parts of a word or an emoji, never words by themselves."""
_SYMBOL = f"[^\\w\\s{_INVISIBLE}{_JOINING}]"
_UNIT = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}}…]
  | [\w.+%-]{{1,64}}+@[\w-]+(?:\.[\w-]+)*\w
  | (?P<unspaced>[{_UNSPACED}]+)
  | \d+(?:[.,:/]\d+)*
  | \.{{2,}} | …+ | -{{2,}} | —+
  | (?:{_ELIDED})['’](?={_SPACED_LETTER})
  | (?![{_JOINING}]){_SPACED_LETTER}+(?:['’]{_SPACED_LETTER}+)*
  | [\U0001f1e6-\U0001f1ff]{{2}}
  | \w | {_SYMBOL}(?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_SYMBOL})*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def cut_words(text: str) -> Tokens:
    """Return the words of a text in any language."""
    spans: list[Span] = []
    for match in _UNIT.finditer(text):
        if match.lastgroup:
            start = match.start()
            for word in _cut_by_dictionary(match.group()):
                spans.append((start, start + len(word)))
                start += len(word)
        else:
            spans.append(match.span())
    return _tokens(text, spans)


@lru_cache(maxsize=1 << 15)
def _cut_by_dictionary(run: str) -> tuple[str, ...]:
    """Return the words of a run without spaces."""
    if len(run) == 1:
        return (run,)
    icu_version()
    from icu4py.breakers import WordBreaker

    return tuple(WordBreaker(run, "und"))


def icu_version() -> str:
    """Return the version of the dictionaries, for signatures."""
    try:
        import icu4py
    except ImportError:
        raise MissingExtraError(
            f"words of languages without spaces need icu4py, which is not installed: {INSTALL}"
        ) from None
    return str(icu4py.icu_version)
