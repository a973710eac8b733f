"""Beyond one machine: the same bytes from every engine, and what they cost.

    PYTHONPATH=src python benchmarks/scale.py bytes [--segments 20000] [--kills 20]
    PYTHONPATH=src python benchmarks/scale.py length [--sizes 10000 100000 1000000]
    PYTHONPATH=src python benchmarks/scale.py overhead [--segments 100000] [--repeat 3]
    PYTHONPATH=src python benchmarks/scale.py long --segments 10000000 --folder DIR [--minutes 14]
    PYTHONPATH=src python benchmarks/scale.py reach

All score one system with chrF and TER, from text files, by the command ``albeit score --out``
in a process of its own. The texts are the references and translations of WMT12, again and
again, each time with a number added, so that no two segments are the same.

``bytes``: the manifest and all parts must be the same files, byte for byte, and the printed
table the same as without ``--out``, whoever works, whatever dies. ``length``: seconds and the
most memory against the number of segments. ``overhead``: seconds and processor seconds of Dask
beside the pool, starting and running apart. ``long``: one process over a very long set, killed
after some minutes and gone on with, call after call, in a folder that stays. ``reach``: what a batch costs the workers and the one process that
reads, sends and writes, and from that how many workers it could keep busy.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from _common import arguments, show
from _scale import METRICS, cluster, command, cpu, descendants, files, ran, texts


def main() -> None:
    """Run the part that was asked for."""
    parser = arguments(__doc__ or "")
    parser.add_argument("part", choices=["bytes", "length", "long", "overhead", "reach"])
    parser.add_argument("--segments", type=int, default=20_000, metavar="N")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--kills", type=int, default=20, help="how often a run is killed")
    parser.add_argument("--longest", type=float, default=15, help="seconds until it is, at most")
    parser.add_argument("--batch", type=int, default=500, help="segments a batch of these runs")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between dead workers")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    parser.add_argument("--words", type=int, help="most words of a segment of a long run")
    parser.add_argument("--minutes", type=float, default=14, help="until a long run is killed")
    parser.add_argument("--folder", type=Path, help="where a long run and its texts stay")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.part == "long":
        if args.folder is None:
            parser.error("long needs --folder DIR")
        show(long(args, args.folder), args.format)
        return
    with tempfile.TemporaryDirectory(prefix="albeit-scale-") as name:
        parts = {"bytes": same_bytes, "length": length, "overhead": overhead, "reach": reach}
        show(parts[args.part](args, Path(name)), args.format)


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


def length(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Seconds and memory against the number of segments, in one process.

    The start is a run of one full batch: what is loaded with it is paid once.
    """
    from albeit.engine.plan import PORTION_LINES

    rows = []
    one = texts(args.data, folder, PORTION_LINES)
    starts = [ran(command(*one, "--out", str(folder / f"start{n}")))[2] for n in range(args.repeat)]
    for size in args.sizes:
        run = folder / str(size)
        _, seconds, processor, memory = ran(
            command(*texts(args.data, folder, size), "--out", str(run))
        )
        rows.append({
            "segments": size, "seconds": seconds, "processor s": processor,
            "start, s": min(starts),
            "after start, µs a segment": 1e6 * (processor - min(starts)) / (size - PORTION_LINES),
            "peak MB": memory, "parts MB": sum(p.stat().st_size for p in run.rglob("*.*")) / 1e6,
        })  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
        shutil.rmtree(run)
    return rows


