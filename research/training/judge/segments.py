"""What humans said about translations of one segment: the one form that all judged sets are read
into.

Rankings give pairs; direct assessment and MQM give each translation a level, and pairs follow from
levels with the gap between them, so that a margin can be chosen later. `references` may hold
several human translations; where they were judged like systems, they are translations too.

ReMedy is built on Gemma 2, so its labels train `judge-many` alone (Gemma's terms), never `judge`.
Each year has its own model and scale: scores are standardized by language pair and year, by ranks,
because those of 2024 are saturated at the top.
"""

from __future__ import annotations

import csv
import html
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTO_ENGLISH = ("cs-en", "de-en", "es-en", "fr-en")
DEEPEST = 25.0
"""MQM's penalty for a text that isn't a translation: no segment counts for more."""
MAJOR, MINOR = 0, 1
SEVERITIES = {"major": MAJOR, "critical": MAJOR, "minor": MINOR}
Span = tuple[int, int, int, float]
"""First character, end, severity, and the share of raters that marked it."""
SOFT = [f"MetricX-23{kind}{seed}" for kind in ("", "-QE") for seed in ("", "-b", "-c")]
"""Free metrics whose published scores serve as soft labels, with the reference and without it."""
POINTS = 10.0
"""ESA points that count like one MQM point: a level is (score − 100) / 10."""
EDITED = "mtcarousel"
"""The references of the biomedical abstracts were made from this system."""
BIO = ("en-de", "en-es", "en-fr", "en-ru", "en-zh", "de-en", "es-en", "fr-en")
INDIC = ("en-ta", "en-ml", "en-mr", "en-gu", "en-hi")
SYSTEMS = 8
"""Outputs per segment with soft labels that are taken, drawn at random."""
RUN = 10
"""Lines that count as one document where documents aren't known."""
JUDGMENTS = "judgments.tsv"
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(slots=True)
class Segment:
    """A source sentence, its references, its translations, and what humans said about them."""

    data: str
    """The set, for example `wmt12`: what is held out together, and tested together."""
    key: str
    document: str
    source: str
    references: dict[str, str]
    outputs: dict[str, str]
    """The systems' translations."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often the first translation was preferred to the second (rankings)."""
    levels: dict[str, float] = field(default_factory=dict)
    """0 without errors, below it otherwise (MQM), or a standardized score (DA)."""
    errors: dict[str, list[Span]] = field(default_factory=dict)
    """Where experts marked errors, in characters; an empty list if they saw none."""

    def text(self, name: str) -> str:
        """Return a translation or a reference by its name."""
        return self.outputs[name] if name in self.outputs else self.references[name]

    def gap(self, one: str, other: str) -> float:
        """Return the difference of two levels."""
        return self.levels[one] - self.levels[other]


Pairs = list[tuple[str, Segment]]
"""Segments with their language pairs."""


def lines(path: Path) -> list[str]:
    """Return a file's lines: LF alone ends one."""
    return path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")


def table(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a tab-separated file."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def read_texts(
    data: str, folder: Path, references: dict[str, str], entities: bool = False
) -> list[Segment]:
    """Read the texts of a folder; a blank line isn't a translation."""
    plain = html.unescape if entities else str
    systems = {path.stem: lines(path) for path in sorted((folder / "systems").glob("*.txt"))}
    given = {key: lines(folder / file) for key, file in references.items()}
    source = lines(folder / "src.txt")
    known = folder / "docids.txt"
    documents = [line.split("\t")[0] for line in lines(known)] if known.exists() else source
    return [
        Segment(
            data,
            f"{data}/{folder.name}:{number}",
            f"{data}:{documents[number]}",
            text,
            {key: plain(texts[number]) for key, texts in given.items()},
            {name: plain(own[number]) for name, own in systems.items() if own[number].strip()},
        )
        for number, text in enumerate(source)
    ]


