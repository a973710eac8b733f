"""Read connective lexicons in the DiMLex XML format (connective-lex.info).

Those lexicons list the connectives of one language with their senses. They have licences
of their own and do not come with albeit; this reader lets you bring them: they can check a
translation lexicon's senses, or be the source inventory of another language.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from albeit.errors import InputError
from albeit.lexicons.lexicon import GAP, Connective, Form, Inventory
from albeit.lexicons.senses import parse_sense

__all__ = ["read_dimlex"]


def read_dimlex(path: str | Path, language: str) -> Inventory:
    """The connectives of a DiMLex file: every spelling, with the senses of its entry.

    Senses that are not of the PDTB kind are left out, so that an entry may have none.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the lexicon: {error.strerror}.", path=path) from None
    if b"<!ENTITY" in data:
        raise InputError(
            "declares entities of its own, which are not resolved.",
            path=path,
            hint="Write out what they stand for.",
        )
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(f"not well-formed XML: {error}.", path=path) from None
    if root.tag != "dimlex":
        raise InputError(f"the root is <{root.tag}>, not <dimlex>.", path=path)
    found: dict[str, Connective] = {}
    for entry in root.iter("entry"):
        senses = tuple(dict.fromkeys(_senses(entry)))
        for spelling in _spellings(entry):
            known = found.get(spelling)
            merged = tuple(dict.fromkeys((*known.senses, *senses))) if known else senses
            found[spelling] = Connective(spelling, Form.parse(spelling, language), merged)
    if not found:
        raise InputError("the lexicon has no entries.", path=path)
    return Inventory(language, found, f"dimlex:{Path(path).name}")


def _senses(entry: ElementTree.Element) -> list[str]:
    senses: list[str] = []
    for relation in entry.iter():
        if relation.tag in ("pdtb3_relation", "pdtb_relation", "pdtb2_relation"):
            senses += _sense(relation.get("sense", "").replace(":", ".").split("(")[0])
    return senses


def _sense(written: str) -> list[str]:
    """A PDTB sense as DiMLex files write it: ``CONTINGENCY:Cause:result``, ``cause``, or the third
    level behind a hyphen (``concession-arg2-as-denier``), which is dropped; else none."""
    while written:
        try:
            return [parse_sense(written)]
        except InputError:
            written = written.rpartition("-")[0]
    return []


def _spellings(entry: ElementTree.Element) -> list[str]:
    """Every orthographic variant, with the parts of a discontinuous one apart."""
    spellings: list[str] = []
    for variant in entry.iter("orth"):
        parts = [(part.text or "").strip() for part in variant.iter("part")]
        text = f" {GAP} ".join(part for part in parts if part)
        if text and text.casefold() not in (known.casefold() for known in spellings):
            spellings.append(text)
    word = entry.get("word", "").strip()
    return spellings or ([word] if word else [])
