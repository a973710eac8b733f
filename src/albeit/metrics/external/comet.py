"""``comet`` and ``comet-qe``: any checkpoint of COMET, through its own package.

The package ``unbabel-comet`` (extra ``albeit[comet]``) loads the checkpoint and computes the
scores. Nothing is downloaded: a checkpoint is a file, a folder, or a name in COMET's or Hugging
Face's cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from albeit.errors import InputError, MetricError, MissingExtraError
from albeit.metrics import EvalSet, FloatArray, Loss, Need, Place, Side, View, compare_lines
from albeit.metrics.base import Batch, Context, MeanMetric, mean_statistics
from albeit.parsing.layers import TEXT, Tokens

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_SEVERITY = {"minor": 1.0, "major": 5.0, "critical": 10.0}
"""The points that XCOMET takes off for a span, of at most 25."""
_MOST = 25.0
Details = dict[str, str | float]


@dataclass(frozen=True)
class Comet(MeanMetric):
    """A COMET model with source and reference; documents and systems have the mean.

    ``model`` is a checkpoint (``.ckpt``), a folder with one, or a name such as
    ``Unbabel/wmt22-comet-da`` that is in the cache. Several references: the best counts.
    """

    model: str = "Unbabel/wmt22-comet-da"
    batch_size: int = 16

    name: ClassVar[str] = "comet"
    summary: ClassVar[str] = "COMET: a learned score of the translation, its source and reference"
    needs: ClassVar[frozenset[Need]] = frozenset(Need(TEXT, side) for side in Side)
    """All three texts."""

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise MetricError(f"{self.name}: batch_size must be at least 1.")

    @property
    def files(self) -> tuple[str, ...]:
        """The description of the checkpoint."""
        return (str(self._checkpoint().about),)

    def check(self, evalset: EvalSet) -> None:
        """Also check package and checkpoint, and that the checkpoint reads these texts."""
        super().check(evalset)
        refers = self.reads(Side.REFERENCE)
        if self._checkpoint().with_reference not in (None, refers):
            other, what = ("comet-qe", "no") if refers else ("comet", "a")
            raise MetricError(f"{self}: this checkpoint takes {what} reference. Use {other}.")

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the checkpoint's digest, and the packages that compute with it."""
        packages = {name: version(name) for name in ("unbabel-comet", "torch")}
        return {"checkpoint": self._checkpoint().digest(), **packages}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per segment."""
        results = predict(self._checkpoint(), self._samples(batch), self.batch_size)
        scores = np.array([each["score"] for each in results], dtype=np.float64)
        return mean_statistics(scores.reshape(-1, len(batch)).max(axis=0))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the spans that XCOMET marks as errors, each with its part of the missing score.

        Other checkpoints mark none: then the loss has no place.
        """
        samples = self._samples(batch)
        results = predict(self._checkpoint(), samples, self.batch_size)
        best = max(range(len(results)), key=lambda at: float(results[at]["score"]))
        lang = batch.target_lang
        sides = {"mt": (Side.HYPOTHESIS, lang, 0), "ref": (Side.REFERENCE, lang, best)}
        sides["src"] = (Side.SOURCE, batch.source_lang or lang, 0)
        texts = [
            compare_lines(side, [samples[best][key]], language, number)[0]
            for key, (side, language, number) in sides.items()
            if key in samples[best]
        ]
        score = float(self.segment_score(row))
        spans, weight = results[best].get("spans"), float(results[best]["weight"])
        losses = _losses(spans or (), weight, texts[0].tokens)
        rest = self.scale - score - sum(loss.amount for loss in losses)
        notes = () if spans is not None else ("this checkpoint marks no spans",)
        return self.view(row, texts, losses=[*losses, Loss("no marked span", rest)], notes=notes)

    def _checkpoint(self) -> Checkpoint:
        return find_checkpoint(self.model, str(self))

    def _samples(self, batch: Batch) -> list[dict[str, str]]:
        """Return every segment with every reference, references one after the other."""
        texts = (batch.sources or (), batch.hypotheses)
        if not self.reads(Side.REFERENCE):
            return [{"src": source, "mt": line} for source, line in zip(*texts, strict=True)]
        return [
            {"src": source, "mt": line, "ref": reference}
            for lines in batch.references
            for source, line, reference in zip(*texts, lines, strict=True)
        ]


@dataclass(frozen=True)
class CometQe(Comet):
    """A COMET model with the source only; documents and systems have the mean.

    ``model`` is a checkpoint (``.ckpt``), a folder with one, or a name such as
    ``Unbabel/wmt22-cometkiwi-da`` that is in the cache.
    """

    model: str = "Unbabel/wmt22-cometkiwi-da"

    name: ClassVar[str] = "comet-qe"
    summary: ClassVar[str] = "COMET without references: a learned score of translation and source"
    needs: ClassVar[frozenset[Need]] = Comet.needs - {Need(TEXT, Side.REFERENCE)}
    """Source and translation."""


def _losses(spans: Sequence[Mapping[str, Any]], weight: float, tokens: Tokens) -> list[Loss]:
    """Return the loss of each span: its share of the part of the score that spans decide."""
    points = [_SEVERITY.get(str(span["severity"]), 0.0) for span in spans]
    scale = weight / max(_MOST, sum(points))
    losses = []
    for span, worth in zip(spans, points, strict=True):
        start, stop = int(span["start"]), int(span["end"])
        inside = tuple(k for k, (a, b) in enumerate(tokens.offsets) if a < stop and b > start)
        severity = str(span["severity"])
        label = f"{severity}: {str(span['text']).strip()}"
        places = (Place(0, inside),) if inside else ()
        details: Details = {"confidence": float(span["confidence"]), "severity": severity}
        losses.append(Loss(label, worth * scale, places, details))
    return sorted(losses, key=lambda loss: -loss.amount)


