"""What an mt-metrics-eval tree holds beside its texts: judgments of people, scores of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from albeit.data import folders
from albeit.data.textio import warn
from albeit.errors import InputError

FIRST = ("mqm", "esa", "psqm", "wmt-z", "wmt-appraise-z")
"""Kinds of judgments by preference, where a tree has several and none is named."""

_ENDING = ".seg.score"


@dataclass(frozen=True)
class Tree:
    """One language pair of a tree: ``human-scores/PAIR.*`` and ``metric-scores/PAIR/``."""

    folder: Path
    pair: str

    @classmethod
    def at(cls, argument: str | Path, pair: str | None = None) -> Tree | None:
        """The tree that a set is read from, by what is given for it; none for other sets."""
        path = Path(argument)
        if not folders.is_tree(path if path.exists() else path.parent):
            return None
        return cls(*folders.choose_pair(path, pair))

    @property
    def kinds(self) -> Mapping[str, Path]:
        """The files with judgments of segments, by their kind."""
        start = f"{self.pair}."
        return {
            path.name.removeprefix(start).removesuffix(_ENDING): path
            for path in sorted((self.folder / "human-scores").glob(f"{start}*{_ENDING}"))
        }

    def judgments(self, kind: str | None = None) -> Path:
        """The file of judgments of a kind (``mqm``), or of the most telling kind there is."""
        folder, found = self.folder / "human-scores", self.kinds
        if not found:
            raise InputError(
                f"holds no judgments of segments for {self.pair}.",
                path=folder,
                hint="Say where they are (--judgments FILE).",
            )
        if kind is not None and kind not in found:
            raise InputError(
                f"has no judgments {kind!r} for {self.pair}; there are {', '.join(found)}.",
                path=folder,
            )
        chosen = kind or next((name for name in FIRST if name in found), next(iter(found)))
        if kind is None and len(found) > 1:
            others = ", ".join(name for name in found if name != chosen)
            warn(f"judgments are {chosen}; --human-column chooses another: {others}.", path=folder)
        return found[chosen]

    @property
    def scores(self) -> Path | None:
        """The folder with the scores that metrics were submitted with, if there is one."""
        folder = self.folder / "metric-scores" / self.pair
        return folder if folder.is_dir() else None
