"""``judge``, ``judge-small``, and ``judge-many``: scores by networks trained on human judgments.

The raw score becomes a score from 0 to 100: 100 minus four times the MQM points that expert
annotators are expected to take off a segment, at most 25. This calibration was fitted on held-out
documents, and its constants are in ``meta.json`` of the weights.
"""

from __future__ import annotations

import hashlib
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from albeit.metrics import AlbeitWarning, EvalSet, FloatArray, Floats32, MetricError, Signature
from albeit.metrics.base import Batch, Context, MeanMetric, mean_error, mean_statistics
from albeit.metrics.judge import ADAPTER, DEFAULT, FILES, SHIPPED, WEIGHTS
from albeit.metrics.judge.chunking import FINEST, SLACK, TIMES, Reading, whitespace_tokens
from albeit.metrics.judge.gemma import INSTALLED, check_base
from albeit.metrics.judge.network import LearnedNetwork, Network, load_judge
from albeit.metrics.judge.sequence import Sequences, Texts, load_sequences
from albeit.metrics.view import Compared, Loss, Place, Severity, View, compare_lines
from albeit.parsing.layers import TEXT, Side, read

NOTABLE_SHARE = 0.05
"""Warn if this part of a set's references was in the training data."""
NOTABLE = 0.1
"""Name a word that an expert annotator would mark with this probability."""
SEVERITIES: tuple[tuple[Severity, float], ...] = (("major", 5.0), ("minor", 1.0))
"""Kinds of errors that a network may distinguish, and the MQM points of one."""
NO_SEVERITY: tuple[tuple[Severity, float], ...] = (("", 1.0),)
SEEN = "seen.npy"
"""In a folder of weights: sorted digests of the references of the training data."""
FEWEST_WORDS, FEWEST_CHARACTERS, UNSPACED = 5, 12, "\u2e80"
"""Shorter lines occur in many texts. Scripts without spaces begin at this character."""


def digest_lines(lines: Iterable[str]) -> npt.NDArray[np.uint32]:
    """Return four bytes for each distinct line that is long enough, without spaces and case."""
    words = {tuple(line.casefold().split()) for line in lines}
    found = {
        hashlib.blake2b(" ".join(line).encode(), digest_size=4).digest()
        for line in words
        if len(line) >= FEWEST_WORDS
        or sum(mark >= UNSPACED for word in line for mark in word) >= FEWEST_CHARACTERS
    }
    return np.sort(np.frombuffer(b"".join(sorted(found)), dtype=np.uint32))


def share_seen(lines: Iterable[str], folder: Path) -> float:
    """Return the share of lines that are in the training data of the network in a folder."""
    path = folder / SEEN
    own = digest_lines(lines)
    return float(np.isin(own, np.load(path)).mean()) if len(own) and path.is_file() else 0.0


