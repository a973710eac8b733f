"""The METEOR metrics: counts of aligned words, weighted as the language's parameters say.

METEOR 1.5's parameters were tuned to human rankings, language by language.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.resources import WordNet, paraphrases
from albeit.resources.paraphrase import find_paraphrases

__all__ = [
    "LANGUAGES",
    "PARAPHRASE",
    "STEM",
    "SYNONYM",
    "Meteor",
    "MeteorExact",
    "MeteorParaphrase",
    "MeteorStem",
    "MeteorSynonym",
    "Parameters",
]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
"""The matchers, in the order in which METEOR tries them."""


@dataclass(frozen=True)
class Parameters:
    """What the score of a language weighs.

    ``alpha`` balances precision and recall, ``beta`` and ``gamma`` shape the penalty for
    fragmentation, ``delta`` is the weight of a content word (1 - delta: a function word).
    ``weights`` are those of exact, stem, synonym and paraphrase matches. ``normalized``
    says whether METEOR has a tokeniser for the language.
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
"""Italian was never tuned: METEOR's language-independent parameters, on tokenised text."""


Norm = Literal["auto", "norm", "lower", "none"]

_NAMES = ("exact", "stem", "synonym", "paraphrase")


@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR 1.5 with the matchers that need nothing but this package.

    English uses exact, stem and synonym matches; German, French, Spanish and Italian exact
    and stem. ``norm`` is how text becomes words: ``norm`` is METEOR's tokeniser, ``lower``
    lower-cases tokenised text, ``none`` takes it as it is; ``auto`` is ``norm``, and
    ``none`` for Italian, for which METEOR has no tokeniser.
    """

    name: ClassVar[str] = "meteor"
    summary: ClassVar[str] = "METEOR 1.5: exact, stem and (English) WordNet synonym matches"
    languages: ClassVar[frozenset[str]] = frozenset(LANGUAGES)
    """Languages with parameters; the forms above stems are English only."""
    whole_set: ClassVar[bool] = False
    """Its matchers hang on the language alone."""
    last: ClassVar[int | None] = None
    """The last matcher in use, as every one before it is; else English has synonyms, others stems."""

    norm: Norm = "auto"

    def __post_init__(self) -> None:
        if self.norm not in ("auto", "norm", "lower", "none"):
            raise MetricError(f"{self.name}: norm is auto, norm, lower or none, not {self.norm!r}.")

    def check(self, evalset: EvalSet) -> None:
        """Also refuse METEOR's tokeniser where it has none."""
        super().check(evalset)
        if self.norm == "norm" and not LANGUAGES[evalset.target_lang].normalized:
            raise MetricError(
                f"{self}: METEOR has no tokeniser for {evalset.target_lang!r}. Give tokenised"
                " text, with norm=lower or norm=none."
            )

    def prepare(self, evalset: EvalSet) -> Context:
        """What the signature says: language, matchers, tables; also load them, once."""
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
        """Language, matchers and tables, as prepared."""
        facts: dict[str, str] = context or {}
        return {"meteor": "1.5", **facts}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Weighted matches and lengths, matches, chunks; the parameters ride along.

        The last columns are 1, alpha, beta and gamma, so that a sum of rows knows them; they
        depend on the language, which ``score`` does not know. With several references a segment's row is that of the one that scores best.
        """
        lang = batch.target_lang
        scorer = _scorer(lang, self._norm(lang), self._highest(lang), self._table())
        rows = np.stack([scorer.rows(batch.hypotheses, lines) for lines in batch.references])
        return self.best_rows(rows)

    def score(self, sums: FloatArray) -> FloatArray:
        """METEOR of summed rows: the system score is that of all counts together."""
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
        """The path of the paraphrase table, where the form has one."""
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
    """English: WordNet is."""
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
        """Also say at once if the table is not there."""
        super().check(evalset)
        paraphrases(self.table or None)

    def _table(self) -> str:
        return self.table


@lru_cache(maxsize=16)
def _scorer(lang: str, norm: str, highest: int, table: str) -> Any:
    """The aligner of a language and form, with all the words it has met, kept in the process."""
    from albeit.metrics.lexical.meteor.scorer import Scorer

    return Scorer(lang, norm, highest, table)
