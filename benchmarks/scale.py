"""Beyond one machine: the same bytes from every engine, and what they cost.

    PYTHONPATH=src python benchmarks/scale.py bytes [--segments 20000] [--kills 20]
    PYTHONPATH=src python benchmarks/scale.py length [--sizes 10000 100000 1000000]
    PYTHONPATH=src python benchmarks/scale.py overhead [--segments 40000] [--repeat 3]
    PYTHONPATH=src python benchmarks/scale.py reach

All score one system with chrF and TER, from text files, by the command ``albeit score --out``
in a process of its own. The texts are the references and translations of WMT12, again and
again, each time with a number added, so that no two segments are the same.

``bytes``: the manifest and all parts must be the same files, byte for byte, and the printed
table the same as without ``--out``, whoever works, whatever dies. ``length``: seconds and the
most memory against the number of segments. ``overhead``: seconds and processor seconds of each
engine beside one process. ``reach``: what a batch costs the workers and the one process that
reads, sends and writes, and from that how many workers it could keep busy.
"""

from __future__ import annotations

import os
import pickle
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from _common import arguments, lines, show

METRICS = ("chrf", "ter")
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")


def main() -> None:
    """Run the part that was asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("part", choices=["bytes", "length", "overhead", "reach"])
    parser.add_argument("--segments", type=int, default=20_000, metavar="N")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--kills", type=int, default=20, help="how often a run is killed")
    parser.add_argument("--longest", type=float, default=15, help="seconds until it is, at most")
    parser.add_argument("--batch", type=int, default=500, help="segments a batch of these runs")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between dead workers")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="albeit-scale-") as name:
        parts = {"bytes": same_bytes, "length": length, "overhead": overhead, "reach": reach}
        show(parts[args.part](args, Path(name)), args.format)


def texts(data: Path, folder: Path, segments: int) -> tuple[str, str]:
    """So many distinct segments: a reference and a system."""
    pairs: list[tuple[str, str]] = []
    for pair in PAIRS:
        reference = lines(data / "wmt12" / pair / "ref.txt")
        for path in sorted((data / "wmt12" / pair / "systems").glob("*.txt")):
            pairs += zip(reference, lines(path), strict=True)
    with (folder / "ref.txt").open("w") as ref, (folder / "sys.txt").open("w") as system:
        for number in range(segments):
            theirs, ours = pairs[number % len(pairs)]
            again = number // len(pairs)
            ref.write(f"{theirs} {again}\n")
            system.write(f"{ours} {again}\n")
    return str(folder / "ref.txt"), str(folder / "sys.txt")


def command(ref: str, system: str, *options: str) -> list[str]:
    """The command that is measured."""
    score = [sys.executable, "-m", "albeit", "score", ref, "-i", f"sys={system}", "-m", *METRICS]
    return [*score, "-f", "json", "-q", *options]


def ran(arguments: Sequence[str]) -> tuple[str, float, float, float]:
    """What a command prints, its seconds, processor seconds of all its processes, megabytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(arguments, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        out.seek(0)
        printed = out.read()
    if process.returncode:
        sys.exit(f"{' '.join(arguments)} ended with status {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return printed, seconds, processor, used.ru_maxrss / 1024


def files(folder: Path) -> dict[str, bytes]:
    """All files of a run."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """A Dask cluster of processes of this machine; its address."""
    import distributed

    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None,
        worker_dashboard_address=None, silence_logs=50,
    ) as made:  # fmt: skip
        yield made.scheduler_address.replace("tcp://", "dask://")


def same_bytes(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Every way of making the same run."""
    ref, system = texts(args.data, folder, args.segments)
    printed = ran(command(ref, system, "--no-cache"))[0]
    ran(command(ref, system, "--out", str(folder / "one"), "--batch-size", str(args.batch)))
    expected = files(folder / "one")
    rows: list[dict[str, Any]] = []

    def tell(name: str, run: Path, out: str, note: str = "") -> None:
        same = files(run) == expected and out == printed
        rows.append({"run": name, "files": len(expected), "same bytes": same, "note": note})
        print(rows[-1], file=sys.stderr)
        shutil.rmtree(run)

    run = folder / "run"
    own = command(ref, system, "--out", str(run), "--batch-size", str(args.batch))
    tell("one process, again", run, ran(own)[0])
    tell("pool of 2", run, ran([*own, "--workers", "2"])[0])
    for workers in (2, 4):
        with cluster(workers) as address:
            tell(f"Dask, {workers} workers", run, ran([*own, "--engine", address])[0])
    for shard in ("3/3", "1/3", "2/3"):
        ran([*own, "--shard", shard])
    merge = [sys.executable, "-m", "albeit", "merge", str(run), "-f", "json", "-q"]
    tell("shards 3/3, 1/3, 2/3, merged", run, ran(merge)[0])
    ends, same = interrupted([*own, "--workers", "2"], run, args)
    note = f"{ends + 1} runs to the end" + ("" if same else ", not all the same")
    tell(f"pool of 2, killed {args.kills} times", run, ran([*own, "--workers", "2"])[0], note)
    deaths, out = haunted([*own, "--workers", "2"], args.every)
    tell(f"pool of 2, a worker killed every {args.every:g} s", run, out, f"{deaths} deaths")
    with cluster(2) as address:
        deaths, out = haunted([*own, "--engine", address], args.every, os.getpid())
    tell(f"Dask, 2 workers, one killed every {args.every:g} s", run, out, f"{deaths} deaths")
    return rows


def interrupted(arguments: Sequence[str], run: Path, args: Namespace) -> tuple[int, bool]:
    """Kill a run, with all its processes, at random moments and let it go on, so many times.

    A run that comes to its end is compared, and begun anew. How many did, and whether they
    were all the same.
    """
    draw = random.Random(args.seed)
    ended: list[dict[str, bytes]] = []
    killed = 0
    while killed < args.kills:
        process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.5, args.longest))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        elif (run / "manifest.json").exists():
            ended.append(files(run))
            shutil.rmtree(run)
        process.wait()
    return len(ended), all(each == ended[0] for each in ended)


