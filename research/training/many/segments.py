"""All judged sets, into English and out of it, with the language pair of each segment."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from training.judge.segments import (
    INTO_ENGLISH,
    Segment,
    abstracts,
    assessed,
    lines,
    newstest20,
    newstest21,
    ranked,
    segments_of,
    soft,
    table,
    talks,
    wmt23,
)

POINTS = 10.0
"""ESA points that count like one MQM point: a level is (score − 100) / 10, so that margins mean alike."""
EDITED = "mtcarousel"
BIO = ("en-de", "en-es", "en-fr", "en-ru", "en-zh", "de-en", "es-en", "fr-en")


def esa(folder: Path) -> list[Segment]:
    """WMT24 with error span annotation: a score of 0 to 100 a segment, the mean of its annotators."""
    found = segments_of("wmt24", folder, {"refA": "ref.txt"})
    given: dict[tuple[int, str], list[float]] = defaultdict(list)
    for row in table(folder / "judgments.tsv"):
        given[int(row["segment"]) - 1, row["system"]].append(float(row["esa"]))
    for (number, system), scores in given.items():
        segment = found[number]
        if system in segment.outputs or system in segment.references:
            segment.levels[system] = (sum(scores) / len(scores) - 100) / POINTS
    return found


def edited(folder: Path) -> list[Segment]:
    """Post-edits of the very translation, by professionals: preferred wherever they changed anything.
    There is no reference; the level is the rating of the translation alone, standardised."""
    texts = [lines(folder / name) for name in ("src.txt", "systems/mt.txt", "ref.txt")]
    rated = {int(row["segment"]): float(row["z"]) for row in table(folder / "judgments.tsv")}
    found = []
    for number, (source, made, corrected) in enumerate(zip(*texts, strict=True), 1):
        key = f"mlqe/{folder.name}:{number}"
        outputs = {"mt": made, "edited": corrected}
        segment = Segment("mlqe", key, key, source, {}, outputs, levels={"mt": rated[number]})
        if made.split() != corrected.split():
            segment.pairs["edited", "mt"] = 1
        found.append(segment)
    return found


def unedited(folder: Path) -> list[Segment]:
    """Biomedical abstracts without the system that the references were made from: up to half of its
    translations are the reference."""
    found = abstracts(folder)
    for segment in found:
        segment.outputs.pop(EDITED, None)
        segment.levels.pop(EDITED, None)
    return found


def read_all(data: Path, discourse: Path, judgments: Path) -> list[tuple[str, Segment]]:
    """(language pair, segment): `data` is the shared folder, the others its unpacked archives."""
    found: list[tuple[str, Segment]] = []
    for year in ("wmt12", "wmt13"):
        for pair in INTO_ENGLISH:
            found += [(pair, s) for s in ranked(year, data / year / pair)]
    for pair in ("ru-en", "ja-en", "is-en"):
        found += [(pair, s) for s in assessed(data / "wmt21" / pair)]
    for pair in ("zh-en", "en-de"):
        found += [(pair, s) for s in talks(data / "ted-mqm" / pair)]
        found += [(pair, s) for s in newstest20(judgments / "newstest20-mqm" / pair)]
        found += [(pair, s) for s in newstest21(discourse / "newstest21-mqm" / pair)]
        found += [(pair, s) for s in wmt23(discourse / "wmt23-mqm" / pair)]
        found += [(pair, s) for s in labelled(discourse, judgments, pair)]
    for pair in BIO:
        found += [(pair, s) for s in unedited(judgments / "bio-mqm" / pair)]
    found += [("en-zh", s) for s in esa(discourse / "wmt24-esa/en-zh")]
    found += [("ru-en", s) for s in edited(judgments / "mlqe-pe/ru-en")]
    return found


def labelled(discourse: Path, judgments: Path, pair: str) -> list[Segment]:
    """WMT23 with the scores of free metrics in place of people's."""
    segments = wmt23(discourse / "wmt23-mqm" / pair)
    found = soft(segments, judgments / "wmt23-metric-scores" / pair)
    for segment in found:
        segment.data = "wmt23-soft"
    return found
