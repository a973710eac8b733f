"""Pack the results of a run on a GPU into few files of limited size, and unpack them.

    python -m training.judge.parcel write RUNS BASE OUT [--small BASE] [--wait SECONDS] [--batch 1]
    python -m training.judge.parcel join OUT BASE RUNS [--small BASE]

`write` waits for the end of the run (`RUNS/done`), at most so many seconds, and prints its progress. If it
ended in time, or with `--wait 0`, it writes `part-0.bin` and so on, at most 8 files of 15 MiB. `--batch 1`
writes what didn't fit. Weights of students are differences from the base, int8 with one scale per row (word
embeddings: 4 bits): exact to about a thousandth of a weight. Scores are in half precision. Each record has a
checksum: `join` rejects damaged parts, names missing ones, and writes the runs as training left them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.judge.store import Array

SHIPPED = ("s-all", "s-small")
"""Runs whose weights come back, each as differences from its base."""
LAYERS = 6
"""The layers of a student."""
LARGE = 1 << 16
"""Matrices of more numbers travel as differences."""
PART = 15 << 20
PARTS = 8
MOST = 62 << 20
"""Bytes of a part, parts of a batch, bytes of a batch."""
WORDS = "encoder.words.weight"
UNTRAINED = ("encoder.cases.weight", "encoder.mix")
"""Weights that aren't pretrained."""
MARK = b"albeit parcel 1\n"


@dataclass(frozen=True, slots=True)
class Record:
    """One array on its way: where it belongs, how it was packed, its bytes."""

    name: str
    """The file in RUNS, and the array in it."""
    way: str
    kind: str
    shape: tuple[int, ...]
    data: bytes

    @property
    def about(self) -> dict[str, object]:
        """What the header of a part says of it."""
        return {
            "name": self.name,
            "way": self.way,
            "kind": self.kind,
            "shape": self.shape,
            "bytes": len(self.data),
            "sha256": hashlib.sha256(self.data).hexdigest(),
        }


def base_state(base: Path) -> dict[str, Array]:
    """The pretrained weights of the lowest layers, as students read them."""
    from training.model.network import base_encoder

    layers = min(LAYERS, json.loads((base / "config.json").read_text())["layers"])
    state = base_encoder(base, layers).state_dict()
    return {f"encoder.{name}": value.numpy() for name, value in state.items()}


def digest(bases: Sequence[Path]) -> str:
    """The checksum of the tensors of the bases, in whatever files they are."""
    found = hashlib.sha256()
    for base in bases:
        state = base_state(base)
        for name in (n for n in sorted(state) if n not in UNTRAINED):
            found.update(np.ascontiguousarray(state[name].astype(np.float16)).tobytes())
    return found.hexdigest()


def pack(name: str, way: str, value: Array) -> Record:
    """An array as it is, or as bytes or half bytes behind a scale a row."""
    if way == "plain":
        raw = np.ascontiguousarray(value)
        return Record(name, way, str(raw.dtype), raw.shape, lzma.compress(raw.tobytes()))
    most = 7 if way == "half bytes" else 127
    scale = np.abs(value).max(1, keepdims=True).astype(np.float32) / most
    whole = np.round(value / np.maximum(scale, 1e-20)).astype(np.int8)
    if way == "half bytes":
        low, high = np.split((whole + 8).astype(np.uint8), 2, axis=1)
        whole = (low | (high << 4)).view(np.int8)
    return Record(name, way, "int8", whole.shape, lzma.compress(scale.tobytes() + whole.tobytes()))


def unpack(record: Record) -> Array:
    """The array again."""
    data = lzma.decompress(record.data)
    if record.way == "plain":
        return np.frombuffer(data, record.kind).reshape(record.shape)
    rows = record.shape[0]
    scale = np.frombuffer(data, np.float32, rows).reshape(rows, 1)
    whole = np.frombuffer(data, np.int8, offset=4 * rows).reshape(record.shape)
    if record.way == "half bytes":
        both = whole.view(np.uint8)
        whole = np.concatenate([both & 15, both >> 4], 1).astype(np.int8) - 8
    return np.asarray(whole * scale)


