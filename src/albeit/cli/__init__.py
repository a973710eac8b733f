"""The command line: a function per command, imported when that command is used.

The options of a command are a class in ``commands``, for example ``ScoreOptions``, and its work is
a function of them, ``score``, in the module that :data:`COMMANDS` names. It prints results on
stdout and returns an exit status, or nothing for 0. ``act score`` is ``ActScoreOptions`` and
``act_score``.

Exit status: 0 done; 1 something failed; 2 a wrong option or file; 3 a condition does not hold
(``--fail-under``); 130 interrupted; 143 terminated.
"""

from __future__ import annotations

import errno
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
from albeit.cli import scoring_options, tool_options
from albeit.cli.outputs import discard_output, messages_on_stderr, prepare_streams
from albeit.cli.parser import Options, Parser, UsageError, read_config, read_summary
from albeit.errors import DEEPEST, AlbeitError

COMMANDS = {
    "score": "score",
    "compare": "score",
    "report": "report",
    "serve": "service",
    "metrics": "service",
    "explain": "explain",
    "profile": "explain",
    "check": "explain",
    "chains": "explain",
    "metaeval": "metaeval",
    "tune": "metaeval",
    "rerank": "rerank",
    "resegment": "rerank",
    "parse": "parse",
    "act": "connectives",
    "lexicon": "connectives",
    "reproduce": "reproduce",
    "cache": "service",
    "completion": "service",
}
"""Command to its module in ``cli``, in the order of the help."""
GROUPS = {
    "Evaluate": "score compare report serve metrics",
    "Diagnose": "explain profile check chains",
    "Human judgments": "metaeval tune",
    "Other": "rerank resegment parse act lexicon reproduce cache completion",
}
"""Headings of the help, and their commands; help has no summaries of other commands."""
ACTIONS = {"act": ("score", "report", "annotate", "merge"), "lexicon": ("check", "count", "induce")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    if not prepare_streams():
        return _fail("standard output is closed.", 1)
    try:
        with _catch_termination():
            status = _run(arguments)
            sys.stdout.flush()
    except SystemExit as done:  # argparse, after --help and --version
        return done.code if isinstance(done.code, int) else 0
    except AlbeitError as error:
        return _fail(str(error), 2)
    except BrokenPipeError:  # the reader of our output has ended
        discard_output()
        return 1
    except KeyboardInterrupt:
        return _fail("interrupted.", 130)
    except Terminated:
        return _fail("terminated.", 143)
    except (MemoryError, OSError, RecursionError) as error:
        discard_output()
        return _fail(*_describe(error))
    return status


def _describe(error: Exception) -> tuple[str, int]:
    """Return the message and the exit status of an error that isn't albeit's own."""
    if isinstance(error, RecursionError):
        return "a tree of the input is nested too deeply.", 2
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return f"{str(error.filename)[:80]}…: the file name is too long.", 2
    return str(error) or "out of memory.", 1


class Terminated(BaseException):
    """SIGTERM; like ``KeyboardInterrupt``, nothing but :func:`main` should catch it."""


@contextmanager
def _catch_termination() -> Iterator[None]:
    """Turn SIGTERM into an exception, like Ctrl-C, so that worker processes end with this one.

    A program that calls :func:`main` and handles the signal itself keeps its handler.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def terminate(*_: object) -> NoReturn:
        raise Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(arguments: list[str]) -> int:
    if not arguments:
        top_parser().print_help(sys.stderr)
        return 2
    name = arguments[0]
    if name not in COMMANDS:
        _refuse(name, arguments)
    parser = command_parser(name)
    read_config(parser, name, arguments[1:], COMMANDS)
    parser, args = parser.read(arguments[1:])
    args.command_line = shlex.join(["albeit", *arguments])
    _prepare(parser, args)
    uncached, quiet = getattr(args, "no_cache", False), getattr(args, "quiet", False)
    with messages_on_stderr(quiet=quiet) as args.warnings, _cache_off(off=uncached):
        module = import_module(f"albeit.cli.{COMMANDS[name]}")
        status: int | None = getattr(module, "_".join(parser.prog.split()[1:]))(args)
        return status or 0


def _prepare(parser: Parser, args: Any) -> None:
    """Look up the test set of ``-t``, and check the files to be written, if there are any."""
    if getattr(args, "test_set", None):
        from albeit.cli.inputs import put_named_set

        put_named_set(args)
    if any(getattr(each, "writes", None) and vars(args)[each.dest] for each in parser._actions):
        from albeit.cli.outputs import check_outputs

        check_outputs(parser, args)


def _refuse(name: str, arguments: Sequence[str]) -> None:
    """Raise for a word that is not a command; ``--help`` and ``--version`` end albeit."""
    if name.startswith("-"):
        top_parser().parse_args(arguments)
        raise UsageError(f"no command before {name!r}. See: albeit --help")
    if advice := removed.COMMANDS.get(name):
        raise UsageError(f"the command {name!r} was removed in version 0.3: {advice}.")
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"unknown command {name!r}.{hint} See: albeit --help")


@contextmanager
def _cache_off(*, off: bool) -> Iterator[None]:
    """Turn the cache off for one command, its worker processes included."""
    before = os.environ.get("ALBEIT_CACHE", "")  # empty is the same as missing
    try:
        os.environ["ALBEIT_CACHE"] = "off" if off else before
        yield
    finally:
        os.environ["ALBEIT_CACHE"] = before


def top_parser() -> Parser:
    """Return the parser of ``albeit`` itself, which has the commands' names but no options."""
    from albeit._version import __version__

    parser = Parser(prog="albeit", description=overview())
    parser.add_argument("--version", action="version", version=f"albeit {__version__}")
    return parser


def overview() -> str:
    """Return the help of ``albeit`` itself: the commands by group."""
    lines = ["Evaluate machine translation with lexical, learned, and discourse metrics.", ""]
    lines += ["Usage: albeit COMMAND [OPTIONS]", ""]
    for title, commands in GROUPS.items():
        names = commands.split()
        listed = [f"  {name:<10} {summarize(name).rstrip('.')}" for name in names]
        lines += [title, *(["  " + ", ".join(names)] if title == "Other" else listed)]
    return "\n".join([*lines, "", "Run 'albeit COMMAND --help' for options."])


def options_of(command: str) -> type[Options]:
    """Return the class of a command's options."""
    name = command.title().replace(" ", "") + "Options"
    kind: type[Options] = (vars(scoring_options) | vars(tool_options))[name]
    return kind


def summarize(command: str) -> str:
    """Return one line of help of a command."""
    return read_summary(options_of(command))


def list_parsers() -> Iterator[Parser]:
    """Yield the parser of each command and action, in the order of the help."""
    for name in COMMANDS:
        parser = command_parser(name)
        actions = [each.choices for each in parser._actions if isinstance(each.choices, dict)]
        yield from actions[0].values() if actions else [parser]


def command_parser(name: str, parser: Parser | None = None) -> Parser:
    """Return a command's parser, with all options; ``parser`` is filled if it is given."""
    parser = parser or Parser(prog=f"albeit {name}")
    if name not in ACTIONS:
        parser.add_options(options_of(name))
        return parser
    parser.kind = options_of(name)
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for action in ACTIONS[name]:
        command = f"{name} {action}"
        actions.add_parser(action, help=summarize(command)).add_options(options_of(command))
    return parser


def _fail(message: str, status: int) -> int:
    print(f"albeit: error: {message}", file=sys.stderr)
    return status
