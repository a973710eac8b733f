"""What people said about translations of one segment: the one form that all judged sets are read into.

Rankings give pairs; direct assessment and MQM give each translation a level, and pairs follow from
levels with the gap between them, so that a margin can be chosen later. `references` may hold several
human translations; where people judged them like systems, they are translations too.
"""

from __future__ import annotations

import csv
import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.evaluate.vectors import wmt12_pairs, wmt13_pairs

INTO_ENGLISH = ("cs-en", "de-en", "es-en", "fr-en")
DEEPEST = 25.0
"""MQM's penalty for a translation that is none: no segment counts for more."""
MAJOR, MINOR = 0, 1
SEVERITIES = {"major": MAJOR, "critical": MAJOR, "minor": MINOR}
Span = tuple[int, int, int, float]
"""First character, end, severity, and the share of raters that marked it."""
SOFT = ("MetricX-23", "MetricX-23-b", "MetricX-23-c")
SOFT_UNSEEN = ("MetricX-23-QE", "MetricX-23-QE-b", "MetricX-23-QE-c")
"""Free metrics whose published scores serve as soft labels, with the reference and without it."""


@dataclass(slots=True)
class Segment:
    """A source sentence, its references, its translations, and what people said about them."""

    data: str
    """The set, `wmt12` for one: what is left out together, and tested together."""
    key: str
    document: str
    source: str
    references: dict[str, str]
    outputs: dict[str, str]
    """What each system made of it."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often people preferred the first translation to the second (rankings)."""
    levels: dict[str, float] = field(default_factory=dict)
    """0 for a faultless translation, below it else (MQM), or a standardised score (DA)."""
    errors: dict[str, list[Span]] = field(default_factory=dict)
    """Where experts marked errors, in characters; an empty list says that they saw none."""

    def text(self, name: str) -> str:
        """A translation or a reference by its name."""
        return self.outputs[name] if name in self.outputs else self.references[name]


def lines(path: Path) -> list[str]:
    """A file's lines: LF alone ends one."""
    return path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a tab-separated file."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _systems(folder: Path) -> dict[str, list[str]]:
    return {path.stem: lines(path) for path in sorted((folder / "systems").glob("*.txt"))}


def segments_of(
    data: str, folder: Path, references: dict[str, str], entities: bool = False
) -> list[Segment]:
    """The texts of a folder, with HTML entities or none; what was left blank is no translation."""
    plain = html.unescape if entities else str
    name = f"{data}/{folder.name}"
    systems = _systems(folder)
    given = {key: lines(folder / file) for key, file in references.items()}
    source = lines(folder / "src.txt")
    known = folder / "docids.txt"
    documents = [line.split("\t")[0] for line in lines(known)] if known.exists() else source
    return [
        Segment(
            data,
            f"{name}:{number}",
            f"{data}:{documents[number]}",
            text,
            {key: plain(texts[number]) for key, texts in given.items()},
            {
                system: plain(texts[number])
                for system, texts in systems.items()
                if texts[number].strip()
            },
        )
        for number, text in enumerate(source)
    ]


def ranked(data: str, folder: Path) -> list[Segment]:
    """WMT12 or WMT13: people's rankings as pairs."""
    found = segments_of(data, folder, {"ref": "ref.txt"}, entities=True)
    for number, better, worse in (wmt12_pairs if data == "wmt12" else wmt13_pairs)(folder):
        if better in found[number].outputs and worse in found[number].outputs:
            found[number].pairs[better, worse] += 1
    return found


def assessed(folder: Path) -> list[Segment]:
    """WMT21 with direct assessment, standardised by assessor."""
    files = {path.stem: path.name for path in sorted(folder.glob("ref*.txt"))}
    found = segments_of("wmt21", folder, files)
    for row in table(folder / "human_seg_remapped.tsv"):
        found[int(row["line0"])].levels[row["system"]] = float(row["z"])
    return found


def _level(penalty: float) -> float:
    return -min(penalty, DEEPEST)


def talks(folder: Path) -> list[Segment]:
    """TED talks with experts' MQM, both references (into English) judged like systems."""
    files = {"ref-A": "ref_ref.txt", "ref-B": "ref_refB.txt"}
    found = segments_of("ted", folder, {k: f for k, f in files.items() if (folder / f).exists()})
    for row in table(folder / "human_seg.tsv"):
        found[int(row["line0"])].levels[row["system"]] = _level(-float(row["mqm_avg"]))
    return found


def _marked(found: list[Segment], folder: Path) -> None:
    """Add the error spans. Every judged translation was looked at, also one without errors."""
    for segment in found:
        segment.errors = {name: [] for name in segment.levels}
    for row in table(folder / "errors.tsv"):
        if row.get("is_source_error") == "True" or not row["start"] or not row["end"]:
            continue
        spans = found[int(row["segment"]) - 1].errors.get(row["system"])
        severity = SEVERITIES.get(row["severity"].lower())
        if spans is not None and severity is not None:
            spans.append((int(float(row["start"])), int(float(row["end"])), severity, 1.0))


def newstest21(folder: Path) -> list[Segment]:
    """News of 2021 with experts' MQM; all references (two or four) judged like systems."""
    others = {f"ref.{f.stem[-1]}": f.name for f in sorted(folder.glob("ref-?.txt"))}
    found = segments_of("newstest21", folder, {"ref.A": "ref.txt", **others})
    for row in table(folder / "judgments.tsv"):
        segment = found[int(row["segment"]) - 1]
        if row["system"] in segment.outputs or row["system"] in segment.references:
            segment.levels[row["system"]] = _level(float(row["mqm_penalty"]))
    _marked(found, folder)
    return found


