"""Plain text cut into words, roughly as the treebanks have them."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,:]\d+)*|\w+?(?=n't\b)|\w+|[^\w\s]", re.I)


def tokenise(text: str) -> list[str]:
    """A rough cut into words."""
    return _TOKEN.findall(text.replace("’", "'"))
