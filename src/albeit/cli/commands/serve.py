"""Serve a page where files are chosen, scored and read as reports; runs are kept on disk.

albeit serve                                  at http://127.0.0.1:8000, for this machine alone
albeit serve --host 0.0.0.0 --names box.example.org     for others, who need the token it prints

Needs the extra: pip install 'albeit[web]'. docs/serve.md describes the API and its safety.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from argparse import SUPPRESS, Namespace
from pathlib import Path

from albeit.cli.parser import Parser, UsageError
from albeit.data.textio import read_text
from albeit.errors import AlbeitError, MissingExtraError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def configure(parser: Parser) -> None:
    """Add the options of ``albeit serve``."""
    group = parser.group("address")
    group.option("--host", default="127.0.0.1")
    group.number("--port", help="0 takes any that is free", least=0, default=8000)
    group.several("--names", metavar="NAME", help="names under which browsers reach this machine")
    group.file(
        "--token-file",
        help="File with the token that visitors must show, or set ALBEIT_TOKEN (default: a random"
        " token if the server can be reached from outside, none on this machine)",
    )
    group.option("--token", nargs="?", const="", help=SUPPRESS)
    group = parser.group("runs")
    group.file(
        "--folder", metavar="DIR", help="where runs are kept (default: the user's data folder)"
    )
    group.number("--at-once", help="runs that work at the same time", default=1)
    group.number("--waiting", help="runs that may wait", default=20)
    group.number("--minutes", help="how long one run may work", default=360)
    group.number("--explain-seconds", help="how long one explanation may take", default=120)
    group.number(
        "--request-seconds",
        help="how long the headers of a request, and then its body, may take to arrive",
        default=60,
    )
    group.number("--megabytes", help="the largest upload", default=64)
    group.number("--memory", help="GiB of memory that a process of a run may use", default=8)


def run(args: Namespace) -> None:
    """Listen until interrupted."""
    if args.token is not None:
        raise UsageError(
            "--token would show the token to all users of this machine. Set ALBEIT_TOKEN, or use"
            " --token-file FILE."
        )
    try:
        import uvicorn
        from platformdirs import user_data_path

        from albeit.serve.app import make_app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingExtraError(
            "albeit serve needs Starlette and uvicorn. Install them: pip install 'albeit[web]'"
        ) from None
    from albeit.serve.guard import Protocol
    from albeit.serve.runs import Limits

    folder = args.folder or user_data_path("albeit", appauthor=False) / "runs"
    given = _given_token(args.token_file)
    token = given or ("" if args.host in LOOPBACK else secrets.token_urlsafe(16))
    listening = _listen(args.host, args.port)
    port = listening.getsockname()[1]
    names = [*LOOPBACK, args.host, socket.gethostname(), *args.names]
    hosts = {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names}
    hosts |= set(args.names)  # without a port: as browsers send it that come through a proxy
    limits = Limits(
        upload=args.megabytes * 2**20,
        waiting=args.waiting,
        at_once=args.at_once,
        seconds=args.minutes * 60.0,
        memory=args.memory * 2**30,
        explain_seconds=float(args.explain_seconds),
        request_seconds=float(args.request_seconds),
    )
    app = make_app(Path(folder), hosts, token, limits)
    shown = args.host if args.host not in ("0.0.0.0", "::") else (args.names or names[3:])[0]
    place = f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"
    query = f"?token={token}" if token and not given else ""  # a given token stays secret
    print(f"albeit serves at http://{place}/{query}", flush=True)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=2,
        http=Protocol,
        timeout_keep_alive=args.request_seconds,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listening])


def _given_token(path: str | None) -> str:
    """Return the token from a file or the environment, which child processes must not inherit."""
    token = os.environ.pop("ALBEIT_TOKEN", "").strip()
    if path is not None:
        token = read_text(path).strip()
    if (token or path is not None) and not re.fullmatch(r"[A-Za-z0-9._~+/=-]+", token):
        raise AlbeitError(
            f"{path or 'ALBEIT_TOKEN'}: a token must consist of letters, digits, and ._~+/=- only."
        )
    return token


def _listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address, or an error that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise AlbeitError(
            f"cannot listen at {host}:{port}: {error}. Try another --port (0: any that is free)."
        ) from None
