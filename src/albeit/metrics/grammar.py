"""Names and signatures of metrics: ``name``, ``name(key=value)``, ``hybrid(bleu,alpha=.3)``.

    metric    = name [ "(" [ argument { "," argument } ] ")" ] | path to a saved model
    argument  = metric | value | key "=" ( value | metric )
    value     = number | yes | no | word | word+word | "any text"

A path has a slash or the suffix of a saved model (``.json``). Names are case-insensitive. Text with
blanks, brackets, commas, quotes, or ``=`` is written in single or double quotes. A backslash
escapes the same quote or a backslash in it.

A signature is a name with everything that is needed to reproduce a score, printed as
``bleu|tokenize:13a|refs:2|v:0.1.0``. A field may have the signatures of a metric's parts, printed
as ``parts:[cohesion|…;bleu|…]``.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from albeit._version import __version__
from albeit.errors import MetricError

_DEEPEST = 20
"""The maximum depth of metrics within metrics."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<punct>[(),=])|(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<word>[^\s(),="'][^\s(),=]*))""",
    re.DOTALL,
)
_QUOTES = "\"'"
_PLAIN = re.compile(r"""[^\s(),="'][^\s(),=]*\Z""")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\Z", re.IGNORECASE)


class Call(NamedTuple):
    """A metric as written: its name, positional and named arguments."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()


Value = str | float | int | bool | Call
"""An argument of a metric as written."""


def parse(text: str) -> Call:
    """Parse one metric expression; the error names the position."""
    parser = _Parser(text)
    call = parser.call()
    if text[parser.pos :].strip():
        raise parser.fail("nothing more")
    return call


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.pos, self.depth = text, 0, 0

    def fail(self, expected: str) -> MetricError:
        rest = self.text[self.pos :].strip() or "the end"
        return MetricError(
            f"cannot read metric {self.text!r}: expected {expected} before {rest!r}."
            " Write a metric as name or name(key=value,...)."
        )

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.pos)
        return match.group().strip() if match else ""

    def skip(self, token: str) -> bool:
        """Move past a token if it is the next one."""
        match = _TOKEN.match(self.text, self.pos)
        if match is None or match.group().strip() != token:
            return False
        self.pos = match.end()
        return True

    def word(self, expected: str, *, quotes: bool = False) -> str:
        token = self.peek()
        if not token or token in "(),=" or (token[0] in _QUOTES and not quotes):
            raise self.fail(expected)
        self.skip(token)
        return token

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
        if self.skip("("):
            while not self.skip(")"):
                start = self.pos
                word = self.word("an argument or ')'", quotes=True)
                if self.skip("="):
                    if word in kwargs:
                        raise self.fail(f"{word!r} only once")
                    kwargs[word] = self.value()
                else:
                    self.pos = start
                    if kwargs:
                        raise self.fail("a named argument (positional ones come first)")
                    args.append(self.value())
                if not self.skip(",") and self.peek() != ")":
                    raise self.fail("',' or ')'")
        self.depth -= 1
        return Call(name, tuple(args), tuple(kwargs.items()))

    def value(self) -> Value:
        start = self.pos
        word = self.word("a value", quotes=True)
        if word[0] in _QUOTES:
            return re.sub(rf"\\([{word[0]}\\])", r"\1", word[1:-1])
        if self.peek() == "(":
            self.pos = start
            return self.call()
        return literal(word)


def literal(word: str) -> str | float | int | bool:
    """Convert a word to a number or truth value if it is one."""
    if word.lower() in {"yes", "true"}:
        return True
    if word.lower() in {"no", "false"}:
        return False
    if _NUMBER.match(word):
        number = float(word)
        return int(number) if number.is_integer() and not re.search(r"[.e]", word, re.I) else number
    return word


def to_word(value: object) -> str:
    """Convert a parsed value back to text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def quote(text: str) -> str:
    """Write a text so that it is read as one value: in quotes if necessary."""
    if not text or (_PLAIN.match(text) and to_word(literal(text)) == text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def to_text(value: object) -> str:
    """Write the value of a parameter in the grammar."""
    if isinstance(value, tuple | frozenset):
        items = sorted(value) if isinstance(value, frozenset) else value
        return "+".join(map(to_text, items))
    if isinstance(value, str):
        return quote(value)
    return "auto" if value is None else to_word(value)


class Signature(NamedTuple):
    """A name, fields in order, and the version of albeit, which is printed last.

    A field without a value prints its key alone. An empty version isn't printed: scores of other
    tools have none.
    """

    name: str
    fields: tuple[tuple[str, str | tuple[Signature, ...]], ...] = ()
    version: str = __version__

    def with_(self, key: str, value: str | tuple[Signature, ...]) -> Signature:
        """Return the signature with one more field, or with another value of that field."""
        return self._replace(fields=tuple((dict(self.fields) | {key: value}).items()))

    def without(self, key: str) -> Signature:
        """Return the signature without a field, also in the signatures of parts."""
        kept = {k: v for k, v in self.fields if k != key}
        for name, value in kept.items():
            if not isinstance(value, str):
                kept[name] = tuple(part.without(key) for part in value)
        return self._replace(fields=tuple(kept.items()))

    def __str__(self) -> str:
        """Print it on one line."""
        shown = [self.name]
        for key, value in self.fields:
            text = value if isinstance(value, str) else f"[{';'.join(map(str, value))}]"
            shown.append(f"{key}:{text}" if value else key)
        return "|".join([*shown, f"v:{self.version}"] if self.version else shown)

    def to_json(self) -> list[Any]:
        """Return plain values, for a file."""
        fields = [
            [key, value if isinstance(value, str) else [part.to_json() for part in value]]
            for key, value in self.fields
        ]
        return [self.name, fields, self.version]

    @classmethod
    def from_json(cls, content: Any) -> Signature:
        """Read those plain values."""
        name, fields, version = content
        read = ((k, v if isinstance(v, str) else tuple(map(cls.from_json, v))) for k, v in fields)
        return cls(name, tuple(read), version)
