"""Words of text in many languages, cut by script, not by language.

Where words stand between spaces they are cut much as Universal Dependencies does: punctuation
apart, numbers whole, and what French and Italian elide (``l'``, ``dell'``) apart from its noun.
Chinese, Japanese and Thai are written without spaces; there ICU's dictionaries cut. Marks that
only steer the direction of writing, and other invisible ones, are no part of any word.
"""

from __future__ import annotations

import re
from functools import lru_cache

from albeit.errors import MissingExtraError
from albeit.parsing.layers.text import Tokens

__all__ = ["INSTALL", "cut_words", "icu_version"]

INSTALL = "pip install 'albeit[multilingual]'"
Span = tuple[int, int]
_INVISIBLE = "\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffe\uffff"
_ARABIC_SIGNS = (
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0900-\u0903\u093a-\u094f\u0962\u0963"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u200c\u200d\ufe00-\ufe0f\ufe20-\ufe2f" + _ARABIC_SIGNS
)
_UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
_LETTER = f"(?:[^\\W\\d_{_UNSPACED}]|[{_MARKS}])"
_ELIDED = (
    "[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu"
    "|un|all|dall|dell|nell|sull|coll|quest|quell|bell|sant|cos|dov|com|anch|nient|mezz|tutt"
)
_JOINING = "\\u200c\\u200d\\ufe00-\\ufe0f"
"""Joiners and variants: parts of a word or an emoji, none by themselves."""
_SYMBOL = f"[^\\w\\s{_INVISIBLE}{_JOINING}]"
_PIECE = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}}…]
  | [\w.+%-]{{1,64}}+@[\w-]+(?:\.[\w-]+)*\w
  | (?P<unspaced>[{_UNSPACED}]+)
  | \d+(?:[.,:/]\d+)*
  | \.{{2,}} | …+ | -{{2,}} | —+
  | (?:{_ELIDED})['’](?={_LETTER})
  | (?![{_JOINING}]){_LETTER}+(?:['’]{_LETTER}+)*
  | [\U0001f1e6-\U0001f1ff]{{2}}
  | \w | {_SYMBOL}(?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_SYMBOL})*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def cut_words(text: str) -> Tokens:
    """The words of a text, with where they stand."""
    spans: list[Span] = []
    for match in _PIECE.finditer(text):
        if match.lastgroup:
            spans.extend(_by_dictionary(match.group(), match.start()))
        else:
            spans.append(match.span())
    return Tokens(tuple([text[a:b] for a, b in spans]), tuple(spans))


def _by_dictionary(run: str, start: int) -> list[Span]:
    """The words of a run without spaces, the first character of which stands at ``start``."""
    found = []
    for word in _broken(run):
        found.append((start, start + len(word)))
        start += len(word)
    return found


@lru_cache(maxsize=1 << 15)
def _broken(run: str) -> tuple[str, ...]:
    if len(run) == 1:
        return (run,)
    icu_version()
    from icu4py.breakers import WordBreaker

    return tuple(WordBreaker(run, "und"))


def icu_version() -> str:
    """Of the dictionaries, for signatures; the error where they are missing names the command."""
    try:
        import icu4py
    except ImportError:
        raise MissingExtraError(
            f"words of languages without spaces need icu4py, which is not installed: {INSTALL}"
        ) from None
    return str(icu4py.icu_version)
