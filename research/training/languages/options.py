"""The command line that the networks of EDUs and trees share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path


def options(
    description: str | None,
    corpora: Iterable[str],
    *,
    passes: int,
    minutes: float,
    lr: float,
    dropout: float,
) -> argparse.ArgumentParser:
    """Data, sizes and how long; the defaults that differ are given."""
    p = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--corpora", choices=list(corpora), default="all")
    p.add_argument("--store", type=Path, required=True)
    p.add_argument("--encoder", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=passes)
    p.add_argument("--minutes", type=float, default=minutes)
    p.add_argument("--lr", type=float, default=lr)
    p.add_argument("--dropout", type=float, default=dropout)
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--limit", type=int, default=0, help="sentences or documents, to try things out")
    return p
