"""What makes a score: a digest of everything that a metric's statistics over a set depend on.

The texts and where documents begin; the metric, its parameters and the versions in its
signature; files that it reads; annotations that a user brought; the programs themselves:
albeit's own source, that of other packages' metrics, and the versions of all libraries that
albeit builds on. Whatever of these changes, the digest does.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from albeit.annotate.layers import closure
from albeit.corpus.evalset import EvalSet
from albeit.metrics.base import Metric
from albeit.metrics.composite import Composite

__all__ = ["hashed", "identity", "ingredients", "own_digest", "part_digest", "set_digest"]

_UNHEARD = ("cli", "metaeval", "report")
"""Parts of albeit that no score depends on."""


def set_digest(evalset: EvalSet) -> str:
    """A digest of all texts of a set, how they were cut, documents and languages; not of its name."""
    texts = [*evalset.references.values(), *evalset.systems.values(), evalset.source or ()]
    about = [
        list(evalset.references),
        list(evalset.systems),
        evalset.source is not None,
        [[d.id, d.start, d.stop] for d in evalset.documents],
        [evalset.has_documents, evalset.source_lang, evalset.target_lang, evalset.resegmented],
    ]
    digest = hashlib.sha256(json.dumps(about).encode())
    for lines in texts:
        digest.update(np.fromiter(map(len, lines), dtype="<i8").tobytes())
        digest.update("".join(lines).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def part_digest(run_key: str, evalset: EvalSet) -> str:
    """By what a part of a kept run is named: the run, and the texts of its batch."""
    return hashed(run_key + set_digest(evalset))[:16]


def identity(
    of_set: str, metric: Metric, annotations: str | None, annotators: Sequence[str] = ()
) -> str | None:
    """The name of a metric's statistics over a set; ``None`` where its program is not a file.

    ``of_set`` is the set's digest, ``annotations`` the digest of those a user brought,
    ``annotators`` those of other packages, with their versions.
    """
    *others, sources = ingredients(metric)
    if None in sources:
        return None
    content = [
        of_set,
        *others,
        annotations,
        *annotators,
        own_digest(),
        sources,
        _libraries(),
    ]
    return hashed(json.dumps(content))[:32]


def ingredients(metric: Metric) -> list[Any]:
    """What a metric itself adds to its scores: name, signature, files, and others' programs."""
    return [
        str(metric),
        metric.signature().to_json(),
        [hashed(Path(path).read_bytes()) for path in metric.files],
        [_module_digest(module) for module in sorted(_modules(metric))],
    ]


def hashed(data: str | bytes) -> str:
    """A digest of some content."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _modules(metric: Metric) -> set[str]:
    """The modules outside albeit that define a metric, the layers it needs, and its parts."""
    layers = closure(frozenset(need.layer for need in metric.needs))
    defining = (type(metric), *map(type, layers))
    found = {cls.__module__ for each in defining for cls in each.__mro__ if cls is not object}
    if isinstance(metric, Composite):
        found = found.union(*map(_modules, metric.parts))
    standard = {*sys.stdlib_module_names, "albeit"} - {"__main__"}
    return {name for name in found if name.partition(".")[0] not in standard}


def _module_digest(name: str) -> str | None:
    path = getattr(sys.modules.get(name), "__file__", None)
    return hashed(Path(path).read_bytes()) if path and Path(path).is_file() else None


@cache
def own_digest() -> str:
    """Albeit's own source, and how large its tables are (their versions stand in signatures)."""
    root = Path(str(files("albeit")))
    digest = hashlib.sha256()
    for path in sorted(_own_files(root)):
        digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
        if path.suffix == ".py":
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _own_files(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        inside = path.relative_to(root).parts
        if inside[0] not in _UNHEARD and "__pycache__" not in inside and path.is_file():
            yield path


@cache
def _libraries() -> list[str]:
    """Every library that albeit names, those of extras included, with its version if it is there."""
    found = []
    for requirement in requires("albeit") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} -")
    return sorted(found)
