"""The one grammar that names a metric: ``name``, ``name(key=value)``, ``hybrid(bleu,alpha=.3)``.

    metric    = name [ "(" [ argument { "," argument } ] ")" ] | path to a saved model
    argument  = metric | value | key "=" ( value | metric )
    value     = number | yes | no | word | word+word | "any text"

A path is anything with a slash or with the ending of a saved model (``.json``). Names are case-blind.
Text with blanks, brackets, commas, quotes or ``=`` stands in quotes, single or double; within
them a backslash before the same quote, or before a backslash, makes it plain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from albeit.errors import MetricError

__all__ = ["Call", "Value", "literal", "parse", "quoted"]


_DEEPEST = 20
"""So many metrics may stand within each other."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<punct>[(),=])|(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<word>[^\s(),="'][^\s(),=]*))""",
    re.DOTALL,
)
_QUOTES = "\"'"
_PLAIN = re.compile(r"""[^\s(),="'][^\s(),=]*\Z""")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Call:
    """A metric as written: its name, positional and named arguments."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()


Value = str | float | int | bool | Call
"""An argument of a metric as written."""


def parse(text: str) -> Call:
    """Parse one metric expression; the error shows where it broke."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.pos, self.depth = text, 0, 0

    def fail(self, expected: str) -> MetricError:
        found = self.text[self.pos :].strip() or "the end"
        return MetricError(
            f"cannot read metric {self.text!r}: expected {expected} before {found!r}."
            " Write a metric as name or name(key=value,...)."
        )

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.pos)
        return match.group().strip() if match else ""

    def take(self) -> str:
        match = _TOKEN.match(self.text, self.pos)
        if not match:
            return ""
        self.pos = match.end()
        return match.group().strip()

    def whole(self) -> Call:
        call = self.call()
        if self.text[self.pos :].strip():
            raise self.fail("nothing more")
        return call

    def word(self, what: str, *, quotes: bool = False) -> str:
        token = self.peek()
        if not token or token in "(),=" or (token[0] in _QUOTES and not quotes):
            raise self.fail(what)
        return self.take()

    def call(self) -> Call:
        name = self.word("a metric name")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise MetricError(
                f"cannot read metric {self.text[:60]!r}…: metrics within metrics go at most"
                f" {_DEEPEST} deep."
            )
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        if self.peek() == "(":
            self.take()
            while self.peek() != ")":
                start = self.pos
                word = self.word("an argument or ')'", quotes=True)
                if self.peek() == "=":
                    self.take()
                    if word in kwargs:
                        raise self.fail(f"{word!r} only once")
                    kwargs[word] = self.value()
                elif kwargs:
                    self.pos = start
                    raise self.fail("a named argument (positional ones come first)")
                else:
                    self.pos = start
                    args.append(self.value())
                if self.peek() == ",":
                    self.take()
                elif self.peek() != ")":
                    raise self.fail("',' or ')'")
            self.take()
        self.depth -= 1
        return Call(name, tuple(args), tuple(kwargs.items()))

    def value(self) -> Value:
        start = self.pos
        word = self.word("a value", quotes=True)
        if word[0] in _QUOTES:
            return _unquoted(word)
        if self.peek() == "(":
            self.pos = start
            return self.call()
        return literal(word)


def quoted(text: str) -> str:
    """A text as it must be written to be read as one value: in quotes where it has to be."""
    value = literal(text)
    if isinstance(value, bool):
        word = "yes" if value else "no"
    else:
        word = f"{value:g}" if isinstance(value, float) else str(value)
    if not text or (_PLAIN.match(text) and word == text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _unquoted(token: str) -> str:
    quote, inside = token[0], token[1:-1]
    return re.sub(rf"\\([{quote}\\])", r"\1", inside)


def literal(word: str) -> str | float | int | bool:
    """A number, a truth value, or the word itself."""
    if word.lower() in {"yes", "true"}:
        return True
    if word.lower() in {"no", "false"}:
        return False
    if _NUMBER.match(word):
        number = float(word)
        return int(number) if number.is_integer() and not re.search(r"[.e]", word, re.I) else number
    return word
