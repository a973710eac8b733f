"""Choose one candidate per segment: by the other candidates, by references, or by neither.

A metric that compares uses the other candidates as references (minimum Bayes risk), or the given
references (``against="references"``). A reference-free metric scores the candidate itself (best of
n). Metrics are added with weights, each divided by its scale.

Metrics over n-grams count each text once and compare the counts. All other metrics score blocks of
pairs. The fast variant compares with *mean* statistics in linear time: mean n-gram counts (DeNero
et al. 2009; Vamvas and Sennrich 2024), or the mean vector for ``sim``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.build import build_evalset, named_path
from albeit.data.evalset import Document, EvalSet, Unit
from albeit.data.files import shown
from albeit.data.textio import counted, parse_number, read_text, split_lines, warn
from albeit.errors import InputError, MetricError
from albeit.evaluation import Evaluation, score
from albeit.evaluation.executors import map_calls
from albeit.evaluation.scoring import Progress, compute_statistics
from albeit.metaeval.judged_set import oriented
from albeit.metrics.base import Metric
from albeit.metrics.judge.sim import Sim
from albeit.metrics.lexical.bleu import Bleu
from albeit.metrics.lexical.chrf import Chrf
from albeit.metrics.registry import metric as build_metric
from albeit.metrics.table import Column
from albeit.parsing.layers import VECTORS
from albeit.parsing.needs import Side

CHUNK = 2000
"""About how many candidates are annotated together."""
BLOCK = 1 << 15
"""About how many pairs are scored together."""
_KEYS = ("id", "doc_id", "source", "references", "candidates")
"""The keys of a segment in JSON lines."""


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The translations of one segment, with its source and references if they are known."""

    id: str
    texts: tuple[str, ...]
    source: str | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class CandidateSet:
    """The candidates of all segments; ``files`` maps systems to files with a candidate per line."""

    lists: tuple[CandidateList, ...]
    target_lang: str = "en"
    source_lang: str | None = None
    path: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    lang_hint: str | None = None

    def __post_init__(self) -> None:
        if not self.lists:
            raise InputError("holds no candidates.", path=self.path)
        seen: set[str] = set()
        first = self.lists[0]
        for one in self.lists:
            what = ""
            if one.id in seen:
                what = "is there twice; ids must differ"
            elif not one.texts:
                what = "has no candidate"
            elif (one.source is None) != (first.source is None):
                what = f"and segment {first.id!r}: only one has a source"
            elif (own := len(one.references)) != (other := len(first.references)):
                what = f"has {counted(own, 'reference')}, but segment {first.id!r} {other}"
            if what:
                raise InputError(f"segment {one.id!r} {what}.", path=self.path)
            seen.add(one.id)

    def warn(self) -> None:
        """Warn about segments with nothing to choose from, and about empty candidates."""
        if single := sum(len(set(one.texts)) == 1 for one in self.lists):
            of = f"{counted(single, 'segment')} of {len(self.lists)}"
            warn(f"{of} with only one candidate to choose from.", path=self.path, count=single)
        if empty := sum(not text.strip() for one in self.lists for text in one.texts):
            what = f"{counted(empty, 'empty candidate')}; they take part as empty translations."
            warn(what, path=self.path, count=empty)

    def evalset(self, *, against_itself: bool) -> EvalSet:
        """Make all candidates the lines of one system, with itself or the given references."""
        lists = [one for one in self.lists for _ in one.texts]
        texts = tuple(text for one in self.lists for text in one.texts)
        given = enumerate(zip(*(one.references for one in lists), strict=True))
        return EvalSet(
            {"0": texts} if against_itself else {str(n): lines for n, lines in given},
            {"candidates": texts},
            None if lists[0].source is None else tuple(one.source or "" for one in lists),
            _number(texts) if against_itself else (),
            source_lang=self.source_lang,
            target_lang=self.target_lang,
            lang_hint=self.lang_hint,
        )


def _number(texts: Sequence[str]) -> tuple[Document, ...]:
    """Make each text a document."""
    return tuple(Document(str(i), i, i + 1) for i in range(len(texts)))


def read_candidates(
    paths: Sequence[str],
    *,
    lang: str | None = "en",
    source_lang: str | None = None,
    references: Sequence[str] = (),
    source: str | None = None,
) -> CandidateSet:
    """Read JSON lines, a Moses n-best list, or several text files with a candidate per line each.

    Files of references and the source have one line per segment.
    """
    texts = build_evalset(references, (), source=source) if references or source else None
    path, files = None, {}
    if len(paths) > 1:
        systems = build_evalset((), paths).systems
        rows = zip(*systems.values(), strict=True)
        lists = [CandidateList(str(n), row) for n, row in enumerate(rows, 1)]
        files = dict(zip(systems, (shown(named_path(p)[1]) for p in paths), strict=True))
    else:
        path, lines = shown(paths[0]), split_lines(read_text(paths[0]))
        if "|||" in lines[0] and not lines[0].lstrip().startswith("{"):
            lists = _parse_moses(lines, path)
        else:
            lists = [_parse_json(line, path, n) for n, line in enumerate(lines, 1)]
    languages = (lang or "en", source_lang)
    hint = None if lang else ""
    candidates = CandidateSet(tuple(lists), *languages, path, files, hint)
    if texts and len(texts) != len(lists):
        what = f"has {len(texts)} lines, but there are {len(lists)} segments."
        raise InputError(what, path=source or references[0])
    if texts and texts.references:
        given = zip(*texts.references.values(), strict=True)
        lists = [replace(one, references=own) for one, own in zip(lists, given, strict=True)]
    if texts and texts.source:
        lists = [replace(one, source=own) for one, own in zip(lists, texts.source, strict=True)]
    return replace(candidates, lists=tuple(lists))