def haunted(arguments: Sequence[str], every: float, parent: int | None = None) -> tuple[int, str]:
    """Run a command while one of its workers is killed now and then; deaths, and what it prints."""
    deaths = 0
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(arguments, stdout=out)
        while True:
            try:
                process.wait(every)
                break
            except subprocess.TimeoutExpired:
                workers = descendants(parent or process.pid)
                if parent is not None:
                    workers -= descendants(process.pid) | {process.pid}
                if workers:
                    os.kill(random.choice(sorted(workers)), signal.SIGKILL)
                    deaths += 1
        out.seek(0)
        return deaths, out.read()


def descendants(pid: int) -> set[int]:
    """The worker processes below a process: those that multiprocessing spawned."""
    found: set[int] = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, thread.read_text().split()):
            with suppress(OSError):  # it may have ended just now
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.add(child)
    return found


def length(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Seconds and memory against the number of segments, in one process."""
    rows = []
    ran(command(*texts(args.data, folder, 100), "--out", str(folder / "first")))
    start = min(
        ran(command(*texts(args.data, folder, 100), "--out", str(folder / f"start{n}")))[2]
        for n in range(3)
    )
    for size in args.sizes:
        run = folder / str(size)
        _, seconds, processor, memory = ran(
            command(*texts(args.data, folder, size), "--out", str(run))
        )
        rows.append({
            "segments": size, "seconds": seconds, "processor s": processor,
            "after start, µs a segment": 1e6 * (processor - start) / size,
            "peak MB": memory, "parts MB": sum(map(len, files(run).values())) / 1e6,
        })  # fmt: skip
        shutil.rmtree(run)
    return rows


def overhead(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Each engine beside one process; a cluster's own processor time is that of its workers."""
    ref, system = texts(args.data, folder, args.segments)
    number = count()
    rows: list[dict[str, Any]] = []

    def measure(name: str, *options: str, workers: Sequence[int] = ()) -> None:
        best: tuple[float, float] | None = None
        for _ in range(args.repeat):
            before = sum(map(cpu, workers))
            out = str(folder / str(next(number)))
            _, seconds, processor, _ = ran(command(ref, system, "--out", out, *options))
            took = seconds, processor + sum(map(cpu, workers)) - before
            best = took if best is None else min(best, took, key=lambda each: each[1])
            shutil.rmtree(out)
        assert best is not None
        one = rows[0]["processor s"] if rows else best[1]
        rows.append({
            "engine": name, "seconds": best[0], "processor s": best[1],
            "processor, of one process": best[1] / one,
        })  # fmt: skip

    measure("one process")
    for workers in (1, 2, 4):
        if workers > 1:
            measure(f"pool of {workers}", "--workers", str(workers))
        with cluster(workers) as address:
            below = sorted(descendants(os.getpid()))
            measure(f"Dask, {workers} workers", "--engine", address, workers=[os.getpid(), *below])
    return rows


def cpu(pid: int) -> float:
    """Processor seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def reach(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """A batch's cost there and here; here is reading, naming, packing, sending and writing."""
    from albeit.corpus.streams import stream_texts
    from albeit.engine.faults import Done
    from albeit.engine.parts import Part, pack_parquet
    from albeit.engine.plan import Plan, portion_size
    from albeit.engine.run import RunFolder
    from albeit.engine.streaming import Shard, _Batches, _begun
    from albeit.engine.work import work_within
    from albeit.metrics.registry import metric

    ref, system = texts(args.data, folder, args.segments)
    metrics = [metric(name) for name in METRICS]
    stream = stream_texts([ref], [f"sys={system}"])
    size = portion_size(metrics, 1)
    first = next(stream.batches(size))
    job, run = _begun(stream, first.evalset, metrics, size)
    files_ = RunFolder(folder / "run")
    files_.begin(run)
    portion = Plan(job, first.evalset, ()).portion(first.evalset.documents)
    made = work_within(job, portion, None)  # compiles, as the first part loads what writes it
    part = Part(run.key, 0, 0, size, portion.documents, tuple(made.statistics))
    pack_parquet(part, run.systems, metrics)
    batches = _Batches(stream, stream.batches(size), job, run, files_, Shard())
    there = here = sent = back = 0.0
    done = 0
    start = time.process_time()
    for portion in batches.portions():
        message = pickle.dumps(portion)
        here += time.process_time() - start
        start = time.process_time()
        made = work_within(job, pickle.loads(message), None)
        answer = pickle.dumps(made)
        there += time.process_time() - start
        start = time.process_time()
        found = pickle.loads(answer)
        batches.keep(Done(portion, found.statistics, environment=found.environment), metrics)
        here += time.process_time() - start
        sent, back, done = sent + len(message), back + len(answer), done + 1
        start = time.process_time()
    return [
        {
            "batches": done, "segments a batch": size,
            "worker, ms a batch": 1000 * there / done, "here, ms a batch": 1000 * here / done,
            "kB sent": sent / done / 1000, "kB back": back / done / 1000,
            "workers kept busy": there / here,
            "MB/s at that many": (sent + back) / 1e6 / here,
            "segments/s at that many": size * done / here,
        }
    ]  # fmt: skip


if __name__ == "__main__":
    main()
