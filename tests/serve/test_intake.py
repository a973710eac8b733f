"""Requests: files read as by the command line, whole sets, judgments, and whole documents."""

from __future__ import annotations

import base64
import json
import shlex
import time
from pathlib import Path

import pytest

from albeit.cli import main
from albeit.data import read
from albeit.errors import AlbeitError, InputError
from albeit.serve.app import asset
from albeit.serve.job import _open_run, work
from albeit.serve.requests import check_request
from albeit.serve.runs import Run, Runs
from tests.conftest import ROOT
from tests.report.page.conftest import data_of
from tests.serve.conftest import REQUEST, Server, Start, ended, talk
from tests.serve.demonstration import request as demonstration_request

LINES = "the cat sat\nit was late\nshe left\n"


def file(name: str, content: str | bytes) -> dict[str, str]:
    data = content.encode() if isinstance(content, str) else content
    return {"name": name, "data": base64.b64encode(data).decode()}


def item(name: str, text: str) -> dict[str, str]:
    return {"name": name, "text": text}


def asked(**more: object) -> dict[str, object]:
    texts = {"systems": [file("a", LINES)], "references": [file("ref", LINES)]}
    return {**texts, "metrics": ["chrf"], "profile": "none", **more}


def prepared(folder: Path, request: object) -> Run:
    """A run that was checked as a job checks it."""
    run = Runs(folder / "runs").create(check_request(request))
    work(run.folder)
    return run


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"testset": file("set.xml", "<dataset")}, "set.xml"),
        ({"judgments": file("j.tsv", "what\n")}, "j.tsv:1: isn't a known format of judgments"),
        ({"resegment": True, "references": []}, "needs a reference"),
        ({"systems": [item("a", "x\ny\nz\ud800")]}, "a: has U+0000 or half a character"),
        ({"documents": "one\ntwo\none"}, "documents"),
        ({"source": {"data": base64.b64encode(b"\xff\nb\n").decode()}}, "source:1: byte 0xFF"),
        ({"systems": [{"name": "a", "data": "?"}]}, "a: its data is not base64"),
        ({"systems": []}, "no translation"),
        ({"systems": [item("a\ud800", "x\ny")]}, "own name"),
        ({"systems": [{"name": "a", "data": 3}]}, "own name, and text or data"),
        ({"systems": [item("a", "x")] * 2}, "own name"),
        ({"metrics": ["blue"]}, "Did you mean bleu"),
        ({"metrics": ["act(lexicon=/etc/passwd)"]}, "act: lexicon=/etc/passwd can name a file"),
        ({"metrics": ["model.json"]}, "model.json is a saved model"),
        ({"path": "/etc/passwd"}, "unknown keys: 'path'"),
        ({"": "x"}, "unknown keys: ''"),
        ({"testset": "no file"}, "an object with name and data"),
        ({"resegment": "yes"}, "true or false"),
        ({"lang": "xx"}, "isn't a language code"),
        ({"source": ["x"]}, "source must be text"),
        ({"judgments": {"name": "j.tsv"}}, "judgments must be an object with name and data"),
    ],
)
def test_wrong_input_is_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(AlbeitError) as told:
        prepared(tmp_path, asked(**change))
    assert said in str(told.value)
    assert str(tmp_path) not in str(told.value)


def test_a_whole_test_set_is_spread_out(tmp_path: Path) -> None:
    header = "doc_id\tsource\tref:r\tsys:a\tsys:b\n"
    table = f"{header}d\teins\tone\tone\twon\nd\tzwei\ttwo\ttwo\ttoo\n"
    sent = {"testset": file("mine.tsv", table), "metrics": ["chrf"], "source_lang": "de"}
    run = prepared(tmp_path, sent)
    evalset = read(run.folder / "set.jsonl")
    assert run.description()["systems"] == list(evalset.systems) == ["a", "b"]
    assert run.description()["title"] == "mine"
    assert evalset.source == ("eins", "zwei")
    assert (evalset.source_lang, evalset.has_documents) == ("de", True)
    with pytest.raises(InputError, match="rename your file"):
        prepared(tmp_path, sent | {"systems": [file("a", "x\ny\n")]})


