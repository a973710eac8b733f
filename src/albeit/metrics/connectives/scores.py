"""ACT's scores from counts of cases, comparisons of systems, and annotation sheets.

A sheet lists instances of cases 5 and 6 for people to judge, as TSV. Its first lines,
``#: system=… total=… credit=…``, have the counts that ACTm needs, so that a sheet can be merged
without the texts. ``albeit.report.act`` makes a sheet as a page. Judged sheets are read back: ACTm
of every system with bounds, and the annotators' agreement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from albeit.data.textio import read_lines
from albeit.errors import InputError
from albeit.metrics.connectives import cut
from albeit.metrics.connectives.assess import Case, Verdict

if TYPE_CHECKING:
    from albeit.metrics.connectives.act import Assessment


@dataclass(frozen=True)
class CaseCounts:
    """The number of connectives of each case, and their credit."""

    cases: tuple[int, ...]
    credit: float

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> CaseCounts:
        """Count verdicts."""
        every = list(verdicts)
        counted = Counter(verdict.case for verdict in every)
        return cls(tuple(counted[case] for case in Case), sum(v.credit for v in every))

    @property
    def total(self) -> int:
        """The number of connectives."""
        return sum(self.cases)

    @property
    def explicit(self) -> int:
        """The number of connectives that the reference translates: cases 1 to 4."""
        return sum(self.cases[:4])

    @property
    def coverage(self) -> float:
        """The share of connectives that the reference translates."""
        return self.explicit / self.total if self.total else math.nan

    @property
    def act_a(self) -> float:
        """Credit over all connectives."""
        return self.credit / self.total if self.total else math.nan

    @property
    def act_a56(self) -> float:
        """Credit over the connectives that the reference translates."""
        return self.credit / self.explicit if self.explicit else math.nan


def wilson(successes: float, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion; [0, 1] for no observations."""
    if total == 0:
        return 0.0, 1.0
    from scipy.special import ndtri

    z = float(ndtri(0.5 + confidence / 2))
    share = successes / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def group_counts(
    verdicts: Iterable[Verdict], key: Callable[[Verdict], str]
) -> dict[str, CaseCounts]:
    """Count verdicts by a key, the most frequent first."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(key(verdict), []).append(verdict)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: CaseCounts.of(group) for name, group in ordered}


def confusion(verdicts: Iterable[Verdict]) -> Counter[tuple[str, str, str]]:
    """Count (connective, form in the reference, form in the candidate); a missing form is empty."""
    return Counter((v.connective.name, v.in_reference.name, v.in_candidate.name) for v in verdicts)


def mcnemar(better: int, worse: int) -> float:
    """Return the exact two-sided p value of these numbers of changes for the better and worse."""
    from scipy.stats import binomtest

    changes = better + worse
    return 1.0 if changes == 0 else float(binomtest(better, changes, 0.5).pvalue)


def compare(
    baseline: Sequence[Verdict],
    system: Sequence[Verdict],
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> dict[str, object]:
    """Compare two systems' verdicts on the same source connectives.

    ``better`` and ``worse`` count connectives that only one system translates correctly; McNemar's
    test is exact and two-sided. The interval of the difference in ACTa and its two-sided p value
    are by the bootstrap. It draws lines, because connectives of one line depend on each other.
    """
    places = [(v.line, v.connective.tokens) for v in baseline]
    if places != [(v.line, v.connective.tokens) for v in system]:
        raise InputError("the two systems were not assessed on the same connectives.")
    if not places:
        raise InputError("there is no connective to compare the systems on.")
    gain = np.array([v.credit for v in system]) - [v.credit for v in baseline]
    better, worse = int((gain > 0).sum()), int((gain < 0).sum())
    lines, group = np.unique([v.line for v in baseline], return_inverse=True)
    gains, sizes = np.bincount(group, weights=gain), np.bincount(group)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(len(lines), size=(resamples, len(lines)))
    samples = gains[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    tail = (1 - 0.95) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    fewer = min((samples <= 0).mean(), (samples >= 0).mean())
    return {
        "difference": float(gain.mean()),
        "interval": (float(low), float(high)),
        "better": better,
        "worse": worse,
        "McNemar p": mcnemar(better, worse),
        "bootstrap p": float(min(1.0, 2 * fewer)),
    }


@dataclass(frozen=True)
class Instance:
    """One connective to be judged; ``[[ ]]`` marks it in the source."""

    id: str
    system: str
    line: int
    connective: str
    case: int
    source: str
    reference: str
    candidate: str


COLUMNS = (*(field.name for field in fields(Instance)), "verdict")


def instances(
    assessment: Assessment, cases: Sequence[Case] = (Case.ONLY_CANDIDATE, Case.NEITHER)
) -> list[Instance]:
    """Return the instances of these cases, system by system, in order of lines."""
    evalset = assessment.evalset
    source = evalset.source or ()
    references = list(evalset.references.values())
    return [
        Instance(
            f"{system}:{verdict.line + 1}:{verdict.connective.tokens[0] + 1}",
            system,
            verdict.line + 1,
            verdict.connective.name,
            int(verdict.case),
            _mark(source[verdict.line], verdict, evalset.source_lang or "en"),
            references[verdict.reference][verdict.line],
            evalset.systems[system][verdict.line],
        )
        for system, verdicts in assessment.verdicts.items()
        for verdict in verdicts
        if verdict.case in cases
    ]


def _mark(text: str, verdict: Verdict, language: str) -> str:
    words = cut(text, language)
    start = words.offsets[verdict.connective.tokens[0]][0]
    stop = words.offsets[verdict.connective.tokens[-1]][1]
    return f"{text[:start]}[[{text[start:stop]}]]{text[stop:]}"


def write_tsv(assessment: Assessment, chosen: Iterable[Instance]) -> str:
    """Return the sheet as TSV with an empty column ``verdict``, for ``correct`` or ``wrong``."""
    lines = [*sheet_header(assessment), "\t".join(COLUMNS)]
    for instance in chosen:
        cells = (*astuple(instance), "")
        lines.append("\t".join(" ".join(str(cell).split()) for cell in cells))
    return "\n".join(lines) + "\n"


def sheet_header(assessment: Assessment) -> list[str]:
    """Return the lines above a sheet's rows: the signature, and the counts of each system."""
    lines = [f"# {assessment.signature}"]
    for system, verdicts in assessment.verdicts.items():
        counts = CaseCounts.of(verdicts)
        cases = "case5={} case6={}".format(*counts.cases[4:])
        lines.append(f"#: system={system} total={counts.total} credit={counts.credit:g} {cases}")
    return lines


