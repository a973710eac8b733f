"""Store runs on disk: one private folder per run, with its request, its state, and its results.

Each file is written under a temporary name, flushed to the disk, and renamed. States: ``queued``,
``running``, ``done``, ``failed``, ``cancelled``, and ``interrupted`` (the server stopped during the
run). A run with a missing or damaged file is ``failed``: it is listed, and can be started again
or deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.errors import AlbeitError, InputError

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")
ENDED = frozenset({"done", "failed", "cancelled", "interrupted"})
_STATES = ENDED | {"queued", "running"}
STOPPED = "the server stopped while this run was under way."
_RESULTS = ("error", "progress", "scores", "texts", "warnings")
_LONG = re.compile(r"(\S{200})\S+")


@dataclass(frozen=True)
class Limits:
    """What one server, request, or run may use."""

    upload: int = 64 * 2**20
    """Bytes of one request."""
    unpacked: int = 256 * 2**20
    """Bytes of all files of one request together, decompressed."""
    waiting: int = 20
    """Runs that may wait in the queue."""
    at_once: int = 1
    """Runs that work at the same time."""
    seconds: float = 6 * 3600.0
    """Seconds that one run may work."""
    check_seconds: int = 600
    """Seconds of these that reading and checking the texts may take."""
    memory: int = 8 * 2**30
    """Bytes of memory (data segment) that each process of a run may use."""
    explain_seconds: float = 120.0
    """Seconds that one explanation may take, including loading the model."""
    request_seconds: float = 60.0
    """Seconds in which the headers of a request, and then its body, must arrive."""


class RunError(AlbeitError):
    """There is no such run."""


class RunStateError(RunError):
    """The run is in a state that does not allow this."""


class QueueFullError(RunError):
    """Too many runs wait."""


class StorageError(AlbeitError):
    """A file of a run cannot be written or removed."""


def clip(message: str) -> str:
    """Shorten what a message quotes of bad input, and replace what UTF-8 cannot encode."""
    shown = _LONG.sub(r"\1…", message.encode("utf-8", "replace").decode())
    return shown if len(shown) <= 1000 else f"{shown[:1000]}…"


def write_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Replace a file in one step; raise a ``StorageError`` if that fails."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with temporary.open("w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
        if durable:
            _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StorageError(f"{path.name} cannot be written: {_reason(error)}.") from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def write_json(path: Path, value: object, *, durable: bool = True) -> None:
    """Replace a JSON file in one step."""
    write_text(path, json.dumps(value), durable=durable)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; return an empty one if the file is missing or damaged."""
    try:
        found = json.loads(path.read_bytes(), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@dataclass(frozen=True)
class Run:
    """One run's folder."""

    folder: Path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def request(self) -> dict[str, Any]:
        """What was asked for, as it was sent."""
        found = self._read("request")
        if not found:
            raise InputError(
                "is missing or damaged.", path="request.json", hint="Send the request again."
            )
        return found

    @property
    def texts(self) -> dict[str, Any]:
        """The request in plain texts, as the job prepared it."""
        return self._read("texts") or self.request  # runs of older versions have no texts.json

    @property
    def report(self) -> Path:
        """Where the report is, once it is written."""
        return self.folder / "report.html"

    @property
    def files(self) -> Path:
        """The folder for uploaded files while the job works."""
        return self.folder / "files"

    @property
    def state(self) -> dict[str, Any]:
        """``state``, ``since``, and ``error``, ``done``, ``total``, ``left`` (seconds) if known.

        Empty if the run was deleted.
        """
        if not self.folder.is_dir():
            return {}
        known = self._read("state")
        if damaged := self._damaged(known):
            error = f"{damaged} is missing or damaged. Start the run again, or delete it."
            return {"state": "failed", "error": error}
        if known["state"] == "running":
            progress = self._read("progress")
            done, total = progress.get("done"), progress.get("total")
            if isinstance(done, int) and isinstance(total, int):
                known |= {"done": done, "total": total}
                if done:
                    known["left"] = round((time.time() - known["since"]) / done * (total - done))
        return known

    def _read(self, name: str) -> dict[str, Any]:
        return read_json(self.folder / f"{name}.json")

    def _damaged(self, state: dict[str, Any]) -> str:
        """Return the name of a file that is needed and cannot be read, or nothing."""
        if state.get("state") not in _STATES or not isinstance(state.get("since"), float):
            return "state.json"
        if state["state"] != "done":
            return ""
        for name in ("about", "scores", "warnings"):
            path = self.folder / f"{name}.json"
            if (name == "about" or path.exists()) and not read_json(path):
                return path.name
        return "" if self.report.is_file() else self.report.name

    def enter(self, state: str, error: str = "") -> None:
        """Put the run into a state; if that cannot be written, the run counts as damaged."""
        facts = {"error": clip(error)} if error else {}
        path = self.folder / "state.json"
        try:
            write_json(path, {"state": state, "since": time.time(), **facts})
        except StorageError:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise

    def describe(self, request: dict[str, Any], warnings: Sequence[str] | None = None) -> None:
        """Write what lists show; with ``warnings``, the request is in plain texts and checked."""
        about = {
            "title": request.get("title", ""),
            "created": self._read("about").get("created", time.time()),
            "metrics": request["metrics"],
            "systems": [system["name"] for system in request["systems"]],
        }
        if warnings is not None:
            about |= {"set": _set(request), "warnings": warnings}
        write_json(self.folder / "about.json", about)

    def described(self) -> dict[str, Any]:
        """What lists and pages show of the run."""
        found: dict[str, Any] = {
            "id": self.id,
            "title": "",
            "created": 0,
            "systems": [],
            "metrics": [],
        }
        found |= self._read("about") | self.state
        later = self._read("warnings").get("warnings", [])
        found["warnings"] = list(dict.fromkeys([*found.get("warnings", []), *later]))
        scores = self._read("scores")
        return found | ({"scores": scores} if scores else {})

    def clean(self, *, results: bool = False) -> None:
        """Remove uploaded and temporary files, and on request the results."""
        shutil.rmtree(self.files, ignore_errors=True)
        stale = [*self.folder.glob(".*.json.*"), *self.folder.glob(".report.html.*")]
        if results:
            stale += [self.report, *(self.folder / f"{name}.json" for name in _RESULTS)]
        for path in stale:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _set(request: dict[str, Any]) -> dict[str, Any]:
    """Identify the test set: only scores of the same one can be compared."""
    texts = [item["text"].rstrip("\n") for item in request.get("references", [])]
    texts += [request["source"].rstrip("\n")] if request.get("source") and not texts else []
    whole = json.dumps(texts).encode()
    segments = request["systems"][0]["text"].rstrip("\n").count("\n") + 1
    return {"digest": hashlib.sha256(whole).hexdigest()[:16], "segments": segments}


class Runs:
    """All runs under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{folder} cannot be created: {_reason(error)}.") from None
        for run in self.all():
            run.clean()
            if run.state.get("state") not in ENDED:
                with suppress(StorageError):
                    run.enter("interrupted", STOPPED)

    def create(self, request: dict[str, Any]) -> Run:
        """Store a request as a new run in state ``queued``."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        run = Run(self.folder / f"{stamp}-{secrets.token_hex(4)}")
        try:
            run.folder.mkdir(mode=0o700)  # the texts are private
            write_json(run.folder / "request.json", request)
            run.describe(request)  # lists do not read the texts, which are large
            run.enter("queued")
        except (OSError, StorageError) as error:
            shutil.rmtree(run.folder, ignore_errors=True)
            reason = str(error) if isinstance(error, StorageError) else f"{_reason(error)}."
            raise StorageError(f"the run cannot be stored: {reason}") from None
        return run

    def get(self, name: str) -> Run:
        """The run of this id; ids are checked, so a name can never lead elsewhere."""
        run = Run(self.folder / name)
        if not _ID.fullmatch(name) or not run.folder.is_dir():
            raise RunError("there is no such run.")
        return run

    def all(self) -> list[Run]:
        """All runs, the newest first."""
        found = [Run(p) for p in self.folder.iterdir() if _ID.fullmatch(p.name) and p.is_dir()]
        return sorted(found, key=lambda run: run.id, reverse=True)

    def delete(self, run: Run) -> None:
        """Remove a run with all its files."""
        try:
            shutil.rmtree(run.folder)
        except OSError as error:
            raise StorageError(f"the run cannot be deleted: {_reason(error)}.") from None
