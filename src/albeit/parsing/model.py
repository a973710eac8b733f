"""The shipped model at run time: onnxruntime sessions, loaded when they are first needed.

The folder of weights holds ``meta.json`` (labels, settings, version), the tokenizer, the
encoder and one file a head. The version is a checksum of all of these networks, and is
checked before the first one runs: a damaged installation is reported as such and never gives
wrong results.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Mapping, Sequence, Set
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.arrays import Floats32, IntArray
from albeit.data.textio import whole_number
from albeit.errors import AlbeitError
from albeit.parsing.encoder import Encoded, Recent, Subwords
from albeit.parsing.layers import Labels

WEIGHTS = Path(__file__).parent / "weights"
REPAIR = "Reinstall albeit: pip install --force-reinstall albeit"


_OTHER = "Name a folder with a network of albeit."


class ModelError(AlbeitError):
    """The model's files are missing, damaged, or of another version of albeit."""


def repair(path: Path) -> str:
    """Return what to do about a file of a model: reinstall albeit if it ships with it."""
    shipped = path.resolve().is_relative_to(Path(__file__).resolve().parents[1])
    return REPAIR if shipped else _OTHER


def threads() -> int:
    """How many threads the model uses: ``ALBEIT_THREADS``, else one per core, in a pool one."""
    chosen = os.environ.get("ALBEIT_THREADS", "")
    if chosen:
        if (count := whole_number(chosen)) < 1:
            what = "ALBEIT_THREADS must be a whole number above 0"
            raise AlbeitError(f"{what}, not {chosen[:80]!r}.")
        return count
    if multiprocessing.parent_process() is not None:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Networks:
    """A folder of networks with their labels; each is loaded at first use."""

    def __init__(self, folder: Path, expected: Set[str] = frozenset({"version", "labels"})) -> None:
        self.folder = folder
        self.meta = read_meta(folder, expected)
        self.version: str = self.meta["version"]
        self.labels: Labels = self.meta["labels"]
        self._checked = False
        self._sessions: dict[str, Any] = {}

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats32]:
        """Return the outputs of one network."""
        session = self.session(name)
        names = [each.name for each in session.get_inputs()]
        outputs: list[Floats32] = session.run(None, dict(zip(names, inputs, strict=True)))
        return outputs

    def session(self, name: str) -> Any:
        """Return the network of this name, loaded at first use."""
        found = self._sessions.get(name)
        if found is None:
            self._check()
            found = self._sessions[name] = load_network(self.folder / f"{name}.onnx")
        return found

    def _check(self) -> None:
        """Raise unless all networks are those of the version."""
        if self._checked:
            return
        digest = hashlib.sha256()
        paths = sorted(self.folder.glob("*.onnx"))
        try:
            for path in paths:
                digest.update(path.read_bytes())
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}). {repair(path)}") from None
        if digest.hexdigest()[:16] != self.version:
            raise ModelError(
                f"{self.folder}: the model is damaged: its {len(paths)} networks are not those of"
                f" version {self.version}. {repair(self.folder)}"
            )
        self._checked = True


class Model(Networks):
    """The encoder and its heads."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        own = {"version", "labels", "width", "rst_label_weight", "embeddings"}
        super().__init__(folder, own)
        self.width = int(self.meta["width"])
        self.threshold = float(self.meta.get("edu_threshold", 0.0))
        self.label_weight = float(self.meta["rst_label_weight"])
        self._embeddings: dict[str, int] = self.meta["embeddings"]
        self.calls = 0
        """How often the encoder ran."""
        self.recent = Recent()
        self._subwords: Subwords | None = None

    def subwords(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        """Convert sentences of words to the input of the encoder."""
        if self._subwords is None:
            path = self.folder / "tokenizer.json"
            try:
                self._subwords = Subwords(path)
            except Exception as error:  # tokenizers raises bare exceptions
                raise ModelError(f"{path}: cannot be loaded ({error}). {repair(path)}") from None
        return self._subwords(sentences)

    def encode(self, ids: IntArray, mask: IntArray, cases: IntArray) -> tuple[Floats32, Floats32]:
        """Return the input of the heads, and the middle layer."""
        self.calls += 1
        hidden, middle = self.head("encoder", ids, mask, cases)
        return hidden, middle

    def embeddings(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
        """Return the embeddings of all subwords as bytes, and their scales; networks share them.

        They are read from their place in the encoder's file.
        """
        self._check()
        rows = self._embeddings["rows"]
        path = self.folder / "encoder.onnx"
        table = np.memmap(path, np.int8, "r", self._embeddings["table"], (rows, self.width))
        scales = np.memmap(path, np.float16, "r", self._embeddings["scales"], (rows, 1))
        return table, scales


def load_network(path: Path, weights: Mapping[str, Floats32] | None = None) -> Any:
    """Open an onnxruntime session; ``weights`` are external to the file of the network."""
    import onnxruntime as ort

    ort.disable_telemetry_events()  # for those who had loaded the library before albeit

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # threads that wait actively for work would take the cores from the other networks
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if weights:
        arrays = map(np.ascontiguousarray, weights.values())
        values = [ort.OrtValue.ortvalue_from_numpy(array) for array in arrays]
        options.add_external_initializers(list(weights), values)
    try:
        return ort.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own types, without a common base
        raise ModelError(f"{path}: onnxruntime cannot load it ({error}). {repair(path)}") from None


@cache
def run_only_asked() -> Any:
    """Options of a run that doesn't compute outputs that aren't asked for."""
    import onnxruntime as ort

    options = ort.RunOptions()
    options.only_execute_path_to_fetches = True
    return options


def read_meta(folder: Path, expected: Set[str]) -> dict[str, Any]:
    """Read the description of a folder of weights, ``meta.json``."""
    path = folder / "meta.json"
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        missing = expected - set(meta)
    except OSError as error:
        raise ModelError(
            f"{path}: the model is missing ({error.strerror}). {repair(path)}"
        ) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{path}: not a description of a model ({error}). {repair(path)}"
        ) from None
    if missing:
        raise ModelError(f"{path}: lacks {', '.join(sorted(missing))}. {repair(path)}")
    return meta


def load_model() -> Model:
    """Return the shipped model, or that of ``ALBEIT_MODEL``; loaded once per process.

    Its parts are loaded when they are first used.
    """
    return _loaded(os.environ.get("ALBEIT_MODEL", ""))


@lru_cache(maxsize=1)
def _loaded(folder: str) -> Model:
    try:
        return Model(Path(folder)) if folder else Model()
    except ModelError as error:
        if not folder:
            raise
        what = str(error).removesuffix(repair(Path(folder))).rstrip()
        raise ModelError(
            f"ALBEIT_MODEL={folder}: {what} Name a folder with a model of albeit (meta.json,"
            " tokenizer.json, the networks), or unset ALBEIT_MODEL to use the one that ships."
        ) from None


@lru_cache(maxsize=1)
def load_document_model() -> Networks:
    """Return the shipped networks of documents, which read the model's output for sentences."""
    return Networks(WEIGHTS / "documents")
