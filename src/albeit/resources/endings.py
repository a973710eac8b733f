"""Stems of languages for which Snowball has no stemmer: Polish and Korean, by their endings.

Light stemmers, written for albeit from the grammars: what inflects a word is taken off, longest
ending first, and nothing is looked up. Words of one root that differ in its vowels stay apart.
"""

from __future__ import annotations

import re

__all__ = ["ENDINGS", "korean", "polish"]

_POLISH = re.compile(
    "(?:"
    "owaniami|owaniach|owaniem|owaniom|owanie|owania|owaniu|owano|owana|owane|owany|owała|owało|owali|owały|ował"
    "|ujemy|ujecie|ujesz|ujący|ująca|ujące|ując|ują|uje|uję|ować"
    "|aniami|aniach|aniem|aniom|eniami|eniach|eniem|eniom|aniu|anie|ania|eniu|enie|enia"
    "|ościach|ościami|ością|ości|ość|owych|owego|owemu|owymi|owej|owym|owie|owi|owy|owa|owe|ową"
    "|ałem|ałam|ałeś|ałaś|iłem|iłam|yłem|yłam|iłeś|yłeś|amy|imy|ymy|emy|acie|icie|ycie|ecie"
    "|ający|ająca|ające|ając|ają|ano|ono|ała|ało|ali|ały|iła|iło|ili|iły|yła|yło|yli|yły|ał|ił|ył"
    "|iejszych|iejszego|iejszej|iejszym|iejszy|iejsza|iejsze|iej"
    "|iami|iach|iego|iemu|ami|ach|ych|ich|ego|emu|ymi|imi|iom|iem|ów|om|em|ej|ym|im"
    "|asz|isz|ysz|esz|ać|ić|yć|eć|ąć|ię|ią|ie|ia|io|iu|y|i|a|ą|e|ę|o|u"
    ")$"
)
_KOREAN = re.compile(
    "(?:"
    "으로부터|에게서|에서는|에서도|으로는|으로서|으로써|이라는|이라고|이라며|이었다|이었던|입니다|습니다|합니다|됩니다|했습니다|됐습니다"
    "|들에게|들에서|들이|들은|들을|들의|들도|들과|께서|에게|에서|에는|에도|한테|까지|부터|보다|처럼|마다|조차|마저|밖에|대로|만큼|으로|로서"
    "|로써|로는|라는|라고|라며|이다|이며|이고|이나|이란|이라|였다|했다|했던|하는|하고|하며|하여|해서|하기|하지|하면|한다|된다|되는|되고"
    "|되어|됐다|은|는|이|가|을|를|에|의|도|로|와|과|만|들|한|할|해|된|될"
    ")$"
)
_SOFT = (("rz", "r"), ("dz", "g"), ("ci", "t"), ("c", "k"), ("ń", "n"), ("ś", "s"), ("ó", "o"))
"""What the last consonant of a Polish stem turns into before some endings, and what it was."""
LEAST_POLISH, LEAST_KOREAN = 3, 2
"""How many characters stay, at least."""


def polish(word: str) -> str:
    """A Polish word without its ending."""
    found = _POLISH.search(word, LEAST_POLISH)
    stem = word[: found.start()] if found else word
    for soft, hard in _SOFT:
        if stem.endswith(soft) and len(stem) >= LEAST_POLISH:
            return stem.removesuffix(soft) + hard
    return stem


def korean(word: str) -> str:
    """A Korean word without its particles, of which there may be several."""
    while found := _KOREAN.search(word, LEAST_KOREAN):
        word = word[: found.start()]
    return word


ENDINGS = {"ko": korean, "pl": polish}
