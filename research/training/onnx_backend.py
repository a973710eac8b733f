"""Runs exported files for `training.predict`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]


class OnnxBackend:
    """Sessions are made on first use."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self.folder = folder
        self.options = ort.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.sessions: dict[str, ort.InferenceSession] = {}

    def open(self, model: str | bytes) -> ort.InferenceSession:
        """A session for a file or for its contents."""
        return ort.InferenceSession(model, self.options, providers=["CPUExecutionProvider"])

    def load(self, name: str) -> ort.InferenceSession:
        """The session of the file of this name."""
        return self.open(str(self.folder / f"{name}.onnx"))

    def session(self, name: str) -> ort.InferenceSession:
        """The session of this name, made on first use."""
        if name not in self.sessions:
            self.sessions[name] = self.load(name)
        return self.sessions[name]

    def run(self, name: str, *inputs: Array) -> list[Floats]:
        """All outputs of a file."""
        session = self.session(name)
        names = [node.name for node in session.get_inputs()]
        found: list[Floats] = session.run(None, dict(zip(names, inputs, strict=True)))
        return found

    def encode(self, ids: Array, mask: Array, cases: Array) -> tuple[Floats, Floats]:
        """Run the encoder."""
        hidden, middle = self.run("encoder", ids, mask, cases)
        return hidden, middle

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Run one head."""
        return self.run(name, *inputs)
