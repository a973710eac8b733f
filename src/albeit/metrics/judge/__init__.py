"""A learned metric: a network reads translation and reference together."""

SHIPPED = "shipped"
"""The weights that come with albeit."""
FILES = ("judge.onnx", "meta.json")
"""What a folder of weights holds."""
DEFAULT = "wide"
"""The network of ``judge``, a folder of ``weights``."""
