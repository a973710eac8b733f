"""METEOR 1.5: translation and reference aligned word by word, scored for coverage and order.

There is one metric per set of matchers, as with METEOR's ``-m``: exact words, stems, WordNet
synonyms, paraphrases. METEOR's parameters were tuned to human rankings, language by language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import islice
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from albeit.metrics import EvalSet, FloatArray, IntArray, Ints32, MetricError
from albeit.metrics.base import Batch, Context, Metric
from albeit.metrics.lexical import meteor_align
from albeit.metrics.lexical.ngrams import Texts, encode
from albeit.metrics.lexical.tokenizers import tokenize_meteor
from albeit.resources.paraphrase import find_paraphrases, paraphrases
from albeit.resources.wordnet import DETACHMENTS, WordNet, detach, wordnet
from albeit.resources.words import function_words, stemmer

_SYNSETS_PER_PART = 10**8

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
"""The matchers, in the order in which METEOR tries them."""


class Parameters(NamedTuple):
    """The parameters of a language.

    ``alpha`` balances precision and recall, ``beta`` and ``gamma`` shape the penalty for
    fragmentation, ``delta`` is the weight of a content word (1 - delta: a function word).
    ``weights`` are those of exact, stem, synonym, and paraphrase matches. ``normalized`` says
    whether METEOR has a tokenizer for the language.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    normalized: bool = True


LANGUAGES = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8)),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8)),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2)),
    "it": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5), normalized=False),
}
"""Italian has METEOR's language-independent parameters, for tokenized text."""


Norm = Literal["auto", "norm", "lower", "none"]

_NAMES = ("exact", "stem", "synonym", "paraphrase")


@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR 1.5 with the matchers that need nothing but this package.

    English uses exact, stem and synonym matches; German, French, Spanish and Italian exact
    and stem. ``norm`` is how text becomes words: ``norm`` is METEOR's tokenizer, ``lower``
    lower-cases tokenized text, ``none`` takes it as it is; ``auto`` is ``norm``, and
    ``none`` for Italian, for which METEOR has no tokenizer.
    """

    name: ClassVar[str] = "meteor"
    summary: ClassVar[str] = "METEOR 1.5: exact, stem and (English) WordNet synonym matches"
    languages: ClassVar[frozenset[str]] = frozenset(LANGUAGES)
    """Languages with parameters; the forms above stems are English only."""
    whole_set: ClassVar[bool] = False
    """Its matchers depend on the language only."""
    last: ClassVar[int | None] = None
    """The last matcher in use; by default synonyms for English, stems for other languages."""

    norm: Norm = "auto"

    def check(self, evalset: EvalSet) -> None:
        """Also check that METEOR has a tokenizer for the language."""
        super().check(evalset)
        if self.norm == "norm" and not LANGUAGES[evalset.target_lang].normalized:
            raise MetricError(
                f"{self}: METEOR has no tokenizer for {evalset.target_lang!r}. Give tokenized"
                " text, with norm=lower or norm=none."
            )

    def prepare(self, evalset: EvalSet) -> Context:
        """Return what the signature shows: language, matchers, tables; also load them, once."""
        lang = evalset.target_lang
        highest = self._highest(lang)
        facts = {"lang": lang, "match": "+".join(_NAMES[: highest + 1]), "tok": self._norm(lang)}
        if highest >= STEM:
            facts["snowball"] = version("snowballstemmer")
        if highest >= SYNONYM:
            facts["wordnet"] = WordNet.version
        if highest >= PARAPHRASE:
            facts["table"] = paraphrases(self._table()).version
        return facts

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return language, matchers, and tables."""
        facts: dict[str, str] = context or {}
        return {"meteor": "1.5", **facts}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return weighted matches and lengths, matches, chunks, and the parameters.

        The last columns are 1, alpha, beta, and gamma, because they depend on the language, which
        ``score`` doesn't know. With several references a segment has the row with the best score.
        """
        lang = batch.target_lang
        scorer = Scorer.of(lang, self._norm(lang), self._highest(lang), self._table())
        rows = np.stack([scorer.rows(batch.hypotheses, lines) for lines in batch.references])
        return self.best_rows(rows)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return METEOR of summed rows."""
        hyp_hits, hyp_weight, ref_hits, ref_weight = np.moveaxis(sums[..., :4], -1, 0)
        matches, chunks = sums[..., 4], sums[..., 5]
        with np.errstate(invalid="ignore", divide="ignore"):
            alpha, beta, gamma = np.moveaxis(sums[..., 7:] / sums[..., 6:7], -1, 0)
            precision, recall = hyp_hits / hyp_weight, ref_hits / ref_weight
            mean = 1.0 / ((1.0 - alpha) / precision + alpha / recall)
            fragmentation = chunks / (matches / 2)
            found = mean * (1.0 - gamma * fragmentation**beta)
        return np.asarray(np.maximum(np.nan_to_num(found, nan=0.0), 0.0))

    def _norm(self, lang: str) -> str:
        if self.norm != "auto":
            return self.norm
        return "norm" if LANGUAGES[lang].normalized else "none"

    def _highest(self, lang: str) -> int:
        if self.last is not None:
            return self.last
        return SYNONYM if lang == "en" else STEM

    def _table(self) -> str:
        """Return the path of the paraphrase table, if the form has one."""
        return ""