def base_of(bases: Sequence[Path], run: str) -> Path:
    """The base of a run: the first one, or the second one for `s-small`."""
    return bases[min(SHIPPED.index(run), len(bases) - 1)]


def arrays(runs: Path, bases: Sequence[Path]) -> Iterator[tuple[str, str, Array]]:
    """What comes back, the most important first: (name, way, array)."""
    for path in [*sorted(runs.glob("*/*.json")), *sorted(runs.glob("*.txt"))]:
        yield _text(runs, path)
    for run in (run for run in SHIPPED if (runs / run / "weights.npz").exists()):
        known = base_state(base_of(bases, run))
        with np.load(runs / run / "weights.npz", allow_pickle=False) as file:
            names = sorted(file.files, key=lambda n: (not n.startswith("head."), n == WORDS, n))
            for name in names:
                value = file[name].astype(np.float32)
                key = f"{run}/weights.npz:{name}"
                if name in known and value.size > LARGE:
                    way = "half bytes" if name == WORDS else "bytes"
                    yield key, way, value - known[name]
                else:
                    yield key, "plain", value.astype(np.float16) if value.size > LARGE else value
    for path in sorted(runs.glob("cloze*/adapter.npz")):
        yield from _inside(runs, path)
    for pattern in ("s-*/scores.npy", "s-*/spread.npy", "s-*/people.npy", "t-*/scores.npy"):
        for path in sorted(runs.glob(pattern)):
            yield f"{path.relative_to(runs)}:", "plain", np.load(path).astype(np.float16)
    for path in sorted(runs.glob("s-*/marks.npz")):
        yield from _inside(runs, path)
    for path in sorted(runs.glob("*.log")):
        yield _text(runs, path)


def _text(runs: Path, path: Path) -> tuple[str, str, Array]:
    content = np.frombuffer(path.read_bytes(), np.uint8)
    return f"{path.relative_to(runs)}:", "plain", content


def _inside(runs: Path, path: Path) -> Iterator[tuple[str, str, Array]]:
    with np.load(path, allow_pickle=False) as file:
        for name in file.files:
            yield f"{path.relative_to(runs)}:{name}", "plain", file[name]


def batches(records: list[Record]) -> list[list[list[Record]]]:
    """Batches of parts of records, in order, none larger than it may be."""
    found: list[list[list[Record]]] = [[[]]]
    room, whole = PART, MOST
    for record in records:
        size = len(record.data) + 512
        if size > PART:
            raise SystemExit(f"{record.name}: {size} bytes do not fit into a part")
        if found[-1][-1] and size > room:
            found[-1].append([])
            room = PART
        if len(found[-1]) > PARTS or size > whole:
            if not found[-1][-1]:
                found[-1].pop()
            found.append([[]])
            room, whole = PART, MOST
        found[-1][-1].append(record)
        room, whole = room - size, whole - size
    return found


def write(runs: Path, bases: Sequence[Path], out: Path, batch: int = 0) -> None:
    """One batch of parts."""
    given = list(arrays(runs, bases))
    with ProcessPoolExecutor() as pool:
        records = list(pool.map(pack, *zip(*given, strict=True)))
    ways = batches(records)
    if batch >= len(ways):
        raise SystemExit(f"there are {len(ways)} batches; the first is 0")
    out.mkdir(parents=True, exist_ok=True)
    known = digest(bases)
    before = sum(len(parts) for parts in ways[:batch])
    for number, part in enumerate(ways[batch], before):
        header = {
            "part": number,
            "of": sum(map(len, ways)),
            "base": known,
            "records": [record.about for record in part],
        }
        told = json.dumps(header).encode()
        body = b"".join(record.data for record in part)
        path = out / f"part-{number}.bin"
        path.write_bytes(MARK + len(told).to_bytes(8, "little") + told + body)
        print(f"{path.name}: {path.stat().st_size / 2**20:.1f} MiB", flush=True)
    print(f"batch {batch} of {len(ways)}", flush=True)


