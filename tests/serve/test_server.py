"""The server over a real socket: a whole run, who is refused, and what it survives."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import httpx
import pytest

from albeit.metrics.registry import check_safe
from tests.conftest import is_gone
from tests.report.page.conftest import data_of
from tests.serve.conftest import REQUEST, Server, Start, ended, slow


def test_a_run_from_files_to_report(server: Server) -> None:
    with server.client() as client:
        made = client.post("/api/runs", json=REQUEST)
        assert made.status_code == 201
        run = made.json()["id"]
        with client.stream("GET", f"/api/runs/{run}/events") as events:
            told = [json.loads(line[6:])["state"] for line in events.iter_lines() if line]
        assert told[-1] == "done"
        found = client.get(f"/api/runs/{run}").json()
        assert found["title"] == "<b>run</b>"
        assert found["scores"]["chrf"][0] == pytest.approx(100)
        data = data_of(client.get(f"/runs/{run}").text)
        assert data["systems"] == ["a", "../b"]
        views = client.get(data["explain_at"], params={"segment": 1}).json()
        assert set(views) == {"chrf", "ter"}
        assert views["ter"][1]["system"] == "../b"
        assert client.get(data["explain_at"], params={"segment": 9}).status_code == 400
        assert client.post(f"/api/runs/{run}/again", json={}).status_code == 409
        assert [r["id"] for r in client.get("/api/runs").json()["runs"]] == [run]
        gone = client.request("DELETE", f"/api/runs/{run}", json={})
        assert gone.status_code == 204
        assert client.get(f"/api/runs/{run}").status_code == 404
        assert not list(server.folder.iterdir())


@pytest.mark.slow
def test_an_explanation_that_takes_too_long_is_ended(start: Start) -> None:
    with start("--explain-seconds", "3").client() as client:
        run = client.post("/api/runs", json=REQUEST | {"metrics": ["musing"]}).json()["id"]
        assert ended(client, run)["state"] == "done"
        answer = client.get(f"/api/runs/{run}/explain", params={"segment": 1})
        assert answer.status_code == 400
        assert "took longer than 3 seconds" in answer.json()["error"]
        other = client.post("/api/runs", json=REQUEST).json()["id"]
        assert ended(client, other)["state"] == "done"


ATTACKS = (
    "program(command=id,texts=translation)",
    "program(command=\"sh -c 'touch ran.pid'\",texts=translation)",
    "hybrid(program(command=\"sh -c 'touch ran.pid'\",texts=translation))",
    "hybrid('program(command=id)')",
    "function(os:system)",
    "comet",
    "hasty",
    "hybrid(model.json)",
    "act(lexicon=lexicon)",
    "act(alignment=eflomal)",
)


def test_a_request_cannot_run_programs_or_read_files(start: Start) -> None:
    server = start()
    with server.client() as client:
        for metric in ATTACKS:
            sent = client.post("/api/runs", json=REQUEST | {"metrics": ["chrf", metric]})
            assert sent.status_code == 400, metric
            assert "isn't allowed in requests to a server" in sent.json()["error"], metric
        assert client.get("/api/runs").json()["runs"] == []
    assert not list(server.work.glob("*.pid"))


def test_metrics_of_a_language_that_are_accepted(server: Server) -> None:
    with server.client() as client:

        def listed(query: str) -> set[str]:
            metrics = client.get(f"/api/metrics?{query}").json()["metrics"]
            return {each["name"] for each in metrics}

        german = listed("lang=de&source_lang=en")
        for names in (german, listed("lang=en&source_lang=en")):
            assert {"chrf", "slow"} <= names
            assert not names & {"program", "function", "comet", "comet-qe", "hasty"}
            for name in names - {"slow", "musing"}:
                check_safe(name)
        assert "act" in german
        assert {"chrf", "dr", "cohesion"} <= listed("lang=en")
        polish = listed("lang=pl")
        assert "chrf" in polish
        assert "dr" not in polish
        assert client.get("/api/metrics?lang=xx").status_code == 400
        assert "Evaluate machine translation" in client.get("/").text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_other_sites_are_refused(server: Server, headers: dict[str, str], status: int) -> None:
    with server.client() as client:
        sent = client.post(
            "/api/runs",
            content=json.dumps(REQUEST),
            headers={"content-type": "application/json", **headers},
        )
        assert sent.status_code == status
        assert client.get("/api/runs").json()["runs"] == []


def test_a_run_with_wrong_texts_fails_with_the_reason(server: Server) -> None:
    with server.client() as client:
        sent = client.post(
            "/api/runs", json=REQUEST | {"systems": [{"name": "a", "text": "one line"}]}
        )
        assert sent.status_code == 201
        run = ended(client, sent.json()["id"])
        assert run["state"] == "failed"
        assert "a:2: has 1 line, but ref has 2" in run["error"]
        assert client.get(f"/runs/{run['id']}").status_code == 202
        client.request("DELETE", f"/api/runs/{run['id']}", json={})


def test_a_token_is_needed_where_one_is_set(start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("secret\n")
    server = start("--token-file", str(secret))
    assert "secret" not in server.said
    with server.client() as client:
        assert client.get("/api/runs").status_code == 401
        assert client.get("/api/runs?token=wrong").status_code == 401
        bearer = {"authorization": "Bearer secret"}
        assert client.get("/api/runs", headers=bearer).status_code == 200
        assert client.get("/?token=secret").status_code == 200
        assert client.get("/api/runs").status_code == 200  # by the cookie


def test_who_comes_from_outside_needs_the_token_that_is_printed(start: Start) -> None:
    server = start("--host", "0.0.0.0", "--names", "box.example.org")
    token = server.said.strip().partition("?token=")[2]
    assert len(token) > 20
    port = server.address.rpartition(":")[2]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        for host in (f"box.example.org:{port}", "box.example.org"):  # behind a proxy, no port
            assert client.get("/api/runs", headers={"host": host}).status_code == 401
            shown = {"host": host, "authorization": f"Bearer {token}"}
            assert client.get("/api/runs", headers=shown).status_code == 200
            sent = client.post("/api/runs", json={}, headers={"origin": f"https://{host}", **shown})
            assert sent.status_code == 400  # let in, and told what is wrong
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.slow
def test_cancelled_killed_started_again_and_refused(server: Server) -> None:
    with server.client() as client:
        run, pid = slow(client, server)
        quick = [client.post("/api/runs", json=REQUEST) for _ in range(3)]
        assert [sent.status_code for sent in quick] == [201, 201, 503]
        waiting, other = (sent.json()["id"] for sent in quick[:2])
        assert client.request("DELETE", f"/api/runs/{run}", json={}).status_code == 409
        for one in (waiting, other):
            assert client.post(f"/api/runs/{one}/cancel", json={}).json()["state"] == "cancelled"
        assert client.post(f"/api/runs/{run}/cancel", json={}).json()["state"] == "cancelled"
        assert is_gone(pid)
        run, pid = slow(client, server)
        os.kill(pid, signal.SIGKILL)
        failed = ended(client, run)
        assert (failed["state"], "status -9" in failed["error"]) == ("failed", True)
        client.post(f"/api/runs/{waiting}/again", json={})
        assert ended(client, waiting)["state"] == "done"


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_runs_survive_the_server_but_not_their_work(start: Start, sign: signal.Signals) -> None:
    first = start()
    with first.client() as client:
        done = client.post("/api/runs", json=REQUEST).json()["id"]
        assert ended(client, done)["state"] == "done"
        run, pid = slow(client, first)
    first.process.send_signal(sign)
    first.process.wait(30)
    assert is_gone(pid)
    second = start(folder=first.folder)
    with second.client() as client:
        assert client.get(f"/api/runs/{run}").json()["state"] == "interrupted"
        assert client.get(f"/api/runs/{done}").json()["state"] == "done"
        assert client.get(f"/runs/{done}").status_code == 200
