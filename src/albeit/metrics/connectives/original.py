r"""Read dictionaries of the original ACT program, which are files of assignments in Perl.

The name of an assignment is a connective with an optional sense. Its value has the translations::

    $althoughCONTRAST = "form one|(form|forme) two|^three";

Alternatives are separated by ``|``, and parentheses group them. A form with ``^`` must begin the
line. Spaces are borders of words, which every form has here. A form without a sense has all senses
of its connective, unless it is also listed with a sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from albeit.errors import InputError
from albeit.metrics.connectives import Connective, Form, Inventory, Lexicon, Translation

_NAME = r"(?:(?:my|our)\s+)?\$(?P<name>\w+)\s*="
_FIRST = re.compile(rf"^\s*{_NAME}", re.MULTILINE)
_STATEMENT = re.compile(_NAME + r"""\s*(?P<quote>["'])(?P<value>[^"]*?)(?P=quote)\s*;""")
_SKIPPED = re.compile(r"(?:\s|#.*|use\s[\w:\s'-]+;|1;)+")
_NAMES = {"eventhough": "even though", "notyet": "not yet"}
_NAMES |= {n: n for n in ("although", "though", "since", "while", "meanwhile", "yet", "however")}
_SENSES = {
    "CONTRAST": "Comparison.Contrast",
    "CONCESSION": "Comparison.Concession",
    "TEMPORAL": "Temporal.Synchronous",
    "CAUSAL": "Contingency.Cause",
    "ADVERB": "Other.Adverb",
}
_KEY = re.compile(rf"({'|'.join(_NAMES)})({'|'.join(_SENSES)})?")
_NOT_READ = re.compile(r"[][*+?.{}\\$]")
_MOST = 10_000
"""Forms of one assignment: more are an error, because groups multiply."""
_HINT = 'Write one assignment per connective and sense: $sinceCAUSAL = "da|(um so|umso) mehr als";'


def is_original(text: str) -> bool:
    """Return whether a text has an assignment in Perl."""
    return _FIRST.search(text) is not None


def read_original(
    text: str, path: str, inventory: Inventory, target: str
) -> tuple[Inventory, Lexicon]:
    """Return the English connectives, with "not yet" if it is listed, and their translations."""
    known = dict(inventory.connectives)
    entries: dict[str, dict[Form, Translation]] = {}
    for line, name, value in _statements(text, path):
        try:
            key = _KEY.fullmatch(name)
            if key is None:
                raise InputError(f"${name} is not a connective of ACT, with a sense or without.")
            source = _NAMES[key[1]]
            sense = "Temporal.Asynchronous" if name == "sinceTEMPORAL" else _SENSES.get(key[2], "")
            forms = [_form(item, target) for item in _expand(value) if item.strip()]
        except InputError as error:
            raise InputError(error.what, path=path, line=line, hint=_HINT) from None
        if source == "not yet" and forms:
            own = Form.parse(source, "en")
            known[source] = Connective(source, own, ("Other.Adverb",))
        for form in forms:
            listed = entries.setdefault(source, {})
            before = listed.get(form, Translation(str(form), form, ()))
            wider = before.form if form.initial else form
            senses = (*before.senses, sense) if sense else before.senses
            listed[form] = replace(before, form=wider, senses=tuple(dict.fromkeys(senses)))
    translations = {
        name: tuple(replace(t, senses=t.senses or known[name].senses) for t in listed.values())
        for name, listed in entries.items()
    }
    version = f"original:{PurePath(path).name}"
    return replace(inventory, connectives=known), Lexicon(
        inventory.language, target, translations, version=version
    )


def _statements(text: str, path: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the name, and the value of each assignment."""
    place = 0
    while place < len(text):
        if found := _SKIPPED.match(text, place):
            place = found.end()
            continue
        line = text.count("\n", 0, place) + 1
        found = _STATEMENT.match(text, place)
        if found is None:
            what = "is not a Perl assignment with quotes and a semicolon."
            raise InputError(what, path=path, line=line, hint=_HINT)
        yield line, found["name"], found["value"]
        place = found.end()


def _form(item: str, language: str) -> Form:
    """Return a form without parentheses and bars."""
    words = item.strip()
    form = Form.parse(words.removeprefix("^"), language)
    if "^" in words[1:] or _NOT_READ.search(words):
        raise InputError(f"the form {words!r} has a character that is not read.")
    return replace(form, initial=words.startswith("^"))


def _expand(pattern: str) -> list[str]:
    """Return the texts of a pattern of alternatives in groups."""
    stack: list[tuple[list[str], list[str]]] = [([], [""])]  # finished alternatives, present ones
    for token in re.findall(r"[()|]|[^()|]+", pattern):
        done, now = stack[-1]
        if token == "(":
            stack.append(([], [""]))
        elif token == "|":
            stack[-1] = ([*done, *now], [""])
        elif token != ")":
            stack[-1] = (done, [text + token for text in now])
        elif len(stack) > 1:
            stack.pop()
            outer, before = stack[-1]
            stack[-1] = (outer, [a + b for a in before for b in (*done, *now)])
        else:
            raise InputError("a parenthesis is not open.")
        if sum(map(len, stack[-1])) > _MOST:
            raise InputError(f"the groups make more than {_MOST} forms.")
    if len(stack) > 1:
        raise InputError("a parenthesis is not closed.")
    return [*stack[0][0], *stack[0][1]]
