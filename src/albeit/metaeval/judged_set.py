"""Test sets with human judgments, and tables of scores joined with judgments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet, Level, Names
from albeit.data.files import AnyPath, beginning, list_folder
from albeit.data.folders import choose_pair, is_tree
from albeit.data.front import read
from albeit.data.judgment_files import HUMAN, read_judgments
from albeit.data.judgments import Pairs, Ratings, is_human_reference
from albeit.data.textio import counted, warn
from albeit.errors import InputError
from albeit.metrics.table import Column, ScoreTable

FOUND = ("judgments.csv", "judgments.tsv", "pairwise.tsv", "human_seg*.tsv")
"""Files of a test set's folder that have its judgments, in this order."""
FIRST = ("mqm", "esa", "psqm", "wmt-z", "wmt-appraise-z")
"""Kinds of judgments by preference, where a tree has several and none is named."""

MARGINS = {"z": 0.75, "mqm": 1.0, "esa": 25.0, "raw": 25.0, "da": 25.0}
"""Below which difference two ratings prefer neither, by a word in the name of their column
(``mqm_avg``, ``wmt-z``): one minor error of MQM, WMT's 25 of 100 points, and for z-scores what
keeps about as many pairs."""

Taken = tuple[EvalSet, tuple[int, ...]]
"""A whole set, and which of its segments were taken (from 0, in order)."""


def usual_margin(judgments: Pairs | Ratings) -> float:
    """Return the difference below which ratings of this kind are usually ties."""
    if isinstance(judgments, Pairs):
        return 0.0
    words = judgments.kind.replace("_", "-").split("-")
    return next((margin for kind, margin in MARGINS.items() if kind in words), 0.0)


