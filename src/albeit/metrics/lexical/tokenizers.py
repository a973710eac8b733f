"""sacreBLEU's tokenisers by name, with errors a person can act on.

The commonest, 13a, is written anew here: the same words in a third of the time.

Its sentence-piece tokenisers (``flores101``, ``flores200``, for spBLEU) are used where their
model lies in sacreBLEU's folder; sacreBLEU would fetch it from the network, albeit never does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from albeit.errors import MissingExtraError

__all__ = ["TokenizerName", "characters", "default_tokenizer", "is_unspaced", "tokenizer"]

TokenizerName = Literal[
    "auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none", "flores101", "flores200"
]

_CLASSES = {
    "intl": "tokenizer_intl:TokenizerV14International",
    "zh": "tokenizer_zh:TokenizerZh",
    "ja-mecab": "tokenizer_ja_mecab:TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab:TokenizerKoMecab",
    "char": "tokenizer_char:TokenizerChar",
    "none": "tokenizer_none:NoneTokenizer",
}
_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_SPACED = {ord(c): f" {c} " for c in '{|}~[\\]^_`!"#$%&()*+:;<=>?@/'}
_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_AFTER_DIGIT = re.compile(r"([0-9])(-)")


_OWN = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_UNSPACED = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "zh"})
_BLOCKS = (
    "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003134f\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
)
"""Han, kana, Thai, Lao, Tibetan, Burmese, Khmer."""
_CHARACTERS = re.compile(rf"[{_BLOCKS}]|[^\W_{_BLOCKS}]+")


def is_unspaced(language: str) -> bool:
    """Whether a language is written without spaces, so that spaces do not part its words."""
    return language in _UNSPACED


def default_tokenizer(language: str) -> str:
    """The tokeniser for a target language when none is named.

    sacreBLEU's choice, but for languages without spaces that it has none for: there characters.
    """
    return _OWN.get(language) or ("char" if is_unspaced(language) else "13a")


def characters(line: str) -> list[str]:
    """The letters of scripts without spaces one by one, runs of other letters and digits whole."""
    return [
        word
        for word in _CHARACTERS.findall(line)
        if word.isalnum() or unicodedata.category(word).startswith("M")
    ]


@cache
def tokenizer(name: str) -> Callable[[str], str]:
    """A tokeniser: a line in, words with white space between them out."""
    if name == "13a":
        return _tokenize_13a
    if name.startswith("flores"):
        return _sentence_pieces(name)
    module, _, attribute = _CLASSES[name].partition(":")
    try:
        return cast(
            Callable[[str], str],
            getattr(import_module(f"sacrebleu.tokenizers.{module}"), attribute)(),
        )
    except RuntimeError:
        language = name.partition("-")[0]
        raise MissingExtraError(
            f"the tokeniser {name!r} needs MeCab and its dictionary."
            f" Install them: pip install 'sacrebleu[{language}]'; or compare characters:"
            " tokenize=char."
        ) from None


def _sentence_pieces(name: str) -> Callable[[str], str]:
    """spBLEU's tokeniser, if its model is there already."""
    from sacrebleu.tokenizers import tokenizer_spm
    from sacrebleu.utils import SACREBLEU_DIR

    model = (
        Path(SACREBLEU_DIR) / "models" / PurePosixPath(tokenizer_spm.SPM_MODELS[name]["url"]).name
    )
    try:
        import_module("sentencepiece")
    except ImportError:
        raise MissingExtraError(
            f"the tokeniser {name!r} needs sentencepiece. Install it: pip install sentencepiece"
        ) from None
    if not model.is_file():
        raise MissingExtraError(
            f"the tokeniser {name!r} needs its model at {model}, and albeit downloads nothing. Have"
            f" sacreBLEU fetch it once: sacrebleu --tokenize {name} REF -i SYSTEM"
        )
    made: Any = tokenizer_spm.TokenizerSPM
    return cast(Callable[[str], str], made(name))


@lru_cache(maxsize=1 << 14)
def _tokenize_13a(line: str) -> str:
    """The tokenisation of mteval v13a.

    Most marks stand alone; a full stop or comma does unless between digits; a hyphen does
    after a digit.
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
