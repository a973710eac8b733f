"""From lines of text to rows of statistics: one scorer a language and set of matchers.

What the matchers know of each distinct word is looked up once and kept as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from albeit.metrics.base import FloatArray
from albeit.metrics.lexical.meteor.matching import MATCHERS, Ints, Phrases, WordTable, count_matches
from albeit.metrics.lexical.meteor.metric import LANGUAGES, PARAPHRASE, STEM, SYNONYM
from albeit.metrics.lexical.meteor.normalize import normalize
from albeit.resources import ParaphraseTable, WordNet, function_words, paraphrases, stemmer, wordnet
from albeit.resources.wordnet import DETACHMENTS

__all__ = ["Lexicon", "Scorer", "hash_key", "meteor_synsets"]

_RULES = tuple(rule for rules in DETACHMENTS.values() for rule in rules)
_SYNSETS_PER_PART = 10**8


class Lexicon:
    """Numbers the words of one language and keeps what each matcher needs of them.

    ``norm`` is how text becomes words: ``norm`` (METEOR's tokeniser), ``lower`` (lower
    case, split at spaces) or ``none`` (split at spaces).
    """

    def __init__(
        self, lang: str, norm: str, *, synonyms: bool, paraphrases: ParaphraseTable | None
    ) -> None:
        self._lang, self._norm = lang, norm
        self._stem = stemmer(lang)
        self._wordnet = wordnet() if synonyms else None
        self._paraphrases = paraphrases
        # METEOR 1.5 takes its English list for every language.
        self._function_words = function_words("en")
        self._numbers: dict[str, int] = {}
        self._rows: list[tuple[bool, int, int, int]] = []
        self._synsets: dict[int, int] = {}
        self._synset_lists: list[list[int]] = []
        self._table: WordTable | None = None
        self.line = lru_cache(maxsize=20_000)(self._line)
        """The numbers of a line's words; recent lines are remembered."""

    def _line(self, text: str) -> Ints:
        words = normalize(text, self._lang) if self._norm == "norm" else text.split()
        if self._norm == "lower":
            words = [word.lower() for word in words]
        numbers = self._numbers
        found = [numbers[word] if word in numbers else self._add(word) for word in words]
        return np.array(found, dtype=np.int32)

    def _add(self, word: str) -> int:
        number = self._numbers[word] = len(self._numbers)
        keys = hash_key(word), hash_key(self._stem(word))
        phrase_word = self._paraphrases.word(word) if self._paraphrases else -1
        self._rows.append((word.lower() in self._function_words, *keys, phrase_word))
        synsets = meteor_synsets(word, self._wordnet) if self._wordnet else ()
        renumbered = self._synsets
        self._synset_lists.append([renumbered.setdefault(s, len(renumbered)) for s in synsets])
        self._table = None
        return number

    def table(self) -> WordTable:
        """All words met so far."""
        if self._table is None:
            rows = np.array(self._rows, dtype=np.int32).reshape(-1, 4)
            ends = np.cumsum([len(found) for found in self._synset_lists], dtype=np.int32)
            flat = [synset for found in self._synset_lists for synset in found]
            self._table = WordTable(
                rows[:, 0].astype(np.bool_),
                np.ascontiguousarray(rows[:, 1]),
                np.ascontiguousarray(rows[:, 2]),
                ends,
                np.array(flat, dtype=np.int32),
                np.ascontiguousarray(rows[:, 3]),
            )
        return self._table


def hash_key(word: str) -> int:
    """The 32-bit hash by which METEOR compares words, signed, as Java has it.

    METEOR compares hashes, not words, and some short words share one: French ``n'`` and
    ``le``, ``l'`` and ``je``. Scores of French depend on it.
    """
    key = 0
    units = word.encode("utf-16-le")
    for at in range(0, len(units), 2):
        key = (31 * key + units[at] + 256 * units[at + 1]) & 0xFFFFFFFF
    return key - 0x100000000 if key >= 0x80000000 else key


def meteor_synsets(word: str, table: WordNet) -> tuple[int, ...]:
    """The synsets METEOR gives a word, sorted: its own, and those of a base form.

    METEOR takes the bases of an irregular form, or else the first rule of detachment that
    leads to a lemma. It keeps WordNet's numbers without the part of speech, so that, rarely,
    two synsets of different parts of speech are one; scores depend on it.
    """
    lemmas = [word]
    if word in table.irregular:
        lemmas += table.irregular[word]
    elif len(word) > 2 and not word.endswith("ss"):
        forms = (word.removesuffix(old) + new for old, new in _RULES if word.endswith(old))
        lemmas += [next((form for form in forms if form in table), "")]
    return tuple(sorted({s % _SYNSETS_PER_PART for lemma in lemmas for s in table.entries(lemma)}))


_NONE: Ints = np.zeros(0, dtype=np.int32)
_NO_TABLE: Ints = np.zeros(0, dtype=np.int32)
_NO_TABLE.flags.writeable = False  # as a mapped table is: one compiled form serves both


class Scorer:
    """Aligns translations with references and weighs what matched."""

    def __init__(self, lang: str, norm: str, highest: int, table: str) -> None:
        self._parameters = LANGUAGES[lang]
        self._highest = highest
        found = paraphrases(table or None) if highest >= PARAPHRASE else None
        self._lexicon = Lexicon(lang, norm, synonyms=highest >= SYNONYM, paraphrases=found)
        self._phrases = Phrases(_NO_TABLE, _NO_TABLE, _NO_TABLE, _NO_TABLE)
        if found:
            self._phrases = Phrases(
                found.child_starts, found.child_words, found.entry_starts, found.entries
            )

    def counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Ints:
        """Counts of matched words and chunks, one row per pair (see ``matching.COUNTS``)."""
        hyp, hyp_ends = self._numbers(hypotheses)
        ref, ref_ends = self._numbers(references)
        stems = self._highest >= STEM
        return count_matches(
            hyp, hyp_ends, ref, ref_ends, self._lexicon.table(), self._phrases, stems
        )

    def rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> FloatArray:
        """Additive statistics, one row per pair."""
        parameters = self._parameters
        counts = self.counts(hypotheses, references).astype(np.float64)
        kinds = np.array([parameters.delta, 1.0 - parameters.delta])
        weights = np.zeros(MATCHERS)
        weights[: len(parameters.weights)] = parameters.weights
        matched = counts[:, 5:].reshape(-1, MATCHERS, 2, 2)
        rows = np.zeros((len(counts), 10))
        whole = np.ones(len(counts), dtype=np.bool_)
        for side in (0, 1):
            length, function = counts[:, 2 * side], counts[:, 2 * side + 1]
            found = matched[:, :, side, :]
            total = found.sum(axis=(1, 2))
            rows[:, 2 * side] = np.einsum("rmk,m,k->r", found, weights, kinds)
            rows[:, 2 * side + 1] = np.stack([length - function, function], axis=-1) @ kinds
            rows[:, 4] += total
            whole &= total == length
        chunks = counts[:, 4]
        # A segment matched whole in one chunk is not fragmented: METEOR adds no chunk for it.
        rows[:, 5] = np.where(whole & (chunks == 1), 0, chunks)
        rows[:, 6:] = 1.0, parameters.alpha, parameters.beta, parameters.gamma
        return rows

    def _numbers(self, lines: Sequence[str]) -> tuple[Ints, Ints]:
        """The numbered words of lines, end to end, and where each line ends."""
        numbered = [self._lexicon.line(line) for line in lines]
        ends = np.cumsum([len(line) for line in numbered], dtype=np.int32)
        return np.concatenate([_NONE, *numbered]), ends
