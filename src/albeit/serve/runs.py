"""Runs on disk: one folder each, with the request, its state, and what came out.

Every file is written to a temporary name and renamed, so a killed server leaves nothing
half written. States: ``queued``, ``running``, ``done``, ``failed``, ``cancelled``; a run
that was under way when the server stopped is ``interrupted`` and can be started again.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.errors import AlbeitError

__all__ = [
    "ENDED",
    "STOPPED",
    "Run",
    "RunError",
    "RunStateError",
    "Runs",
    "read_json",
    "write_json",
    "write_text",
]

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")
ENDED = frozenset({"done", "failed", "cancelled", "interrupted"})


STOPPED = "the server stopped while this run was under way."


class RunError(AlbeitError):
    """There is no such run."""


class RunStateError(RunError):
    """The run is not in a state in which that can be done."""


def write_text(path: Path, text: str) -> None:
    """Write all or nothing."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    temporary.write_text(text, encoding="utf-8", errors="surrogatepass")
    temporary.replace(path)


def write_json(path: Path, value: object) -> None:
    """Write an object, all or nothing."""
    write_text(path, json.dumps(value))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; empty where the file is not there (yet)."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


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
        """What was asked for."""
        return read_json(self.folder / "request.json")

    @property
    def report(self) -> Path:
        """Where the page is, once it is done."""
        return self.folder / "report.html"

    @property
    def state(self) -> dict[str, Any]:
        """``state``, and with it ``error``, ``done``, ``total`` and the seconds ``left``, as far as
        they are known."""
        known = read_json(self.folder / "state.json")
        if known.get("state") == "running":
            known |= read_json(self.folder / "progress.json")
            if known.get("done"):
                spent = (time.time() - known["since"]) / known["done"]
                known["left"] = round(spent * (known["total"] - known["done"]))
        return known

    def enter(self, state: str, **facts: object) -> None:
        """Put the run into a state."""
        write_json(self.folder / "state.json", {"state": state, "since": time.time(), **facts})

    def described(self) -> dict[str, Any]:
        """What lists and pages tell of the run."""
        found = {"id": self.id, **read_json(self.folder / "about.json"), **self.state}
        later = read_json(self.folder / "warnings.json").get("warnings", [])
        found["warnings"] = list(dict.fromkeys([*found.get("warnings", []), *later]))
        scores = read_json(self.folder / "scores.json")
        return found | ({"scores": scores} if scores else {})


def _set(request: dict[str, Any]) -> dict[str, Any]:
    """Which test set a run is of: only scores of one and the same can be compared."""
    texts = [item["text"].rstrip("\n") for item in request.get("references", [])]
    texts += [request["source"].rstrip("\n")] if request.get("source") and not texts else []
    whole = json.dumps(texts).encode()
    segments = request["systems"][0]["text"].rstrip("\n").count("\n") + 1
    return {"digest": hashlib.sha256(whole).hexdigest()[:16], "segments": segments}


class Runs:
    """All runs under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for run in self.all():
            if run.state.get("state") not in ENDED:
                run.enter("interrupted", error=STOPPED)

    def create(self, request: dict[str, Any]) -> Run:
        """A new run in state ``queued``."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        run = Run(self.folder / f"{stamp}-{secrets.token_hex(4)}")
        run.folder.mkdir(mode=0o700)  # texts of users: nobody else on this machine reads them
        write_json(run.folder / "request.json", request)
        about = {
            "title": request.get("title", ""),
            "created": time.time(),
            "metrics": request["metrics"],
            "systems": [system["name"] for system in request["systems"]],
            "set": _set(request),
            "warnings": request.get("warnings", []),
        }
        write_json(run.folder / "about.json", about)  # apart from the texts, which are large
        run.enter("queued")
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
        """Remove a run that has ended, with all its files."""
        if run.state.get("state") not in ENDED:
            raise RunStateError("the run is under way; cancel it first.")
        shutil.rmtree(run.folder)