_VERDICTS = {"correct": True, "wrong": False, "1": True, "0": False, "y": True, "n": False}


@dataclass(frozen=True)
class Sheet:
    """One annotator's answers: instance to verdict, ``None`` for a missing one.

    ``rater`` is the annotator's name, if the sheet has it.
    """

    path: str
    systems: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, bool | None]
    rater: str = ""


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet: the columns ``id`` and ``verdict``, and the systems' counts above them."""
    systems: dict[str, dict[str, float]] = {}
    verdicts: dict[str, bool | None] = {}
    columns: list[str] = []
    rater = ""
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("#: rater="):
            rater = line.partition("=")[2].strip()
        elif line.startswith("#:"):
            systems |= _counts(line, path, number)
        elif line.startswith("#") or not line.strip():
            continue
        elif not columns:
            columns = line.split("\t")
            if "id" not in columns or "verdict" not in columns:
                what = "the columns id and verdict are not there."
                hint = "Keep the first row of the sheet as 'albeit act annotate' wrote it."
                raise InputError(what, path=path, line=number, hint=hint)
        else:
            instance, verdict = _read_row(line, columns, path, number)
            if instance in verdicts:
                raise InputError(f"{instance} is there twice.", path=path, line=number)
            verdicts[instance] = verdict
    if not systems or not columns:
        what = "is not a sheet of 'albeit act annotate': the lines '#: system=…' are missing."
        raise InputError(what, path=path)
    return Sheet(str(path), systems, verdicts, rater)


