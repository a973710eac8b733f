"""Requests that want too much, files that are damaged, and a disk that is full."""

from __future__ import annotations

import asyncio
import base64
import errno
import gzip
import json
import os
import resource
import tracemalloc
from pathlib import Path
from typing import Any

import httpx
import pytest

from albeit.cli import main
from albeit.errors import InputError
from albeit.serve import app as app_module
from albeit.serve.app import HEADERS, make_app
from albeit.serve.job import Manager
from albeit.serve.requests import check_request, read_texts
from albeit.serve.runs import Limits, Run, Runs, ServerError
from tests.serve.conftest import REQUEST, Server, Start, ended, slow, talk

MB = 2**20
FILES = ("state", "about", "progress", "warnings", "scores", "request")


def packed(size: int, *, zstd: bool = False) -> str:
    """Lines of this many bytes, compressed, as base64."""
    data = b"a\n" * (size // 2)
    if zstd:
        zstandard = pytest.importorskip("zstandard")
        return base64.b64encode(zstandard.compress(data)).decode()
    return base64.b64encode(gzip.compress(data)).decode()


# Memory and time


@pytest.mark.parametrize("zstd", [False, True])
def test_all_files_of_a_request_share_one_limit(tmp_path: Path, zstd: bool) -> None:
    data = packed(MB, zstd=zstd)
    systems = [{"name": f"s{n}", "data": data} for n in range(3)]
    request = {"systems": systems, "metrics": ["chrf"]}
    with pytest.raises(InputError, match=r"s2: .* larger than 2,097,152 bytes. Send fewer"):
        read_texts(request, tmp_path, 2 * MB)


@pytest.mark.parametrize("zstd", [False, True])
def test_a_bomb_is_never_unpacked_as_a_whole(tmp_path: Path, zstd: bool) -> None:
    request = {"systems": [{"name": "a", "data": packed(400 * MB, zstd=zstd)}], "metrics": []}
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="larger than"):
            read_texts(request, tmp_path, MB)
        assert tracemalloc.get_traced_memory()[1] < 200 * MB
    finally:
        tracemalloc.stop()


SLOW_TEXT = " ".join(["word"] * 30_000)
SLOW = REQUEST | {
    "resegment": True,
    "systems": [{"name": "a", "text": SLOW_TEXT}],
    "references": [{"name": "ref", "text": SLOW_TEXT.replace(" word word word ", " word\nword ")}],
}
"""A small request that takes long to check."""


@pytest.mark.parametrize(
    ("request_", "limits", "message"),
    [
        (SLOW, Limits(check_seconds=0.05), "checking the texts took longer than 0.05 seconds"),
        (
            REQUEST | {"systems": [{"name": "a", "data": packed(240 * MB)}]},
            Limits(memory=400 * MB),
            "it needed more than 419,430,400 bytes of memory. Send fewer or smaller texts.",
        ),
    ],
)
def test_a_job_has_limits_of_time_and_memory(
    tmp_path: Path, request_: dict[str, Any], limits: Limits, message: str
) -> None:
    async def work() -> None:
        manager = Manager(limits)
        manager.submit(run)
        assert message in (await reach(run, "done", "failed")).get("error", "")

    run = Runs(tmp_path).create(check_request(request_))
    asyncio.run(work())
    assert not run.files.exists()


def test_the_server_answers_while_texts_are_checked(server: Server) -> None:
    with server.client() as client:
        sent = client.post("/api/runs", json=SLOW)
        assert sent.status_code == 201
        other = client.post("/api/runs", json=REQUEST)
        assert (other.status_code, other.json()["state"]) == (201, "queued")
        for run in (other.json()["id"], sent.json()["id"]):
            client.post(f"/api/runs/{run}/cancel", json={})
            assert ended(client, run)["state"] == "cancelled"
        assert not list(server.folder.glob("*/files"))


