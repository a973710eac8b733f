"""The exceptions albeit raises for a user's mistake, as one small tree.

``AlbeitError``
    ``InputError``       something in a file: what, which file, which line, what to do
    ``MetricError``      a metric's name, parameter or use is wrong
    ``MissingExtraError``     an optional resource or package is absent; names the install command
    ``LanguageError``    a layer or metric does not exist for that language

``AlbeitWarning`` is no error: it names something in the input that was accepted, but that
a person should know of (a byte-order mark left out, HTML entities kept). It goes through
:mod:`warnings`, so that the CLI can print it and a program can turn it into an error.

Whatever else escapes albeit is a bug of ours. The CLI prints an ``AlbeitError`` as one
message on stderr, without a traceback, and exits with status 2.
"""

from __future__ import annotations

from pathlib import Path


class AlbeitError(Exception):
    """Base of everything that a user can cause and mend.

    >>> import albeit
    >>> try:
    ...     albeit.metric("bluu")
    ... except albeit.AlbeitError as error:
    ...     print("bluu" in str(error))
    True
    """


class InputError(AlbeitError):
    """A file, or a line of one, cannot be used.

    The message reads ``FILE:LINE: what is wrong. What to do.``; ``path`` and ``line``
    (1-based) are kept as attributes for programs.
    """

    def __init__(
        self, what: str, *, path: str | Path | None = None, line: int | None = None, hint: str = ""
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
    """A metric's name, parameters or use is wrong."""


class MissingExtraError(AlbeitError):
    """An optional package or resource is not installed; the message names the command."""


class LanguageError(AlbeitError):
    """Something that was asked for does not exist for this language."""


class AlbeitWarning(UserWarning):
    """Something about the input that was accepted, and that a person should know of.

    The message reads ``FILE: what``; ``path``, ``what`` and, where things were counted,
    ``count`` are kept as attributes for programs.
    """

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
