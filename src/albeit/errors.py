"""The exceptions that albeit raises for a user's mistake, and its warnings.

``AlbeitError``
    ``InputError``       an error in a file: what, which file, which line, what to do
    ``MetricError``      a metric's name, parameter, or use is wrong
    ``MissingExtraError``     an optional resource or package is missing; names the install command
    ``LanguageError``    a layer or metric doesn't exist for that language

``AlbeitWarning`` names something in the input that was accepted, but that a user should know of
(a removed byte-order mark, HTML entities). It goes through :mod:`warnings`, so the CLI can print it
and a program can turn it into an error.

Any other exception is a bug in albeit. The CLI prints an ``AlbeitError`` as one message on stderr,
without a traceback, and exits with status 2.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEEPEST = 5000
"""The recursion limit of albeit's own processes: trees may have more than a thousand levels."""


class AlbeitError(Exception):
    """Base of all errors that a user can cause and fix.

    >>> import albeit
    >>> try:
    ...     albeit.metric("bluu")
    ... except albeit.AlbeitError as error:
    ...     print("bluu" in str(error))
    True
    """


class InputError(AlbeitError):
    """A file, or a line of one, can't be used.

    The message is ``FILE:LINE: what is wrong. What to do.``; ``path`` and ``line`` (from 1) are
    attributes for programs.
    """

    def __init__(
        self, what: str, path: str | Path | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        self.what, self.line, self.hint = what, line, hint
        self.path = None if path is None else str(path)
        where = "" if self.path is None else self.path + (f":{line}" if line else "") + ": "
        super().__init__(f"{where}{what}" + (f" {hint}" if hint else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_input_error, (self.what, self.path, self.line, self.hint))


def _rebuild_input_error(what: str, path: str | None, line: int | None, hint: str) -> InputError:
    return InputError(what, path=path, line=line, hint=hint)


class MetricError(AlbeitError):
    """A metric's name, parameters, or use is wrong."""


class MissingExtraError(AlbeitError):
    """An optional package or resource is not installed; the message names the command."""


class LanguageError(AlbeitError):
    """A layer or metric doesn't exist for this language."""


class AlbeitWarning(UserWarning):
    """Something in the input that was accepted, but can affect results.

    The message is ``FILE: what``; ``path``, ``what``, and ``count``, if something was counted, are
    attributes for programs.
    """

    about_results = True
    """Whether results and reports repeat the warning."""

    def __init__(
        self, what: str, *, path: str | Path | None = None, count: int | None = None
    ) -> None:
        self.what, self.count = what, count
        self.path = None if path is None else str(path)
        super().__init__(what if self.path is None else f"{self.path}: {what}")

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_warning, (self.what, self.path, self.count))


def _rebuild_warning(what: str, path: str | None, count: int | None) -> AlbeitWarning:
    return AlbeitWarning(what, path=path, count=count)


@contextmanager
def record_warnings() -> Iterator[list[str]]:
    """Record the warnings about results; all warnings are given again at the end."""
    recorded: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield recorded
    for each in caught:
        message = each.message
        warnings.warn(message, stacklevel=3)
        if isinstance(message, AlbeitWarning) and message.about_results:
            recorded.append(str(message))