def _parse_json(text: str, path: str, line: int) -> CandidateList:
    def error(what: str, hint: str = "") -> InputError:
        return InputError(what, path=path, line=line, hint=hint)

    def one_line(value: object, what: str) -> str:
        if not isinstance(value, str) or "\n" in value:
            raise error(f"{what} is not a text of one line.")
        return value

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        hint = "Text files with one candidate per line: give at least two." if line == 1 else ""
        raise error(f"is not JSON: {problem}.", hint) from None
    if not isinstance(found, dict) or not isinstance(found.get("candidates"), list):
        raise error("is not an object with a list of 'candidates'.")
    if unknown := [key for key in found if key not in _KEYS]:
        raise error(f"unknown key {unknown[0]!r}.", f"Known: {', '.join(_KEYS)}.")
    references = found.get("references") or []
    references = list(references.values()) if isinstance(references, dict) else references
    if not isinstance(references, list):
        raise error("'references' is neither a list nor an object of texts.")
    texts = (each.get("text") if isinstance(each, dict) else each for each in found["candidates"])
    return CandidateList(
        str(found.get("id", line)),
        tuple(one_line(each, f"candidate {n}") for n, each in enumerate(texts, 1)),
        None if found.get("source") is None else one_line(found["source"], "'source'"),
        tuple(one_line(each, "a reference") for each in references),
    )


def _parse_moses(lines: Sequence[str], path: str) -> list[CandidateList]:
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) not in (3, 4):
            raise InputError("is not id ||| text ||| features ||| score.", path=path, line=number)
        if parts[0] in lists and parts[0] != next(reversed(lists)):
            raise InputError(f"segment {parts[0]!r} starts again here.", path=path, line=number)
        for word in " ".join(parts[2:]).split():
            _ = word.endswith("=") or parse_number(word, path, number)
        lists.setdefault(parts[0], []).append(parts[1])
    return [CandidateList(name, tuple(texts)) for name, texts in lists.items()]


@dataclass(frozen=True)
class Choice:
    """The candidate chosen for a segment, and the ratings of all (higher is better)."""

    id: str
    index: int
    text: str
    ratings: tuple[float, ...]

    @property
    def tied(self) -> tuple[int, ...]:
        """The candidates with the best rating, including the chosen one."""
        best = self.ratings[self.index]
        return tuple(n for n, rating in enumerate(self.ratings) if rating == best)


def rerank(
    candidates: CandidateSet,
    metrics: Sequence[tuple[Metric, float]],
    *,
    against: Literal["candidates", "references"] = "candidates",
    fast: bool = False,
    scores: Sequence[Column] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Choice]:
    """Choose one candidate per segment by weighted metrics; the first of equals wins.

    :param against: what metrics compare the candidates with
    :param fast: compare with the mean statistics of all candidates, in linear time
    :param scores: scores by other tools, where each system has one candidate per segment
    """
    if not metrics and not scores:
        raise MetricError("specify a metric to choose by: -m METRIC.")
    candidates.warn()
    ratings = [np.zeros(len(one.texts)) for one in candidates.lists]
    for column in scores:
        for total, own in zip(ratings, oriented(column, "segment").T, strict=True):
            total += own
    for metric, weight in metrics:
        if metric.unit is not Unit.SEGMENT:
            raise MetricError(f"{metric} scores documents, and candidates are segments.")
        if metric.reads(Side.REFERENCE) and against == "candidates":
            found = _expected_scores(candidates, (metric, fast), workers, progress)
        else:
            found = _own_scores(candidates, metric, workers, progress)
        for total, own in zip(ratings, found, strict=True):
            total += weight * own / metric.scale
    return [
        Choice(one.id, best := int(np.argmax(own)), one.texts[best], tuple(map(float, own)))
        for one, own in zip(candidates.lists, ratings, strict=True)
    ]