def read(path: Path) -> tuple[dict[str, object], list[Record]]:
    """A part's header and records; a damaged one is refused."""
    data = path.read_bytes()
    if not data.startswith(MARK):
        raise SystemExit(f"{path}: no part of a parcel")
    at = len(MARK) + 8
    size = int.from_bytes(data[len(MARK) : at], "little")
    header = json.loads(data[at : at + size])
    at += size
    records = []
    for about in header["records"]:
        body = data[at : at + about["bytes"]]
        at += about["bytes"]
        if hashlib.sha256(body).hexdigest() != about["sha256"]:
            raise SystemExit(
                f"{path}: {about['name']} is damaged or cut off; fetch this part again"
            )
        shape = tuple(about["shape"])
        records.append(Record(about["name"], about["way"], about["kind"], shape, body))
    return header, records


def join(folder: Path, bases: Sequence[Path], runs: Path) -> None:
    """Write the runs of all parts in a folder."""
    parts = sorted(folder.glob("part-*.bin"))
    if not parts:
        raise SystemExit(f"{folder} holds no part-N.bin")
    expected = digest(bases)
    known: dict[str, dict[str, Array]] = {}
    files: dict[str, dict[str, Array]] = {}
    seen: set[int] = set()
    of = 0
    for path in parts:
        header, records = read(path)
        if header["base"] != expected:
            raise SystemExit(f"{path} was written with other base weights; use the same ones.")
        seen.add(int(str(header["part"])))
        of = int(str(header["of"]))
        for record in records:
            value = unpack(record)
            file, inside = record.name.split(":", 1)
            if record.way != "plain":
                run = file.split("/")[0]
                known.setdefault(run, {})
                known[run] = known[run] or base_state(base_of(bases, run))
                value = (value + known[run][inside]).astype(np.float16)
            files.setdefault(file, {})[inside] = value
    for file, content in files.items():
        _restore(runs / file, content)
    print(f"{len(files)} files in {runs}")
    if missing := sorted(set(range(of)) - seen):
        raise SystemExit(f"parts {missing} of {of} are missing: fetch them, and join again")


def _restore(path: Path, content: dict[str, Array]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npz":
        np.savez(path, allow_pickle=False, **content)
    elif path.suffix == ".npy":
        np.save(path, content[""])
    else:
        path.write_bytes(content[""].tobytes())


def wait(runs: Path, seconds: float) -> bool:
    """Wait for the end of the run, saying every half minute how far it is; whether it has ended."""
    until = time.time() + seconds
    while not (runs / "done").exists() and time.time() < until:
        time.sleep(min(30.0, max(0.0, until - time.time())))
        for path in sorted(runs.glob("*.log")):
            told = path.read_text(encoding="utf-8", errors="replace").splitlines()
            print(f"{path.stem}: {told[-1][:160] if told else ''}")
        print(f"-- {max(0.0, until - time.time()):.0f}s of waiting left", flush=True)
    return (runs / "done").exists()


def main() -> None:
    """Write or join."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["write", "join"])
    parser.add_argument("given", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--small", type=Path, help="the base of s-small")
    parser.add_argument("--wait", type=float, default=0.0, help="seconds, for the run to end")
    parser.add_argument("--batch", type=int, default=0)
    args = parser.parse_args()
    bases = [args.base, *([args.small] if args.small else [])]
    if args.what == "join":
        join(args.given, bases, args.out)
    elif args.wait and not wait(args.given, args.wait):
        print("not at its end yet: call again")
    else:
        write(args.given, bases, args.out, args.batch)


if __name__ == "__main__":
    main()