@dataclass(frozen=True)
class Learned(MeanMetric):
    """A score of each segment by a network; that of documents and systems is the mean.

    Several references: the mean of the scores against each.
    """

    scale = 100.0
    exact = False
    network: ClassVar[str]
    """The folder of the shipped weights."""
    parts: ClassVar[tuple[str, ...]] = FILES
    """The files of a folder of weights."""
    results = "docs/results/judge.md"
    """The page with results on held-out test sets."""

    weights: str = SHIPPED

    @property
    def folder(self) -> Path:
        """The folder of the weights."""
        return WEIGHTS / self.network if self.weights == SHIPPED else Path(self.weights)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of weights that aren't shipped."""
        return () if self.weights == SHIPPED else tuple(str(self.folder / p) for p in self.parts)

    @abstractmethod
    def load(self) -> LearnedNetwork:
        """Return the network, whose weights are loaded at first use."""

    @abstractmethod
    def read_items(self, items: Sequence[Texts], batch: Batch, marks: bool = False) -> Reading:
        """Read distinct items of a batch."""

    def compared(self, side: Side, text: str, language: str, number: int) -> Compared:
        """Return a text for a view, by default as words between spaces."""
        return Compared(side, text, whitespace_tokens(text), number)

    def items(self, batch: Batch) -> list[list[Texts]]:
        """Return what the network reads: for each reference, an item per segment.

        Without a reference it is the source alone. Otherwise an empty source is none.
        """
        lines = (batch.sources if self.sees(Side.SOURCE) else None) or [""] * len(batch)
        sources = [line if line.strip() else None for line in lines]
        if not batch.references:
            pairs = zip(batch.hypotheses, sources, strict=True)
            return [[Texts(translation, None, source or "") for translation, source in pairs]]
        return [
            [Texts(*texts) for texts in zip(batch.hypotheses, references, sources, strict=True)]
            for references in batch.references
        ]

    def check(self, evalset: EvalSet) -> None:
        """Warn if the network was trained on this test set."""
        super().check(evalset)
        side = "references" if evalset.references else "source"
        texts = [*evalset.references.values()] or [evalset.source or ()]
        share = share_seen((line for text in texts for line in text), self.load().folder)
        if share >= NOTABLE_SHARE:
            warnings.warn(
                AlbeitWarning(
                    f"{self} was trained on {share:.0%} of this set's {side}: its correlation with"
                    " human judgments is too high here. To rank metrics on this set, use held-out"
                    f" results ({self.results}), or untrained metrics (chrf, sim)."
                ),
                stacklevel=2,
            )

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the network's version, its calibration, and the settings for long texts."""
        network = self.load()
        return {
            "model": network.version,
            "calibration": str(network.calibration),
            "longest": str(network.longest),
            "cut": f"sentences,{FINEST}",
            "covered": f"{TIMES},{SLACK}",
            "references": "mean",
        }

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per segment, and the score's variance if the network has it."""
        scores, variances = self._scores(batch)
        variance = None if variances is None else variances.mean(axis=0)
        return mean_statistics(scores.mean(axis=0), variance)

    def standard_error(self, sums: FloatArray) -> FloatArray | None:
        """Return the standard error by the variances of segments."""
        return mean_error(sums)

    def _scores(self, batch: Batch) -> tuple[FloatArray, FloatArray | None]:
        """Return scores and variances (references, segments); each distinct item is read once."""
        items = self.items(batch)
        flat = [item for row in items for item in row]
        read = dict.fromkeys(item for item in flat if all(_required(item)))
        index = {item: k for k, item in enumerate(read)}
        scores, errors = self._calibrate(self.read_items(list(index), batch))
        shape = len(items), len(items[0])
        known = np.array([index.get(item, -1) for item in flat], np.int64)
        blank = [self.scale * (not any(_required(item))) for item in flat]
        found = np.where(known < 0, blank, np.append(scores, 0.0)[known]).reshape(shape)
        if errors is None:
            return found, None
        return found, np.append(errors**2, 0.0)[known].reshape(shape)

    def _calibrate(self, reading: Reading) -> tuple[FloatArray, FloatArray | None]:
        """Return scores from 0 to 100 and their standard errors."""
        calibration = self.load().calibration
        share = calibration.share(reading.scores)[0]
        most = self.scale * reading.covered
        if reading.spreads is None:
            return most * share, None
        return most * share, most * calibration.standard_errors(reading.scores, reading.spreads)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the words that look wrong: they share the loss by the probability of an error.

        What a text loses because it is many times as long as the other is listed too. Of several
        references, the one with the highest score is shown.
        """
        number = 0
        if len(batch.references) > 1:
            number = int(self._scores(batch)[0][:, 0].argmax())
        item = self.items(batch)[number][0]
        target = batch.target_lang
        texts = (
            (Side.HYPOTHESIS, item.translation, target, 0),
            (Side.REFERENCE, item.reference, target, number),
            (Side.SOURCE, item.source, batch.source_lang or "und", 0),
        )
        compared = [self.compared(a, text, b, n) for a, text, b, n in texts if text is not None]
        missing = self.scale - float(self.segment_score(row))
        losses = [Loss("one of the texts is empty", missing)] if missing else []
        notes: tuple[str, ...] = ()
        if all(_required(item)):
            reading = self.read_items([item], batch, marks=True)
            losses = self._losses(compared, reading, missing)
            if (count := int(reading.chunks[0])) > 1:
                notes = (f"too long for one pass: scored in {count} chunks",)
        found = self.standard_error(row)
        error = None if found is None else float(found)
        return self.view(row, compared, losses=losses, notes=notes, standard_error=error)

    def _losses(self, compared: Sequence[Compared], reading: Reading, missing: float) -> list[Loss]:
        """Return what length and single words cost."""
        score = float(self._calibrate(reading)[0][0])
        whole = score / float(reading.covered[0])
        by_length = (whole - score) / (self.scale - score) * missing
        if not reading.marks:
            found = [Loss("no single word", missing - by_length)]
        else:
            found = _word_losses(compared[0].tokens.forms, reading.marks[0], missing - by_length)
        if by_length:
            ours, theirs = (len(text.tokens) for text in compared[:2])
            label = f"far {'longer' if ours > theirs else 'shorter'} than the {compared[1].side}"
            found.insert(0 if reading.marks else 1, Loss(label, by_length))
        return found


def _required(item: Texts) -> tuple[str, str]:
    """Return the translation, and the text that must not be empty: the reference, or the source."""
    other = item.source if item.reference is None else item.reference
    return item.translation.strip(), (other or "").strip()


def _word_losses(words: Sequence[str], logits: Floats32, missing: float) -> list[Loss]:
    """Return what each word that looks wrong cost, most first, and the rest."""
    odds = 1 / (1 + np.exp(-logits.astype(np.float64)))
    kinds = SEVERITIES if odds.shape[1] == len(SEVERITIES) else NO_SEVERITY
    points = odds @ [cost for _, cost in kinds]
    found = []
    for k in np.flatnonzero(odds.max(axis=1) >= NOTABLE).tolist():
        severity = kinds[int(odds[k].argmax())][0]
        details = dict(zip([kind or "marked" for kind, _ in kinds], odds[k].tolist(), strict=True))
        amount = float(missing * points[k] / points.sum())
        found.append(Loss(words[k], amount, (Place(0, (k,)),), details, severity))
    found.sort(key=lambda loss: -loss.amount)
    rest = missing - sum(loss.amount for loss in found)
    return [*found, Loss("no single word", rest)] if rest > 0 else found


@dataclass(frozen=True)
class Judge(Learned):
    """A learned score of each segment; that of documents and systems is the mean.

    Several references: the mean of the scores against each. If one of translation and reference is
    empty, the score is 0; if both are, 100. If a text is many times as long as the other, the part
    without a counterpart scores 0. ``weights`` is a folder with another network.
    """

    name = "judge"
    summary = "learned from human preferences; reads translation and reference together"
    network: ClassVar[str] = DEFAULT
    languages = frozenset({"en"})

    def load(self) -> Network:
        """Return the network."""
        return load_judge(self.folder)

    def read_items(self, items: Sequence[Texts], batch: Batch, marks: bool = False) -> Reading:
        """Read pairs of translation and reference."""
        return self.load().read([(item.translation, item.reference or "") for item in items], marks)


@dataclass(frozen=True)
class JudgeSmall(Judge):
    """The same with a network of half the hidden size: several times as fast, less accurate."""

    name = "judge-small"
    summary = "judge with a smaller network, for speed"
    network = "small"


@dataclass(frozen=True)
class JudgeMany(Learned):
    """A learned score of each segment, in any language that Gemma 3 reads.

    Reference and source are both used if given; one of them is required. Signatures distinguish
    scores against both, against a reference, and against a source. Several references: the mean of
    the scores against each. If one of translation and reference (or source, without a reference) is
    empty, the score is 0; if both are, 100. ``base`` is Gemma's file, or a folder with it, instead
    of the installed packages. ``weights`` is a folder with another network.
    """

    base: str = INSTALLED

    name = "judge-many"
    summary = "learned from human judgments, any language; with a reference, the source, or both"
    network = "many"
    parts = (*FILES, ADAPTER)
    results = "docs/results/from-english.md"
    whole_set = False
    needs = (
        read(TEXT, side=Side.HYPOTHESIS)
        | read(TEXT, side=Side.REFERENCE, optional=True)
        | read(TEXT, side=Side.SOURCE, optional=True)
    )

    def check(self, evalset: EvalSet) -> None:
        """Raise if there is no text to compare with, or Gemma is missing."""
        if not evalset.references and evalset.source is None:
            raise MetricError(
                f"{self} needs a reference, or the source text, or both. Give the source with"
                " --source FILE."
            )
        check_base(self.base, self.load().base)
        super().check(evalset)

    def prepare(self, evalset: EvalSet) -> str:
        """Return what it reads in addition to the translation."""
        source = [] if evalset.source is None else ["source"]
        return "+".join([*source, *["reference"] * bool(evalset.references)])

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return also Gemma's checksum, and what is read."""
        network = self.load()
        found = super().versions(context) | {"gemma": network.base[:8]}
        if context == "source":
            found["alone"] = ",".join(f"{value:g}" for value in network.alone)
        return found | {"reads": context} if context else found

    def signature(self, context: Context = None) -> Signature:
        """Return the signature without the path of Gemma's file, whose checksum is in it."""
        return super().signature(context).without("base")

    def load(self) -> Sequences:
        """Return the network."""
        return load_sequences(self.folder, self.base)

    def read_items(self, items: Sequence[Texts], batch: Batch, marks: bool = False) -> Reading:
        """Read texts; the network doesn't mark words."""
        return self.load().read(items, (batch.target_lang, batch.source_lang))

    def compared(self, side: Side, text: str, language: str, number: int) -> Compared:
        """Return a text for a view, as words of its language."""
        return compare_lines(side, [text], language, number)[0]
