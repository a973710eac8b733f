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
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from _scale import METRICS, cluster, command, cpu, descendants, ran, texts

__all__ = ["length", "long", "overhead", "reach"]


def length(args: Namespace, folder: Path) -> list[dict[str, Any]]:
    """Seconds and memory against the number of segments, in one process.

    The start is a run of one full batch: what is loaded with it is paid once.
    """
    from albeit.engine.plan import PORTION_LINES

    rows = []
    one = texts(args.data, folder, PORTION_LINES, args.words)
    starts = [ran(command(*one, "--out", str(folder / f"start{n}")))[2] for n in range(args.repeat)]
    for size in args.sizes:
        run = folder / str(size)
        _, seconds, processor, memory = ran(
            command(*texts(args.data, folder, size, args.words), "--out", str(run))
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
    for workers in args.workers:
        pool, dask, tuned = f"pool of {workers}", f"Dask, {workers}", f"Dask as set up, {workers}"
        best = {
            (name, place): (math.inf, math.inf) for name in (pool, dask, tuned) for place in (0, 1)
        }
        for _ in range(args.repeat):
            for name in (pool, dask, tuned):
                with ExitStack() as stack:
                    options, theirs = ["--workers", str(workers), "--batch-timeout", "9999"], []
                    if name != pool:
                        address = stack.enter_context(cluster(workers, quiet=name == tuned))
                        options = ["--engine", address]
                        theirs = [os.getpid(), *descendants(os.getpid())]
                        took(sets[0], folder, options, theirs)  # workers load what they need
                    for place in (0, 1):
                        found = took(sets[place], folder, options, theirs)
                        seconds, processor = map(min, best[name, place], found)
                        best[name, place] = seconds, processor
        for name in (pool, dask, tuned):
            (short_s, short_p), (long_s, long_p) = best[name, 0], best[name, 1]
            running = (long_p - short_p) / (sizes[1] - sizes[0])
            rows.append({
                "engine": name, "seconds": long_s, "processor s": long_p,
                "of it start": long_p - sizes[1] * running,
                "running, seconds": (long_s - short_s) * sizes[1] / (sizes[1] - sizes[0]),
                "running, processor µs a segment": 1e6 * running,
            })  # fmt: skip
            beside = rows[-1 - (pool, dask, tuned).index(name)]
            rows[-1] |= {
                f"{what}, of the pool's": rows[-1][of] / beside[of]
                for what, of in (
                    ("all", "processor s"),
                    ("running", "running, processor µs a segment"),
                )
            }
            print(rows[-1], file=sys.stderr, flush=True)
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