def wmt23(folder: Path) -> list[Segment]:
    """WMT23 with experts' MQM; the reference judged like a system."""
    found = segments_of("wmt23", folder, {"refA": "ref.txt"})
    for row in table(folder / "judgments.tsv"):
        segment = found[int(row["segment"]) - 1]
        known = row["system"] in segment.outputs or row["system"] in segment.references
        if known and re.fullmatch(r"-?\d+(\.\d+)?", row["mqm"]):
            segment.levels[row["system"]] = _level(-float(row["mqm"]))
    _marked(found, folder)
    return found


def newstest20(folder: Path) -> list[Segment]:
    """News of 2020 with three experts' MQM. Spans are given as text: the first place counts, and
    what is not there (an omission) marks nothing."""
    found = segments_of("newstest20", folder, {"ref-A": "ref.txt", "ref-B": "ref-B.txt"})
    for row in table(folder / "uncertain.tsv"):
        found[int(row["segment"]) - 1].outputs.pop(row["system"], None)
    for row in table(folder / "judgments.tsv"):
        segment = found[int(row["segment"]) - 1]
        if row["system"] in segment.outputs or row["system"] in segment.references:
            segment.levels[row["system"]] = _level(-float(row["mqm"]))
            segment.errors[row["system"]] = []
    for row in table(folder / "errors.tsv"):
        segment = found[int(row["segment"]) - 1]
        severity = SEVERITIES.get(row["severity"].lower())
        if row["system"] not in segment.errors or severity is None or not row["span"].strip():
            continue
        at = segment.text(row["system"]).find(row["span"].strip())
        if at >= 0:
            end = at + len(row["span"].strip())
            segment.errors[row["system"]].append((at, end, severity, 1 / 3))
    return found


def abstracts(folder: Path) -> list[Segment]:
    """Biomedical abstracts with experts' MQM; a translation with several ratings has their mean."""
    found = segments_of("bio", folder, {"ref-A": "ref.txt"})
    given: dict[tuple[int, str], list[float]] = defaultdict(list)
    for row in table(folder / "judgments.tsv"):
        given[int(row["segment"]) - 1, row["system"]].append(float(row["mqm"]))
    for (number, system), ratings in given.items():
        if system in found[number].outputs:
            found[number].levels[system] = _level(-sum(ratings) / len(ratings))
    return found


def standardised(folder: Path) -> list[Segment]:
    """WMT16: one translation a segment, the mean of many crowd ratings."""
    found = segments_of("wmt16", folder, {"ref": "ref.txt"})
    for row in table(folder / "judgments.tsv"):
        found[int(row["segment"]) - 1].levels[row["system"]] = float(row["z"])
    return found


def metric_scores(folder: Path, name: str) -> dict[str, list[float]]:
    """A published metric's segment scores by system."""
    found: dict[str, list[float]] = defaultdict(list)
    for suffix in ("refA", "src"):
        path = folder / f"{name}-{suffix}.seg.score"
        if path.exists():
            for line in lines(path):
                system, score = line.split("\t")
                found[system].append(float(score) if score != "None" else float("nan"))
    return dict(found)


def soft(segments: list[Segment], folder: Path) -> list[Segment]:
    """WMT23 again, with the mean of free metrics' standardised scores for levels."""
    total: dict[str, NDArray[np.float64]] = {}
    for name in (*SOFT, *SOFT_UNSEEN):
        scores = metric_scores(folder, name)
        chosen = {name: np.array(scores[name]) for name in segments[0].outputs}
        everything = np.concatenate(list(chosen.values()))
        for system, values in chosen.items():
            z = (values - everything.mean()) / everything.std() / len((*SOFT, *SOFT_UNSEEN))
            total[system] = total.get(system, np.zeros(len(z))) + z
    return [
        replace(
            segment,
            levels={s: float(total[s][k]) for s in segment.outputs if s in total},
            errors={},
        )
        for k, segment in enumerate(segments)
    ]


def read_all(data: Path, discourse: Path) -> list[Segment]:
    """All judged sets into English: `data` is the shared folder, `discourse` its unpacked archive."""
    found: list[Segment] = []
    for year in ("wmt12", "wmt13"):
        for pair in INTO_ENGLISH:
            found += ranked(year, data / year / pair)
    for pair in ("ru-en", "ja-en", "is-en"):
        found += assessed(data / "wmt21" / pair)
    found += talks(data / "ted-mqm/zh-en")
    found += newstest21(discourse / "newstest21-mqm/zh-en")
    found += wmt23(discourse / "wmt23-mqm/zh-en")
    return found


def read_more(judgments: Path) -> list[Segment]:
    """What judges are tested on alone: `judgments` is the unpacked archive."""
    found = newstest20(judgments / "newstest20-mqm/zh-en")
    for pair in ("de-en", "es-en", "fr-en"):
        found += abstracts(judgments / "bio-mqm" / pair)
    for pair in ("cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en"):
        found += standardised(judgments / "wmt16-da" / pair)
    return found


def contrasts(discourse: Path) -> list[tuple[str, str, str, str]]:
    """DEMETR, for testing alone: kind, reference, good, bad."""
    rows = table(discourse / "demetr-x-en/contrastive.tsv")
    return [(r["phenomenon"], r["reference"], r["good"], r["bad"]) for r in rows]


def by_data(segments: list[Segment]) -> dict[str, list[Segment]]:
    """The segments of each set."""
    found: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        found[segment.data].append(segment)
    return dict(found)
