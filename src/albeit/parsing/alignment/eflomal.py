"""Word alignment by eflomal, which an extra installs (``pip install 'albeit[eflomal]'``).

eflomal is somewhat better than the embedded aligner, and slower. It keeps no model, so the texts are
aligned together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from albeit.errors import MissingExtraError
from albeit.parsing.alignment.aligner import Lines, Link
from albeit.parsing.alignment.formats import read_pharaoh
from albeit.parsing.alignment.kernels import grow_diag_final_and

__all__ = ["eflomal_align"]


def eflomal_align(source: Lines, target: Lines) -> list[list[Link]]:
    """The links of each pair: both directions, joined by grow-diag-final-and."""
    try:
        from eflomal import Aligner as Eflomal
    except ImportError:
        raise MissingExtraError(
            "eflomal is not installed. Install it: pip install 'albeit[eflomal]',"
            " or use the embedded aligner (alignment=yes)."
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "forward"), Path(folder, "backward")
        Eflomal().align(
            _text(source),
            _text(target),
            links_filename_fwd=str(paths[0]),
            links_filename_rev=str(paths[1]),
            quiet=True,
        )
        forward, backward = (read_pharaoh(path) for path in paths)
    return [_joined(*pair) for pair in zip(source, target, forward, backward, strict=True)]


def _text(lines: Lines) -> list[str]:
    return [" ".join(line) + "\n" for line in lines]


def _joined(
    source: Sequence[str], target: Sequence[str], one: list[Link], two: list[Link]
) -> list[Link]:
    said = np.zeros((2, len(target), len(source)), np.bool_)
    for side, links in enumerate((one, two)):
        for i, j in links:
            said[side, j, i] = True
    joined = grow_diag_final_and(said[0], said[1])
    return sorted((int(i), int(j)) for j, i in zip(*np.nonzero(joined), strict=True))
