"""Pack the results of a run on a GPU into few files of limited size, and unpack them.

    python -m training judge.parcel write RUNS BASE OUT [--small BASE] [--wait SECONDS] [--batch 1]
    python -m training judge.parcel join OUT BASE RUNS [--small BASE]

`write` waits for the end of the run (`RUNS/done`), at most so many seconds, and prints its
progress. If it ended in time, or with `--wait 0`, it writes `part-0.bin` and so on, at most 8
files of 15 MiB. `--batch 1` writes what didn't fit. Weights of students are differences from the
base, int8 with one scale per row (word embeddings: 4 bits): exact to about a thousandth of a
weight. Scores are in half precision. A part is a tar file of compressed arrays with checksums:
`join` rejects damaged parts, names missing ones, and writes the runs as training left them.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import tarfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np

from training.judge.store import Array, from_bytes, to_bytes

SHIPPED = ("s-all", "s-small")
"""Runs whose weights come back, each as differences from its base."""
LAYERS = 6
"""The layers of a student."""
LARGE = 1 << 16
"""Matrices of more numbers are sent as differences."""
PART, PARTS, MOST = 15 << 20, 8, 62 << 20
"""Bytes of a part, parts of a batch, bytes of a batch."""
HEADER = 2048
"""Bytes around an array in a part, at most."""
WORDS = "encoder.words.weight"
UNTRAINED = ("encoder.cases.weight", "encoder.mix")
"""Weights that aren't pretrained."""
ABOUT = "about.json"
Packed = tuple[str, bytes]
"""A file in RUNS and an array there, and its contents."""


def base_state(base: Path) -> dict[str, Array]:
    """Return the pretrained weights of the lowest layers, as students read them."""
    from training.model.network import base_encoder

    layers = min(LAYERS, json.loads((base / "config.json").read_text())["layers"])
    state = base_encoder(base, layers).state_dict()
    return {f"encoder.{name}": value.numpy() for name, value in state.items()}


def digest(bases: Sequence[Path]) -> str:
    """Return the checksum of the tensors of the bases, in whatever files they are."""
    found = hashlib.sha256()
    for base in bases:
        state = base_state(base)
        for name in (n for n in sorted(state) if n not in UNTRAINED):
            found.update(np.ascontiguousarray(state[name].astype(np.float16)).tobytes())
    return found.hexdigest()


def pack(name: str, way: str, value: Array) -> Packed:
    """Pack an array as it is, or as bytes or half bytes with a scale per row."""
    arrays = {way: value}
    if way != "plain":
        scale = np.abs(value).max(1, keepdims=True).astype(np.float32)
        scale /= 7 if way == "half bytes" else 127
        arrays = {way: np.round(value / np.maximum(scale, 1e-20)).astype(np.int8), "scale": scale}
    if way == "half bytes":
        low, high = np.split((arrays[way] + 8).astype(np.uint8), 2, axis=1)
        arrays[way] = low | (high << 4)
    return name, to_bytes(arrays)


def unpack(data: bytes) -> tuple[str, Array]:
    """Return how an array was packed, and the array."""
    arrays = from_bytes(data)
    scale = arrays.pop("scale", None)
    ((way, value),) = arrays.items()
    if way == "half bytes":
        value = np.concatenate([value & 15, value >> 4], 1).astype(np.int8) - 8
    return way, value if scale is None else np.asarray(value * scale)


def base_of(bases: Sequence[Path], run: str) -> Path:
    """Return the base of a run: the first one, or the second one for `s-small`."""
    return bases[min(SHIPPED.index(run), len(bases) - 1)]


def read_weights(runs: Path, bases: Sequence[Path], run: str) -> Iterator[tuple[str, str, Array]]:
    """Yield the weights of a student, the head first and words last: (name, way, array)."""
    known = base_state(base_of(bases, run))
    with np.load(runs / run / "weights.npz", allow_pickle=False) as file:
        for name in sorted(file.files, key=lambda n: (not n.startswith("head."), n == WORDS, n)):
            value = file[name].astype(np.float32)
            key = f"{run}/weights.npz:{name}"
            if name in known and value.size > LARGE:
                way = "half bytes" if name == WORDS else "bytes"
                yield key, way, value - known[name]
            else:
                yield key, "plain", value.astype(np.float16) if value.size > LARGE else value


def read_results(runs: Path, bases: Sequence[Path]) -> Iterator[tuple[str, str, Array]]:
    """Yield what comes back, the most important first: (name, way, array)."""
    scores = [f"s-*/{name}.npy" for name in ("scores", "spread", "people")] + ["t-*/scores.npy"]
    patterns = ["*/*.json", "*.txt", "WEIGHTS", "cloze*/adapter.npz", *scores, "s-*/marks.npz"]
    for pattern in [*patterns, "*.log"]:
        if pattern == "WEIGHTS":
            for run in (run for run in SHIPPED if (runs / run / "weights.npz").exists()):
                yield from read_weights(runs, bases, run)
        for path in sorted(runs.glob(pattern)):
            name = f"{path.relative_to(runs)}:"
            if path.suffix == ".npy":
                yield name, "plain", np.load(path).astype(np.float16)
            elif path.suffix == ".npz":
                with np.load(path, allow_pickle=False) as file:
                    for inside in file.files:
                        yield name + inside, "plain", file[inside]
            else:
                yield name, "plain", np.frombuffer(path.read_bytes(), np.uint8)


