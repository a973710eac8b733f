"""COMET's checkpoints: found on this machine, loaded once, asked in batches of like length."""

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
from pathlib import Path
from typing import Any

from albeit.errors import InputError, MetricError, MissingExtraError

__all__ = ["Checkpoint", "find_checkpoint", "predicted"]

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class Checkpoint:
    """A file of weights, what its ``hparams.yaml`` says, and whether it reads a reference.

    ``beside_reference`` is ``None`` for a model that works either way.
    """

    path: Path
    about: Path
    beside_reference: bool | None

    def digest(self) -> str:
        """The beginning of the SHA-256 of the weights."""
        real = self.path.resolve()
        if _SHA256.match(real.name):  # Hugging Face's cache names files by it
            return real.name[:16]
        stat = real.stat()
        return _digest(real, stat.st_size, stat.st_mtime_ns)[:16]


def find_checkpoint(model: str, metric: str) -> Checkpoint:
    """The checkpoint that a path or a name stands for; an error says how to get it."""
    if importlib.util.find_spec("comet") is None:
        raise MissingExtraError(
            f"{metric} needs unbabel-comet. Install it: pip install 'albeit[comet]'"
        )
    given = Path(model).expanduser()
    path = given if given.is_file() else _inside(given) or _cached(model)
    if path is None:
        raise InputError(
            f"{metric}: the checkpoint {model!r} is not on this machine, and albeit downloads"
            " nothing.",
            hint=f"Give a path, or get it with COMET: {_command(model)}",
        )
    about = path.absolute().parents[1] / "hparams.yaml"
    if not about.is_file():
        raise InputError(
            "is missing, without which COMET cannot load the checkpoint.",
            path=about,
            hint="A checkpoint is FOLDER/checkpoints/NAME.ckpt beside FOLDER/hparams.yaml.",
        )
    return Checkpoint(path, about, _beside_reference(about))


def predicted(
    checkpoint: Checkpoint, samples: Sequence[Mapping[str, str]], batch_size: int
) -> list[dict[str, Any]]:
    """What the model says of each sample: its ``score``, with ``spans`` and their ``weight``.

    Samples are sorted by length, so that a batch holds little padding; each distinct one is read
    once.
    """
    import torch

    model, device = _loaded(checkpoint.path, checkpoint.path.stat().st_mtime_ns)
    distinct = list({tuple(sample.values()): sample for sample in samples}.values())
    distinct.sort(key=lambda sample: (sum(map(len, sample.values())), tuple(sample.values())))
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    weights = getattr(model, "score_weights", None)
    with torch.inference_mode(), _quiet():
        for start in range(0, len(distinct), batch_size):
            some = distinct[start : start + batch_size]
            inputs = _moved(model.prepare_sample(some, stage="predict"), device)
            answer = model.predict_step(inputs)
            spans = (answer.get("metadata") or {}).get("error_spans")
            for at, (sample, score) in enumerate(zip(some, answer["scores"].tolist(), strict=True)):
                own: dict[str, Any] = {"score": score}
                if spans is not None:
                    own |= {"spans": spans[at], "weight": weights[3] if weights else 0.0}
                found[tuple(sample.values())] = own
    return [found[tuple(sample.values())] for sample in samples]


@lru_cache(maxsize=2)
def _loaded(path: Path, changed: int) -> tuple[Any, Any]:
    """The model, on the GPU where torch sees one."""
    try:
        with _quiet():
            import torch
            from comet import load_from_checkpoint

            model = load_from_checkpoint(str(path), local_files_only=True)
    except ImportError as error:
        raise MissingExtraError(
            f"unbabel-comet cannot be imported ({error}). Install it anew:"
            " pip install 'albeit[comet]'"
        ) from error
    except OSError as error:
        raise MetricError(
            f"the checkpoint {path} cannot be loaded: its encoder's tokenizer or configuration is"
            f" not on this machine ({_first_line(error)}). Load it once while online: "
            f"{_command(str(path))}"
        ) from error
    except Exception as error:
        said = f"{type(error).__name__}: {_first_line(error)}"
        raise MetricError(f"the checkpoint {path} cannot be loaded ({said}).") from error
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return model.to(device).eval(), device


def _moved(inputs: Any, device: Any) -> Any:
    """Inputs, however nested, on the device."""
    if hasattr(inputs, "to"):
        return inputs.to(device)
    if isinstance(inputs, Mapping):
        return {key: _moved(value, device) for key, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return type(inputs)(_moved(each, device) for each in inputs)
    return inputs


def _inside(folder: Path) -> Path | None:
    """The one checkpoint of a folder, as COMET lays it out."""
    found = sorted(folder.glob("checkpoints/*.ckpt")) if folder.is_dir() else []
    if len(found) > 1:
        listed = ", ".join(path.name for path in found)
        raise InputError("holds several checkpoints.", path=folder, hint=f"Name one: {listed}.")
    return found[0] if found else None


def _cached(model: str) -> Path | None:
    """The checkpoint in Hugging Face's cache, or in that of COMET's first models."""
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(model, local_files_only=True))
    except Exception:
        folder = Path.home() / ".cache" / "torch" / "unbabel_comet" / model
    return _inside(folder)


def _beside_reference(about: Path) -> bool | None:
    import yaml

    try:
        said = yaml.safe_load(about.read_text(encoding="utf-8"))
        kind = said["class_identifier"]
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError):
        raise InputError("names no class_identifier of COMET's.", path=about) from None
    if kind in ("xcomet_metric", "unified_metric"):
        segments = said.get("input_segments", ("mt", "src", "ref"))
        return "ref" in segments if kind == "unified_metric" and len(segments) < 3 else None
    return bool(kind != "referenceless_regression_metric")


@lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _command(model: str) -> str:
    load = "from comet import download_model, load_from_checkpoint as load"
    what = repr(model) if model.endswith(".ckpt") else f"download_model({model!r})"
    return f'python -c "{load}; load({what})"'


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the log lines and warnings of the libraries below, which say nothing of scores."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
