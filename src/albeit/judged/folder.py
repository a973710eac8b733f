"""A folder that holds a test set and, beside it, what people said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from albeit.corpus.front import read
from albeit.corpus.judgments import read_judgments
from albeit.corpus.openings import list_folder
from albeit.errors import InputError
from albeit.judged.judged_set import JudgedSet, join

__all__ = ["FOUND", "find_judgments", "read_judged", "texts_beside"]

FOUND = ("judgments.csv", "judgments.tsv", "pairwise.tsv", "human_seg*.tsv", "contrastive.tsv")
"""Files of a test set's folder that are taken for its judgments, in this order."""


def read_judged(
    folder: str | Path,
    *,
    judgments: str | Path | None = None,
    column: str | None = None,
    penalties: bool | None = None,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    name: str | None = None,
    docs: str | Path | None = None,
    unescape: bool = False,
) -> JudgedSet:
    """Read a test set with its human judgments.

    The judgments are a file of the folder with a usual name (:data:`FOUND`), or the one
    given; rankings, pairs, ratings or good and bad translations are told apart by its header.
    ``column`` chooses among several scores of ratings, and ``penalties`` says that they count
    errors, where their name does not (``mqm_penalty``). What was judged, but is no system
    (human references, for the most part), and systems that nobody judged or that are a
    reference are left out, and warnings say so. The other options are those of
    :func:`albeit.read`.
    """
    folder = Path(folder)
    path = Path(judgments) if judgments is not None else find_judgments(folder)
    evalset = read(folder, name=name, docs=docs, references=references, unescape=unescape)
    found = read_judgments(path, column=column, penalties=penalties)
    joined = join(evalset, found, beside=texts_beside(folder))
    return joined if systems is None else joined.select(systems)


def find_judgments(folder: Path) -> Path:
    """The file of a folder that holds its judgments."""
    for pattern in FOUND if folder.is_dir() else ():
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    raise InputError(
        f"holds none of {', '.join(FOUND)}.",
        path=folder,
        hint="Say where its judgments are (judgments=, --judgments FILE).",
    )


def texts_beside(folder: Path) -> set[str]:
    """Names of a folder's text files: judged under such a name, they are no systems."""
    if not folder.is_dir():
        return set()
    return {path.name.split(".txt")[0] for path in list_folder(folder) if ".txt" in path.name}
