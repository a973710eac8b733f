"""Tokenizers of sacreBLEU by name, and METEOR's tokenizer.

``13a`` is implemented here: the same words in a third of the time. The SentencePiece tokenizers
(``flores101``, ``flores200``, for spBLEU) need their model in sacreBLEU's folder; albeit doesn't
download it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from albeit.errors import MissingExtraError
from albeit.languages import WITHOUT_SPACES
from albeit.resources.words import nonbreaking_prefixes

TokenizerName = Literal[
    "auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none", "flores101", "flores200"
]

_CLASSES = {
    "intl": "TokenizerV14International",
    "zh": "TokenizerZh",
    "ja-mecab": "TokenizerJaMecab",
    "ko-mecab": "TokenizerKoMecab",
    "char": "TokenizerChar",
    "none": "NoneTokenizer",
}
_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_SPACED = {ord(c): f" {c} " for c in '{|}~[\\]^_`!"#$%&()*+:;<=>?@/'}
_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_AFTER_DIGIT = re.compile(r"([0-9])(-)")


_OWN = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_BLOCKS = (
    "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003134f\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
)
"""Han, kana, Thai, Lao, Tibetan, Burmese, Khmer."""
_CHARACTERS = re.compile(rf"[{_BLOCKS}]|[^\W_{_BLOCKS}]+")


def choose_tokenizer(name: TokenizerName, language: str) -> str:
    """Return the named tokenizer, or for ``auto`` the one for the target language.

    That is sacreBLEU's choice, or characters for other languages without spaces.
    """
    if name != "auto":
        return name
    return _OWN.get(language) or ("char" if language in WITHOUT_SPACES else "13a")


def word_versions() -> dict[str, str]:
    """Return the versions of stemmer and WordNet, for signatures."""
    from albeit.resources.wordnet import WordNet

    return {"snowball": version("snowballstemmer"), "wordnet": WordNet.version}


def characters(line: str) -> list[str]:
    """Split scripts without spaces into characters, other letters and digits into runs."""
    words = _CHARACTERS.findall(line)
    return [w for w in words if w.isalnum() or unicodedata.category(w).startswith("M")]


@cache
def tokenizer(name: str) -> Callable[[str], str]:
    """Return a tokenizer: it converts a line to words with white space between them."""
    if name == "13a":
        return _tokenize_13a
    if name.startswith("flores"):
        return _sentence_pieces(name)
    module = import_module(f"sacrebleu.tokenizers.tokenizer_{name.replace('-', '_')}")
    try:
        return cast(Callable[[str], str], getattr(module, _CLASSES[name])())
    except RuntimeError:
        language = name.partition("-")[0]
        raise MissingExtraError(
            f"the tokenizer {name!r} needs MeCab and its dictionary."
            f" Install them: pip install 'sacrebleu[{language}]'; or compare characters:"
            " tokenize=char."
        ) from None


def _sentence_pieces(name: str) -> Callable[[str], str]:
    """Return spBLEU's tokenizer if its model is on this machine."""
    from sacrebleu.tokenizers import tokenizer_spm
    from sacrebleu.utils import SACREBLEU_DIR

    url = PurePosixPath(tokenizer_spm.SPM_MODELS[name]["url"])
    model = Path(SACREBLEU_DIR) / "models" / url.name
    try:
        import_module("sentencepiece")
    except ImportError:
        raise MissingExtraError(
            f"the tokenizer {name!r} needs sentencepiece. Install it: pip install sentencepiece"
        ) from None
    if not model.is_file():
        raise MissingExtraError(
            f"the tokenizer {name!r} needs its model at {model}, and albeit downloads nothing. Have"
            f" sacreBLEU fetch it once: sacrebleu --tokenize {name} REF -i SYSTEM"
        )
    made: Any = tokenizer_spm.TokenizerSPM
    return cast(Callable[[str], str], made(name))


@lru_cache(maxsize=1 << 14)
def _tokenize_13a(line: str) -> str:
    """Tokenize as mteval v13a does.

    Most punctuation is split off; a full stop or comma unless between digits; a hyphen after a
    digit.
    """
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, character in _ENTITIES.items():
            line = line.replace(entity, character)
    line = f" {line} ".translate(_SPACED)
    if "." in line or "," in line:
        line = _AFTER_OTHER.sub(r"\1 \2 ", line)
        line = _BEFORE_OTHER.sub(r" \1 \2", line)
    if "-" in line:
        line = _AFTER_DIGIT.sub(r"\1 \2 ", line)
    return line


@cache
def tercom_words(
    normalized: bool, no_punct: bool = False, asian: bool = False, case_sensitive: bool = False
) -> Callable[[str], list[str]]:
    """Return tercom's tokenization of a line into words, by its options."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    tokenize: Any = TercomTokenizer(normalized, no_punct, asian, case_sensitive)
    return lambda line: str(tokenize(line.rstrip())).split()


_METEOR_LETTERS = (
    r"A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    r"\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_SPACE = r" \t\n\x0b\f\r"
_PADDING = frozenset(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""Spaces of Unicode: separate tokens while dots are judged, then dropped."""
_DOTS = "\ue000"
"""Represents one dot of an ellipsis while single dots are judged."""

