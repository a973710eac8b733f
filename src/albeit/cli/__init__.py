"""The command line: a function per command, imported when that command is used.

The options of a command are a class in ``commands``, for example ``ScoreOptions``, and its work is
a function of them, ``score``, in the module that :data:`COMMANDS` names. It prints results on
stdout and returns an exit status, or nothing for 0. ``act score`` is ``ActScoreOptions`` and
``act_score``.

Exit status: 0 done; 1 something failed; 2 a wrong option or file; 3 a condition does not hold
(``--fail-under``); 130 interrupted; 143 terminated.
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
from albeit.cli import scoring_options, tool_options
from albeit.cli.outputs import discard_output, messages_on_stderr, prepare_streams
from albeit.cli.parser import Options, Parser, UsageError, describe, read_config
from albeit.errors import AlbeitError

COMMANDS = {
    "score": "score",
    "compare": "score",
    "metrics": "service",
    "explain": "explain",
    "profile": "explain",
    "check": "explain",
    "report": "report",
    "serve": "service",
    "metaeval": "metaeval",
    "tune": "metaeval",
    "reproduce": "reproduce",
    "parse": "parse",
    "act": "connectives",
    "lexicon": "connectives",
    "resegment": "rerank",
    "rerank": "rerank",
    "cache": "service",
    "chains": "explain",
    "completion": "service",
}
"""Command to its module in ``commands``."""
ACTIONS = {"act": ("score", "report", "annotate", "merge"), "lexicon": ("check", "count", "induce")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
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
    except (MemoryError, OSError) as error:
        discard_output()
        return _fail(str(error) or "out of memory.", 1)
    return status


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

    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {summarize(name)}" for name in COMMANDS)
    parser = Parser(
        prog="albeit",
        usage="albeit COMMAND [OPTIONS]",
        description="Score translations for discourse, and correlate metrics with human judgments.",
        epilog=f"commands:\n{listed}\n\n'albeit COMMAND --help' shows its options.",
    )
    parser.add_argument("--version", action="version", version=f"albeit {__version__}")
    return parser


def options_of(command: str) -> type[Options]:
    """Return the class of a command's options."""
    name = command.title().replace(" ", "") + "Options"
    kind: type[Options] = (vars(scoring_options) | vars(tool_options))[name]
    return kind


def summarize(command: str) -> str:
    """Return one line of help of a command."""
    return describe(options_of(command)).partition("\n")[0]


def command_parser(name: str, parser: Parser | None = None) -> Parser:
    """Return a command's parser, with all options; ``parser`` is filled if it is given."""
    parser = parser or Parser(prog=f"albeit {name}")
    if name not in ACTIONS:
        parser.add_options(options_of(name))
        return parser
    parser.description = describe(options_of(name))
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for action in ACTIONS[name]:
        command = f"{name} {action}"
        actions.add_parser(action, help=summarize(command)).add_options(options_of(command))
    return parser


def _fail(message: str, status: int) -> int:
    print(f"albeit: error: {message}", file=sys.stderr)
    return status