def test_warnings_of_the_command_line_come_with_the_run(tmp_path: Path) -> None:
    sent = asked(systems=[file("a", "\ufeffthe cat sat\r\n\r\nshe left\r\n")])
    said = prepared(tmp_path, sent).description()["warnings"]
    assert any(each.startswith("a: begins with a byte-order mark") for each in said)
    assert any("1 of 3 lines are empty" in each for each in said)


def test_documents_without_lines_are_cut(tmp_path: Path) -> None:
    sent = asked(systems=[file("a", "the cat sat it was late she left")], resegment=True)
    evaluation, _ = _open_run(prepared(tmp_path, sent).folder, 1000)
    assert evaluation.evalset.systems["a"] == tuple(LINES.splitlines())
    assert evaluation.evalset.resegmented


def test_judgments_give_agreement_with_people(server: Server) -> None:
    systems = [
        file("a", LINES.replace("she", "he")),
        file("b", "a dog\nlate\nleft\n"),
        file("c", "x\ny\nz\n"),
    ]
    pairs = "segment\tbetter\tworse\n" + "".join(f"{n}\ta\tb\n" for n in (1, 2, 3))
    sent = asked(systems=systems, judgments=file("pairwise.tsv", pairs))
    with server.client() as client:
        run = client.post("/api/runs", json=sent).json()
        assert run["systems"] == ["a", "b", "c"]
        done = ended(client, run["id"])
        assert (done["state"], done["systems"]) == ("done", ["a", "b"])
        assert any("no judgments of c" in each for each in done["warnings"])
        data = client.get(f"/runs/{run['id']}").text
        assert data_of(data)["agreement"][0]["caption"].startswith("Correlation with human")


def test_the_command_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    asked_for = demonstration_request() | {"metrics": ["chrf", "ter"], "profile": "none"}
    run = Runs(tmp_path / "runs").create(check_request(asked_for))
    work(run.folder)
    served = data_of(run.report.read_text(encoding="utf-8"))
    for item in [*run.request["systems"], *run.request["references"]]:
        Path(f"{item['name']}.txt").write_text(item["text"], encoding="utf-8")
    for key in ("source", "documents"):
        Path(f"{key}.txt").write_text(run.request[key], encoding="utf-8")
    assert main([*shlex.split(served["command"])[1:], "-q"]) == 0
    again = data_of(Path("report.html").read_text(encoding="utf-8"))
    for key in ("systems", "checksums", "metrics"):
        assert again[key] == served[key]


def test_the_demonstration_is_that_of_the_examples() -> None:
    assert json.loads(asset("demonstration.json")) == demonstration_request()
    assert (ROOT / "examples/demo/src.txt").read_text(
        encoding="utf-8"
    ) in demonstration_request().values()


def test_folders_of_runs_are_the_users_own(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "all" / "runs")
    run = runs.create(REQUEST)
    assert run.folder.stat().st_mode & 0o777 == 0o700
    assert runs.folder.stat().st_mode & 0o777 == 0o700


def test_runs_say_which_set_they_are_of(tmp_path: Path) -> None:
    one, same = prepared(tmp_path, REQUEST), prepared(tmp_path, REQUEST | {"metrics": ["bleu"]})
    changed = {"references": [{"name": "ref", "text": "x\ny\n"}]}
    other = prepared(tmp_path, REQUEST | changed)
    assert one.description()["set"] == same.description()["set"] != other.description()["set"]
    assert one.description()["set"]["segments"] == 2


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x",
        b"POST /api/runs HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{",
    ],
)
def test_slow_headers_and_bodies_are_closed(start: Start, beginning: bytes) -> None:
    server = start("--request-seconds", "1")
    host = server.address.removeprefix("http://")
    answer = talk(server, beginning.replace(b"{host}", host.encode()))
    assert not answer or b" 408 " in answer.splitlines()[0]


def test_the_time_left_is_said(tmp_path: Path) -> None:
    run = Runs(tmp_path).create(REQUEST)
    run.enter("running")
    (run.folder / "progress.json").write_text('{"done": 1, "total": 11}')
    state = json.loads((run.folder / "state.json").read_text())
    (run.folder / "state.json").write_text(json.dumps(state | {"since": time.time() - 10}))
    assert 99 <= run.state["left"] <= 110
