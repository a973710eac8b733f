"""A folder that holds a test set and, beside it, what people said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from albeit.corpus.evalset import EvalSet
from albeit.corpus.front import read
from albeit.corpus.judgments import Ratings, read_judgments, standardised
from albeit.corpus.openings import list_folder
from albeit.errors import InputError
from albeit.judged.judged_set import JudgedSet, join

__all__ = ["FOUND", "find_judgments", "read_judged", "with_judgments"]

FOUND = ("judgments.csv", "judgments.tsv", "pairwise.tsv", "human_seg*.tsv", "contrastive.tsv")
"""Files of a test set's folder that are taken for its judgments, in this order."""


def read_judged(
    folder: str | Path,
    *,
    judgments: str | Path | None = None,
    column: str | None = None,
    penalties: bool | None = None,
    by_rater: bool = False,
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
    errors, where their name does not (``mqm_penalty``); ``by_rater`` makes ratings z by rater. What was judged, but is no system
    (human references, for the most part), and systems that nobody judged or that are a
    reference are left out, and warnings say so. The other options are those of
    :func:`albeit.read`.
    """
    folder = Path(folder)
    file = Path(judgments) if judgments is not None else find_judgments(folder)
    evalset = read(folder, name=name, docs=docs, references=references, unescape=unescape)
    return with_judgments(
        evalset,
        file,
        folder,
        column=column,
        penalties=penalties,
        by_rater=by_rater,
        systems=systems,
    )


def with_judgments(
    evalset: EvalSet,
    judgments: str | Path | None,
    folder: str | Path,
    *,
    column: str | None = None,
    penalties: bool | None = None,
    by_rater: bool = False,
    systems: Sequence[str] | None = None,
) -> JudgedSet:
    """A test set with the judgments in a file, or in the one that its folder holds.

    Options are those of :func:`read_judged`; systems are chosen among those that were judged.
    ``by_rater`` standardises ratings by rater (z) before they are averaged.
    """
    folder = Path(folder)
    if judgments is None:
        judgments = find_judgments(folder)
    found = read_judgments(judgments, column=column, penalties=penalties)
    if by_rater:
        if not isinstance(found, Ratings):
            raise InputError("holds preferences, not ratings by raters.", path=judgments)
        found = standardised(found)
    joined = join(evalset, found, beside=_texts_beside(folder))
    return joined if systems is None else joined.select(systems)


def find_judgments(folder: Path) -> Path:
    """The file of a folder that holds its judgments."""
    if not folder.is_dir():
        raise InputError("no judgments given.", hint="Give them with --judgments FILE.")
    for pattern in FOUND:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    raise InputError(
        f"holds none of {', '.join(FOUND)}.",
        path=folder,
        hint="Say where its judgments are (judgments=, --judgments FILE).",
    )


def _texts_beside(folder: Path) -> set[str]:
    """Names of a folder's text files: judged under such a name, they are no systems."""
    if not folder.is_dir():
        return set()
    return {path.name.split(".txt")[0] for path in list_folder(folder) if ".txt" in path.name}
