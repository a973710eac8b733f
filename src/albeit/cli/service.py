"""List the metrics, serve reports, manage the cache, and complete commands in shells."""

from __future__ import annotations

import inspect
import json
import os
import re
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from albeit.cli import COMMANDS, command_parser, summarize, top_parser
from albeit.cli.outputs import print_tables
from albeit.cli.parser import UsageError
from albeit.cli.tool_options import CacheOptions, CompletionOptions, MetricsOptions, ServeOptions
from albeit.data.plugins import import_extra
from albeit.data.textio import read_text
from albeit.evaluation import recommended_into, unusable_into
from albeit.metrics import AlbeitError, Metric, Side, to_text
from albeit.metrics.registry import is_open, load
from albeit.metrics.registry import names as list_names
from albeit.parsing.layers import TEXT
from albeit.report import Heading, Table
from albeit.store import cache_folder, files, records

TARGETS = "ar de es fr it ja ko nl pl pt ru th tr zh cs hi"
"""Target languages of ``--directions``: those that albeit has resources for, and two others."""
DIRECTIONS = (("de", "en"), *(("en", lang) for lang in TARGETS.split()))
YES, EXTRA, NO = "yes", "extra", ""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def metrics(args: MetricsOptions) -> None:
    """Run ``albeit metrics``."""
    if args.directions:
        tables = [tabulate_directions(args.names)]
    else:
        tables = [_show(name) for name in args.names] or [_list(args.lang)]
    print_tables(args, tables)


def _list(lang: str | None) -> Table:
    """List all metrics, or those that can score a language."""
    rows, explained = [], []
    others = {n: str(why) for n, why in unusable_into(lang).items()} if lang else {}
    for name in list_names():
        if name in others:
            continue
        try:
            cls = load(name)
        except AlbeitError as error:
            rows.append([name, "", "", "", str(error)])
            continue
        rows.append([name, str(cls.unit), _better(cls), ", ".join(_needs(cls)), cls.summary])
        if cls.explains():
            explained.append(name)
    notes = [
        "'albeit metrics NAME' shows a metric's parameters. Layers (tokens, rst, dependencies …)"
        " are annotated by albeit's model, for English, or given with --annotations.",
        f"'albeit explain -m NAME' shows why a text has its score: {', '.join(explained)}.",
    ]
    if lang:
        first = " ".join(recommended_into(lang))
        notes.append(f"Recommended for {lang!r}, and used without -m: {first}.")
    absent = {name: why for name, why in others.items() if "pip install" in why}
    if others.keys() - absent:
        notes.append(f"Not for {lang!r}: {', '.join(n for n in others if n not in absent)}.")
    if absent:
        notes.append(f"Not installed: {', '.join(absent)}.")
    notes += absent.values()
    headings = _headings("Metric", "Unit", "Better", "Needs")
    headings.append(Heading("What it measures", "summary", align="left"))
    return Table.of(headings, rows, notes=notes)


def _headings(*titles: str) -> list[Heading]:
    return [Heading(title, title.lower(), align="left") for title in titles]


def _better(cls: type[Metric]) -> str:
    return "higher" if cls.higher_is_better else "lower"