@dataclass(frozen=True)
class MeteorExact(Meteor):
    """METEOR 1.5, exact matches only."""

    name: ClassVar[str] = "meteor-ex"
    summary: ClassVar[str] = "METEOR 1.5: exact matches"
    last: ClassVar[int | None] = EXACT


@dataclass(frozen=True)
class MeteorStem(Meteor):
    """METEOR 1.5, exact and stem matches."""

    name: ClassVar[str] = "meteor-st"
    summary: ClassVar[str] = "METEOR 1.5: exact and stem matches"
    last: ClassVar[int | None] = STEM


@dataclass(frozen=True)
class MeteorSynonym(Meteor):
    """METEOR 1.5, exact, stem and synonym matches (English)."""

    name: ClassVar[str] = "meteor-sy"
    summary: ClassVar[str] = "METEOR 1.5: exact, stem and WordNet synonym matches (English)"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """The language of WordNet."""
    last: ClassVar[int | None] = SYNONYM


@dataclass(frozen=True)
class MeteorParaphrase(MeteorSynonym):
    """METEOR 1.5 in full (English): with a paraphrase table, which is a separate download.

    ``table`` is its path; without one it is sought where ``ALBEIT_PARAPHRASES`` says, then
    in the package pycocoevalcap.
    """

    name: ClassVar[str] = "meteor-pa"
    summary: ClassVar[str] = "METEOR 1.5 in full: with METEOR's paraphrase table (English)"
    last: ClassVar[int | None] = PARAPHRASE

    table: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The paraphrase table."""
        return (str(find_paraphrases(self.table or None)),)

    def check(self, evalset: EvalSet) -> None:
        """Also check that there is a table."""
        super().check(evalset)
        paraphrases(self.table or None)

    def _table(self) -> str:
        return self.table


class Scorer:
    """Aligns translations with references in one language, and weighs what matched.

    What the matchers need of each distinct word is looked up once and kept as arrays. ``norm`` is
    how text becomes words: ``norm`` (METEOR's tokenizer), ``lower`` (lower case, split at spaces),
    or ``none`` (split at spaces).
    """

    def __init__(self, lang: str, norm: str, highest: int, table: str) -> None:
        self._lang, self._norm, self._highest = lang, norm, highest
        self._stem = stemmer(lang)
        self._wordnet = wordnet() if highest >= SYNONYM else None
        self._paraphrases = paraphrases(table or None) if highest >= PARAPHRASE else None
        self._tree = meteor_align.ParaphraseTree.of(self._paraphrases)
        # METEOR 1.5 uses its English list for every language.
        self._function_words = function_words("en")
        self._numbers: dict[str, int] = {}
        self._rows: list[tuple[bool, int, int, int]] = []
        self._synsets: list[tuple[int, ...]] = []
        self._table: meteor_align.WordTable | None = None
        self._line = lru_cache(maxsize=20_000)(self._number_line)

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, lang: str, norm: str, highest: int, table: str) -> Scorer:
        """Return the scorer of these settings, which is kept in the process."""
        return cls(lang, norm, highest, table)

    def _number_line(self, line: str) -> IntArray:
        if self._norm == "norm":
            words = tokenize_meteor(line, self._lang)
        else:
            words = (line.lower() if self._norm == "lower" else line).split()
        return encode(self._numbers, [words]).symbols

    def _join(self, lines: Sequence[str]) -> Texts:
        """Return the numbered words of lines, end to end."""
        numbered = [self._line(line) for line in lines]
        starts = np.cumsum([0, *map(len, numbered)], dtype=np.int64)
        return Texts(np.concatenate([np.zeros(0, dtype=np.int64), *numbered]), starts)

    def _look_up(self) -> meteor_align.WordTable:
        """Look up new words; return all words so far."""
        for word in islice(self._numbers, len(self._rows), None):
            phrase_word = self._paraphrases.word(word) if self._paraphrases else -1
            keys = hash_key(word), hash_key(self._stem(word))
            self._rows.append((word.lower() in self._function_words, *keys, phrase_word))
            self._synsets.append(meteor_synsets(word, self._wordnet) if self._wordnet else ())
            self._table = None
        if self._table is None:
            rows = np.array(self._rows, dtype=np.int32).reshape(-1, 4).T.copy()
            function = rows[0].astype(np.bool_)
            lists = Texts.of(self._synsets)
            self._table = meteor_align.WordTable(function, rows[1], rows[2], rows[3], lists)
        return self._table

    def counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Ints32:
        """Count matched words and chunks, one row per pair (see ``meteor_align.COUNTS``)."""
        left, right = self._join(hypotheses), self._join(references)
        words = self._look_up()
        return meteor_align.count_matches(left, right, words, self._tree, self._highest >= STEM)

    def rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> FloatArray:
        """Return additive statistics, one row per pair."""
        parameters = LANGUAGES[self._lang]
        counts = self.counts(hypotheses, references).astype(np.float64)
        kinds = np.array([parameters.delta, 1.0 - parameters.delta])
        weights = np.zeros(meteor_align.MATCHERS)
        weights[: len(parameters.weights)] = parameters.weights
        matched = counts[:, 5:].reshape(-1, meteor_align.MATCHERS, 2, 2)
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
        # METEOR adds no chunk for a segment that matches whole in one chunk.
        rows[:, 5] = np.where(whole & (chunks == 1), 0, chunks)
        rows[:, 6:] = 1.0, parameters.alpha, parameters.beta, parameters.gamma
        return rows


def hash_key(word: str) -> int:
    """Return the signed 32-bit hash by which METEOR compares words, as in Java.

    METEOR compares hashes, not words, and some short words share one: French ``n'`` and
    ``le``, ``l'`` and ``je``. Scores of French depend on it.
    """
    key = 0
    units = word.encode("utf-16-le")
    for at in range(0, len(units), 2):
        key = (31 * key + units[at] + 256 * units[at + 1]) & 0xFFFFFFFF
    return key - 0x100000000 if key >= 0x80000000 else key


def meteor_synsets(word: str, table: WordNet) -> tuple[int, ...]:
    """Return METEOR's synsets of a word, sorted: its own, and those of a base form.

    METEOR uses the bases of an irregular form, or else the first rule of detachment that leads to a
    lemma. It drops the part of speech from WordNet's numbers, so that, rarely, two synsets of
    different parts of speech are one. Scores depend on it.
    """
    lemmas = [word]
    if word in table.irregular:
        lemmas += table.irregular[word]
    else:
        forms = (form for rules in DETACHMENTS.values() for form in detach(word, rules))
        lemmas += [next((form for form in forms if form in table), "")]
    return tuple(sorted({s % _SYNSETS_PER_PART for lemma in lemmas for s in table.entries(lemma)}))
