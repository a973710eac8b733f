"""Learned metrics: ``judge``, ``judge-many``, ``sim``, and metrics by masked prediction."""

from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"
"""Has a folder for each shipped network."""
SHIPPED = "shipped"
"""Instead of a folder: the shipped weights."""
FILES = ("judge.onnx", "meta.json")
"""The files of a folder of weights."""
ADAPTER = "adapter.npz"
"""In a folder of weights with another base: the learned weights."""
DEFAULT = "wide"
"""The folder of the network of ``judge``."""