def _counts(line: str, path: str | Path, number: int) -> dict[str, dict[str, float]]:
    head, *rest = line[2:].strip().rsplit(" ", 4)
    try:
        counts = {key: float(value) for key, value in (item.split("=") for item in rest)}
        if not {"total", "credit", "case5", "case6"} <= counts.keys():
            raise ValueError
    except ValueError:
        raise InputError("cannot read the counts of a system.", path=path, line=number) from None
    return {head.removeprefix("system="): counts}


def _read_row(
    line: str, columns: Sequence[str], path: str | Path, number: int
) -> tuple[str, bool | None]:
    """Return the instance and the verdict of one row."""
    cells = line.split("\t")
    if len(cells) != len(columns):
        what = f"{len(cells)} cells under {len(columns)} columns."
        raise InputError(what, path=path, line=number)
    row = dict(zip(columns, cells, strict=True))
    written = row["verdict"].strip().casefold()
    if written and written not in _VERDICTS:
        what = f"{row['verdict']!r} is not a verdict."
        raise InputError(what, path=path, line=number, hint="Write correct or wrong.")
    return row["id"], _VERDICTS.get(written)


def merge(sheets: Sequence[Sheet]) -> list[dict[str, str | float]]:
    """Return ACTm of each system by the majority of the annotators; a draw stays open.

    Open instances, also those that aren't judged, are wrong in ``low`` and correct in ``high``.
    """
    first = sheets[0]
    for one, two in combinations(sheets, 2):
        _check_different(one, two)
    for sheet in sheets[1:]:
        if sheet.systems != first.systems:
            what = f"this sheet is of other systems or scores than {first.path}."
            hint = "Merge sheets that came from one run of 'albeit act annotate'."
            raise InputError(what, path=sheet.path, hint=hint)
    merged: list[dict[str, str | float]] = []
    for system, counts in first.systems.items():
        votes: Counter[str] = Counter()
        for sheet in sheets:
            for instance, verdict in sheet.verdicts.items():
                if verdict is not None and instance.rsplit(":", 2)[0] == system:
                    votes[instance] += 1 if verdict else -1
        judged = sum(vote != 0 for vote in votes.values())
        correct = counts["credit"] + sum(vote > 0 for vote in votes.values())
        unjudged = int(counts["case5"] + counts["case6"]) - judged
        scale = 1 / counts["total"] if counts["total"] else math.nan
        bounds = {"low": correct * scale, "high": (correct + unjudged) * scale}
        scores = {"ACTa": counts["credit"] * scale, "ACTm": bounds["low"], **bounds}
        merged.append({"system": system, **scores, "judged": judged, "open": unjudged})
    return merged


def _check_different(one: Sheet, two: Sheet) -> None:
    """Raise if two sheets are one annotator's, whose votes would count twice."""
    if Path(one.path).absolute() == Path(two.path).absolute() or Path(one.path).samefile(two.path):
        raise InputError("is given twice.", path=two.path, hint="Give each annotator's sheet once.")
    if one.rater and one.rater.casefold() == two.rater.casefold():
        what = f"holds answers of {two.rater!r}, as {one.path} does."
        raise InputError(what, path=two.path, hint="Give one sheet per annotator, the latest.")


def kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Return Cohen's kappa of two annotators' verdicts on the same instances.

    It is not a number for no instances, and 1 if both always have the same one verdict.
    """
    total = len(first)
    if total == 0:
        return math.nan
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / total
    one, two = sum(first) / total, sum(second) / total
    expected = one * two + (1 - one) * (1 - two)
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def agreement(sheets: Sequence[Sheet]) -> list[dict[str, str | float]]:
    """Return the agreement of every pair of annotators on the instances that both judged."""
    found: list[dict[str, str | float]] = []
    for one, two in combinations(sheets, 2):
        names = {"first": one.rater or one.path, "second": two.rater or two.path}
        shared = [
            (a, b)
            for instance, a in one.verdicts.items()
            if a is not None and (b := two.verdicts.get(instance)) is not None
        ]
        observed = sum(a == b for a, b in shared) / len(shared) if shared else math.nan
        by_chance = kappa([a for a, _ in shared], [b for _, b in shared])
        found.append({**names, "shared": len(shared), "observed": observed, "kappa": by_chance})
    return found
