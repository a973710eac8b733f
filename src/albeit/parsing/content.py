"""Find content words, in a form that can be compared.

A content word has a letter and is not on the stop list. It is compared as its stem, its lemma, or
unchanged. Each word *type* is decided once and remembered.

Chinese, Japanese, and Thai words come from ICU's dictionaries, which the extra
``albeit[multilingual]`` installs. A Chinese word of grammatical characters has no content, nor has
a Japanese word of hiragana alone. Hiragana at the end of a Japanese word inflect it, and are not
part of its key.

English content words can be related: by stem, as synonyms (a common WordNet synset), or as
hypernyms (a synset of one directly above a synset of the other).

A lexical chain (Gong and Zhou 2015) is a content word (or its stem) with the positions of two or
more sentences. Positions are the bits of an integer, so the common positions of two chains are one
``&``. If a segment of either text has several sentences, the sentences of both are matched in order
first: one to one, one to several, several to one, or to none. A pair of sentences costs less the
more content words it has in common. A match is one position, so positions of both texts can be
compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, lru_cache
from html import unescape
from itertools import product
from typing import TYPE_CHECKING, Literal

from albeit.errors import LanguageError
from albeit.parsing.layers.documents import DocumentWords, Sentence, positions
from albeit.parsing.tokenize import ELIDED_WORDS, WORDS, cut_words
from albeit.resources.words import stemmer, stop_words

if TYPE_CHECKING:
    from albeit.resources.wordnet import WordNet

WordForm = Literal["stem", "lemma", "word"]

ALPHABETIC = frozenset({"ar", "de", "en", "es", "fr", "it", "ko", "nl", "pl", "pt", "ru", "tr"})
UNSPACED = frozenset({"ja", "th", "zh"})
LANGUAGES = ALPHABETIC | UNSPACED
"""Languages with a stop list and a way to split words."""

REMEMBERED = 1_000_000
"""Number of word types to keep; all are dropped at this limit, so memory is bounded."""

_ELIDING = frozenset({"fr", "it"})
_INVERTED = re.compile(
    r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce|ci|là|y|en|l[ae]s?|lui|leur|moi|toi)$"
)
"""French suffixes of a verb or pronoun: ``dit-il``, ``a-t-elle``, ``celui-ci``."""
_ARABIC_SIGNS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
_HIRAGANA_END = re.compile(r"(?<![\u3041-\u309f])[\u3041-\u309f]+$")


class ContentWords:
    """Splits a text into content words and gives each the key by which it is compared."""

    def __init__(self, lang: str, form: WordForm) -> None:
        self.lang = lang
        self._stop = stop_words(lang)
        self._form: Callable[[str], str] = str
        if lang in UNSPACED:
            self._cut: Callable[[str], Sequence[str]] = lambda text: cut_words(text).forms
            self._key = lru_cache(REMEMBERED)(self._decide_unspaced)
            return
        self._cut = (ELIDED_WORDS if lang in _ELIDING else WORDS).findall
        self._key = lru_cache(REMEMBERED)(self._decide)
        if form == "stem":
            self._form = stemmer(lang)
        elif form == "lemma":
            if lang != "en":
                raise LanguageError(f"there are no lemmas for {lang!r}, only for 'en'. Use stems.")
            self._form = lemma

    def keys(self, text: str) -> list[str]:
        """Return the keys of a text's content words, in order, with repetitions."""
        return [key for key in map(self._key, self._cut(self._plain(text))) if key]

    def words(self, text: str) -> list[tuple[str, str]]:
        """Return content words in lower case, each with its key, in order."""
        pairs = ((word, self._key(word)) for word in self._cut(self._plain(text)))
        return [(word, key) for word, key in pairs if key]

    def key(self, word: str) -> str:
        """Return the key of one word; empty if it isn't a content word."""
        return self._key(self._plain(word))

    def _plain(self, text: str) -> str:
        """Return lower case, with one kind of apostrophe, composed characters, and no entities."""
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

    def _decide(self, word: str) -> str:
        """Return the key of a word in lower case; empty if it has no content."""
        if self._is_empty(word):
            return ""
        word = word.removesuffix("'s")
        if self.lang == "fr":
            word = _INVERTED.sub("", word)
        elif self.lang == "tr":
            word = word.partition("'")[0]  # the suffix of a name: İstanbul'da
        return "" if self._is_empty(word) else self._form(word)

    def _is_empty(self, word: str) -> bool:
        return len(word) < 2 or word in self._stop or not any(map(str.isalpha, word))

    def _decide_unspaced(self, word: str) -> str:
        """Return the key of a word from a dictionary; stop lists have words and characters."""
        one_letter = len(word) == 1 and word.isascii()
        if word in self._stop or one_letter or not any(map(str.isalpha, word)):
            return ""
        if self.lang == "ja":
            word = _HIRAGANA_END.sub("", word)
        return "" if all(character in self._stop for character in word) else word


def _wordnet() -> WordNet:
    from albeit.resources.wordnet import wordnet

    return wordnet()


def lemma(word: str) -> str:
    """Return the WordNet base form of an English word; the word itself if it isn't in WordNet."""
    return _wordnet().base_form(word) or word


@cache
def content_words(lang: str, form: WordForm = "stem") -> ContentWords:
    """Return the splitter for a language's content words, one per process."""
    if lang not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise LanguageError(f"there is no list of stop words for {lang!r}; there are {known}.")
    return ContentWords(lang, form)


@lru_cache(maxsize=200_000)
def _senses(lemma: str) -> frozenset[Hashable]:
    """Return the stem and the synsets of a word."""
    return frozenset(_wordnet().entries(lemma)) | {stemmer("en")(lemma)}