# The disk


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs sleep."""
    execute = asyncio.create_subprocess_exec

    async def sleep(*_: object, **options: Any) -> object:
        return await execute("sleep", "60", **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", sleep)


async def reach(run: Run, *states: str) -> dict[str, Any]:
    """Wait until a run is in one of these states."""
    for _ in range(1200):
        if run.state.get("state") in states:
            return run.state
        await asyncio.sleep(0.05)
    raise AssertionError(run.state)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.usefixtures("asleep")
def test_a_full_disk_fails_only_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(tmp_path)
    first, second, third = (runs.create(REQUEST) for _ in range(3))

    async def work() -> None:
        manager = Manager(Limits())
        manager.submit(first)
        await reach(first, "running")
        manager.submit(second)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space left on device"):
                runs.create(REQUEST)
            await manager.cancel(first)  # neither its end nor the second's start can be written
            for run in (first, second):
                state = await reach(run, "failed")
                assert "state.json is missing or damaged" in state["error"]
            with pytest.raises(OSError, match="No space left on device"):
                manager.submit(third)
        assert len(runs.list()) == 3
        assert not list(tmp_path.glob("*/.*"))
        manager.submit(second)
        assert await reach(second, "running")
        await manager.close()

    asyncio.run(work())
    assert second.state["state"] == "interrupted"


def test_a_server_that_cannot_write_says_so_and_goes_on(start: Start) -> None:
    server = start()
    with server.client() as client:
        pid = server.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
        sent = client.post("/api/runs", json=REQUEST)
        assert sent.status_code == 507
        assert "a file of the run cannot be read or written" in sent.json()["error"]
        assert str(server.folder) not in sent.text
        assert client.get("/api/runs").json() == {"runs": []}
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        run = client.post("/api/runs", json=REQUEST).json()["id"]
        assert ended(client, run)["state"] == "done"


@pytest.mark.parametrize("content", [b"", b'{"state": "do', b"[1]", b"\xff", b'{"x": NaN}'])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_concerns_its_run_alone(tmp_path: Path, name: str, content: bytes) -> None:
    runs = Runs(tmp_path)
    damaged, other = runs.create(REQUEST), runs.create(REQUEST)
    for run in (damaged, other):
        run.report.write_text("report")
        (run.folder / "scores.json").write_text('{"chrf": [1, 2]}')
        (run.folder / "warnings.json").write_text('{"warnings": []}')
        run.enter("running" if name == "progress" else "done")
    (damaged.folder / f"{name}.json").write_bytes(content)
    client = in_process(tmp_path)
    found = {run["id"]: run for run in client("GET", "/api/runs").json()["runs"]}
    assert found[other.id]["state"] == ("interrupted" if name == "progress" else "done")
    state = {"request": "done", "progress": "interrupted"}.get(name, "failed")
    assert found[damaged.id]["state"] == state
    if state == "failed":
        assert f"{name}.json is missing or damaged" in found[damaged.id]["error"]
    assert client("GET", f"/api/runs/{damaged.id}").json() == found[damaged.id]
    assert client("DELETE", f"/api/runs/{damaged.id}").status_code == 204
    assert not damaged.folder.exists()


def test_a_run_with_damaged_files_starts_again(start: Start, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "runs")
    damaged, lost = runs.create(REQUEST), runs.create(REQUEST)
    for name in ("state", "about", "warnings", "scores"):
        (damaged.folder / f"{name}.json").write_text("")
    (lost.folder / "request.json").write_text("")
    (damaged.folder / "files").mkdir()
    (damaged.folder / "files" / "upload.tsv").write_text("left by a killed server")
    (damaged.folder / ".state.json.1.2").write_text("left by a killed server")
    with start(folder=runs.folder).client() as client:
        assert not (damaged.folder / "files").exists()
        assert not list(damaged.folder.glob(".*"))
        for run, state in ((damaged, "done"), (lost, "failed")):
            assert client.post(f"/api/runs/{run.id}/again", json={}).status_code == 200
            found = ended(client, run.id)
            assert found["state"] == state
            assert found["systems"] == ["a", "../b"]
        assert "request.json: is missing or damaged" in found["error"]
        assert not list(runs.folder.glob("*/files"))


def test_files_are_flushed_then_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    replace = Path.replace
    monkeypatch.setattr(os, "fsync", lambda _: done.append("flush"))

    def rename(self: Path, target: Path) -> Path:
        done.append(target.name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", rename)
    Run(tmp_path).enter("queued")
    assert done == ["flush", "state.json", "flush"]


@pytest.mark.usefixtures("asleep")
def test_a_cancelled_run_leaves_the_queue_and_again_needs_a_slot(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    working, one, two, more = (runs.create(REQUEST) for _ in range(4))

    async def work() -> None:
        manager = Manager(Limits(waiting=2))
        manager.submit(working)
        await reach(working, "running")
        with pytest.raises(ServerError, match="under way"):
            manager.submit(working)
        manager.submit(one)
        manager.submit(two)
        await manager.cancel(one)
        assert one.state["state"] == "cancelled"
        manager.submit(more)
        with pytest.raises(ServerError, match="too many runs"):
            manager.submit(one)
        assert one.state["state"] == "cancelled"
        await manager.close()

    asyncio.run(work())


# Replies


def in_process(folder: Path) -> Any:
    """Ask an application without a socket."""
    app = make_app(folder, {"here"}, "", Limits())

    def ask(method: str, path: str, **options: Any) -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                kind = {"content-type": "application/json"}
                return await client.request(method, path, headers=kind, **options)

        return asyncio.run(answer())

    return ask


def is_guarded(answer: httpx.Response) -> bool:
    return all(answer.headers.get_list(key) == [value] for key, value in HEADERS.items())


def test_reply_headers(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, no_json = {"content-type": "application/json"}, (b"{", b"\xff", b"[" * 100_000)
    pieces = (b"x" * (MB // 4) for _ in range(5))
    with server.client() as client:
        for answer, status in (
            (client.get("/"), 200),
            (client.get("/nothing"), 404),
            (client.get("/api/runs/x"), 404),
            (client.get("/api/runs/..%2f..%2fetc"), 404),
            (client.get("/api/runs/20260101-000000-00000000"), 404),
            (client.put("/api/runs", json={}), 405),
            (client.get("/", headers={"host": "evil.example"}), 421),
            *((client.post("/api/runs", content=body, headers=kind), 400) for body in no_json),
            (client.post("/api/runs", content=b"x" * (MB + 1), headers=kind), 413),
            (client.post("/api/runs", content=pieces, headers=kind), 413),
        ):
            assert (answer.status_code, is_guarded(answer)) == (status, True), answer.headers
            assert status == 200 or answer.json()["error"]
    raw = talk(server, b"no HTTP\r\n\r\n")
    assert raw.startswith(b"HTTP/1.1 400 ")
    for key, value in HEADERS.items():
        assert f"{key}: {value}".lower().encode() in raw.lower()

    def fail(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(app_module, "usable_metrics", fail)
    answer = in_process(tmp_path)("GET", "/api/metrics")
    assert (answer.status_code, is_guarded(answer)) == (500, True)
    assert answer.json() == {"error": "the server failed; see its output."}


LONG = "x" * 50_000


@pytest.mark.parametrize(
    "change",
    [
        {LONG: 1},
        {"\ud800": 1},
        {"lang": LONG},
        {"title": LONG},
        {"metrics": [LONG]},
        {"metrics": ["chrf(" * 1000]},
        {"systems": [{"name": LONG, "text": ""}]},
        {"judgments": {"name": LONG, "data": ""}},
        {"profile": LONG},
    ],
)
def test_errors_quote_little_of_bad_input(tmp_path: Path, change: dict[str, object]) -> None:
    client = in_process(tmp_path)
    answer = client("POST", "/api/runs", content=json.dumps(REQUEST | change))
    assert answer.status_code == 400
    assert answer.json()["error"].count("x") < 220
    assert len(answer.json()["error"]) < 500


def test_errors_quote_little_of_addresses_hosts_and_texts(server: Server, tmp_path: Path) -> None:
    client = in_process(tmp_path)
    for path in (f"/api/metrics?lang={LONG}", f"/{LONG}", f"/api/runs/{LONG}"):
        assert client("GET", path).text.count("x") < 220
    run = Runs(tmp_path).create(REQUEST)
    run.enter("failed", f"{LONG}: bad")
    assert len(run.state["error"]) < 220
    with server.client() as real:
        assert len(real.get("/", headers={"host": "x" * 9000}).text) < 300


# The token


def test_a_token_on_the_command_line_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--token", "hush"], ["--token=hush"], ["--token"]):
        assert main(["serve", *words]) == 2
        said = capsys.readouterr()
        assert "Set ALBEIT_TOKEN, or use --token-file FILE." in said.err
        assert "hush" not in said.err + said.out


def test_a_token_is_not_passed_on_to_jobs(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_TOKEN", "hush-hush")
    server = start()
    assert "hush" not in server.said
    with server.client(headers={"authorization": "Bearer hush-hush"}) as client:
        run, pid = slow(client, server)
        assert b"ALBEIT_TOKEN" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert client.get("/api/runs", headers={"authorization": ""}).status_code == 401
        client.post(f"/api/runs/{run}/cancel", json={})


@pytest.mark.parametrize("content", ["", "a;b", "two words"])
def test_token_files(tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "token").write_text(content)
    assert main(["serve", "--port", "0", "--token-file", str(tmp_path / "token")]) == 2
    assert content == "" or content not in capsys.readouterr().err
