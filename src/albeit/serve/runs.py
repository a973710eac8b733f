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
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.data.evalset import EvalSet
from albeit.data.textio import replacing
from albeit.errors import AlbeitError, InputError

ENDED = frozenset({"done", "failed", "cancelled", "interrupted"})
STOPPED = "the server stopped while this run was under way."
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")
_LONG = re.compile(r"(\S{200})\S+")
_KEPT = ("request.json", "about.json", "state.json")
"""What remains of a run that starts again."""


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
    check_seconds: float = 600.0
    """Seconds of these that reading and checking the texts may take."""
    memory: int = 8 * 2**30
    """Bytes of memory (data segment) that each process of a run may use."""
    explain_seconds: float = 120.0
    """Seconds that one explanation may take, including loading the model."""
    request_seconds: float = 60.0
    """Seconds in which the headers of a request, and then its body, must arrive."""


class ServerError(AlbeitError):
    """A request that the server refuses, with the status of its reply."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def clip(message: str) -> str:
    """Shorten quotes of bad input, and replace what UTF-8 cannot encode."""
    text = _LONG.sub(r"\1…", message.encode("utf-8", "replace").decode())
    return text if len(text) <= 1000 else f"{text[:1000]}…"


def write_text(path: Path, text: str) -> None:
    """Replace a file in one step, after its content is on the disk."""
    with replacing(path) as new, new.open("w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
    def report(self) -> Path:
        """The file of the report."""
        return self.folder / "report.html"

    @property
    def files(self) -> Path:
        """The folder for uploaded files while the job works."""
        return self.folder / "files"

    def read(self, name: str) -> dict[str, Any]:
        """Read one of the run's JSON files; empty if it is missing or damaged."""
        try:
            text = (self.folder / f"{name}.json").read_bytes()
            content = json.loads(text, parse_constant=_refuse)
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def write(self, name: str, value: object) -> None:
        """Write one of the run's JSON files."""
        write_text(self.folder / f"{name}.json", json.dumps(value))

    @property
    def request(self) -> dict[str, Any]:
        """The request, as it was sent."""
        request = self.read("request")
        if not request:
            hint = "Send the request again."
            raise InputError("is missing or damaged.", path="request.json", hint=hint)
        return request

    @property
    def state(self) -> dict[str, Any]:
        """``state``, ``since``, and ``error``, ``done``, ``total``, ``left`` (seconds) if known.

        Empty if the run was deleted.
        """
        if not self.folder.is_dir():
            return {}
        state = self.read("state")
        if damaged := self._damaged(state):
            error = f"{damaged} is missing or damaged. Start the run again, or delete it."
            return {"state": "failed", "error": error}
        if state["state"] == "running":
            progress = self.read("progress")
            done, total = progress.get("done"), progress.get("total")
            if isinstance(done, int) and isinstance(total, int):
                state |= {"done": done, "total": total}
                if done:
                    state["left"] = round((time.time() - state["since"]) / done * (total - done))
        return state

    def _damaged(self, state: dict[str, Any]) -> str:
        """Return the name of a file that is needed and cannot be read, or nothing."""
        known = state.get("state") in ENDED | {"queued", "running"}
        if not known or not isinstance(state.get("since"), float):
            return "state.json"
        if state["state"] != "done":
            return ""
        damaged = [f"{n}.json" for n in ("about", "scores", "warnings") if not self.read(n)]
        damaged += [] if self.report.is_file() else [self.report.name]
        return damaged[0] if damaged else ""

    def enter(self, state: str, error: str = "") -> None:
        """Set the state of the run; if that cannot be written, the run counts as damaged."""
        reason = {"error": clip(error)} if error else {}
        try:
            self.write("state", {"state": state, "since": time.time(), **reason})
        except OSError:
            with suppress(OSError):
                (self.folder / "state.json").unlink()
            raise

    def describe(self, request: dict[str, Any], evalset: EvalSet | None = None) -> None:
        """Write what lists show of a request, and of its test set once the texts were read."""
        sent = [system["name"] for system in request.get("systems", [])]
        about = {
            "title": request.get("title", ""),
            "created": self.read("about").get("created", time.time()),
            "metrics": request["metrics"],
            "systems": list(evalset.systems) if evalset else sent,
        }
        self.write("about", about | ({"set": _describe_set(evalset)} if evalset else {}))

    def description(self) -> dict[str, Any]:
        """Return what lists and pages show of the run."""
        empty = {"id": self.id, "title": "", "created": 0, "systems": [], "metrics": []}
        content = empty | self.read("about") | self.read("warnings") | self.state
        content.setdefault("warnings", [])
        scores = self.read("scores")
        return content | ({"scores": scores} if scores else {})

    def clean(self, *, results: bool = False) -> None:
        """Remove uploaded and temporary files, and on request the results."""
        shutil.rmtree(self.files, ignore_errors=True)
        for path in self.folder.glob("*" if results else ".*"):
            if path.name not in _KEPT:
                with suppress(OSError):
                    path.unlink()

    def delete(self) -> None:
        """Remove the run with all its files."""
        shutil.rmtree(self.folder)


def _describe_set(evalset: EvalSet) -> dict[str, Any]:
    """Identify the test set: only scores of the same one can be compared."""
    source = [evalset.source] if evalset.source else []
    texts = ["\n".join(lines).rstrip("\n") for lines in [*evalset.references.values()] or source]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    return {"digest": digest[:16], "segments": len(evalset)}


class Runs:
    """All runs under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise AlbeitError(f"{folder} cannot be created: {error.strerror}.") from None
        for run in self.list():
            run.clean()
            if run.state.get("state") not in ENDED:
                with suppress(OSError):
                    run.enter("interrupted", STOPPED)

    def create(self, request: dict[str, Any]) -> Run:
        """Store a request as a new run in state ``queued``."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        run = Run(self.folder / f"{stamp}-{secrets.token_hex(4)}")
        try:
            run.folder.mkdir(mode=0o700)  # the texts are private
            run.write("request", request)
            run.describe(request)  # lists do not read the texts, which are large
            run.enter("queued")
        except OSError:
            shutil.rmtree(run.folder, ignore_errors=True)
            raise
        return run

    def get(self, name: str) -> Run:
        """Return the run of this id; ids are checked, so a name can never lead elsewhere."""
        run = Run(self.folder / name)
        if not _ID.fullmatch(name) or not run.folder.is_dir():
            raise ServerError(404, "there is no such run.")
        return run

    def list(self) -> Sequence[Run]:
        """Return all runs, the newest first."""
        folders = [p for p in self.folder.iterdir() if _ID.fullmatch(p.name) and p.is_dir()]
        return [Run(folder) for folder in sorted(folders, reverse=True)]