def read_wmt12_pairs(folder: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the untied pairwise judgments behind a WMT12 language pair's five-way rankings."""
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        for record in csv.DictReader(file):
            ranks = {record[f"system{k}Id"]: int(record[f"system{k}rank"]) for k in range(1, 6)}
            known = [(name, rank) for name, rank in ranks.items() if rank > 0]
            for (a, one), (b, other) in combinations(known, 2):
                if one != other:
                    yield int(record["srcIndex"]) - 1, *((a, b) if one < other else (b, a))


def ranked(data: str, folder: Path) -> list[Segment]:
    """Read WMT12 or WMT13: human rankings as pairs."""
    found = read_texts(data, folder, {"ref": "ref.txt"}, entities=True)
    if data == "wmt12":
        pairs = list(read_wmt12_pairs(folder))
    else:
        rows = table(folder / "pairwise.tsv")
        pairs = [(int(row["segment"]) - 1, row["better"], row["worse"]) for row in rows]
    for number, better, worse in pairs:
        if better in found[number].outputs and worse in found[number].outputs:
            found[number].pairs[better, worse] += 1
    return found


def read_rankings(data: Path) -> Pairs:
    """Read all rankings of translations into English."""
    folders = [(year, data / year / pair) for year in ("wmt12", "wmt13") for pair in INTO_ENGLISH]
    return [(folder.name, s) for year, folder in folders for s in ranked(year, folder)]


def add_levels(
    found: list[Segment], path: Path, column: str, *, sign: float = 1, human: bool = True
) -> list[Segment]:
    """Add mean MQM scores of known translations, human ones too; `sign` is -1 for penalties."""
    given: dict[tuple[int, str], list[float]] = defaultdict(list)
    for row in table(path):
        number = int(row.get("line0") or row["segment"]) - ("line0" not in row)
        segment, system = found[number], row["system"]
        known = system in segment.outputs or (human and system in segment.references)
        if known and _NUMBER.fullmatch(row[column]):
            given[number, system].append(sign * float(row[column]))
    for (number, system), scores in given.items():
        found[number].levels[system] = max(-DEEPEST, sum(scores) / len(scores))
    return found


def _add_errors(found: list[Segment], folder: Path, share: float = 1.0) -> list[Segment]:
    """Add the error spans. Every judged translation was looked at, also one without errors."""
    for segment in found:
        segment.errors = {name: [] for name in segment.levels}
    for row in table(folder / "errors.tsv"):
        segment, severity = found[int(row["segment"]) - 1], SEVERITIES.get(row["severity"].lower())
        spans = segment.errors.get(row["system"])
        if spans is None or severity is None or row.get("is_source_error") == "True":
            continue
        if "span" in row:
            span = row["span"].strip()
            start = segment.text(row["system"]).find(span) if span else -1
            place = (start, start + len(span)) if start >= 0 else None
        else:
            known = row["start"] and row["end"]
            place = (int(float(row["start"])), int(float(row["end"]))) if known else None
        if place:
            spans.append((*place, severity, share))
    return found


def add_column(found: list[Segment], path: Path, column: str = "z") -> list[Segment]:
    """Return the segments with levels of one rating per translation."""
    for row in table(path):
        number = int(row.get("line0") or row["segment"]) - ("line0" not in row)
        found[number].levels[row["system"]] = float(row[column])
    return found


def assessed(folder: Path) -> list[Segment]:
    """Read WMT21 with direct assessment, standardized by assessor."""
    files = {path.stem: path.name for path in sorted(folder.glob("ref*.txt"))}
    return add_column(read_texts("wmt21", folder, files), folder / "human_seg_remapped.tsv")


def talks(folder: Path) -> list[Segment]:
    """Read TED talks with MQM, both references (into English) judged like systems."""
    files = {"ref-A": "ref_ref.txt", "ref-B": "ref_refB.txt"}
    found = read_texts("ted", folder, {k: f for k, f in files.items() if (folder / f).exists()})
    return add_levels(found, folder / "human_seg.tsv", "mqm_avg")


def newstest21(folder: Path) -> list[Segment]:
    """Read news of 2021 with MQM; all references (two or four) judged like systems."""
    others = {f"ref.{f.stem[-1]}": f.name for f in sorted(folder.glob("ref-?.txt"))}
    found = read_texts("newstest21", folder, {"ref.A": "ref.txt", **others})
    return _add_errors(add_levels(found, folder / JUDGMENTS, "mqm_penalty", sign=-1), folder)


def wmt23(folder: Path) -> list[Segment]:
    """Read WMT23 with MQM; the reference judged like a system."""
    found = read_texts("wmt23", folder, {"refA": "ref.txt"})
    return _add_errors(add_levels(found, folder / JUDGMENTS, "mqm"), folder)


def newstest20(folder: Path) -> list[Segment]:
    """Read news of 2020 with MQM by three experts.

    Spans are given as text: the first place counts, and an omission marks nothing."""
    found = read_texts("newstest20", folder, {"ref-A": "ref.txt", "ref-B": "ref-B.txt"})
    for row in table(folder / "uncertain.tsv"):
        found[int(row["segment"]) - 1].outputs.pop(row["system"], None)
    add_levels(found, folder / JUDGMENTS, "mqm")
    return _add_errors(found, folder, 1 / 3)


def abstracts(folder: Path) -> list[Segment]:
    """Read biomedical abstracts with MQM; a translation with several ratings has their mean."""
    found = read_texts("bio", folder, {"ref-A": "ref.txt"})
    return add_levels(found, folder / JUDGMENTS, "mqm", human=False)


def standardised(folder: Path) -> list[Segment]:
    """Read WMT16: one translation per segment, the mean of many crowd ratings."""
    return add_column(read_texts("wmt16", folder, {"ref": "ref.txt"}), folder / JUDGMENTS)


def metric_scores(folder: Path, name: str) -> dict[str, list[float]]:
    """Read a published metric's segment scores by system."""
    found: dict[str, list[float]] = defaultdict(list)
    for suffix in ("refA", "src"):
        path = folder / f"{name}-{suffix}.seg.score"
        for line in lines(path) if path.exists() else ():
            system, score = line.split("\t")
            found[system].append(float(score) if score != "None" else float("nan"))
    return dict(found)


def soft(segments: list[Segment], folder: Path) -> list[Segment]:
    """Return WMT23 again, with the mean of free metrics' standardized scores for levels."""
    total: dict[str, NDArray[np.float64]] = {}
    for name in SOFT:
        scores = metric_scores(folder, name)
        chosen = {system: np.array(scores[system]) for system in segments[0].outputs}
        everything = np.concatenate(list(chosen.values()))
        for system, values in chosen.items():
            z = (values - everything.mean()) / everything.std() / len(SOFT)
            total[system] = total.get(system, np.zeros(len(z))) + z
    found = []
    for k, segment in enumerate(segments):
        levels = {s: float(total[s][k]) for s in segment.outputs if s in total}
        found.append(replace(segment, levels=levels, errors={}))
    return found


def read_all(data: Path, discourse: Path) -> list[Segment]:
    """Read all judged sets into English: the shared folder, and its unpacked archive."""
    found = [segment for _, segment in read_rankings(data)]
    for pair in ("ru-en", "ja-en", "is-en"):
        found += assessed(data / "wmt21" / pair)
    found += talks(data / "ted-mqm/zh-en")
    found += newstest21(discourse / "newstest21-mqm/zh-en")
    found += wmt23(discourse / "wmt23-mqm/zh-en")
    return found


def read_more(judgments: Path) -> list[Segment]:
    """Read what judges are tested on alone, from the unpacked archive."""
    found = newstest20(judgments / "newstest20-mqm/zh-en")
    for pair in ("de-en", "es-en", "fr-en"):
        found += abstracts(judgments / "bio-mqm" / pair)
    for pair in ("cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en"):
        found += standardised(judgments / "wmt16-da" / pair)
    return found


def contrasts(discourse: Path) -> list[tuple[str, str, str, str]]:
    """Read DEMETR, for testing alone: kind, reference, good, bad."""
    rows = table(discourse / "demetr-x-en/contrastive.tsv")
    return [(r["phenomenon"], r["reference"], r["good"], r["bad"]) for r in rows]


def by_data(segments: list[Segment]) -> dict[str, list[Segment]]:
    """Return the segments of each set."""
    found: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        found[segment.data].append(segment)
    return dict(found)


def esa(folder: Path) -> list[Segment]:
    """Read WMT24 with error span annotation: a score of 0 to 100, the mean of its annotators."""
    found = read_texts("wmt24", folder, {"refA": "ref.txt"})
    for segment in add_levels(found, folder / JUDGMENTS, "esa"):
        segment.levels = {name: (s - 100) / POINTS for name, s in segment.levels.items()}
    return found


def unedited(folder: Path) -> list[Segment]:
    """Read biomedical abstracts without the system that the references were made from."""
    found = abstracts(folder)
    for segment in found:
        segment.outputs.pop(EDITED, None)
        segment.levels.pop(EDITED, None)
    return found


def read_languages(data: Path, discourse: Path, judgments: Path) -> Pairs:
    """Read all judged sets in all languages."""
    folders: list[tuple[Any, Path]] = [
        *((assessed, data / "wmt21" / pair) for pair in ("ru-en", "ja-en", "is-en")),
        *((unedited, judgments / "bio-mqm" / pair) for pair in BIO),
        (esa, discourse / "wmt24-esa/en-zh"),
    ]
    for pair in ("zh-en", "en-de"):
        folders += [
            (talks, data / "ted-mqm" / pair),
            (newstest20, judgments / "newstest20-mqm" / pair),
            (newstest21, discourse / "newstest21-mqm" / pair),
            (wmt23, discourse / "wmt23-mqm" / pair),
        ]
    found = [(folder.name, segment) for read, folder in folders for segment in read(folder)]
    return found + read_rankings(data)


def normal_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores as quantiles of a normal distribution; ties have one value."""
    from scipy.special import ndtri

    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - count / 2
    return np.asarray(ndtri(middle / len(scores))[place])


def remedy(folder: Path) -> Pairs:
    """Read ReMedy's labels as standardized levels; sets are `remedy22/en-cs` etc."""
    found: Pairs = []
    for path in sorted(folder.glob("wmt*/*/scores.tsv")):
        data, pair = f"remedy{path.parent.parent.name[-2:]}", path.parent.name
        segments = read_texts(data, path.parent, {"ref": "ref.txt"})
        if not (path.parent / "docids.txt").exists():
            for number, segment in enumerate(segments):
                segment.document = f"{data}/{pair}:{number // RUN}"
        rows = [(r["system"], int(r["segment"]) - 1, float(r["score"])) for r in table(path)]
        levels = normal_scores(np.array([score for *_, score in rows]))
        for (system, number, _), level in zip(rows, levels, strict=True):
            if system in segments[number].outputs:
                segments[number].levels[system] = float(level)
        rng = random.Random(f"{data}{pair}")
        for segment in segments:
            chosen = sorted(segment.levels)
            chosen = rng.sample(chosen, min(SYSTEMS, len(chosen)))
            segment.outputs = {name: segment.outputs[name] for name in chosen}
            segment.levels = {name: segment.levels[name] for name in chosen}
        found += [(pair, s) for s in segments if s.outputs and s.references["ref"].strip()]
    return found


def newer(folder: Path) -> Pairs:
    """Read MQM of WMT22 en-de and of five Indian languages: they decide how much chrF counts.

    They aren't used for training (WMT22: CC BY-NC-SA; IndicMT: no license). Side-by-side MQM of
    WMT23 isn't read: WMT23 is a test set. Segments with doubtful references are left out."""
    found: Pairs = []
    sets: Sequence[tuple[str, str]] = (("wmt22", "en-de"), *(("indicmt", p) for p in INDIC))
    for data, pair in sets:
        path = folder / f"{data}-mqm" / pair
        segments = read_texts(data, path, {"ref-A": "ref.txt"})
        add_levels(segments, path / JUDGMENTS, "mqm", human=False)
        doubt = path / "reference_doubt.tsv"
        wrong = {int(row["segment"]) - 1 for row in table(doubt)} if doubt.exists() else set()
        for number, segment in enumerate(segments):
            if data == "indicmt":
                segment.document = segment.key
            if segment.levels and number not in wrong:
                found.append((pair, segment))
    return found
