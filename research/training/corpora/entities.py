"""Named entities from GUM's nested mention annotation (`Entity=` in the MISC column).

GUM marks every mention, pronouns and common nouns included. A *named* entity is a mention whose
syntactic head is a proper noun, or a time or quantity with a number in it; where such mentions nest, the outermost
one stays, so that the result is flat and can be tagged.
"""

from __future__ import annotations

import re

from training.rows import Span


def mentions(misc: list[str]) -> list[Span]:
    """All mentions of one sentence as spans with GUM's entity type."""
    open_: dict[str, list[tuple[int, str]]] = {}
    found: list[Span] = []
    for index, column in enumerate(misc):
        value = next((p[7:] for p in column.split("|") if p.startswith("Entity=")), "")
        for match in re.finditer(r"\(([^()]+)(\))?|([^()]+)\)", value):
            opened, closed, ended = match.groups()
            if opened is not None:
                parts = opened.split("-")
                kind = parts[1] if len(parts) > 1 else "abstract"
                if closed:
                    found.append((index, index + 1, kind))
                else:
                    open_.setdefault(parts[0], []).append((index, kind))
            else:
                stack = open_.get(ended)
                if stack:
                    start, kind = stack.pop()
                    found.append((start, index + 1, kind))
    return found


def named(misc: list[str], upos: list[str], heads: list[int]) -> list[Span]:
    """The flat named entities of one sentence."""
    kept: list[Span] = []
    for start, end, kind in mentions(misc):
        outside = [k for k in range(start, end) if not start < heads[k] <= end]
        head = outside[0] if outside else start
        if upos[head] == "PROPN" or (kind == "time" and "NUM" in upos[start:end]):
            kept.append((start, end, kind))
    kept.sort(key=lambda s: (s[0], -s[1]))
    flat: list[Span] = []
    for span in kept:
        if not flat or span[0] >= flat[-1][1]:
            flat.append(span)
    return flat