def tabulate_directions(names: Sequence[str] = ()) -> Table:
    """Build a table of metrics and directions: a row per metric, a column per direction.

    Every metric, with its default parameters, is checked against a small set of each direction, as
    before scoring.
    """
    names = names or list_names()
    columns = [_works(unusable_into(target, source), names) for source, target in DIRECTIONS]
    rows = [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
    rows.append(["(how many)", *(str(column.count(YES)) for column in columns)])
    english, german = map(" and ".join, (recommended_into("en", "de"), recommended_into("de")))
    notes = [
        f"{YES}: works as installed here, with default parameters. {EXTRA}: works once an extra is"
        " installed ('albeit metrics --lang CODE' names the command). Metrics with required"
        " parameters are not checked and are listed as working.",
        "Layers can also be supplied with --annotations, lexicons with act(lexicon=FILE).",
        f"Metrics that are used without -m: {english} into English, {german} into German."
        " judge-many scores translations into any language; it needs albeit[multilingual] and must"
        " be named.",
    ]
    return Table.of(_headings("Metric", *map("-".join, DIRECTIONS)), rows, notes=notes)


def _works(problems: Mapping[str, AlbeitError], names: Sequence[str]) -> list[str]:
    extra = {name for name, problem in problems.items() if "pip install" in str(problem)}
    return [EXTRA if name in extra else NO if name in problems else YES for name in names]


def _show(name: str) -> Table:
    """Show one metric with all its parameters."""
    cls = load(name)
    hints = get_type_hints(cls)
    rows = [
        [f.name.rstrip("_"), _default(f.default), _choices(hints[f.name])]
        for f in fields(cls)
        if f.init
    ]
    notes = inspect.cleandoc(cls.__doc__ or cls.summary).splitlines()
    notes.append(f"Scores {cls.unit}s; {_better(cls)} is better.")
    if needs := _needs(cls):
        notes.append(f"Needs {', '.join(needs)}.")
    if cls.explains():
        notes.append("'albeit explain' shows why a text has its score.")
    if parts := [] if is_open(cls) else [str(part) for part in getattr(cls(), "parts", ())]:
        notes.append(f"Made of {', '.join(parts)}.")
    caption = f"{cls.name}: {cls.summary}"
    return Table.of(_headings("Parameter", "Default", "Takes"), rows, caption=caption, notes=notes)


def _needs(cls: type[Metric]) -> list[str]:
    """List layers, source and languages, also those that the parts of a metric need."""
    if is_open(cls):
        return ["(depends on its parameters)"]
    metric = cls()
    needs = sorted({str(need.layer) for need in metric.needs if need.layer is not TEXT})
    needs += ["source"] if metric.reads(Side.SOURCE) else []
    needs += [] if metric.sees(Side.REFERENCE) else ["no references"]
    sides = [side for side in (Side.REFERENCE, Side.SOURCE) if metric.sees(side)]
    needs += [f"{side} optional" for side in sides if not metric.reads(side)]
    if metric.languages is not None:
        needs.append(f"language {'/'.join(sorted(metric.languages))}")
    return needs


def _default(value: Any) -> str:
    if value is MISSING:
        return "(must be given)"
    if isinstance(value, bool | tuple):
        return to_text(value)
    return "" if value is None else str(value)


def _choices(hint: Any) -> str:
    """Describe a parameter's type: its choices if they are listed."""
    inner = get_args(hint)
    if inner[-1:] == (...,):
        return f"{_choices(inner[0])}, several joined by +"
    if inner and all(isinstance(choice, str) for choice in inner):
        return ", ".join(inner)
    if inner:
        return " or ".join(_choices(kind) for kind in inner if kind is not type(None))
    words = {"bool": "yes or no", "int": "whole number", "float": "number", "str": "word"}
    name = getattr(hint, "__name__", str(hint))
    return words.get(name, name)


def serve(args: ServeOptions) -> None:
    """Run ``albeit serve``."""
    if args.token is not None:
        what = "--token would show the token to all users of this machine."
        raise UsageError(f"{what} Set ALBEIT_TOKEN, or use --token-file FILE.")
    why = "albeit serve needs Starlette and uvicorn. Install them"
    uvicorn, _ = (import_extra(name, why, "web") for name in ("uvicorn", "starlette"))
    from platformdirs import user_data_path

    from albeit.serve.app import Protocol, make_app
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
        seconds=args.minutes * 60.0,
        memory=args.memory * 2**30,
        **args.pick("waiting", "at_once", "explain_seconds", "request_seconds"),
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
        raise UsageError("export and import need a folder; the other actions don't take one.")
    folder = cache_folder()
    result: dict[str, Any]
    if args.pack is not None:
        exports = args.action == "export"
        count = records.export_pack(args.pack) if exports else records.import_pack(args.pack)
        result = {"pack": args.pack, "records": count}
        lines = [f"{args.pack}: {count} records {'written' if exports else 'added'}"]
    elif args.action == "clear":
        result = {"folder": folder and str(folder), "freed": files.clear()}
        lines = [f"{folder}: {_megabytes(result['freed'])} freed"]
    else:
        result = files.describe()
        lines = _describe_cache(result) if folder else []
    if folder is None and args.pack is None:
        lines = ["The cache is turned off (ALBEIT_CACHE=off)."]
    print(json.dumps(result, indent=2) if args.format == "json" else "\n".join(lines))


def _describe_cache(cache: Mapping[str, Any]) -> list[str]:
    limit = f"at most {_megabytes(cache['limit'])}; set ALBEIT_CACHE_LIMIT in megabytes"
    lines = [f"{cache['folder']} ({limit})"]
    for file in cache["files"]:
        count = "cannot be read" if file["records"] is None else f"{file['records']} records"
        lines.append(f"  model {file['version']}: {_megabytes(file['bytes'])}, {count}")
    return [
        *lines,
        f"  statistics: {_megabytes(cache['run_bytes'])}, {cache['runs']} systems by a metric",
        f"  scores of programs: {_megabytes(cache['others_bytes'])}, {cache['others']} programs",
        f"  networks of judge-many: {_megabytes(cache['networks_bytes'])}",
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
