"""Check a lexicon: what cannot match, what collides, what the inventory does not know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from albeit.errors import InputError
from albeit.lexicons.lexicon import Form, Inventory
from albeit.lexicons.load import items, read_rows
from albeit.lexicons.senses import parse_sense
from albeit.lexicons.words import cut

__all__ = ["Finding", "check"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (``error``) or doubtful (``warning``), and where."""

    line: int
    level: str
    message: str

    def __str__(self) -> str:
        return f"{self.line}: {self.level}: {self.message}"


def check(path: str | Path, inventory: Inventory | None = None) -> list[Finding]:
    """All findings of a lexicon file, in order of lines.

    Errors: an unknown sense, a form twice under one connective and sense, a form that is
    empty or pure punctuation and so never matches, a connective that the inventory does not
    list. A warning: a sense that the inventory does not give the connective.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the lexicon: {error.strerror}.", path=path) from None
    header, rows = read_rows(text, str(path), (2, 3))
    language = header.get("target", "")
    findings: list[Finding] = []
    if not language or "source" not in header:
        findings.append(
            Finding(1, "error", "the header '#: source=… target=… version=…' is missing")
        )
    for line, cells in rows:
        if cells[0] == "!":
            _forms(cells[-1], language, line, findings)
    seen: dict[tuple[str, str, Form], int] = {}
    for line, cells in rows:
        if cells[0] == "!":
            continue
        if len(cells) != 3:
            findings.append(Finding(line, "error", "3 columns belong here"))
            continue
        findings += _check_names(line, cells[0], cells[1], inventory)
        for item, form in _forms(cells[2], language, line, findings).items():
            key = (cells[0], cells[1].casefold(), form)
            if key in seen:
                findings.append(
                    Finding(line, "error", f"{item!r} stands on line {seen[key]} already")
                )
            seen[key] = line
    return sorted(findings, key=lambda finding: finding.line)


def _forms(cell: str, language: str, line: int, findings: list[Finding]) -> dict[str, Form]:
    """The forms of a cell; what cannot match is reported instead."""
    forms: dict[str, Form] = {}
    for raw in cell.split("|"):
        item = next(items(raw))[0]
        try:
            form = Form.parse(item, language)
        except InputError:
            findings.append(Finding(line, "error", f"{raw.strip()!r} is not a form"))
            continue
        words = [word for part in form.parts for word in part]
        if not any(character.isalnum() for word in words for character in word):
            findings.append(Finding(line, "error", f"{item!r} has no word and cannot match"))
        elif any(cut(" ".join(part), language).forms != part for part in form.parts):
            findings.append(Finding(line, "error", f"{item!r} is cut in two ways, cannot match"))
        if item in forms or form in forms.values():
            findings.append(Finding(line, "error", f"{item!r} is listed twice on this line"))
        forms[item] = form
    return forms


def _check_names(line: int, source: str, sense: str, inventory: Inventory | None) -> list[Finding]:
    try:
        known = parse_sense(sense)
    except InputError as error:
        return [Finding(line, "error", error.what)]
    if inventory is None:
        return []
    if source not in inventory.connectives:
        return [Finding(line, "error", f"{source!r} is not in the list of connectives")]
    if known not in inventory.connectives[source].senses:
        return [Finding(line, "warning", f"{source!r} does not have the sense {known} there")]
    return []
