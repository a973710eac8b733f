"""Test sets by name: those that sacreBLEU fetches, and trees of mt-metrics-eval on this machine.

A name stands for files. ``wmt23`` is sacreBLEU's: its data module fetches the set into a folder of
its own (``~/.sacrebleu``, or where ``SACREBLEU`` points) and checks it; what is there already is
read without the network. ``mtme:wmt23`` is the tree of that name under ``~/.mt-metrics-eval`` (or
where ``ALBEIT_MTME`` points), which the ``mtme`` tool downloads.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from albeit.data import mtme
from albeit.errors import InputError

__all__ = ["MTME", "NamedSet", "find_set"]

MTME = "mtme:"
"""How names of mt-metrics-eval begin."""
_ABOUT = frozenset({"src", "docid", "origlang", "domain"})


@dataclass(frozen=True)
class NamedSet:
    """The files of a set; ``references`` and ``systems`` are ``NAME=FILE``.

    A ``tree`` of mt-metrics-eval holds all of them by itself.
    """

    pair: str
    references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    tree: str | None = None


def find_set(name: str, pair: str | None) -> NamedSet:
    """The files that a name and a language pair stand for; sacreBLEU fetches what is missing."""
    if name.startswith(MTME):
        return _tree(name.removeprefix(MTME), pair)
    known = _sacrebleu()
    if name not in known:
        close = get_close_matches(name, known, n=3)
        near = f"Did you mean {' or '.join(close)}? " if close else ""
        raise InputError(
            f"there is no test set {name!r}.",
            hint=f"{near}'sacrebleu --list' lists sacreBLEU's test sets; mtme:NAME is a tree of"
            " mt-metrics-eval.",
        )
    pairs = sorted(known[name].langpairs)
    if pair is None or pair not in pairs:
        wrong = "needs a language pair" if pair is None else f"has no language pair {pair!r}"
        raise InputError(f"{name} {wrong}.", hint=f"Choose one with -l: {', '.join(pairs)}.")
    return _local(known[name], pair) or _fetched(known[name], pair)


def _sacrebleu() -> dict[str, Any]:
    from sacrebleu.dataset import DATASETS

    return dict(DATASETS)


def _folder(one: Any) -> Path:
    from sacrebleu import utils

    return Path(utils.SACREBLEU_DIR) / str(one.name)


def _local(one: Any, pair: str) -> NamedSet | None:
    """A set of sacreBLEU's whose texts are in its folder; ``None`` where source or reference is not."""
    begin = f"{one.name.replace('/', '_')}.{pair}."
    folder = _folder(one)
    files = sorted(folder.glob(f"{begin}*")) if folder.is_dir() else []
    fields = {file.name.removeprefix(begin): file for file in files if file.stat().st_size}
    chosen = one.langpairs[pair]
    labels = chosen.get("refs") if isinstance(chosen, dict) else None
    labels = one.kwargs.get("refs") if labels is None else labels
    allowed = None if labels is None else {f"ref-{x}" if x else "ref" for x in labels}
    references = {
        field: file
        for field, file in fields.items()
        if (field in allowed if allowed is not None else field.startswith("ref"))
    }
    if "src" not in fields or not references:
        return None
    systems = {
        field: file
        for field, file in fields.items()
        if field not in _ABOUT and not field.startswith("ref")
    }
    return NamedSet(
        pair,
        tuple(f"{field.removeprefix('ref-')}={file}" for field, file in references.items()),
        tuple(f"{field}={file}" for field, file in systems.items()),
        str(fields["src"]),
        str(fields["docid"]) if "docid" in fields else None,
    )


def _fetched(one: Any, pair: str) -> NamedSet:
    """The same after sacreBLEU has fetched and checked it."""
    try:
        with _errors_kept() as said:
            one.get_files(pair)
    except (Exception, SystemExit) as error:
        reason = "; ".join(said) or str(error) or type(error).__name__
        raise InputError(
            f"{one.name} {pair} is not in {_folder(one)}, and sacreBLEU could not fetch it:"
            f" {reason}.",
            hint=f"Fetch it where there is a network (sacrebleu -t {one.name} -l {pair} --echo"
            " src), or copy that folder.",
        ) from None
    found = _local(one, pair)
    if found is None:
        raise InputError(f"sacreBLEU's {one.name} has no source and reference for {pair}.")
    return found


@contextmanager
def _errors_kept() -> Iterator[list[str]]:
    """What sacreBLEU logs as errors, so that one message can tell it."""
    said: list[str] = []
    logger = logging.getLogger("sacrebleu")

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler, before = Keep(logging.ERROR), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _trees() -> list[Path]:
    """The trees of mt-metrics-eval on this machine."""
    root = Path(os.environ.get("ALBEIT_MTME") or Path.home() / ".mt-metrics-eval")
    places = (root, root / "mt-metrics-eval-v2")
    inside = (path for place in places if place.is_dir() for path in sorted(place.iterdir()))
    return [path for path in inside if path.is_dir() and mtme.is_tree(path)]


def _tree(name: str, pair: str | None) -> NamedSet:
    trees = {path.name: path for path in _trees()}
    if name not in trees:
        root = os.environ.get("ALBEIT_MTME") or "~/.mt-metrics-eval"
        raise InputError(
            f"there is no mt-metrics-eval set {name!r} in {root}; there are"
            f" {', '.join(trees) or 'none'}.",
            hint="Download them with mt-metrics-eval (python -m mt_metrics_eval.mtme --download),"
            " or set ALBEIT_MTME to their folder.",
        )
    tree = trees[name]
    pairs = mtme.language_pairs(tree)
    if pair is None or pair not in pairs:
        wrong = "needs a language pair" if pair is None else f"has no language pair {pair!r}"
        raise InputError(f"{MTME}{name} {wrong}.", hint=f"Choose one with -l: {', '.join(pairs)}.")
    return NamedSet(pair, tree=str(tree))
