"""Read lexicons: those in the package, or files of the same two formats.

An inventory has a line a connective, with tabs between three columns: the connective, its
senses with commas between, and what it is not (``a while``) with bars between. A lexicon
has a line a source connective and sense: the connective, the sense, and the translations
with bars between, each with the number of sentence pairs in brackets where a bitext
showed it, and a question mark where that is no more than chance::

    although <tab> Comparison.Concession <tab> obwohl (182) | wobei (1?) | zwar … aber (13)

A line ``!`` lists forms that look like translations and are none. The first lines, which
start with ``#:``, give the languages and the version: ``#: source=en target=de version=1``.

Lexicons in the DiMLex XML format (connective-lex.info) are read too (:func:`read_dimlex`). They list the connectives of one language with their senses. They have licences
of their own and do not come with albeit; you may supply them: they can check a
translation lexicon's senses, or be the source inventory of another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from albeit.errors import InputError, LanguageError
from albeit.languages import normalise
from albeit.metrics.connectives.lexicons.lexicon import (
    GAP,
    Connective,
    Form,
    Inventory,
    Lexicon,
    Translation,
)
from albeit.metrics.connectives.lexicons.senses import parse_sense

__all__ = [
    "Row",
    "inventory",
    "items",
    "lexicon",
    "pairs",
    "read_dimlex",
    "read_inventory",
    "read_lexicon",
    "read_rows",
    "text_of",
]


_COUNT = re.compile(r"\((?P<count>\d++)(?P<doubt>\??)\)\Z")
_LONGEST_COUNT = 15
_LONGEST_SENSE = 200
Row = tuple[int, list[str]]


def pairs() -> list[str]:
    """The language pairs in the package: ``en-de`` …"""
    folder = resources.files("albeit.metrics.connectives.lexicons") / "data"
    names = (item.name.removesuffix(".tsv") for item in folder.iterdir())
    return sorted(name for name in names if "-" in name)


@cache
def inventory(language: str) -> Inventory:
    """The connectives of a source language that come with the package."""
    name = f"{normalise(language)}.tsv"
    file = resources.files("albeit.metrics.connectives.lexicons") / "data" / name
    if not file.is_file():
        raise LanguageError(
            f"there is no list of connectives for source language {language!r}; there is one for en."
            " Give --source-lang en if the source is English."
        )
    return _inventory(file.read_text(encoding="utf-8"), name)


@cache
def lexicon(source_lang: str, target_lang: str) -> Lexicon:
    """The lexicon of a language pair that comes with the package."""
    pair = f"{normalise(source_lang)}-{normalise(target_lang)}"
    file = resources.files("albeit.metrics.connectives.lexicons") / "data" / f"{pair}.tsv"
    if not file.is_file():
        raise LanguageError(
            f"there is no connective lexicon for {pair}; there are {', '.join(pairs())},"
            " and de-en, fr-en, it-en by turning theirs round."
            " Give your own: act(lexicon=FILE), or --lexicon FILE to 'albeit act'; or make one"
            " with 'albeit lexicon induce'."
        )
    return _lexicon(file.read_text(encoding="utf-8"), f"{pair}.tsv")


def read_inventory(path: str | Path) -> Inventory:
    """Read a list of source connectives."""
    return _inventory(text_of(path), str(path))


def read_lexicon(path: str | Path) -> Lexicon:
    """Read a translation lexicon."""
    return _lexicon(text_of(path), str(path))


def text_of(path: str | Path) -> str:
    """The text of a lexicon file."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the lexicon: {error.strerror}.", path=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}.", path=path) from None


def read_rows(text: str, path: str, columns: tuple[int, int]) -> tuple[dict[str, str], list[Row]]:
    """The header's values and the numbered rows; their number of columns is checked."""
    header: dict[str, str] = {}
    rows: list[Row] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#:"):
            header |= dict(item.partition("=")[::2] for item in line[2:].split())
        elif line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("\t")]
            if not columns[0] <= len(cells) <= columns[1]:
                raise InputError(
                    f"{len(cells)} columns where {columns[1]} belong.",
                    path=path,
                    line=number,
                    hint="Columns have one tab between them.",
                )
            rows.append((number, cells))
    return header, rows


