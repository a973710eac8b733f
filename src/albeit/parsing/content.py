"""Content words: the words of a text that carry its matter, in a form that can be compared.

A word counts if it holds a letter and is on no stop list. It is compared as its stem, its
lemma or as it stands. Everything about a word *type* is decided once and remembered, so a
long text costs little more than cutting it into words.

Chinese, Japanese and Thai are written without spaces; there ICU's dictionaries cut words, which
the extra ``albeit[multilingual]`` installs. A Chinese word all of whose characters are grammatical
has no content, nor has a Japanese one of hiragana alone; what hiragana end a Japanese word with
inflect it, and are left out of its key.

English content words may be related: by stem, as synonyms, as a kind of the other. WordNet gives synonyms (a synset in common) and superordinates (a synset of one directly
above a synset of the other).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, lru_cache
from html import unescape
from typing import Literal

from albeit.errors import LanguageError
from albeit.resources import stemmer, stop_words, wordnet

__all__ = [
    "LANGUAGES",
    "ContentWords",
    "WordForm",
    "content_words",
    "related",
]


WordForm = Literal["stem", "lemma", "word"]

ALPHABETIC = frozenset({"ar", "de", "en", "es", "fr", "it", "ko", "nl", "pl", "pt", "ru", "tr"})
UNSPACED = frozenset({"ja", "th", "zh"})
LANGUAGES = ALPHABETIC | UNSPACED
"""Languages with a stop list and a way to cut words."""

REMEMBERED = 1_000_000
"""How many word types are remembered; beyond that all are forgotten, so memory stays flat."""

_WORD = re.compile(r"\w+(?:['-]\w+)*")
_WORD_OF_ELISION = re.compile(r"\w+(?:-\w+)*")
_ELIDING = frozenset({"fr", "it"})
_INVERTED = re.compile(
    r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce|ci|là|y|en|l[ae]s?|lui|leur|moi|toi)$"
)
"""What French hangs on a verb or pronoun: ``dit-il``, ``a-t-elle``, ``celui-ci``."""
_ARABIC_SIGNS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
_HIRAGANA_END = re.compile(r"(?<![\u3041-\u309f])[\u3041-\u309f]+$")


class ContentWords:
    """Cuts a text into content words and gives each the key by which it is compared."""

    def __init__(self, lang: str, form: WordForm) -> None:
        self.lang, self.form = lang, form
        if lang in UNSPACED:
            self._cut: Callable[[str], Sequence[str]] = _by_dictionary
            self._keys = _Keys(_UnspacedDecision(lang))
        else:
            pattern = _WORD_OF_ELISION if lang in _ELIDING else _WORD
            self._cut = pattern.findall
            self._keys = _Keys(_Decision(lang, form))
        self._key = self._keys.__getitem__

    def keys(self, text: str) -> list[str]:
        """The keys of a text's content words, in order, repeats included."""
        return [key for key in map(self._key, self._cut(self._plain(text))) if key]

    def words(self, text: str) -> list[tuple[str, str]]:
        """Content words in lower case, each with its key, in order."""
        pairs = ((word, self._key(word)) for word in self._cut(self._plain(text)))
        return [(word, key) for word, key in pairs if key]

    def key(self, word: str) -> str:
        """The key of one word; empty if it is no content word."""
        return self._key(self._plain(word))

    def _plain(self, text: str) -> str:
        """Lower case, with one kind of apostrophe, composed characters, and no entities."""
        if "&" in text:
            text = unescape(text)
        if self.lang == "tr":
            text = text.replace("İ", "i").replace("I", "ı")
        text = text.lower()
        if text.isascii():
            return text
        form: Literal["NFC", "NFKC"] = "NFKC" if self.lang in UNSPACED else "NFC"
        text = unicodedata.normalize(form, text).replace("’", "'").replace("‐", "-")
        return _ARABIC_SIGNS.sub("", text) if self.lang == "ar" else text


class _Keys(dict[str, str]):
    """Word type to key, decided when a word is first met."""

    def __init__(self, decide: Callable[[str], str]) -> None:
        super().__init__()
        self._decide = decide

    def __missing__(self, word: str) -> str:
        if len(self) >= REMEMBERED:
            self.clear()
        key = self[word] = self._decide(word)
        return key


class _Decision:
    """Whether a word in lower case has content, and its key; empty where it has none."""

    def __init__(self, lang: str, form: WordForm) -> None:
        self.stop = stop_words(lang)
        self.lang = lang
        self.form: Callable[[str], str] = str
        if form == "stem":
            self.form = stemmer(lang)
        elif form == "lemma":
            if lang != "en":
                raise LanguageError(f"there are no lemmas for {lang!r}, only for 'en'. Use stems.")
            self.form = lemma

    def __call__(self, word: str) -> str:
        if self._empty(word):
            return ""
        word = word.removesuffix("'s")
        if self.lang == "fr":
            word = _INVERTED.sub("", word)
        elif self.lang == "tr":
            word = word.partition("'")[0]  # what is hung on a name: İstanbul'da
        return "" if self._empty(word) else self.form(word)

    def _empty(self, word: str) -> bool:
        return len(word) < 2 or word in self.stop or not any(map(str.isalpha, word))


class _UnspacedDecision:
    """The same where words are cut by dictionaries: stop lists are of words and of characters."""

    def __init__(self, lang: str) -> None:
        self.stop = stop_words(lang)
        self.lang = lang

    def __call__(self, word: str) -> str:
        if (
            word in self.stop
            or not any(map(str.isalpha, word))
            or (len(word) == 1 and word.isascii())
        ):
            return ""
        if self.lang == "ja":
            word = _HIRAGANA_END.sub("", word)
        return "" if all(character in self.stop for character in word) else word


def _by_dictionary(text: str) -> Sequence[str]:
    from albeit.parsing.unspaced import cut_words

    return cut_words(text).forms


def lemma(word: str) -> str:
    """The base form of an English word by WordNet; the word itself if it is unknown there."""
    return wordnet().base_form(word) or word


@cache
def content_words(lang: str, form: WordForm = "stem") -> ContentWords:
    """The reader of a language's content words, made once."""
    if lang not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise LanguageError(f"there is no list of stop words for {lang!r}; there are {known}.")
    return ContentWords(lang, form)


@lru_cache(maxsize=200_000)
def _senses(lemma: str) -> frozenset[Hashable]:
    """What a word means: its stem and its synsets."""
    return frozenset(wordnet().entries(lemma)) | {stemmer("en")(lemma)}


@lru_cache(maxsize=200_000)
def _above(lemma: str) -> frozenset[Hashable]:
    """The synsets one step above those of a word."""
    known = wordnet()
    return frozenset(up for synset in known.entries(lemma) for up in known.hypernyms(synset))


def related(lemmas: Iterable[str]) -> frozenset[str]:
    """Return the words that are a synonym or a direct hypernym or hyponym of another of them."""
    by_sense: defaultdict[Hashable, set[str]] = defaultdict(set)
    lemmas = list(lemmas)
    for lemma in lemmas:
        for sense in _senses(lemma):
            by_sense[sense].add(lemma)
    found: set[str] = set()
    for group in by_sense.values():
        if len(group) > 1:
            found |= group
    for lemma in lemmas:
        for sense in _above(lemma):
            others = by_sense.get(sense, set()) - {lemma}
            if others:
                found |= others | {lemma}
    return frozenset(found)
