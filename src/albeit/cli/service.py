"""Serve reports, manage the cache, and complete commands in shells."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from albeit.cli import COMMANDS, command_parser, summarize, top_parser
from albeit.cli.parser import UsageError
from albeit.cli.tool_options import CacheOptions, CompletionOptions, ServeOptions
from albeit.data.textio import read_text
from albeit.errors import AlbeitError, MissingExtraError
from albeit.store import cache_folder, records

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(args: ServeOptions) -> None:
    """Run ``albeit serve``."""
    if args.token is not None:
        what = "--token would show the token to all users of this machine."
        raise UsageError(f"{what} Set ALBEIT_TOKEN, or use --token-file FILE.")
    try:
        import uvicorn
        from platformdirs import user_data_path

        from albeit.serve.app import Protocol, make_app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        what = "albeit serve needs Starlette and uvicorn. Install them: pip install 'albeit[web]'"
        raise MissingExtraError(what) from None
    from albeit.serve.runs import Limits

    folder = args.folder or user_data_path("albeit", appauthor=False) / "runs"
    given = _read_token(args.token_file)
    token = given or ("" if args.host in LOOPBACK else secrets.token_urlsafe(16))
    listening = _listen(args.host, args.port)
    port = listening.getsockname()[1]
    names = [*LOOPBACK, args.host, socket.gethostname(), *args.names]
    hosts = {_address(name, port) for name in names}
    hosts |= set(args.names)  # browsers send it without a port if they come through a proxy
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
    query = f"?token={token}" if token and not given else ""  # a given token stays secret
    print(f"albeit serves at http://{_address(shown, port)}/{query}", flush=True)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=2,
        http=Protocol,
        timeout_keep_alive=args.request_seconds,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listening])


def _address(name: str, port: int) -> str:
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def _read_token(path: str | None) -> str:
    """Return the token from a file or the environment, which child processes must not inherit."""
    token = os.environ.pop("ALBEIT_TOKEN", "").strip()
    if path is not None:
        token = read_text(path).strip()
    if (token or path is not None) and not re.fullmatch(r"[A-Za-z0-9._~+/=-]+", token):
        what = "a token must consist of letters, digits, and ._~+/=- only."
        raise AlbeitError(f"{path or 'ALBEIT_TOKEN'}: {what}")
    return token


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, or raise an error with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        hint = "Try another --port (0: any that is free)."
        raise AlbeitError(f"cannot listen at {host}:{port}: {error}. {hint}") from None


def cache(args: CacheOptions) -> None:
    """Run ``albeit cache``."""
    if (args.pack is None) == (args.action in ("export", "import")):
        raise UsageError("export and import take a folder, the other actions none.")
    folder = cache_folder()
    off = folder is None and ["The cache is turned off (ALBEIT_CACHE=off)."]
    result: dict[str, Any]
    if args.pack is not None:
        exports = args.action == "export"
        count = records.export_pack(args.pack) if exports else records.import_pack(args.pack)
        result = {"pack": args.pack, "records": count}
        lines = [f"{args.pack}: {count} records {'written' if exports else 'added'}"]
    elif args.action == "clear":
        result = {"folder": folder and str(folder), "freed": records.clear()}
        lines = off or [f"{folder}: {_megabytes(result['freed'])} freed"]
    else:
        result = records.describe()
        lines = off or _describe_cache(result)
    print(json.dumps(result, indent=2) if args.format == "json" else "\n".join(lines))


def _describe_cache(cache: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{cache['folder']} (at most {_megabytes(cache['limit'])};"
        " set ALBEIT_CACHE_LIMIT in megabytes)"
    ]
    for file in cache["files"]:
        records = file["records"]
        counted = "cannot be read" if records is None else f"{records} records"
        lines.append(f"  model {file['version']}: {_megabytes(file['bytes'])}, {counted}")
    sizes = {name: _megabytes(cache[f"{name}_bytes"]) for name in ("run", "others", "networks")}
    return [
        *lines,
        f"  statistics: {sizes['run']}, {cache['runs']} systems by a metric",
        f"  scores of programs: {sizes['others']}, {cache['others']} programs",
        f"  networks of judge-many: {sizes['networks']}",
    ]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def completion(args: CompletionOptions) -> None:
    """Run ``albeit completion``."""
    import shtab

    parser = top_parser()
    commands = parser.add_subparsers(metavar="COMMAND")
    for name in COMMANDS:
        command_parser(name, commands.add_parser(name, help=summarize(name)))
    sys.stdout.write(shtab.complete(parser, args.shell) + "\n")