@lru_cache(maxsize=200_000)
def _above(lemma: str) -> frozenset[Hashable]:
    """Return the synsets directly above those of a word."""
    known = _wordnet()
    return frozenset(up for synset in known.entries(lemma) for up in known.hypernyms(synset))


def related(lemmas: Iterable[str]) -> frozenset[str]:
    """Return the words that are a synonym or a direct hypernym or hyponym of another of them."""
    by_sense: defaultdict[Hashable, set[str]] = defaultdict(set)
    lemmas = list(lemmas)
    for lemma in lemmas:
        for sense in _senses(lemma):
            by_sense[sense].add(lemma)
    members = set[str]().union(*(group for group in by_sense.values() if len(group) > 1))
    for lemma in lemmas:
        for sense in _above(lemma):
            others = by_sense.get(sense, set()) - {lemma}
            if others:
                members |= others | {lemma}
    return frozenset(members)


Match = tuple[tuple[int, int], tuple[int, int]]
"""Ranges of sentences of one text, and of the other."""

WIDEST = 4
"""The most sentences that are matched with one."""
MERGE_COST = 0.1
"""Cost of each sentence beyond a pair, so that one to one wins between equals."""
SKIP_COST = 0.55
"""Cost of a sentence without a partner: more than half of an unlike pair."""
_MANY = range(2, WIDEST + 1)
SHAPES = ((1, 1), *((1, n) for n in _MANY), *((n, 1) for n in _MANY), (1, 0), (0, 1))


def match_sentences(left: Sequence[Sentence], right: Sequence[Sentence]) -> tuple[Match, ...]:
    """Return the cheapest monotone matching of sentences, given as content words."""
    if len(left) == len(right) == 1:
        return (((0, 1), (0, 1)),)
    left_words, right_words = _merged(left), _merged(right)

    def price(match: Match) -> float:
        (i, j), (k, m) = match
        if i == j or k == m:
            return SKIP_COST
        sentences, unlike = j - i + m - k, _unlike(left_words[i, j], right_words[k, m])
        return sentences / 2 * unlike + MERGE_COST * (sentences - 2)

    return _cheapest(len(left), len(right), price)


def _cheapest(rows: int, columns: int, price: Callable[[Match], float]) -> tuple[Match, ...]:
    """Return the cheapest path through two texts; among equals the first of ``SHAPES`` wins."""
    best: dict[tuple[int, int], tuple[float, Match | None]] = {(0, 0): (0.0, None)}
    for i, j in product(range(rows + 1), range(columns + 1)):
        matches: list[Match] = [((i - a, i), (j - b, j)) for a, b in SHAPES if a <= i and b <= j]
        options = [(best[one[0][0], one[1][0]][0] + price(one), one) for one in matches]
        if options:
            best[i, j] = min(options, key=lambda option: option[0])
    found: list[Match] = []
    place = (rows, columns)
    while (last := best[place][1]) is not None:
        found.append(last)
        place = (last[0][0], last[1][0])
    return tuple(reversed(found))


def _merged(sentences: Sequence[Sentence]) -> dict[tuple[int, int], frozenset[str]]:
    """Return the words of every run of up to ``WIDEST`` sentences."""
    count = len(sentences)
    return {
        (i, j): frozenset(word for sentence in sentences[i:j] for word in sentence)
        for i in range(count)
        for j in range(i + 1, min(i + WIDEST, count) + 1)
    }


def _unlike(left: frozenset[str], right: frozenset[str]) -> float:
    """Return 1 minus the share of common words; 0.5 if there are no words."""
    if not left and not right:
        return 0.5
    return 1.0 - 2 * len(left & right) / (len(left) + len(right))


def common_units(texts: Sequence[Sequence[Sentence]]) -> list[list[int]]:
    """Return one numbering for the sentences of several texts of a segment.

    Sentences of the first text that another text has as one are one unit. A sentence without a
    partner is a unit of its own, unless it is inside such a unit. Sentences without a partner at
    the same position of several texts have the same number.
    """
    first, *others = texts
    matches = [match_sentences(first, other) for other in others]
    joined = {place for match in matches for (a, b), _ in match for place in range(a + 1, b)}
    heads = [max(p for p in range(place + 1) if p not in joined) for place in range(len(first))]
    numbered = [[(head, 0) for head in heads]]
    for other, match in zip(others, matches, strict=True):
        mine: list[tuple[int, int]] = [(0, 0)] * len(other)
        current = (-1, 0)
        for (start, stop), (begin, end) in match:
            if stop > start or start in joined:
                current = (heads[start], 0)
            else:
                current = (current[0], current[1] + 1)
            for place in range(begin, end):
                mine[place] = current
        numbered.append(mine)
    units = sorted({place for mine in numbered for place in mine})
    number = {place: n for n, place in enumerate(units)}
    return [[number[place] for place in mine] for mine in numbered]


def aligned_positions(
    left: DocumentWords, right: DocumentWords
) -> tuple[dict[str, int], dict[str, int]]:
    """Return comparable positions of two texts of one document."""
    if left.single and right.single:
        return left.places, right.places
    sides: tuple[list[Sentence], list[Sentence]] = ([], [])
    for ours, theirs in zip(left.segments, right.segments, strict=True):
        for spans in match_sentences(ours, theirs):
            for side, sentences, (start, stop) in zip(sides, (ours, theirs), spans, strict=True):
                side.append([key for sentence in sentences[start:stop] for key in sentence])
    return positions(sides[0]), positions(sides[1])
