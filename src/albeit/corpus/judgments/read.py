"""One entry for every kind of judgments file: the header says which it is."""

from __future__ import annotations

from pathlib import Path

from albeit.corpus.formats.contrastive import begins
from albeit.corpus.judgments.pairwise import read_contrastive, read_pairwise
from albeit.corpus.judgments.rankings import read_rankings
from albeit.corpus.judgments.ratings import read_ratings
from albeit.corpus.judgments.shapes import Pairs, Ratings
from albeit.corpus.tables import open_text
from albeit.errors import InputError

__all__ = ["read_judgments"]


def read_judgments(
    path: str | Path, *, column: str | None = None, penalties: bool | None = None
) -> Pairs | Ratings:
    """Read rankings or pairs (as :class:`Pairs`) or ratings (as :class:`Ratings`).

    ``column`` and ``penalties`` are for ratings; see :func:`read_ratings`.
    """
    path = Path(path)
    if path.name.removesuffix(".gz").endswith(".seg.score"):
        return read_ratings(path, penalties=penalties)
    header = open_text(path).readline()
    if "system1Id" in header:
        return read_rankings(path).pairs()
    names = header.rstrip("\r\n").split("\t")
    if "better" in names and "worse" in names:
        return read_pairwise(path)
    if begins(header):
        return read_contrastive(path)
    if "system" in names:
        return read_ratings(path, column=column, penalties=penalties)
    raise InputError(
        "is no judgments file that albeit knows.",
        path=path,
        line=1,
        hint="It reads WMT ranking CSV, TSV with segment, better, worse, TSV with system, "
        "segment or line0, and a score, tables with good and bad translations, and .seg.score.",
    )
