"""Record what commands and the server print, and compare two source trees.

    python tools/replay.py against [COMMIT|DIR]          # record both trees here, and compare
    python tools/replay.py record OUT.json [--tree DIR]  # record one tree (default: this one)
    python tools/replay.py compare OLD.json NEW.json
    python tools/replay.py golden                        # tests/golden/wrong-commands.json

The commands are in ``tools/cases/*.toml``, with the files that they read. One process per tree
runs them in order through ``albeit.cli.main``; the server runs as a command. Of a command in
``right.toml``, the exit status, its JSON output, and the files that it writes are recorded. Of one
in ``wrong.toml``, the exit status, and the file and line that the message names.

Every difference fails, except those in ``tools/removed.txt``. Numbers must be equal. Record both
trees on one machine: scores of networks depend on the processor.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from tools.baseline import ROOT, Removed, open_tree, read_baseline, tree_environment

CASES = ROOT / "tools" / "cases"
GOLDEN = ROOT / "tests" / "golden" / "wrong-commands.json"
NORMAL = (
    (re.compile(r"\b(v|annotator|documents):[\w.+-]+"), r"\1:*"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[\d.+:Z]*"), "TIME"),
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{8}\b"), "RUN"),
    (re.compile(r'(?<="since": )[\d.]+'), "TIME"),
    (re.compile(r"^(queued|running)$"), "started"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
)
"""Parts of texts that differ from run to run or from version to version."""
VARIABLE = frozenset(
    {"albeit", "version", "created", "started", "ended", "seconds", "since", "made", "date"}
)
"""JSON keys whose values aren't compared."""
NAMES = ("name", "metric", "system", "id")
"""Keys that name the items of a list, so that a path doesn't depend on their number."""
Main = Callable[[Sequence[str]], int]


