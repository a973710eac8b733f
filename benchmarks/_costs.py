"""What runs cost: against their length, beside each other, and for the one who hands out work."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from _scale import METRICS, command, cpu, descendants, ran, served, texts

__all__ = ["length", "long", "overhead", "reach"]


def length(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Seconds and memory against the number of segments, in one process.

    The start is a run of one full batch: what is loaded with it is paid once.
    """
    from albeit.evaluation.scoring import PARTITION_LINES

    rows = []
    one = texts(args.data, folder, PARTITION_LINES, args.words)
    starts = [ran(command(*one, "--out", str(folder / f"start{n}")))[2] for n in range(args.repeat)]
    for size in args.sizes:
        run = folder / str(size)
        _, seconds, processor, memory = ran(
            command(*texts(args.data, folder, size, args.words), "--out", str(run))
        )
        rows.append(
            {
                "segments": size,
                "seconds": seconds,
                "processor s": processor,
                "start, s": min(starts),
                "after start, µs a segment": 1e6
                * (processor - min(starts))
                / (size - PARTITION_LINES),
                "peak MB": memory,
                "parts MB": sum(p.stat().st_size for p in run.rglob("*.*")) / 1e6,
            }
        )
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
        rows.append(
            {
                "piece": str(len(rows) + 1),
                "seconds": seconds,
                "processor s": processor,
                "peak MB": memory,
                "parts so far": len(list((run / "parts").glob("[0-9]*"))),
                "to its end": bool(printed),
            }
        )
        log.write_text(json.dumps(rows))
    whole = {
        "piece": "all",
        "seconds": sum(row["seconds"] for row in rows),
        "processor s": sum(row["processor s"] for row in rows),
        "peak MB": max(row["peak MB"] for row in rows),
        "parts so far": rows[-1]["parts so far"],
        "to its end": rows[-1]["to its end"],
    }
    return [*rows, whole]


def overhead(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """A pool and a cluster that have both begun, in turns over the same set; the least counts.

    The cluster's processes are its own, as a user starts them, once with Dask's settings and
    once with those of docs/scale.md; what they cost is counted with what this process does.
    What a process costs that has nothing to do it also costs while it works, by the second: on
    a machine that is shared with other work, where seconds are many, that weighs more.
    """
    from distributed import Client

    from albeit.evaluation import Pool

    rows: list[dict[str, Any]] = []
    warm, given = (texts(args.data, folder, size) for size in (8000, args.segments))
    for workers in args.workers:
        for quiet in (False, True):
            with (
                Pool(workers) as pool,
                served(folder, workers, quiet=quiet) as (address, theirs),
                Client(address, set_as_default=False) as client,
            ):
                engines: dict[str, tuple[Any, Callable[[], list[int]]]] = {
                    f"pool of {workers}": (pool, lambda: sorted(descendants(os.getpid()))),
                    f"Dask, {workers}{' as set up' if quiet else ''}": (client, theirs),
                }
                best = dict.fromkeys(engines, (math.inf, math.inf))
                for engine, _ in engines.values():
                    took(warm, folder, workers, engine, [])
                for _ in range(args.repeat):
                    for name, (engine, processes) in engines.items():
                        found = took(given, folder, workers, engine, processes())
                        best[name] = min(best[name][0], found[0]), min(best[name][1], found[1])
                idle = {name: idling(processes()) for name, (_, processes) in engines.items()}
            ours, _ = best.values()
            for name, (seconds, processor) in best.items():
                rows.append(
                    {
                        "engine": name,
                        "seconds": seconds,
                        "processor s": processor,
                        "seconds, of the pool's": seconds / ours[0],
                        "processor, of the pool's": processor / ours[1],
                        "idle, processor ms a second": idle[name],
                    }
                )
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


def idling(processes: Sequence[int], seconds: float = 10) -> float:
    """Processor milliseconds a second of processes that have nothing to do."""
    before = sum(map(cpu, processes))
    time.sleep(seconds)
    return 1000 * (sum(map(cpu, processes)) - before) / seconds


def took(
    given: tuple[str, str], folder: Path, workers: int, engine: Any, processes: Sequence[int]
) -> tuple[float, float]:
    """Seconds and processor seconds of a run: those of this process and of some others."""
    from albeit.data.build import open_texts
    from albeit.evaluation import score_partitions
    from albeit.metrics.registry import metric

    ref, system = given
    watched = [os.getpid(), *processes]
    before, start = sum(map(cpu, watched)), time.perf_counter()
    score_partitions(
        open_texts([ref], [f"sys={system}"]),
        [metric(name) for name in METRICS],
        folder / "run",
        executor=engine,
        workers=workers,
    )
    seconds = time.perf_counter() - start
    processor = sum(map(cpu, watched)) - before
    shutil.rmtree(folder / "run")
    return seconds, processor


class _Worker:
    """An executor in this process that measures its calls, and what is sent and returned."""

    seconds = 0.0
    sent = back = calls = 0

    def submit(self, function: Callable[..., Any], job: Any, /, *args: Any) -> Future[Any]:
        """Call the function with what a worker would get."""
        message = pickle.dumps(args)
        start = time.process_time()
        answer = pickle.dumps(function(job, *pickle.loads(message)))
        self.seconds += time.process_time() - start
        self.sent, self.back = self.sent + len(message), self.back + len(answer)
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(pickle.loads(answer))
        return future


def reach(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Measure a batch's cost in a worker and in this process: read, name, send, and write it."""
    from albeit.data.build import open_texts
    from albeit.evaluation import score_partitions
    from albeit.evaluation.scoring import partition_size
    from albeit.metrics.registry import metric

    ref, system = texts(args.data, folder, args.segments)
    metrics = [metric(name) for name in METRICS]
    stream = open_texts([ref], [f"sys={system}"])
    worker = _Worker()
    for name in ("warm-up", "run"):  # the first one compiles and loads
        worker.seconds, worker.sent, worker.back, worker.calls = 0.0, 0, 0, 0
        start = time.process_time()
        score_partitions(stream, metrics, folder / name, executor=worker)
        here = time.process_time() - start - worker.seconds
    there, sent, back, done = worker.seconds, worker.sent, worker.back, worker.calls
    size = partition_size(metrics, 1)
    return [
        {
            "batches": done,
            "segments a batch": size,
            "worker, ms a batch": 1000 * there / done,
            "here, ms a batch": 1000 * here / done,
            "kB sent": sent / done / 1000,
            "kB back": back / done / 1000,
            "workers kept busy": there / here,
            "MB/s at that many": (sent + back) / 1e6 / here,
            "segments/s at that many": size * done / here,
        }
    ]
