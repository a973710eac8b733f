"""Named test sets: those that sacreBLEU downloads, and mt-metrics-eval trees on this machine.

``wmt23`` is sacreBLEU's: its data module downloads the set into its folder (``~/.sacrebleu``, or
``SACREBLEU``) and checks it; a set that is there is read without the network. ``mtme:wmt23`` is
the tree of that name under ``~/.mt-metrics-eval`` (or ``ALBEIT_MTME``), which the ``mtme`` tool
downloads.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from albeit.data.folders import is_tree, language_pairs
from albeit.errors import InputError

MTME = "mtme:"
"""The prefix of mt-metrics-eval names."""
_NOT_SYSTEMS = ("src", "docid", "origlang", "domain")


@dataclass(frozen=True)
class NamedSet:
    """The files of a set; ``references`` and ``systems`` are ``NAME=FILE``.

    An mt-metrics-eval ``tree`` has all of them.
    """

    pair: str
    references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    tree: str | None = None


def find_set(name: str, pair: str | None) -> NamedSet:
    """Return the files of a named set and language pair; sacreBLEU downloads missing ones."""
    if name.startswith(MTME):
        return _find_tree(name.removeprefix(MTME), pair)
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        close = get_close_matches(name, DATASETS, n=3)
        near = f"Did you mean {' or '.join(close)}? " if close else ""
        raise InputError(
            f"there is no test set {name!r}.",
            hint=f"{near}'sacrebleu --list' lists sacreBLEU's test sets; mtme:NAME is a tree of"
            " mt-metrics-eval.",
        )
    pair = _check_pair(name, pair, sorted(DATASETS[name].langpairs))
    return _find_local(DATASETS[name], pair) or _download(DATASETS[name], pair)


def _check_pair(name: str, pair: str | None, pairs: Iterable[str]) -> str:
    if pair is None or pair not in pairs:
        wrong = "needs a language pair" if pair is None else f"has no language pair {pair!r}"
        raise InputError(f"{name} {wrong}.", hint=f"Choose one with -l: {', '.join(pairs)}.")
    return pair


def _folder(one: Any) -> Path:
    from sacrebleu import utils

    return Path(utils.SACREBLEU_DIR) / str(one.name)


def _find_local(one: Any, pair: str) -> NamedSet | None:
    """Return a set in sacreBLEU's folder; ``None`` without source or reference."""
    prefix = f"{one.name.replace('/', '_')}.{pair}."
    folder = _folder(one)
    files = sorted(folder.glob(f"{prefix}*")) if folder.is_dir() else []
    texts = {file.name.removeprefix(prefix): file for file in files if file.stat().st_size}
    chosen = one.langpairs[pair]
    labels = chosen.get("refs") if isinstance(chosen, dict) else None
    labels = one.kwargs.get("refs") if labels is None else labels
    references = [field for field in texts if field.startswith("ref")]
    if labels is not None:
        allowed = {f"ref-{label}" if label else "ref" for label in labels}
        references = [field for field in texts if field in allowed]
    if "src" not in texts or not references:
        return None
    systems = [f for f in texts if f not in _NOT_SYSTEMS and not f.startswith("ref")]
    return NamedSet(
        pair,
        tuple(f"{field.removeprefix('ref-')}={texts[field]}" for field in references),
        tuple(f"{field}={texts[field]}" for field in systems),
        str(texts["src"]),
        str(texts["docid"]) if "docid" in texts else None,
    )


class _Messages(logging.Handler):
    """Collect the errors that sacreBLEU logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _download(one: Any, pair: str) -> NamedSet:
    """Let sacreBLEU download and check a set, then return its files."""
    logger, handler = logging.getLogger("sacrebleu"), _Messages()
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        one.get_files(pair)
    except (Exception, SystemExit) as error:
        reason = "; ".join(handler.messages) or str(error) or type(error).__name__
        raise InputError(
            f"{one.name} {pair} is not in {_folder(one)}, and sacreBLEU could not fetch it:"
            f" {reason}.",
            hint=f"Fetch it where there is a network (sacrebleu -t {one.name} -l {pair} --echo"
            " src), or copy that folder.",
        ) from None
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
    found = _find_local(one, pair)
    if found is None:
        raise InputError(f"sacreBLEU's {one.name} has no source and reference for {pair}.")
    return found


def _find_tree(name: str, pair: str | None) -> NamedSet:
    given = os.environ.get("ALBEIT_MTME")
    root = Path(given or Path.home() / ".mt-metrics-eval")
    folders = [folder for folder in (root, root / "mt-metrics-eval-v2") if folder.is_dir()]
    paths = [path for folder in folders for path in sorted(folder.iterdir()) if path.is_dir()]
    trees = {path.name: path for path in paths if is_tree(path)}
    if name not in trees:
        raise InputError(
            f"there is no mt-metrics-eval set {name!r} in {given or '~/.mt-metrics-eval'}; there"
            f" are {', '.join(trees) or 'none'}.",
            hint="Download them with mt-metrics-eval (python -m mt_metrics_eval.mtme --download),"
            " or set ALBEIT_MTME to their folder.",
        )
    pair = _check_pair(MTME + name, pair, language_pairs(trees[name]))
    return NamedSet(pair, tree=str(trees[name]))
