"""All judged sets, into English and out of it, with the language pair of each segment."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from training.judge.segments import (
    INTO_ENGLISH,
    Segment,
    _segments,
    assessed,
    newstest21,
    ranked,
    table,
    talks,
    wmt23,
)

KNOWN = frozenset(
    ["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"]
)
"""What the encoder reads; a source in another language is left out."""
POINTS = 5.0
"""ESA points that count like one MQM point: a level is (score − 100) / 5, so that margins mean alike."""


def esa(folder: Path) -> list[Segment]:
    """WMT24 with error span annotation: a score of 0 to 100 a segment, the mean of its annotators."""
    found = _segments("wmt24", folder, {"refA": "ref.txt"})
    given: dict[tuple[int, str], list[float]] = defaultdict(list)
    for row in table(folder / "judgments.tsv"):
        given[int(row["segment"]) - 1, row["system"]].append(float(row["esa"]))
    for (number, system), scores in given.items():
        segment = found[number]
        if system in segment.outputs or system in segment.references:
            segment.levels[system] = (sum(scores) / len(scores) - 100) / POINTS
    return found


def read_all(data: Path, discourse: Path) -> list[tuple[str, Segment]]:
    """(language pair, segment): `data` is the shared folder, `discourse` its unpacked archive."""
    found: list[tuple[str, Segment]] = []
    for year in ("wmt12", "wmt13"):
        for pair in INTO_ENGLISH:
            found += [(pair, s) for s in ranked(year, data / year / pair)]
    for pair in ("ru-en", "ja-en", "is-en"):
        found += [(pair, s) for s in assessed(data / "wmt21" / pair)]
    for pair in ("zh-en", "en-de"):
        found += [(pair, s) for s in talks(data / "ted-mqm" / pair)]
        found += [(pair, s) for s in newstest21(discourse / "newstest21-mqm" / pair)]
        found += [(pair, s) for s in wmt23(discourse / "wmt23-mqm" / pair)]
    found += [("en-zh", s) for s in esa(discourse / "wmt24-esa/en-zh")]
    return found
