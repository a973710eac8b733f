"""Connectives to be judged by people, as one page made of the report's components.

Whoever judges does not see which system a translation is from: no name is shown, and the systems
of a line stand in an order of their own. The names are in the page's data, because the answers
that it saves must say them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from albeit.corpus.evalset import UNNAMED
from albeit.metrics.connectives.act import Assessment
from albeit.metrics.connectives.sheet import Instance, sheet_header
from albeit.report.page import shell

__all__ = ["sheet_page"]


def sheet_page(assessment: Assessment, chosen: Iterable[Instance]) -> str:
    """The page: it keeps answers in the browser and saves them for ``albeit act merge``."""
    header = sheet_header(assessment)
    key = hashlib.sha256("\n".join(header).encode()).hexdigest()[:16]
    items = sorted(chosen, key=lambda item: (item.line, item.connective, _shuffled(key, item)))
    evalset = assessment.evalset
    data = {
        "title": "" if evalset.name == UNNAMED else evalset.name,
        "key": key,
        "source_lang": evalset.source_lang or "en",
        "target_lang": evalset.target_lang,
        "header": header,
        "items": [_item(item) for item in items],
    }
    title = f"Connectives to judge: {evalset.name}"
    return shell(title, ("base.js", "sheet.js"), kind="sheet", data=data)


def _shuffled(key: str, item: Instance) -> str:
    """Something to sort by that says nothing of the system and is the same at every run."""
    return hashlib.sha256(f"{key} {item.id}".encode()).hexdigest()


def _item(item: Instance) -> dict[str, object]:
    before, _, rest = item.source.partition("[[")
    word, _, after = rest.partition("]]")
    return {
        "id": item.id,
        "line": item.line,
        "connective": item.connective,
        "source": [before, word, after],
        "reference": item.reference,
        "candidate": item.candidate,
    }
