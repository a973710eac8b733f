"""What albeit does when things go wrong: odd input and kills.

python benchmarks/faults.py [--parts fuzz kill cache] [--inputs 1000000]
                            [--seconds 60] [--kills 100] [--seed 1]

*fuzz*: inputs that are nearly right, over all readers and the metric grammar, each reader for a
bounded time; anything but a result or an ``AlbeitError`` is an error, and its input is printed.
*kill*: ``albeit score --workers 2`` is killed (-9) at random moments; its processes must be gone,
and the next run over what it left must print the same bytes. *cache*: a file of the cache is
damaged; the next run must print the same bytes. Killed writers, full and read-only disks, many
systems, and long files were tried with commit 678f4ef8.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from _common import arguments, show
from _fuzz import fuzz
from _kills import damaged, killed
from _readers import readers

Row = dict[str, Any]


def main() -> None:
    """Try what was asked for, print a row for each thing tried."""
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parts: dict[str, Callable[[Any], Iterator[Row]]] = {
        "fuzz": _fuzzed,
        "kill": killed,
        "cache": damaged,
    }
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
        row: Row = {"reader": reader.name, "inputs": done.inputs, "read": done.read}
        row |= {"slowest ms": round(1000 * done.slowest, 1), "faults": len(done.faults)}
        for key in ("inputs", "read", "faults"):
            total[key] += row[key]
        total["slowest ms"] = max(total["slowest ms"], row["slowest ms"])
        yield row
    yield total


if __name__ == "__main__":
    main()