def read_cases(name: str) -> list[str]:
    """Return the commands of a file of cases."""
    text = (CASES / f"{name}.toml").read_text(encoding="utf-8")
    lines = tomllib.loads(text)["commands"].splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def write_files(name: str, folder: Path) -> None:
    """Write the files of a file of cases, and the demonstration set."""
    cases = tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))
    shutil.copytree(ROOT / "examples" / "demo", folder / "demo")
    for path, text in cases["files"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    for path, data in cases.get("bytes", {}).items():
        (folder / path).write_bytes(bytes.fromhex(data))
    for path, rows in judgments().items():
        separator = "," if path.endswith(".csv") else "\t"
        lines = [separator.join(map(str, row)) for row in rows]
        (folder / path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def judgments() -> dict[str, Sequence[Sequence[object]]]:
    """Return judgments of the demonstration set in each format, made up by a formula."""
    systems = ("blunt", "careful", "scattered", "shuffled")
    items = [(system, n) for system in systems for n in range(1, 25)]
    scores = {(system, n): -(len(system) * n * 7 % 11) for system, n in items}
    ranked = [("srcIndex", "judgeId", "system1Id", "system1rank", "system2Id", "system2rank")]
    return {
        "pairs.tsv": [("segment", "better", "worse")]
        + [(n, *(("careful", "blunt") if n % 3 else ("shuffled", "careful"))) for n in range(1, 25)]
        + [(n, "scattered", "shuffled") for n in range(1, 25, 2)],
        "ratings.tsv": [("system", "segment", "mqm")]
        + [(s, n, scores[s, n]) for s, n in items if n < 20],
        "raters.tsv": [("system", "segment", "rater", "z")]
        + [(s, n, f"r{k}", scores[s, n] / 5 - k) for s, n in items if n < 20 for k in (0, 1)],
        "rankings.csv": [
            *ranked,
            *((n, n % 2, "careful", 1, "blunt", n % 3) for n in (1, 2, 4, 5)),
        ],
        "mqm.seg.score": [(s, scores[s, n] if n % 7 else None) for s, n in items],
        "other.seg.score": [(s, n * len(s) % 13 / 4) for s, n in items],
        "marked.tsv": [("system", "seg_id", "rater", "source", "target", "category", "severity")]
        + [
            (s, n, "r1", "x", "a <v>b</v>", "Accuracy/Omission", "Major") for s, n in items if n % 2
        ],
    }


@contextmanager
def working_folder(name: str) -> Iterator[Path]:
    """Work in a new folder that has the files of a file of cases."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        write_files(name, Path(folder))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def run_command(main: Main, line: str) -> tuple[int, str, str]:
    """Run one command in this process; return exit status, output, and messages."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = main(shlex.split(line))
            except Exception:
                status = -1
                traceback.print_exc(file=err)
    finally:
        sys.stdin = stdin
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return status, texts[0], texts[1]


def locate_error(line: str, message: str) -> tuple[str | None, int | None]:
    """Return the first file that an error message names, and the line."""
    words = [part for word in shlex.split(line) for part in (word, *re.split(r"[=,()]", word)[1:])]
    files = [str(path) for path in Path().rglob("*") if path.is_file()]
    known = {word for word in words if re.search(r"\w\.\w+$", word)}
    known |= {
        file for file in files if file.startswith(tuple(f"{word}/" for word in words if word))
    }
    if not known:
        return None, None
    message = message.rpartition("albeit: error: ")[2].replace(f"{Path.cwd()}/", "")
    pattern = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    match = re.search(rf"(?<![\w./-])({pattern})(?![\w/-])(?::(\d+))?", message)
    if match is None:
        return None, None
    return match[1], int(match[2]) if match[2] else None


def run_wrong(main: Main, line: str) -> dict[str, Any]:
    """Return what is recorded of a wrong command."""
    status, out, message = run_command(main, line)
    file, number = locate_error(line, message or out)
    return {"status": status, "file": file, "line": number}


def run_right(main: Main, line: str) -> dict[str, Any]:
    """Return what is recorded of a command: status, output, and the files that it wrote."""
    before = {path: path.stat().st_mtime_ns for path in Path().iterdir() if path.is_file()}
    status, out, message = run_command(main, line)
    if status not in (0, 1, 3):
        print(f"{line}\n  {status}: {message.strip()[-300:]}", file=sys.stderr)
    files = {
        path.name: parse(path.name, path.read_text(encoding="utf-8"))
        for path in sorted(Path().iterdir())
        if path.suffix in (".json", ".jsonl", ".tsv", ".html", ".txt")
        and before.get(path) != path.stat().st_mtime_ns
    }
    return {"status": status, "out": parse("out", out), "files": files}


def parse(name: str, text: str) -> Any:
    """Return the data of an output: JSON, the JSON inside an HTML page, or lines."""
    if name.endswith(".html") or text[:9].lower() == "<!doctype":
        pattern = r'<script type="(?:text/plain|application/json)" id="([\w-]+)">([^<]*)</script>'
        blocks = dict(re.findall(pattern, text))
        if blocks:
            return normalize({key: unpack(block) for key, block in blocks.items()})
    try:
        return normalize(json.loads(text))
    except ValueError:
        return normalize(text.splitlines())


def unpack(block: str) -> Any:
    """Return the data of a block of a page: JSON, or JSON compressed by gzip."""
    if not block.lstrip().startswith(("{", "[")):
        block = gzip.decompress(base64.b64decode(block)).decode()
    data = json.loads(block)
    if isinstance(data, dict) and "labels" in data:
        return resolve_labels({**data, "labels": None}, data["labels"])
    return data


def resolve_labels(data: Any, labels: Sequence[str]) -> Any:
    """Replace the first number of each loss by the label that it stands for."""
    if isinstance(data, list):
        return [resolve_labels(each, labels) for each in data]
    if not isinstance(data, dict):
        return data
    found = {key: resolve_labels(value, labels) for key, value in data.items()}
    if "losses" in data:
        found["losses"] = [[labels[loss[0]], *loss[1:]] for loss in data["losses"]]
    return found


def normalize(data: Any) -> Any:
    """Replace what differs from run to run, and turn lists of named objects into objects."""
    if isinstance(data, dict):
        return {
            normalize(key): "*" if key in VARIABLE else normalize(value)
            for key, value in data.items()
        }
    if isinstance(data, list):
        for name in NAMES:
            if data and all(isinstance(item, dict) and name in item for item in data):
                keys = [normalize(str(item[name])) for item in data]
                if len(set(keys)) == len(keys):
                    return dict(zip(keys, map(normalize, data), strict=True))
        return [normalize(item) for item in data]
    if isinstance(data, str):
        for pattern, text in NORMAL:
            data = pattern.sub(text, data)
        return data.replace(str(Path.cwd()), ".")
    return data


def record_commands(main: Main) -> dict[str, Any]:
    """Run all commands of both files."""
    results = {}
    for name, run in (("right", run_right), ("wrong", run_wrong)):
        with working_folder(name):
            for line in read_cases(name):
                results[line] = run(main, line)
    return results


@contextmanager
def running_server(environment: dict[str, str]) -> Iterator[str]:
    """Start ``albeit serve``, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "albeit", "serve", "--port", "0", "--folder", folder]
        process = subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        try:
            assert process.stdout is not None
            match = re.search(r"http://[^/\s]+", process.stdout.readline())
            assert match is not None
            yield match[0]
        finally:
            process.terminate()
            process.wait()


def ask(address: str, method: str, path: str, data: Any = None) -> dict[str, Any]:
    """Return status and content of a reply."""
    body = None if data is None else data if isinstance(data, bytes) else json.dumps(data).encode()
    headers = {"Content-Type": "application/json"}
    request = Request(address + path, data=body, method=method, headers=headers)
    try:
        with urlopen(request, timeout=120) as reply:
            status, kind, text = reply.status, reply.headers.get("Content-Type", ""), reply.read()
    except HTTPError as error:
        status, kind, text = error.code, error.headers.get("Content-Type", ""), error.read()
    parsed = json.loads(text) if "json" in kind else None
    return {"status": status, "type": kind.partition(";")[0], "text": text.decode(), "json": parsed}


def record_server(environment: dict[str, str]) -> dict[str, Any]:
    """Record the replies of a server: a run of the demonstration set, and wrong requests."""
    steps: dict[str, Any] = {}
    with running_server(environment) as address:

        def step(method: str, path: str, data: Any = None, shown: str = "") -> dict[str, Any]:
            reply = ask(address, method, path, data)
            content = parse("page.html" if "html" in reply["type"] else "", reply["text"])
            if "html" in reply["type"] and isinstance(content, list):
                content = "page"
            if reply["status"] >= 400:
                content = "message"
            name = f"server {method} {shown or path}"
            steps[name] = {"status": reply["status"], "type": reply["type"], "out": content}
            return reply

        for path in ("/", "/api", "/api/openapi.json", "/api/metrics", "/api/metrics?lang=de"):
            step("GET", path)
        request = step("GET", "/api/demonstration")["json"]
        request |= {"metrics": ["chrf", "dr-lex", "cohesion"]}
        identifier = step("POST", "/api/runs", request)["json"]["id"]
        run = f"/api/runs/{identifier}"
        for _ in range(1200):
            if ask(address, "GET", run)["json"]["state"] not in ("queued", "running"):
                break
            time.sleep(0.25)
        asked: tuple[str, ...] = ("", "/events", "/explain?segment=2", "/explain?document=bridge")
        asked += ("/explain", "/again", "/explain?segment=99", "/explain?document=x", "/cancel")
        for path in asked:
            method = "POST" if path in ("/again", "/cancel") else "GET"
            step(method, run + path, shown="/api/runs/RUN" + path)
        step("GET", f"/runs/{identifier}", shown="/runs/RUN")
        step("GET", "/api/runs")
        requests = (CASES / "requests.jsonl").read_bytes().splitlines()
        for number, wrong in enumerate(requests):
            step("POST", "/api/runs", wrong, shown=f"/api/runs wrong {number}")
        for method, path in (("GET", "/api/runs/none"), ("GET", "/none"), ("PUT", "/api/runs")):
            step(method, path)
        step("DELETE", run, shown="/api/runs/RUN")
        step("GET", run, shown="/api/runs/RUN deleted")
    return steps


def record(path: Path, tree: Path) -> None:
    """Record the commands and the server of a tree."""
    with tree_environment(tree) as environment:
        words = [sys.executable, __file__, "commands", str(path)]
        subprocess.run(words, env=environment, check=True)
        results = json.loads(path.read_text(encoding="utf-8"))
        results |= record_server(environment)
    path.write_text(json.dumps(results, ensure_ascii=False, indent=0), encoding="utf-8")
    print(f"{len(results)} cases recorded with {tree}")


def find_differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield kind ('key' or 'value'), path, and description of each difference."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            own = f"{path}.{key}".lstrip(".")
            if key in old and key in new:
                yield from find_differences(old[key], new[key], own)
            else:
                yield "key", own, "is missing" if key in old else "is new"
        if [key for key in old if key in new] != [key for key in new if key in old]:
            yield "key", path, "has another order"
    elif isinstance(old, list) and isinstance(new, list) and len(old) != len(new):
        yield "key", path, f"has {len(new)} items, not {len(old)}"
    elif isinstance(old, list) and isinstance(new, list):
        for number, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from find_differences(left, right, f"{path}.{number}".lstrip("."))
    elif type(old) is not type(new) or old != new:
        yield "value", path, f"was {str(old)[:120]!r}, is {str(new)[:120]!r}"


def rename_keys(data: Any, names: dict[str, str]) -> Any:
    """Return data with new names of keys, at any depth."""
    if isinstance(data, dict):
        return {names.get(key, key): rename_keys(value, names) for key, value in data.items()}
    return [rename_keys(item, names) for item in data] if isinstance(data, list) else data


def compare(old: dict[str, Any], new: dict[str, Any], removed: Removed) -> list[str]:
    """Return one message per difference that isn't listed."""
    messages = [f"{name}\n  is a new case" for name in new if name not in old]
    for name, before in old.items():
        words = shlex.split(name)
        after = new.get(name, {"status": None})
        if removed.covers(name, words) and after["status"] in (2, 404):
            continue
        before = rename_keys(before, removed.renames(words[0]))
        for kind, path, what in find_differences(before, after):
            inner = path.removeprefix("out.")
            gone = kind == "key" and removed.covers("", ["", *path.split(".")])
            if not gone and not removed.allows(kind, words[0], inner):
                messages.append(f"{name}\n  {inner} {what}")
    return messages


def against(old: str) -> int:
    """Record an old tree and this one, and compare."""
    with tempfile.TemporaryDirectory() as folder, open_tree(old) as tree:
        paths = [Path(folder) / "old.json", Path(folder) / "new.json"]
        for path, root in zip(paths, (tree, ROOT), strict=True):
            record(path, root)
        return compare_files(*paths)


def compare_files(old: Path, new: Path) -> int:
    """Compare two recordings; return the exit status."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    messages = compare(before, after, Removed.read())
    print("\n".join([*messages, f"{len(before)} cases, {len(messages)} differences"]))
    return 1 if messages else 0


def write_golden(main: Main) -> None:
    """Record the wrong commands of the tree on the path, for the tests."""
    with working_folder("wrong"):
        rows = {line: run_wrong(main, line) for line in read_cases("wrong")}
    lines = [f"{json.dumps(line)}: {json.dumps([*row.values()])}" for line, row in rows.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Run one action."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = ("against", "record", "compare", "golden", "commands")
    parser.add_argument("action", choices=actions)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--tree", type=Path, default=ROOT)
    args = parser.parse_args()
    if args.action == "against":
        return against((args.paths or [read_baseline()])[0])
    if len(args.paths) != {"compare": 2, "golden": 0}.get(args.action, 1):
        parser.error(f"{args.action}: wrong number of files.")
    paths = [Path(path).resolve() for path in args.paths]
    if args.action == "compare":
        return compare_files(*paths)
    if args.action == "record":
        record(paths[0], args.tree.resolve())
        return 0
    from albeit.cli import main as albeit_main

    if args.action == "golden":
        write_golden(albeit_main)
    else:
        text = json.dumps(record_commands(albeit_main), ensure_ascii=False)
        paths[0].write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
