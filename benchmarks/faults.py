"""What albeit does when things go wrong: odd input, kills, full and read-only disks, odd sizes.

python benchmarks/faults.py [--parts fuzz kill cache disk sizes] [--inputs 1000000] [--seconds 60]
                            [--kills 100] [--seed 1]

*fuzz*: inputs that are nearly right, over all readers and the metric grammar, each reader for a
bounded time; anything but a result or an ``AlbeitError`` is a fault, and its input is printed.
*kill*: ``albeit score --workers 2`` is killed (-9) at random moments; its processes must be gone,
and the next run over what it left must print the same bytes. *cache*: the same for a process
that only writes to the cache. *disk*: a full disk and read-only ones, for which a small tmpfs is
mounted (that needs root). *sizes*: 200 systems of 10 segments, one system of a million.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from _common import ROOT, arguments, show
from _fuzz import fuzz, readers

DEMO = ROOT / "examples" / "demo"
METRICS = ("chrf", "ter", "dr", "cohesion")
WRITER = """
import sys
from albeit.annotate.cache import Cache
from albeit.annotate.layers import TOKENS
cache = Cache(__import__("pathlib").Path(sys.argv[1]), "v1")
print("ready", flush=True)
for block in range(10**6):
    cache.put((f"{block} {n}", {TOKENS: f"{block} {n}".encode()}) for n in range(200))
"""
READER = """
import sys, warnings
warnings.simplefilter("error")
from albeit.annotate.cache import Cache
from albeit.annotate.layers import TOKENS
cache = Cache(__import__("pathlib").Path(sys.argv[1]), "v1")
blocks = 0
while True:
    texts = [f"{blocks} {n}" for n in range(200)]
    found = [cache.get(texts, [TOKENS])[text].get(TOKENS) for text in texts]
    assert found in ([None] * 200, [text.encode() for text in texts]), "half a block"
    if found[0] is None:
        break
    blocks += 1
print(blocks)
"""
Row = dict[str, Any]


def main() -> None:
    """Try what was asked for, print a row for each thing tried."""
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parts: dict[str, Callable[[Any], Iterator[Row]]] = {
        "fuzz": _fuzzed, "kill": _killed, "cache": _killed_writers, "disk": _disks, "sizes": _sizes,
    }  # fmt: skip
    parser.add_argument("--parts", nargs="+", choices=list(parts), default=list(parts))
    parser.add_argument("--inputs", type=int, default=1_000_000, metavar="N", help="of all readers")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="a reader")
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    for part in options.parts:
        show(list(parts[part](options)), options.format)
        print(flush=True)


def _fuzzed(options: Any) -> Iterator[Row]:
    """A row a reader, and one for all; faults are told in full on stderr."""
    every = readers()
    total: Row = {"reader": "all", "inputs": 0, "read": 0, "slowest ms": 0.0, "faults": 0}
    for reader in every:
        done = fuzz(reader, -(-options.inputs // len(every)), options.seconds, options.seed)
        for fault in done.faults.values():
            print(
                f"FAULT {reader.name}: {fault.error} at {fault.place}\n  {fault.input!r}",
                file=sys.stderr,
            )
        row = {
            "reader": reader.name, "inputs": done.inputs, "read": done.read,
            "slowest ms": round(1000 * done.slowest, 1), "faults": len(done.faults),
        }  # fmt: skip
        for key in ("inputs", "read", "faults"):
            total[key] += row[key]
        total["slowest ms"] = max(total["slowest ms"], row["slowest ms"])
        yield row
    yield total


def _command(*given: str) -> list[str]:
    return [sys.executable, "-m", "albeit", *given]


def _score(*more: str) -> list[str]:
    systems = sorted(map(str, (DEMO / "systems").glob("*.txt")))
    texts = [str(DEMO / "ref.A.txt"), "-i", *systems, "--docs", str(DEMO / "docids.txt")]
    return _command("score", *texts, "-m", *METRICS, "-f", "json", "-q", *more)


def _environment(cache: Path | str) -> dict[str, str]:
    return os.environ | {"ALBEIT_CACHE": str(cache), "OMP_NUM_THREADS": "1"}


def _killed(options: Any) -> Iterator[Row]:
    """Each time over an empty cache: run, kill at some moment, look for orphans, run again."""
    rng = random.Random(options.seed)
    command = _score("--workers", "2")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "clean")
        start = time.monotonic()
        expected = subprocess.run(command, env=_environment(clean), capture_output=True, check=True)
        whole = time.monotonic() - start
        files = _kinds(clean)
        same = orphans = finished = leftover = 0
        for number in range(options.kills):
            cache = Path(folder, f"cache{number}")
            process = subprocess.Popen(
                command, env=_environment(cache), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, whole))
            finished += process.poll() is not None
            process.kill()
            process.wait()
            orphans += not _gone(process.pid)
            again = subprocess.run(
                command, env=_environment(cache), capture_output=True, check=False
            )
            same += (again.returncode, again.stdout, again.stderr) == (
                0,
                expected.stdout,
                expected.stderr,
            )
            leftover += _kinds(cache) != files
            shutil.rmtree(cache, ignore_errors=True)
    yield {
        "killed": "albeit score --workers 2", "times": options.kills, "had finished": finished,
        "next run the same bytes": same, "processes left behind": orphans,
        "files left behind": leftover,
    }  # fmt: skip


def _kinds(cache: Path) -> list[str]:
    """The files of a cache: kept runs by their content's name, analyses by their version's."""
    names = (str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())
    return sorted(name for name in names if not name.endswith(("-wal", "-shm")))


def _gone(group: int, patience: float = 60) -> bool:
    """Whether all processes of a group end by themselves; those that do not are ended."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def _killed_writers(options: Any) -> Iterator[Row]:
    """A process that does nothing but write to a cache; what it wrote is whole blocks or nothing."""
    rng = random.Random(options.seed)
    whole = blocks = 0
    for _ in range(options.kills):
        with tempfile.TemporaryDirectory() as folder:
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE
            )
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(rng.uniform(0, 0.5))
            writer.kill()
            writer.wait()
            writer.stdout.close()
            read = subprocess.run(
                [sys.executable, "-c", READER, folder], capture_output=True, text=True, check=False
            )
            whole += read.returncode == 0
            blocks += int(read.stdout or 0)
            if read.returncode:
                print(read.stderr, file=sys.stderr)
    yield {
        "killed": "a writer to the cache", "times": options.kills,
        "next reader found whole blocks": whole, "blocks found": blocks,
    }  # fmt: skip


