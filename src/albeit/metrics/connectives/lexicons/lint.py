"""Check a lexicon: what cannot match, what collides, what the inventory does not know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from albeit.errors import InputError
from albeit.metrics.connectives.lexicons.lexicon import Form, Inventory
from albeit.metrics.connectives.lexicons.load import items, read_rows, text_of
from albeit.metrics.connectives.lexicons.senses import parse_sense
from albeit.metrics.connectives.lexicons.words import cut

__all__ = ["Finding", "check"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (``error``) or doubtful (``warning``), and where."""

    line: int
    level: str
    message: str

    def __str__(self) -> str:
        return f"{self.line}: {self.level}: {self.message}"


@dataclass(frozen=True)
class _Listed:
    """A form as it is written first for a connective, where, and its senses there."""

    text: str
    line: int
    senses: set[str] = field(default_factory=set)


def check(
    path: str | Path, inventory: Inventory | None = None, *, hidden: bool = False
) -> list[Finding]:
    """All findings of a lexicon file, in order of lines.

    Errors: an unknown sense, a form twice under one connective and sense, a form that is
    empty or pure punctuation and so never matches, a connective that the inventory does not
    list. A warning: a sense that the inventory does not give the connective. With ``hidden``
    also forms hidden by a longer one of another connective, which may be meant so (``if`` is
    no ``only if``).
    """
    header, rows = read_rows(text_of(path), str(path), (2, 3))
    language = header.get("target", "")
    findings: list[Finding] = []
    if not language or "source" not in header:
        findings.append(
            Finding(1, "error", "the header '#: source=… target=… version=…' is missing")
        )
    blocked: set[Form] = set()
    for line, cells in rows:
        if cells[0] == "!":
            blocked.update(_forms(cells[-1], language, line, findings).values())
    seen: dict[tuple[str, str, Form], int] = {}
    listed: dict[str, dict[Form, _Listed]] = {}
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
            entry = listed.setdefault(cells[0], {}).setdefault(form, _Listed(item, line))
            entry.senses.add(cells[1].casefold())
    if hidden and inventory is not None:
        findings += _hidden(listed, blocked, inventory)
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


def _hidden(
    listed: dict[str, dict[Form, _Listed]], blocked: set[Form], inventory: Inventory
) -> Iterator[Finding]:
    """Forms that a connective has in part only, where a ``!`` line keeps even that from it.

    ``en dépit du fait que`` is blocked and stands under "even though"; "although" has all
    the senses of that, and lists ``en dépit de`` alone: there the longer form is nothing.
    """
    senses = {name: set(c.senses) for name, c in inventory.connectives.items()}
    for name, own in listed.items():
        reported = set(own)
        for other, theirs in listed.items():
            if not senses.get(other, {""}) <= senses.get(name, set()):
                continue
            for form, longer in theirs.items():
                if form not in blocked or form in reported:
                    continue
                parts = (e for f, e in own.items() if e.senses & longer.senses and f in form)
                for part in islice(parts, 1):
                    reported.add(form)
                    yield Finding(
                        part.line,
                        "warning",
                        f"{part.text!r} is hidden in {longer.text!r}, which stands on line"
                        f" {longer.line} for {other!r} and not for {name!r}",
                    )