_SPECIAL = re.compile(
    rf"(?<![^{_SPACE}])[{_METEOR_LETTERS}0-9]*+[^{_METEOR_LETTERS}0-9{_SPACE}][^{_SPACE}]*+"
    rf"(?:[{_SPACE}]++[{_METEOR_LETTERS}0-9]*+[^{_METEOR_LETTERS}0-9{_SPACE}][^{_SPACE}]*+)*+"
)
"""Neighbouring words that hold a character other than letters and digits."""
_LETTER = re.compile(f"[{_METEOR_LETTERS}]")
_Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    return tuple((re.compile(pattern), new) for pattern, new in pairs)


_PUNCTUATION = _rules(
    (rf"([^{_METEOR_LETTERS}0-9{_SPACE}.'`,\-‘’])", r" \1 "),
    (r"\.(?=\.)|(?<=\.)\.", _DOTS),
    (f"({_DOTS}+)", r" \1 "),
    (r"([^0-9]),([^0-9])", r"\1 , \2"),
    (r"([0-9]),([^0-9])", r"\1 , \2"),
    (r"([^0-9]),([0-9])", r"\1 , \2"),
    (r"[`‘’]", "'"),
    (r"[“”]|''", ' " '),
    ("–", "-"),
    ("--", "-"),
    (rf"([{_METEOR_LETTERS}0-9.])-([{_METEOR_LETTERS}0-9])", r"\1 \2"),
)
_LONE_QUOTE = (rf"([^{_METEOR_LETTERS}])'([^{_METEOR_LETTERS}])", r"\1 ' \2")
_OPENING = (rf"([^{_METEOR_LETTERS}0-9])'([{_METEOR_LETTERS}])", r"\1 ' \2")
_CLOSING = (rf"([{_METEOR_LETTERS}])'([^{_METEOR_LETTERS}])", r"\1 ' \2")
_BETWEEN = rf"([{_METEOR_LETTERS}])'([{_METEOR_LETTERS}])"
# English clitics go right (it 's), French ones left (l' eau); others stand alone.
_APOSTROPHES: dict[str, _Rules] = {
    "en": _rules(
        _LONE_QUOTE, _OPENING, _CLOSING, (_BETWEEN, r"\1 '\2"), (r"([0-9])'(s)", r"\1 '\2")
    ),
    "fr": _rules(_LONE_QUOTE, _OPENING, _CLOSING, (_BETWEEN, r"\1' \2")),
}
_BARE_APOSTROPHE = _rules(("'", " ' "))


def tokenize_meteor(line: str, lang: str) -> list[str]:
    """Tokenize a line as METEOR 1.5's ``-norm`` does, in lower case.

    The rules are near the Moses tokenizer: commas stay inside numbers, hyphens between words are
    dropped so that parts can match, dots are removed from acronyms (``U.S.`` becomes ``us``) and
    stay on known abbreviations. Each rule looks at one character on either side, so only stretches
    with a character other than a letter or digit need any work. They recur and are cached.
    """
    words: list[str] = []
    done = 0
    for match in _SPECIAL.finditer(line):
        start, end = match.span()
        words += _split_ascii(line[done:start])
        words += _separate(match[0], lang)
        done = end
    words += _split_ascii(line[done:])
    if any(word[-1] == "." for word in words):
        words = _judge_dots(words, lang)
    kept = [word for word in words if word not in _PADDING]
    return " ".join(kept).replace(_DOTS, ".").lower().split(" ") if kept else []


def _split_ascii(text: str) -> list[str]:
    """Split at ASCII white space; other spaces count as characters."""
    if text.isascii():
        return text.split()
    return [word for word in re.split(f"[{_SPACE}]+", text) if word]


@lru_cache(maxsize=100_000)
def _separate(text: str, lang: str) -> tuple[str, ...]:
    """Split off punctuation, except dots at the end of a word."""
    word, mark = text[:-1], text[-1]
    if mark in ".,;:?!" and word.isascii() and word.isalnum():  # the most common case by far
        return (text,) if mark == "." else (word, mark)
    text = f" {text} "
    for pattern, new in (*_PUNCTUATION, *_APOSTROPHES.get(lang, _BARE_APOSTROPHE)):
        text = pattern.sub(new, text)
    return tuple(_split_ascii(text))


def _judge_dots(words: list[str], lang: str) -> list[str]:
    """Split a final dot off, unless it belongs to an abbreviation; acronyms lose theirs."""
    prefixes = nonbreaking_prefixes(lang)
    judged: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word[-1] != "." or len(word) == 1:
            judged.append(word)
            continue
        stem = word[:-1]
        before_number = prefixes.get(stem)
        if "." in stem and _LETTER.search(stem):
            judged.append(word.replace(".", ""))
        elif (
            before_number is False
            or "a" <= after[:1] <= "z"
            or (before_number and "0" <= after[:1] <= "9")
        ):
            judged.append(word)
        else:
            judged += [stem, "."]
    return judged
