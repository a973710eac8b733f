"""The shipped model at run time: onnxruntime sessions, loaded when they are first needed.

The folder of weights holds ``model.json`` (version, labels, settings and a checksum a file),
the tokenizer, the encoder and one file a head. Every file is checked against its checksum
when it is loaded, so a damaged installation is told as such and never gives wrong results.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.annotate.records import Labels
from albeit.annotate.subwords import Encoded, Subwords
from albeit.errors import AlbeitError

__all__ = ["Model", "ModelError", "load_model", "model_version", "threads"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

WEIGHTS = Path(__file__).parent / "weights"
_REPAIR = "Reinstall albeit: pip install --force-reinstall albeit"


class ModelError(AlbeitError):
    """The model's files are missing, damaged, or of another version of albeit."""


def threads() -> int:
    """How many threads the model uses: ``ALBEIT_THREADS``, else one a core, in a pool one."""
    chosen = os.environ.get("ALBEIT_THREADS", "")
    if chosen.isdigit() and int(chosen):
        return int(chosen)
    if multiprocessing.parent_process() is not None:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Model:
    """The encoder and its heads."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        self.folder = folder
        self.card = _card(folder)
        self.version: str = self.card["version"]
        self.labels: Labels = self.card["labels"]
        self.width = int(self.card["width"])
        self.threshold = float(self.card["threshold"])
        self.label_weight = float(self.card["label_weight"])
        self.calls = 0
        self._sessions: dict[str, Any] = {}
        self._subwords: Subwords | None = None

    def subwords(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Sentences of words as what the encoder reads."""
        if self._subwords is None:
            self._subwords = Subwords(self._file("tokenizer.json"))
        return self._subwords(sentences)

    def encode(self, ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        """What the heads read, and the middle layer."""
        self.calls += 1
        hidden, middle = self._run("encoder", ids, mask, cases)
        return hidden, middle

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        """The outputs of one head."""
        return self._run(name, *inputs)

    def _run(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = self._load(name)
        names = [each.name for each in session.get_inputs()]
        outputs: list[Floats] = session.run(None, dict(zip(names, inputs, strict=True)))
        return outputs

    def _load(self, name: str) -> Any:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        if multiprocessing.parent_process() is not None:
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        path = self._file(f"{name}.onnx")
        try:
            return ort.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises its own types, without a common base
            raise ModelError(f"{path}: onnxruntime cannot load it ({error}). {_REPAIR}") from None

    def _file(self, name: str) -> Path:
        """A file of the model, after a look at its checksum."""
        path = self.folder / name
        expected = self.card["files"].get(name)
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise ModelError(
                f"{path}: a part of the model is missing ({error.strerror}). {_REPAIR}"
            ) from None
        if found != expected:
            raise ModelError(f"{path}: a part of the model is damaged. {_REPAIR}")
        return path


def _card(folder: Path) -> dict[str, Any]:
    path = folder / "model.json"
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for key in ("version", "labels", "width", "threshold", "label_weight", "files"):
            card[key]
    except OSError as error:
        raise ModelError(f"{path}: the model is missing ({error.strerror}). {_REPAIR}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: not a description of a model ({error}). {_REPAIR}") from None
    return card


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The shipped model; loaded once a process, and its parts when they are first used."""
    return Model()


def model_version() -> str:
    """The version of the shipped model, for signatures."""
    return load_model().version