def _inventory(text: str, path: str) -> Inventory:
    header, rows = read_rows(text, path, (2, 3))
    language = _required(header, "source", path)
    found: dict[str, Connective] = {}
    for number, cells in rows:
        name, senses, excluded = (*cells, "")[:3]
        if name in found:
            raise InputError(f"{name!r} is listed twice.", path=path, line=number)
        with _At(path, number):
            found[name] = Connective(
                name,
                Form.parse(name, language),
                tuple(map(parse_sense, senses.split(","))),
                tuple(Form.parse(item, language) for item in excluded.split("|") if item.strip()),
            )
    return Inventory(language, found, header.get("version", ""))


def _lexicon(text: str, path: str) -> Lexicon:
    header, rows = read_rows(text, path, (2, 3))
    source, target = _required(header, "source", path), _required(header, "target", path)
    entries: dict[str, dict[Form, Translation]] = {}
    blocked: list[Form] = []
    for number, cells in rows:
        with _At(path, number):
            if cells[0] == "!":
                blocked += [Form.parse(item, target) for item, _, _ in items(cells[-1])]
                continue
            if len(cells) != 3:
                raise InputError("2 columns where 3 belong: connective, sense, translations.")
            sense = parse_sense(cells[1])
            known = entries.setdefault(cells[0], {})
            for item, count, doubtful in items(cells[2]):
                form = Form.parse(item, target)
                before = known.get(form)
                if before is None:
                    known[form] = Translation(item, form, (sense,), count, doubtful)
                elif sense in before.senses:
                    raise InputError(f"{item!r} is listed twice for {cells[0]!r} as {sense}.")
                else:
                    known[form] = replace(before, senses=(*before.senses, sense))
    listed = {name: tuple(translations.values()) for name, translations in entries.items()}
    return Lexicon(source, target, listed, tuple(blocked), header.get("version", ""), path)


def items(cell: str) -> Iterator[tuple[str, int | None, bool]]:
    """The translations of a cell, with their counts and whether these are doubtful."""
    for item in map(str.strip, cell.split("|")):
        match = _COUNT.search(item)
        if match is None:
            yield item, None, False
            continue
        if len(match["count"]) > _LONGEST_COUNT:
            raise InputError(f"the count {match['count'][:20]}… is too large.")
        yield item[: match.start()].rstrip(), int(match["count"]), bool(match["doubt"])


def _required(header: dict[str, str], key: str, path: str) -> str:
    if key not in header:
        raise InputError(
            f"the first line does not give {key}=.",
            path=path,
            line=1,
            hint="Start the file with: #: source=en target=de version=1",
        )
    return header[key]


class _At:
    """Add file and line to an error raised inside."""

    def __init__(self, path: str, line: int) -> None:
        self.path, self.line = path, line

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError) and error.path is None:
            raise InputError(error.what, path=self.path, line=self.line, hint=error.hint) from None


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
    for tag in ("entry", "orth"):
        for element in root.iter(tag):
            if any(inner is not element for inner in element.iter(tag)):
                raise InputError(f"an <{tag}> has another <{tag}> in it.", path=path)
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
    while written and len(written) <= _LONGEST_SENSE:
        try:
            return [parse_sense(written)]
        except InputError:
            written = written.rpartition("-")[0]
    return []


def _spellings(entry: ElementTree.Element) -> list[str]:
    """Every orthographic variant, with the parts of a discontinuous one apart."""
    spellings: dict[str, str] = {}
    for variant in entry.iter("orth"):
        parts = [(part.text or "").strip() for part in variant.iter("part")]
        text = f" {GAP} ".join(part for part in parts if part)
        if text:
            spellings.setdefault(text.casefold(), text)
    word = entry.get("word", "").strip()
    return list(spellings.values()) or ([word] if word else [])
