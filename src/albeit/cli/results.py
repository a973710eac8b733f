"""``albeit report --results``: the scores of an earlier ``albeit score``, and its texts."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from albeit.cli.inputs import load_stream
from albeit.cli.parser import UsageError
from albeit.corpus.evalset import EvalSet
from albeit.engine.reopened import reopened
from albeit.metrics.table import ScoreTable
from albeit.places import is_address
from albeit.report.formats.json import read_results

__all__ = ["load_results"]

_SCORED = {
    "metrics": "-m",
    "scores": "--scores",
    "judgments": "--judgments",
    "resegment": "--resegment",
    "annotations": "--annotations",
}
"""Options that change what is scored, which results cannot follow."""


def load_results(args: Namespace) -> tuple[ScoreTable, EvalSet | None]:
    """A kept run, with its texts if they are named; or what was printed as JSON."""
    for name, option in _SCORED.items():
        if getattr(args, name):
            raise UsageError(f"{option} does not go with --results: what was scored is settled.")
    texts = args.references or args.input
    if is_address(args.results) or Path(args.results).is_dir():
        return reopened(args.results, load_stream(args) if texts else None)
    if texts:
        raise UsageError(
            "results in JSON have no scores of segments that texts could stand beside. Score again"
            " without --results: what the cache keeps is not computed again."
        )
    return read_results(args.results), None