def make_batches(records: Sequence[Packed]) -> list[list[list[Packed]]]:
    """Return batches of parts of records, in order, none larger than it may be."""
    batches: list[list[list[Packed]]] = [[[]]]
    room, whole = PART, MOST
    for name, data in records:
        size = len(data) + HEADER
        if size > PART:
            raise SystemExit(f"{name}: {size} bytes do not fit into a part")
        if size > whole or (size > room and len(batches[-1]) == PARTS):
            batches.append([[]])
            room, whole = PART, MOST
        elif size > room:
            batches[-1].append([])
            room = PART
        batches[-1][-1].append((name, data))
        room, whole = room - size, whole - size
    return batches


def write(runs: Path, bases: Sequence[Path], out: Path, batch: int = 0) -> None:
    """Write one batch of parts."""
    with ProcessPoolExecutor() as pool:
        results = list(read_results(runs, bases))
        batches = make_batches(list(pool.map(pack, *zip(*results, strict=True))))
    if batch >= len(batches):
        raise SystemExit(f"there are {len(batches)} batches; the first is 0")
    out.mkdir(parents=True, exist_ok=True)
    known, count = digest(bases), sum(map(len, batches))
    for number, part in enumerate(batches[batch], sum(len(parts) for parts in batches[:batch])):
        path = out / f"part-{number}.bin"
        keys = {"part": number, "of": count, "base": known, "arrays": len(part)}
        about = json.dumps(keys).encode()
        with tarfile.open(path, "w") as file:
            for name, data in [(ABOUT, about), *part]:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                file.addfile(member, io.BytesIO(data))
        print(f"{path.name}: {path.stat().st_size / 2**20:.1f} MiB", flush=True)
    print(f"batch {batch} of {len(batches)}", flush=True)


def read(path: Path) -> tuple[dict[str, Any], dict[str, tuple[str, Array]]]:
    """Return what is known of a part, and its arrays; a damaged part is rejected."""
    try:
        with tarfile.open(path) as file:
            found = {m.name: file.extractfile(m).read() for m in file}  # type: ignore[union-attr]
        about = json.loads(found.pop(ABOUT))
        if len(found) < about["arrays"]:
            raise EOFError
        return about, {name: unpack(data) for name, data in found.items()}
    except (tarfile.TarError, lzma.LZMAError, EOFError, KeyError) as error:
        raise SystemExit(f"{path} is damaged or cut off: fetch this part again") from error


def join(folder: Path, bases: Sequence[Path], runs: Path) -> None:
    """Write the runs of all parts in a folder."""
    parts = {path: read(path) for path in sorted(folder.glob("part-*.bin"))}
    if not parts:
        raise SystemExit(f"{folder} holds no part-N.bin")
    expected = digest(bases)
    known = {run: base_state(base_of(bases, run)) for run in SHIPPED}
    files: dict[str, dict[str, Array]] = {}
    for path, (about, arrays) in parts.items():
        if about["base"] != expected:
            raise SystemExit(f"{path} was written with other base weights; use the same ones.")
        for name, (way, value) in arrays.items():
            file, inside = name.split(":", 1)
            if way != "plain":
                value = (value + known[file.split("/")[0]][inside]).astype(np.float16)
            files.setdefault(file, {})[inside] = value
    for file, content in files.items():
        path = runs / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".npz":
            np.savez(path, allow_pickle=False, **content)
        elif path.suffix == ".npy":
            np.save(path, content[""])
        else:
            path.write_bytes(content[""].tobytes())
    print(f"{len(files)} files in {runs}")
    count = next(iter(parts.values()))[0]["of"]
    if missing := sorted(set(range(count)) - {about["part"] for about, _ in parts.values()}):
        raise SystemExit(f"parts {missing} of {count} are missing: fetch them, and join again")


def await_end(runs: Path, seconds: float) -> bool:
    """Wait for the end of the run and print its progress; return whether it has ended."""
    until = time.time() + seconds
    while not (runs / "done").exists() and time.time() < until:
        time.sleep(min(30.0, max(0.0, until - time.time())))
        for path in sorted(runs.glob("*.log")):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            print(f"{path.stem}: {lines[-1][:160] if lines else ''}")
        print(f"-- {max(0.0, until - time.time()):.0f}s of waiting left", flush=True)
    return (runs / "done").exists()


def main(
    what: Literal["write", "join"],
    given: Path,
    base: Path,
    out: Path,
    *,
    small: Path | None = None,
    wait: float = 0.0,
    batch: int = 0,
) -> None:
    """Write or join; `small` is the base of s-small."""
    bases = [base, *([small] if small else [])]
    if what == "join":
        join(given, bases, out)
    elif wait and not await_end(given, wait):
        print("not at its end yet: call again")
    else:
        write(given, bases, out, batch)
