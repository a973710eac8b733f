"""The command line: one module a subcommand, imported when that command is used.

A subcommand is a module in ``commands/`` and one line in ``_ABOUT``. Its module has

``configure(parser)``
    adds its options (``albeit.cli.options`` has the common ones);
``run(args) -> int | None``
    does the work and prints results on stdout; returns an exit status, or nothing for 0.

Exit status: 0 done; 1 something failed on the way; 2 the user can mend it (wrong option,
wrong file); 3 a condition did not hold (``gate``); 130 interrupted; 143 terminated.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

from albeit import removed
from albeit.cli.parser import Parser, UsageError
from albeit.cli.terminal import discard_output, messages_on_stderr, ready_streams
from albeit.errors import AlbeitError

__all__ = ["COMMANDS", "command_parser", "main", "top_parser"]

_ABOUT = {
    "score": "score translations with any metrics, in one table",
    "compare": "test whether systems differ from a baseline",
    "metrics": "list the metrics, what they need and take",
    "explain": "show why a text scored as it did: what matched, what was lost",
    "profile": "show how systems keep a text together, with the worst instances",
    "check": "print likely faults of a translation against its source, as a linter does",
    "report": "write one HTML file that shows everything, to read and mail",
    "serve": "serve a page where files are scored and reports read",
    "metaeval": "rank metrics by how well they agree with people",
    "tune": "tune a combination of metrics on human judgments",
    "parse": "analyse text: RST trees, dependencies, roles, and more",
    "act": "score the translation of connectives; judge by hand",
    "lexicon": "check, count and induce connective lexicons",
    "resegment": "cut whole documents to the reference's segments",
    "rerank": "choose the best of several translations by any metric",
    "cache": "show, clear or share the cache of analyses and statistics",
    "chains": "show a document's lexical chains in every text, side by side",
    "completion": "print a completion script for a shell",
}
COMMANDS = {name: (f"albeit.cli.commands.{name}", about) for name, about in _ABOUT.items()}
"""Name to (module, one line of help)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is returned, never raised."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not ready_streams():
        return _fail("standard output is closed.", 1)
    try:
        with _terminated_in_order():
            status = _dispatch(arguments)
            sys.stdout.flush()
    except AlbeitError as error:
        return _fail(str(error), 2)
    except BrokenPipeError:  # whoever read our output has gone
        discard_output()
        return 1
    except KeyboardInterrupt:
        return _fail("interrupted.", 130)
    except Terminated:
        return _fail("terminated.", 143)
    except (MemoryError, OSError) as error:
        discard_output()
        return _fail(str(error) or "out of memory.", 1)
    return status


class Terminated(BaseException):
    """SIGTERM came; like ``KeyboardInterrupt``, nothing but :func:`main` should catch it."""


@contextmanager
def _terminated_in_order() -> Iterator[None]:
    """Make SIGTERM an exception, as Ctrl-C is, so that worker processes end with this one.

    A program that calls :func:`main` and handles the signal itself keeps its handler.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if not ours:
        yield
        return

    def terminate(*_: object) -> NoReturn:
        raise Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _dispatch(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except SystemExit as done:  # argparse, after --help and --version
        return done.code if isinstance(done.code, int) else 0


def _run(arguments: list[str]) -> int:
    if not arguments:
        top_parser().print_help(sys.stderr)
        return 2
    name = arguments[0]
    if name.startswith("-"):
        top_parser().parse_args(arguments)
        raise UsageError(f"no command before {name!r}. See: albeit --help")
    if name not in COMMANDS:
        if advice := removed.COMMANDS.get(name):
            raise UsageError(f"the command {name!r} was removed in version 0.3: {advice}.")
        from difflib import get_close_matches

        close = get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"unknown command {name!r}.{hint} See: albeit --help")
    module, parser = command_parser(name)
    from albeit.cli.config import parse_with_config
    from albeit.cli.outputs import check_outputs

    args = parse_with_config(parser, name, arguments[1:])
    args.command_line = shlex.join(["albeit", *arguments])
    if getattr(args, "test_set", None):
        from albeit.cli.inputs import put_files

        put_files(args)
    check_outputs(parser, args)
    uncached = getattr(args, "no_cache", False)
    with messages_on_stderr(quiet=getattr(args, "quiet", False)), _cache_off(off=uncached):
        return module.run(args) or 0


@contextmanager
def _cache_off(*, off: bool) -> Iterator[None]:
    """Turn the cache off for one command, its worker processes included."""
    before = os.environ.get("ALBEIT_CACHE")
    if off:
        os.environ["ALBEIT_CACHE"] = "off"
    try:
        yield
    finally:
        if before is not None:
            os.environ["ALBEIT_CACHE"] = before
        elif off:
            del os.environ["ALBEIT_CACHE"]


def top_parser() -> Parser:
    """The parser of ``albeit`` itself, which knows the commands' names but not their options."""
    from albeit._version import __version__

    width = max(map(len, _ABOUT))
    listed = "\n".join(f"  {name:<{width}}  {about}" for name, about in _ABOUT.items())
    parser = Parser(
        prog="albeit",
        usage="albeit COMMAND [OPTIONS]",
        description="Score translations for discourse, and see how well any metric agrees"
        " with people.",
        epilog=f"commands:\n{listed}\n\n'albeit COMMAND --help' shows its options.",
    )
    parser.add_argument("--version", action="version", version=f"albeit {__version__}")
    return parser


def command_parser(name: str, parser: Parser | None = None) -> tuple[Any, Parser]:
    """A command's module and its parser, with all options (into ``parser``, if given)."""
    path, about = COMMANDS[name]
    module: Any = import_module(path)
    if parser is None:
        description = (module.__doc__ or about).strip()
        parser = Parser(prog=f"albeit {name}", description=description)
    module.configure(parser)
    return module, parser


def _fail(message: str, status: int) -> int:
    print(f"albeit: error: {message}", file=sys.stderr)
    return status
