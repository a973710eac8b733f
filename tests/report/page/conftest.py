"""A small set with documents, and what a report of it holds."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import pytest

from albeit import EvalSet, score
from albeit.data.evalset import Document
from albeit.metrics.table import ScoreTable


def data_of(page: str) -> dict[str, Any]:
    """All JSON inside a page."""
    blocks = re.findall(r'<script type="text/plain" id="(?:data|later)">([^<]*)</script>', page)
    assert blocks
    found: dict[str, Any] = {}
    for block in blocks:
        found |= json.loads(gzip.decompress(base64.b64decode(block)))
    return found


@pytest.fixture(scope="session")
def evalset() -> EvalSet:
    reference = ("The cat sat down.", "It did not sleep.", "Where is the cat?", "Bob fed 3 cats.")
    return EvalSet(
        references={"ref": reference},
        systems={
            "good": (*reference[:3], "Bob fed three cats."),
            "bad": ("A dog sat.", "It slept.", "Where is the dog?", "Bob fed dogs."),
        },
        documents=(Document("one", 0, 2), Document("two", 2, 4)),
        name="toy",
    )


@pytest.fixture(scope="session")
def table(evalset: EvalSet) -> ScoreTable:
    return score(evalset, ["bleu", "chrf", "ter", "cohesion"])