@contextmanager
def _mounted(size: str) -> Iterator[Path]:
    """A small disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def _disks(_options: Any) -> Iterator[Row]:
    try:
        with _mounted("64k"):
            pass
    except (OSError, subprocess.CalledProcessError):
        yield {"disk": "none can be mounted here (that needs root): not tried"}
        return
    demo = [str(DEMO / "ref.A.txt"), "-i", str(DEMO / "systems" / "blunt.txt")]
    expected = subprocess.run(
        _score(), env=_environment("off"), capture_output=True, check=True
    ).stdout
    writing: dict[str, Sequence[str]] = {
        "score --segment-scores": ("score", *demo, "-q", "--segment-scores", "out.tsv"),
        "report -o": ("report", *demo, "-q", "-m", "chrf", "-o", "out.html"),
        "convert -o": ("convert", *demo, "-o", "out.jsonl"),
        "parse -f rs3 -o": ("parse", str(DEMO / "ref.A.txt"), "-q", "-f", "rs3", "-o", "out.zip"),
        "act annotate -o": ("act", "annotate", *demo, "--source", str(DEMO / "src.txt"), "--source-lang", "de", "-o", "out.html"),
    }  # fmt: skip
    for state in ("full", "read-only"):
        with _mounted("1m") as disk:
            _prepare(disk, state)
            done = subprocess.run(
                _score(), env=_environment(disk / "cache"), capture_output=True, check=False
            )
            same = (done.returncode, done.stdout) == (0, expected)
            yield _row(
                f"{state}: the cache", "score", done, "the same scores" if same else "other output"
            )
            for name, given in writing.items():
                done = subprocess.run(
                    _command(*given),
                    env=_environment("off"),
                    cwd=disk,
                    capture_output=True,
                    check=False,
                )
                left = [path.name for path in disk.iterdir() if path.name.startswith("out")]
                yield _row(
                    f"{state}: the output", name, done, f"left: {', '.join(left) or 'nothing'}"
                )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            _score(), env=_environment("off"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    yield _row("full: standard output", "score", done, "")


def _prepare(disk: Path, state: str) -> None:
    if state == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        return
    with (disk / "filling").open("wb") as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
            file.flush()


def _row(disk: str, command: str, done: subprocess.CompletedProcess[bytes], result: str) -> Row:
    told = done.stderr.decode().strip().splitlines()
    lines = "Traceback!" if any("Traceback" in line for line in told) else told[-1] if told else ""
    return {
        "disk": disk,
        "command": command,
        "status": done.returncode,
        "result": result,
        "told": lines[:160],
    }


def _sizes(_options: Any) -> Iterator[Row]:
    """Time, peak memory and status of odd sizes."""
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "a",
        "mat",
        "while",
        "it",
        "rained",
        "in",
        "town",
        "and",
        "nobody",
        "saw",
        "them",
        "leave",
    ]
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for systems, segments, metrics in (
            (200, 10, ("bleu", "chrf", "ter", "dr", "cohesion")),
            (1, 1_000_000, ("bleu",)),
            (1, 1_000_000, ("chrf",)),
        ):
            names = [f"s{n}.txt" for n in range(systems)]
            for name in ["ref.txt", *names]:
                lines = (" ".join(rng.choices(words, k=12)) + ".\n" for _ in range(segments))
                Path(name).write_text("".join(lines))
            for command in ("score", "compare") if systems > 1 else ("score",):
                given = _command(
                    command, "ref.txt", "-i", *names, "-m", *metrics, "-q", "-f", "tsv"
                )
                start = time.monotonic()
                done = subprocess.run(
                    given, env=_environment("off"), capture_output=True, check=False
                )
                yield {
                    "command": f"{command} -m {' '.join(metrics)}", "systems": systems,
                    "segments": segments, "status": done.returncode,
                    "seconds": round(time.monotonic() - start, 1),
                    "peak MB so far": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
                    "rows": len(done.stdout.splitlines()) - 1,
                }  # fmt: skip


if __name__ == "__main__":
    main()
