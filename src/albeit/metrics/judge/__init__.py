"""A learned metric: a network reads translation and reference together."""

from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"
"""A folder for each network that ships."""
SHIPPED = "shipped"
"""The weights that come with albeit."""
FILES = ("judge.onnx", "meta.json")
"""What a folder of weights holds."""
ADAPTER = "adapter.npz"
"""What a folder holds beside them where most weights come from elsewhere."""
DEFAULT = "wide"
"""The network of ``judge``, a folder of ``weights``."""