def oriented(column: Column, level: Level) -> FloatArray:
    """Return a column's scores with higher better; NaN where a translation was not scored."""
    scores = column.at(level)
    return scores if column.higher_is_better else -scores


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """One test set and language pair: scores, judgments, and segment lengths if known.

    Judgments are aligned with the table's systems and segments when the task is made, so
    that what fits no translation is refused at once. :meth:`albeit.JudgedSet.task` makes one.

    :param table: scores of the metrics
    :param judgments: preferences between translations, or ratings of them
    :param lengths: tokens of each segment's reference, which weigh segments in human scores of
        documents
    :param margin: the difference below which two ratings are a tie; without one, preferences
        without ties leave out what lies below the usual margin of such ratings
        (:data:`MARGINS`), and ties are what people tied

    >>> import albeit
    >>> import numpy as np
    >>> from albeit.data.judgments import Pairs
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf"])
    >>> segments, left, right = np.array([1, 3]), np.array([0, 0]), np.array([1, 1])
    >>> people = Pairs(("careful", "blunt"), segments, left, right, np.array([1, 1]))
    >>> len(albeit.Task(table, people).decided)
    2
    """

    table: ScoreTable
    judgments: Pairs | Ratings
    lengths: Sequence[int] | None = None
    margin: float | None = None

    def __repr__(self) -> str:
        return f"<Task {self.table!r}, {self.judgments!r}>"

    def __post_init__(self) -> None:
        aligned = self.judgments.align(self.table.systems, len(self.table))
        if not len(aligned):
            what = f"{self.name}: no judgment is about the systems of the table."
            raise InputError(what, path=self.judgments.path)
        object.__setattr__(self, "judgments", aligned)

    @property
    def name(self) -> str:
        """The test set and its languages."""
        source, target = self.table.language_pair
        return f"{self.table.name} {source}-{target}" if source else self.table.name

    @cached_property
    def pairs(self) -> Pairs:
        """Preferences, ties included; ratings become pairs of systems on a segment."""
        if isinstance(self.judgments, Pairs):
            return self.judgments
        return self.judgments.pairs(self.margin or 0.0)

    @cached_property
    def decided(self) -> Pairs:
        """Preferences without human ties; of ratings, those that differ by the margin or more."""
        if isinstance(self.judgments, Pairs):
            return self.judgments.decided()
        return self.judgments.pairs(self.decisive).decided()

    @property
    def decisive(self) -> float:
        """The difference from which on two ratings are a preference; 0 for preferences."""
        if isinstance(self.judgments, Pairs) or self.margin is None:
            return usual_margin(self.judgments)
        return self.margin

    @cached_property
    def ratings(self) -> Ratings:
        """Ratings; preferences become each system's share of wins on a segment."""
        if isinstance(self.judgments, Ratings):
            return self.judgments
        return self.judgments.ratings(len(self.table))

    def human(self, level: Level) -> FloatArray:
        """Return human scores of systems, documents, or segments; NaN where unjudged."""
        if level == "system":
            return self.judgments.system_scores()
        if level == "document":
            return self.ratings.document_scores(self.table.documents, self.lengths)
        return self.ratings.matrix(len(self.table))

    @cached_property
    def document_pairs(self) -> Pairs:
        """Preferences between systems on whole documents, from their human scores."""
        human = self.human("document")
        system, item = np.nonzero(~np.isnan(human))
        ratings = Ratings(self.table.systems, system, item, human[system, item])
        return ratings.pairs(self.margin or 0.0)

    @cached_property
    def document_of_segment(self) -> npt.NDArray[np.int64]:
        """The number of the document each segment belongs to."""
        sizes = [len(d) for d in self.table.documents]
        return np.repeat(np.arange(len(sizes)), sizes)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedSet:
    """A test set with its human judgments, whose systems and segments are those of the set.

    :param evalset: the set
    :param judgments: preferences between translations, or ratings of them
    :param taken: of which larger set the segments are, so that what goes by that set's numbers
        (scores of other tools) can still be joined

    >>> import albeit
    >>> import numpy as np
    >>> from albeit.data.judgments import Pairs
    >>> demo = albeit.read("examples/demo")
    >>> segments, left, right = np.array([1, 3]), np.array([0, 0]), np.array([1, 1])
    >>> people = Pairs(("careful", "blunt"), segments, left, right, np.array([1, 1]))
    >>> judged = albeit.JudgedSet(demo, people)
    >>> task = judged.task(albeit.score(demo, ["chrf"]))
    >>> albeit.rank_metrics([task]).metrics[0].mean
    1.0
    """

    evalset: EvalSet
    judgments: Pairs | Ratings
    taken: Taken | None = None

    def __repr__(self) -> str:
        return f"<JudgedSet {self.evalset!r}, {self.judgments!r}>"

    @property
    def lengths(self) -> tuple[int, ...] | None:
        """Words of each segment's first reference, which weigh segments in a document's score."""
        for lines in self.evalset.references.values():
            return tuple(len(line.split()) for line in lines)
        return None

    def columns(
        self, paths: Sequence[AnyPath], *, lower_is_better: Collection[str] = ()
    ) -> list[Column]:
        """Return the scores of other tools, joined by the numbers of the set as it was read."""
        if not (paths or lower_is_better):
            return []
        from albeit.metrics.external import external_columns

        whole, segments = self.taken or (self.evalset, None)
        chosen = whole.select(list(self.evalset.systems))
        return external_columns(chosen, paths, lower_is_better=lower_is_better, segments=segments)

    def task(self, table: ScoreTable, margin: float | None = None) -> Task:
        """Join scores of the set with its judgments; ``margin`` as in :class:`Task`."""
        return Task(table, self.judgments, self.lengths, margin)

    def select(self, systems: Names = None, references: Names = None) -> JudgedSet:
        """Return only these systems with their judgments, and these references, in this order."""
        chosen = self.evalset.select(systems, references)
        ignore = set(self.evalset.systems) - set(chosen.systems)
        aligned = self.judgments.align(tuple(chosen.systems), len(chosen), ignore)
        return JudgedSet(chosen, aligned, self.taken)

    def take(self, segments: Sequence[int]) -> JudgedSet:
        """Return only these segments (in order), with their judgments."""
        place = np.full(len(self.evalset), -1)
        place[segments] = np.arange(len(segments))
        kept = self.judgments.take(place[self.judgments.segment] >= 0)
        moved = replace(kept, segment=place[kept.segment], line=None)
        whole, before = self.taken or (self.evalset, None)
        numbers = segments if before is None else [before[i] for i in segments]
        return JudgedSet(self.evalset.take(segments), moved, (whole, tuple(numbers)))

    def judged_only(self) -> JudgedSet:
        """Keep only judged segments.

        Segments in which a system has an unjudged empty line, because its translation is
        missing, are excluded too.
        """
        judged = self.judgments.judged(len(self.evalset))
        kept = judged.any(axis=0) & ~(self._empty() & ~judged).any(axis=0)
        return self.take([int(i) for i in np.flatnonzero(kept)])

    def _empty(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which lines are empty: (systems, segments)."""
        texts = self.evalset.systems.values()
        return np.array([[not line.strip() for line in lines] for lines in texts])


def join(
    evalset: EvalSet, judgments: Pairs | Ratings, *, ignored: Collection[str] = ()
) -> JudgedSet:
    """Join a set with its judgments; exclude what only one of them has, with a warning.

    Excluded are unjudged systems, systems whose text is one of the references (any
    metric calls it perfect), judged references, and judged texts that aren't systems but
    are named in ``ignored``. A set with one text, all of whose judgments go by other names, holds
    the lines of several systems in one file: its ratings are of that text. Any other judgment
    of a system that the set has not is an error.
    """
    judgments = _of_one_text(evalset, judgments)
    copies = _copies(evalset)
    absent = [
        name
        for name in judgments.judged_systems()
        if name not in evalset.systems and (is_human_reference(name) or name in ignored)
    ]
    if absent:
        what = f"{', '.join(absent)}: judged like a system, but not a system of the set; excluded."
        warn(what, path=judgments.path, count=len(absent))
    judged = set(judgments.judged_systems())
    unjudged = [name for name in evalset.systems if name not in judged and name not in copies]
    kept = [name for name in evalset.systems if name in judged and name not in copies]
    if unjudged and kept:
        what = f"no judgments of {', '.join(unjudged)}; excluded."
        warn(what, path=judgments.path, count=len(unjudged))
    chosen = evalset.select(kept) if kept else evalset
    aligned = judgments.align(tuple(chosen.systems), len(chosen), {*copies, *absent})
    made = JudgedSet(chosen, aligned)
    _tell_of_gaps(made)
    return made


def _copies(evalset: EvalSet) -> set[str]:
    """Return systems whose text is a reference, and warn about them."""
    texts = {lines: name for name, lines in evalset.references.items()}
    found = {name: texts[lines] for name, lines in evalset.systems.items() if lines in texts}
    for name, reference in found.items():
        warn(f"system {name!r} is identical to the reference {reference!r}; excluded.")
    return set(found)


def _of_one_text(evalset: EvalSet, judgments: Pairs | Ratings) -> Pairs | Ratings:
    """Return the judgments; if one file has lines of several systems, as ratings of that file."""
    judged = judgments.judged_systems()
    known = any(name in evalset.systems or is_human_reference(name) for name in judged)
    if isinstance(judgments, Pairs) or len(evalset.systems) != 1 or known:
        return judgments
    (only,) = evalset.systems
    what = f"{', '.join(judged)}: their lines are in one text, {only!r}, which is rated as one."
    warn(what, path=judgments.path)
    return replace(judgments, systems=(only,), system=np.zeros_like(judgments.system))


def _tell_of_gaps(judged: JudgedSet) -> None:
    gaps = judged._empty() & ~judged.judgments.judged(len(judged.evalset))
    counts = dict(zip(judged.evalset.systems, gaps.sum(axis=1).tolist(), strict=True))
    listed = ", ".join(f"{name} ({count})" for name, count in counts.items() if count)
    if listed:
        total = int(gaps.sum())
        what = (
            f"{counted(total, 'empty line')} without judgments: {listed}. They count in scores of"
        )
        what = f"{what} of systems and documents; judged_only() (--judged-only) excludes them."
        warn(what, path=judged.judgments.path, count=total)


def read_judged(
    folder: AnyPath,
    *,
    judgments: AnyPath | None = None,
    column: str | None = None,
    penalties: bool | None = None,
    by_rater: bool = False,
    systems: Names = None,
    references: Names = None,
    name: str | None = None,
    docs: AnyPath | None = None,
    language_pair: str | None = None,
    unescape: bool = False,
) -> JudgedSet:
    """Read a test set with its human judgments.

    Judged texts that aren't systems (mostly human references), unjudged systems, and systems
    that are identical to a reference are excluded with a warning.

    :param folder: the test set
    :param judgments: their file, by default one of the folder with a usual name (:data:`FOUND`)
        or those of an mt-metrics-eval tree (``column`` says which kind);
        rankings, pairs, ratings or good and bad translations are recognised by its header
    :param column: which of several scores of ratings
    :param penalties: ratings count errors, where their name does not say so (``mqm_penalty``)
    :param by_rater: make ratings z by rater
    :param systems: only these systems; this and what follows are as in :func:`albeit.read`
    :param references: only these references
    :param name: what the set is called
    :param docs: document ids for a folder
    :param language_pair: which pair of a tree
    :param unescape: resolve HTML entities in the text
    :return: the set with its judgments

    >>> import albeit
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> pairs = Path(mkdtemp(), "pairs.tsv")
    >>> _ = pairs.write_text("segment\\tbetter\\tworse\\n2\\tcareful\\tblunt\\n")
    >>> judged = albeit.read_judged("examples/demo", judgments=pairs, systems=["careful", "blunt"])
    >>> judged.judgments
    <Pairs: 1 judgments of 2 systems>
    """
    options: Any = {"name": name, "docs": docs, "language_pair": language_pair}
    evalset = read(folder, references=references, unescape=unescape, **options)
    return with_judgments(evalset, judgments, folder, column, penalties, by_rater, systems)


def with_judgments(
    evalset: EvalSet,
    judgments: AnyPath | None,
    folder: AnyPath,
    column: str | None,
    penalties: bool | None,
    by_rater: bool,
    systems: Names,
) -> JudgedSet:
    """Return a test set with the judgments in a file, or in its folder or tree.

    Options are those of :func:`read_judged`; systems are chosen among those that were judged.
    ``by_rater`` standardises ratings by rater (z) before they are averaged.
    """
    folder = Path(folder)
    if judgments is None:
        tree = Tree.at(folder, f"{evalset.source_lang}-{evalset.target_lang}")
        judgments = tree.judgments(column) if tree else find_judgments(folder)
    pair = f"{evalset.source_lang}-{evalset.target_lang}"
    found = read_judgments(judgments, column=column, penalties=penalties, language_pair=pair)
    if by_rater:
        if not isinstance(found, Ratings):
            raise InputError("has preferences, not ratings by raters.", path=judgments)
        found = found.standardize_by_rater()
    texts = list_folder(folder) if folder.is_dir() else []
    ignored = {path.name.split(".txt")[0] for path in texts if ".txt" in path.name}
    joined = join(evalset, found, ignored=ignored)
    return joined if systems is None else joined.select(systems)


def find_judgments(folder: Path) -> Path:
    """Return the file of a folder with its judgments, or a test set that has its own."""
    if not folder.is_dir():
        if folder.is_file() and HUMAN.search(beginning(str(folder))):
            return folder
        raise InputError("no judgments given.", hint="Give them with --judgments FILE.")
    for pattern in FOUND:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    hint = "Pass its judgments with --judgments FILE (judgments= in Python)."
    raise InputError(f"has none of {', '.join(FOUND)}.", path=folder, hint=hint)


@dataclass(frozen=True)
class Tree:
    """One language pair of an mt-metrics-eval tree: its judgments, and scores of metrics."""

    folder: Path
    pair: str

    @classmethod
    def at(cls, argument: AnyPath, pair: str | None = None) -> Tree | None:
        """Return the tree that a set is read from, by its argument; ``None`` for other sets."""
        path = Path(argument)
        if not is_tree(path if path.exists() else path.parent):
            return None
        return cls(*choose_pair(path, pair))

    @property
    def kinds(self) -> dict[str, Path]:
        """The files with judgments of segments, by their kind."""
        start, ending = f"{self.pair}.", ".seg.score"
        paths = sorted((self.folder / "human-scores").glob(f"{start}*{ending}"))
        return {path.name.removeprefix(start).removesuffix(ending): path for path in paths}

    def judgments(self, kind: str | None = None) -> Path:
        """Return the file of a kind of judgments (``mqm``), by default the first of its kinds."""
        folder, found = self.folder / "human-scores", self.kinds
        if not found:
            what = f"has no judgments of segments for {self.pair}."
            raise InputError(what, path=folder, hint="Pass them with --judgments FILE.")
        if kind is not None:
            if kind not in found:
                what = f"has no judgments {kind!r} for {self.pair}; there are {', '.join(found)}."
                raise InputError(what, path=folder)
            return found[kind]
        chosen, *others = sorted(found, key=lambda name: (*FIRST, name).index(name))
        if others:
            listed = ", ".join(name for name in found if name != chosen)
            warn(f"judgments are {chosen}; --human-column chooses another: {listed}.", path=folder)
        return found[chosen]

    @property
    def scores(self) -> Path | None:
        """The folder with the submitted scores of metrics, if there is one."""
        folder = self.folder / "metric-scores" / self.pair
        return folder if folder.is_dir() else None
