"""How texts were cut to segments: as text, as JSON, and on one HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from albeit.report.page import plain_page
from albeit.resegment import Resegmented
from albeit.resegment.sets import CutText

__all__ = ["RENDERERS", "to_html", "to_json", "to_text"]


def _records(made: Resegmented) -> Iterator[dict[str, Any]]:
    """One plain record a text: its segments side by side, and sentences without partner."""
    for system, texts in made.systems.items():
        for text in texts:
            yield {"system": system, **_record(made, text)}


def _record(made: Resegmented, text: CutText) -> dict[str, Any]:
    segments, found = made.segments(text), made.partners(text)
    rows = zip(segments, text.cut.spans, text.cut.pieces(), strict=True)
    return {
        "document": text.document.id,
        "reference": text.reference,
        "confidence": round(text.cut.confidence, 4),
        "empty": sum(start == stop for start, stop in text.cut.spans),
        "segments": [
            {"segment": n, "start": a, "stop": b, "reference": segment, "text": piece}
            for n, (segment, (a, b), piece) in enumerate(rows, text.document.start + 1)
        ],
        "added": [
            {"segment": text.document.start + n + 1, "text": text.cut.text[a:b]}
            for n, (a, b) in found.added
        ],
        "lost": [
            {"segment": text.document.start + n + 1, "text": segments[n][a:b]}
            for n, (a, b) in found.lost
        ],
    }


def to_json(made: Resegmented) -> str:
    """What was asked for, and all texts, with offsets."""
    found = {"resegment": made.how, "texts": list(_records(made))}
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def to_text(made: Resegmented) -> str:
    """Each segment above its translation, sentences without partner below, and a summary."""
    lines: list[str] = []
    for record in _records(made):
        lines += [_head(record), ""]
        for row in record["segments"]:
            lines.append(f"{row['segment']:>6}  {row['reference']}")
            lines.append(f"        {row['text'] or '(nothing)'}")
        lines += [f"    +   {row['segment']}: {row['text']}" for row in record["added"]]
        lines += [f"    -   {row['segment']}: {row['text']}" for row in record["lost"]]
        lines.append("")
    return "\n".join([*lines, *made.summary()]) + "\n"


def _head(record: Mapping[str, Any]) -> str:
    return (
        f"{record['system']}, document {record['document']}: cut along"
        f" {record['reference']}, {record['confidence']:.0%} of words shared"
    )


def to_html(made: Resegmented) -> str:
    """One self-contained page."""
    from albeit.report.formats.html import template

    page = template("resegment.html.j2")
    texts = [{"head": _head(record), **record} for record in _records(made)]
    return plain_page("Segments and their translations", page.render(texts=texts))


RENDERERS: dict[str, Callable[[Resegmented], str]] = {
    "text": to_text,
    "html": to_html,
    "json": to_json,
}
