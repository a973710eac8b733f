"""sacreBLEU's tokenisers by name, with errors a person can act on.

Its sentence-piece tokenisers (``spm``, ``flores…``) are left out: they fetch a model from
the network when first used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Literal, cast

from albeit.errors import MissingExtraError

__all__ = ["TokenizerName", "default_tokenizer", "tokenizer"]

TokenizerName = Literal["auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"]

_CLASSES = {
    "13a": "tokenizer_13a:Tokenizer13a",
    "intl": "tokenizer_intl:TokenizerV14International",
    "zh": "tokenizer_zh:TokenizerZh",
    "ja-mecab": "tokenizer_ja_mecab:TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab:TokenizerKoMecab",
    "char": "tokenizer_char:TokenizerChar",
    "none": "tokenizer_none:NoneTokenizer",
}


def default_tokenizer(language: str) -> str:
    """The tokeniser sacreBLEU takes for a target language when none is named."""
    return {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}.get(language, "13a")


@cache
def tokenizer(name: str) -> Callable[[str], str]:
    """A tokeniser: a line in, words with single spaces between them out."""
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
            f" Install them: pip install 'sacrebleu[{language}]'"
        ) from None