def long(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """One long run in one process, a piece of it a call; a row a piece, and one for all.

    Reading again what is done already counts as work of the piece.
    """
    folder.mkdir(parents=True, exist_ok=True)
    run, log, made = folder / "run", folder / "pieces.json", folder / "texts.json"
    if not made.exists():
        made.write_text(json.dumps(texts(args.data, folder, args.segments, args.words)))
    rows: list[dict[str, Any]] = json.loads(log.read_text()) if log.exists() else []
    if not (run / "manifest.json").exists():
        given = command(*json.loads(made.read_text()), "--out", str(run))
        printed, seconds, processor, memory = ran(given, 60 * args.minutes)
        rows.append({
            "piece": str(len(rows) + 1), "seconds": seconds, "processor s": processor,
            "peak MB": memory, "parts so far": len(list((run / "parts").glob("[0-9]*"))),
            "to its end": bool(printed),
        })  # fmt: skip
        log.write_text(json.dumps(rows))
    whole = {
        "piece": "all", "seconds": sum(row["seconds"] for row in rows),
        "processor s": sum(row["processor s"] for row in rows),
        "peak MB": max(row["peak MB"] for row in rows),
        "parts so far": rows[-1]["parts so far"], "to its end": rows[-1]["to its end"],
    }  # fmt: skip
    return [*rows, whole]


def overhead(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Dask beside the pool, over a short and a long set, in turns; the least of each counts.

    What the longer set costs more is running, the rest is start: of processes for the pool, of
    the client of a cluster that is there for Dask. A cluster's scheduler is this process.
    """
    rows: list[dict[str, Any]] = []
    sizes = args.segments // 5, args.segments
    sets = [texts(args.data, folder, size) for size in sizes]
    for workers in (1, 2, 4):
        with cluster(workers) as address:
            theirs = [os.getpid(), *descendants(os.getpid())]
            pool, dask = f"pool of {workers}", f"Dask, {workers} workers"
            engines: dict[str, tuple[list[str], list[int]]] = {
                pool: (["--workers", str(workers), "--batch-timeout", "9999"], []),
                dask: (["--engine", address], theirs),
            }
            took(sets[0], folder, *engines[dask])  # its workers load what they need
            best = {(name, place): (math.inf, math.inf) for name in engines for place in (0, 1)}
            for _ in range(args.repeat):
                for name, place in best:
                    seconds, processor = took(sets[place], folder, *engines[name])
                    least = best[name, place]
                    best[name, place] = min(least[0], seconds), min(least[1], processor)
        for name in engines:
            short, long = best[name, 0], best[name, 1]
            a_segment = [(b - a) / (sizes[1] - sizes[0]) for a, b in zip(short, long, strict=True)]
            rows.append({
                "engine": name, "seconds": long[0], "processor s": long[1],
                "start, processor s": long[1] - sizes[1] * a_segment[1],
                "running, seconds µs a segment": 1e6 * a_segment[0],
                "running, processor µs a segment": 1e6 * a_segment[1],
            })  # fmt: skip
        ours = rows[-2]
        for row in rows[-2:]:
            row |= {
                "seconds, of the pool's": row["seconds"] / ours["seconds"],
                "processor, of the pool's": row["processor s"] / ours["processor s"],
                "running, of the pool's": row["running, processor µs a segment"]
                / ours["running, processor µs a segment"],
            }
            print(row, file=sys.stderr, flush=True)
    return rows


def took(
    given: tuple[str, str], folder: Path, options: Sequence[str], cluster_: Sequence[int]
) -> tuple[float, float]:
    """Seconds and processor seconds of a run, those of the processes of a cluster counted in."""
    before = sum(map(cpu, cluster_))
    _, seconds, processor, _ = ran(command(*given, "--out", str(folder / "run"), *options))
    processor += sum(map(cpu, cluster_)) - before
    shutil.rmtree(folder / "run")
    return seconds, processor


def reach(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """A batch's cost there and here; here is reading, naming, packing, sending and writing."""
    from albeit.corpus.streams import stream_texts
    from albeit.engine.faults import Done
    from albeit.engine.folder import RunFolder
    from albeit.engine.plan import Label, Plan, portion_size
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
    label = Label(run.key, 0, False, run.systems)
    work_within(job, replace(portion, label=label), None)  # the first one compiles and loads
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
        batches.keep(Done(portion, None, packed=found.packed), metrics)
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
