"""UMUC: speeches of the UN Security Council, read for their elementary discourse units alone.

It has no sentences and no syntax: an EDU that ends in final punctuation ends a sentence, and words
are cut as plain text is.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from training.rows import Item, Row

FOLDER = "umuc/Corpora/Annotated/RST_GUM-relations"
_TOKEN = re.compile(r"n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,:]\d+)*|\w+?(?=n't\b)|\w+|[^\w\s]", re.I)
_FINAL = re.compile(r"""[.?!]["')\]”’]*$""")


def tokenize(text: str) -> list[str]:
    """Cut plain text into words, roughly as the treebanks have them."""
    return _TOKEN.findall(text.replace("’", "'"))


def read(data: Path) -> list[Item]:
    """The sentences of all speeches."""
    items: list[Item] = []
    for path in sorted((data / FOLDER).glob("*.rs3")):
        words: list[str] = []
        starts: list[int] = []
        for segment in ElementTree.parse(path).iter("segment"):
            text = (segment.text or "").strip()
            pieces = tokenize(text)
            if not pieces:
                continue
            starts.append(len(words))
            words += pieces
            if _FINAL.search(text):
                name = f"{path.stem}-{len(items)}"
                items.append(Item([Row(name, "umuc", "speech", words, edus=starts)], kind="umuc"))
                words, starts = [], []
    return items
