"""Split documents with mweralign, in an environment of its own: JSON in, JSON out.

mweralign is GPL and is never imported by albeit: ``research/experiments/resegment.py --peer PYTHON``
runs this file with the Python of an environment that has it. Standard input holds one object
a line, ``{"segments": [...], "text": "..."}``; standard output the pieces of each text, or,
with ``--seconds``, one object with the seconds that the alignment took.
"""

import json
import sys
import time

from mweralign import align_texts


def main() -> None:
    """Split every document."""
    jobs = [json.loads(line) for line in sys.stdin]
    start = time.perf_counter()
    pieces = [align_texts("\n".join(job["segments"]), job["text"]).split("\n") for job in jobs]
    seconds = time.perf_counter() - start
    for found in pieces:
        print(json.dumps(found))
    print(f"{seconds:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
