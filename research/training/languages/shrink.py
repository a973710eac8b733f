"""Write the encoder with the vectors of the subwords that occur: python -m training.languages.shrink STORE OUT

Those that are seen but once or twice, and only in training, count as unknown.
"""

from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path

import numpy as np

from albeit.annotate.multilingual.weights import files
from training.languages.encoder import shrink, vocabulary_of

LEAST = 3

if __name__ == "__main__":
    store, out = map(Path, sys.argv[1:])
    with np.load(io.BytesIO(lzma.decompress(store.read_bytes())), allow_pickle=False) as file:
        arrays = {name: file[name] for name in ("ids", "tree_ids", "part", "sizes")}
    tested = arrays["ids"][np.repeat(arrays["part"] > 0, arrays["sizes"])]
    common = vocabulary_of(arrays["ids"], arrays["tree_ids"], least=LEAST)
    known = np.unique(np.concatenate([common, tested, arrays["tree_ids"]]))
    shrink(files()[1], known, out)
    print(f"{len(known)} subwords, {out.stat().st_size / 2**20:.1f} MiB")