@dataclass(frozen=True)
class Checkpoint:
    """A file of weights, its ``hparams.yaml``, and whether it reads a reference.

    ``with_reference`` is ``None`` for a model that works with and without one.
    """

    path: Path
    about: Path
    with_reference: bool | None

    def digest(self) -> str:
        """Return the first digits of the SHA-256 of the weights."""
        real = self.path.resolve()
        if _SHA256.match(real.name):  # Hugging Face's cache names files by it
            return real.name[:16]
        stat = real.stat()
        return _digest(real, stat.st_size, stat.st_mtime_ns)[:16]


def find_checkpoint(model: str, metric: str) -> Checkpoint:
    """Find the checkpoint of a path or a name; an error names the command to get it."""
    if importlib.util.find_spec("comet") is None:
        raise MissingExtraError(
            f"{metric} needs unbabel-comet. Install it: pip install 'albeit[comet]'"
        )
    path = _locate(model)
    if path is None:
        what = f"{metric}: the checkpoint {model!r} is not on this machine, and albeit downloads"
        hint = f"Give a path, or get it with COMET: {_command(model)}"
        raise InputError(f"{what} nothing.", hint=hint)
    about = path.absolute().parents[1] / "hparams.yaml"
    if not about.is_file():
        what = "is missing, without which COMET cannot load the checkpoint."
        hint = "A checkpoint is FOLDER/checkpoints/NAME.ckpt, with FOLDER/hparams.yaml."
        raise InputError(what, path=about, hint=hint)
    return Checkpoint(path, about, _with_reference(about))


def _locate(model: str) -> Path | None:
    """Find the checkpoint: a file, or the only one of a folder or of a cache's folder."""
    given = Path(model).expanduser()
    if given.is_file():
        return given
    if not given.is_dir():
        from huggingface_hub import snapshot_download

        try:
            given = Path(snapshot_download(model, local_files_only=True))
        except Exception:  # COMET's first models
            given = Path.home() / ".cache" / "torch" / "unbabel_comet" / model
    paths = sorted(given.glob("checkpoints/*.ckpt"))
    if len(paths) > 1:
        listed = ", ".join(path.name for path in paths)
        raise InputError("holds several checkpoints.", path=given, hint=f"Name one: {listed}.")
    return paths[0] if paths else None


def predict(
    checkpoint: Checkpoint, samples: Sequence[Mapping[str, str]], batch_size: int
) -> list[dict[str, Any]]:
    """Predict the ``score`` of each sample, the ``weight`` of spans, and ``spans`` if marked.

    Samples are sorted by length, so that a batch has little padding; each distinct one is scored
    once.
    """
    import torch

    model, device = _load(checkpoint.path, checkpoint.path.stat().st_mtime_ns)
    distinct = list({tuple(sample.values()): sample for sample in samples}.values())
    distinct.sort(key=lambda sample: (sum(map(len, sample.values())), tuple(sample.values())))
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    weights = getattr(model, "score_weights", None)
    with torch.inference_mode(), _quiet():
        for start in range(0, len(distinct), batch_size):
            some = distinct[start : start + batch_size]
            inputs = _move(model.prepare_sample(some, stage="predict"), device)
            answer = model.predict_step(inputs)
            spans = (answer.get("metadata") or {}).get("error_spans")
            for at, (sample, score) in enumerate(zip(some, answer["scores"].tolist(), strict=True)):
                own = {} if spans is None else {"spans": spans[at]}
                weight = weights[3] if weights else 0.0
                found[tuple(sample.values())] = {"score": score, "weight": weight, **own}
    return [found[tuple(sample.values())] for sample in samples]


@lru_cache(maxsize=2)
def _load(path: Path, changed: int) -> tuple[Any, Any]:
    """Load the model, on the GPU if torch has one."""
    try:
        with _quiet():
            import torch
            from comet import load_from_checkpoint

            model = load_from_checkpoint(str(path), local_files_only=True)
    except ImportError as error:
        raise MissingExtraError(
            f"unbabel-comet cannot be imported ({error}). Install it again:"
            " pip install 'albeit[comet]'"
        ) from error
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise MetricError(
            f"the checkpoint {path} cannot be loaded ({reason}). If a file of its encoder is not"
            f" on this machine, load it once while online: {_command(str(path))}"
        ) from error
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return model.to(device).eval(), device


def _move(inputs: Any, device: Any) -> Any:
    """Move nested inputs to the device."""
    if hasattr(inputs, "to"):
        return inputs.to(device)
    if isinstance(inputs, Mapping):
        return {key: _move(value, device) for key, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return type(inputs)(_move(each, device) for each in inputs)
    return inputs


def _with_reference(about: Path) -> bool | None:
    import yaml

    try:
        content = yaml.safe_load(about.read_text(encoding="utf-8"))
        kind = content["class_identifier"]
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError):
        raise InputError("names no class_identifier of COMET's.", path=about) from None
    if kind not in ("xcomet_metric", "unified_metric"):
        return bool(kind != "referenceless_regression_metric")
    segments = content.get("input_segments", ("mt", "src", "ref"))
    return "ref" in segments if kind == "unified_metric" and len(segments) < 3 else None


@lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _command(model: str) -> str:
    load = "from comet import download_model, load_from_checkpoint as load"
    what = repr(model) if model.endswith(".ckpt") else f"download_model({model!r})"
    return f'python -c "{load}; load({what})"'


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress log lines and warnings of libraries."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