def pairwise(
    texts: Sequence[str],
    metric: str | Metric,
    *,
    lang: str = "en",
    source: str | None = None,
    source_lang: str | None = None,
) -> FloatArray:
    """Score every text (rows) with every text (columns) as its reference.

    :param texts: translations of one segment
    :param metric: a metric, or its name
    :param lang: the target language
    :param source: the segment's source, for metrics that read it
    :param source_lang: the source language
    :return: one row per text, one column per reference

    >>> import albeit
    >>> albeit.pairwise(["A dog barked.", "A dog barked."], "chrf").tolist()
    [[100.0, 100.0], [100.0, 100.0]]
    """
    one = CandidateList("1", tuple(texts), source)
    return Comparer(build_metric(metric), CandidateSet((one,), lang, source_lang)).score(one)


class Comparer:
    """A metric prepared for all candidates of a set, to compare those of a segment."""

    def __init__(self, metric: Metric, candidates: CandidateSet) -> None:
        self.metric, self.lang = metric, candidates.target_lang
        evalset = candidates.evalset(against_itself=True)
        evaluation = Evaluation(evalset)
        evaluation.check([metric])
        self._job = evaluation.job([metric])
        self._shared = evaluation.batch([metric], evalset.documents)

    def score(self, one: CandidateList) -> FloatArray:
        """Score each candidate (rows) with each candidate (columns) as its reference."""
        texts, count = one.texts, len(one.texts)
        if isinstance(self.metric, Bleu | Chrf):
            grams = self.metric.gram_counts(texts, self.lang)
            own, other = grams.totals[:, None], grams.totals[None]
            return self.metric.segment_score(self.metric.gram_rows(own, other, grams.shared()))
        blocks = []
        for start in range(0, count, step := max(1, BLOCK // count)):
            some = texts[start : start + step]
            left = [text for text in some for _ in texts]
            blocks.append(self.compare(left, texts * len(some), one.source))
        return self.metric.segment_score(np.concatenate(blocks).reshape(count, count, -1))

    def compare(self, left: Sequence[str], right: Sequence[str], source: str | None) -> FloatArray:
        """Compute the statistics of each left text with its right text as reference."""
        whole = self.metric.unit is Unit.DOCUMENT
        documents = _number(left) if whole else (Document("all", 0, len(left)),)
        batch = replace(self._shared, hypotheses=left, references=(right,), documents=documents)
        batch = replace(batch, sources=None if source is None else [source] * len(left))
        return compute_statistics(self._job, batch)[0]

    def expect(self, one: CandidateList, *, fast: bool = False) -> FloatArray:
        """Compute each candidate's mean score with all as references; higher is better.

        The fast variant scores each with the mean of all as its reference, in linear time.
        """
        weights = np.full(len(one.texts), 1 / len(one.texts))
        if not fast:
            sign = 1.0 if self.metric.higher_is_better else -1.0
            return np.asarray(self.score(one) * sign @ weights)
        if isinstance(self.metric, Bleu | Chrf):
            grams = self.metric.gram_counts(one.texts, self.lang)
            own, mean, shared = grams.totals, weights @ grams.totals, grams.shared_with_mean()
            return self.metric.segment_score(self.metric.gram_rows(own, mean, shared))
        if not isinstance(self.metric, Sim):
            what = f"{self.metric} has no mean statistics; bleu, chrf and sim do."
            raise MetricError(f"{what} Omit --fast.")
        vectors = [self._shared.analyses[text][VECTORS].rows for text in one.texts]
        means = np.zeros((len(vectors), max(words.shape[1] for words in vectors)))
        for row, words in zip(means, vectors, strict=True):
            if len(words):  # a text without words has no vector
                row[:] = words.mean(axis=0)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        unit = means / np.where(lengths > 0, lengths, 1.0)
        middle = weights @ unit
        return np.asarray(unit @ middle / max(float(np.linalg.norm(middle)), 1e-12))


def _expected_scores(
    candidates: CandidateSet, how: tuple[Metric, bool], workers: int, progress: Progress | None
) -> list[FloatArray]:
    """Compute each candidate's expected score with all candidates as references."""
    lists = candidates.lists
    step = max(1, CHUNK * len(lists) // sum(len(one.texts) for one in lists))
    starts = range(0, len(lists), step)
    chunks = [replace(candidates, lists=lists[start : start + step]) for start in starts]
    found: list[FloatArray] = []
    for scores in map_calls(_expect, how, chunks, workers):
        found += scores
        if progress is not None:
            progress(len(found), len(lists))
    return found


def _expect(how: tuple[Metric, bool], candidates: CandidateSet) -> list[FloatArray]:
    comparer = Comparer(how[0], candidates)
    return [comparer.expect(one, fast=how[1]) for one in candidates.lists]


def _own_scores(
    candidates: CandidateSet, metric: Metric, workers: int, progress: Progress | None
) -> list[FloatArray]:
    """Score each candidate, with the given references if the metric compares."""
    if metric.reads(Side.REFERENCE) and not candidates.lists[0].references:
        raise InputError(f"{metric} needs references; there are none.", path=candidates.path)
    evalset = candidates.evalset(against_itself=False)
    column = score(evalset, [metric], workers=workers, progress=progress)[metric]
    ends = np.cumsum([len(one.texts) for one in candidates.lists])[:-1]
    return np.split(oriented(column, "segment")[0], ends)
