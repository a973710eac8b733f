"""Normalize language tags: every spelling of a language becomes one code.

That code is the primary subtag of BCP 47 in its shortest form: ``zh-CN``, ``zh_Hant``, ``ZH``
and ``cmn`` are ``zh``; ``eng``, ``en-GB`` and ``English`` are ``en``. Region and script are
removed, because no table or tokenizer of albeit depends on them. An unknown code is an error,
because it would silently choose the wrong tokenizer.
"""

from __future__ import annotations

import re
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache

from albeit.errors import LanguageError

_SPELLED = (
    "arabic=ar bengali=bn catalan=ca chinese=zh croatian=hr czech=cs danish=da dutch=nl"
    " english=en estonian=et farsi=fa finnish=fi french=fr german=de greek=el gujarati=gu"
    " hausa=ha hebrew=he hindi=hi hungarian=hu icelandic=is indonesian=id italian=it japanese=ja"
    " kazakh=kk khmer=km korean=ko latvian=lv lithuanian=lt mandarin=zh norwegian=no pashto=ps"
    " persian=fa polish=pl portuguese=pt romanian=ro russian=ru spanish=es swedish=sv tamil=ta"
    " thai=th turkish=tr ukrainian=uk urdu=ur vietnamese=vi"
)
NAMES = dict(pair.split("=") for pair in _SPELLED.split())
"""Names that older test sets (NIST's) write in place of codes."""
WITHOUT_SPACES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "zh"})
"""Languages that are written without spaces between words."""
COMMON = frozenset(NAMES.values())
"""Codes that need no change; for others a registry is loaded."""
_COUNTRY = re.compile("(?!aa|zz|x|q[m-z])[a-z]{2}$")
"""What may be a country's code; the rest is kept for private use."""


@lru_cache(maxsize=512)
def normalise(tag: str) -> str:
    """Return the code of the language that a tag names, or raise ``LanguageError``."""
    if not isinstance(tag, str):
        raise LanguageError(f"{tag!r} isn't a language code. Use a string: 'en', 'zh', 'de-AT'.")
    code = tag.strip().replace("_", "-").lower()
    if code in COMMON:
        return code
    if code in NAMES:
        return NAMES[code]
    import langcodes

    with suppress(ValueError):
        if langcodes.tag_is_valid(code):
            return langcodes.standardize_tag(code, macro=True).partition("-")[0]
    raise LanguageError(
        f"{tag!r} isn't a language code.{_suggestion(code)} Use BCP 47 codes: en, zh, de-AT."
    )


def _suggestion(code: str) -> str:
    """Return a hint: the language of a country (``jp``), or a similar name."""
    import langcodes

    primary = code.partition("-")[0]
    if _COUNTRY.match(primary) and langcodes.tag_is_valid(f"und-{primary}"):
        country = langcodes.Language.make(territory=primary.upper())
        return f" Did you mean {country.maximize().language!r}?"
    if close := get_close_matches(primary, NAMES, n=1):
        return f" Did you mean {NAMES[close[0]]!r}?"
    return ""
