"""What makes a score: a digest of everything that a metric's statistics of a system depend on.

The texts that the metric reads, and where documents begin, where it looks at those; the metric,
its parameters and the versions in its signature; files that it reads; annotations that a user
supplied; the programs themselves: albeit's own source, that of other packages' metrics, and the
versions of all libraries that albeit builds on. Whatever of these changes, the digest does;
names of systems, and systems beside the one that is scored, change nothing.

Results go under two names that follow from it: the signature of a score, and the name of kept
statistics.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.evaluation.plan import TARGET
from albeit.metrics.base import Composite, Context, Metric
from albeit.metrics.grammar import Signature
from albeit.parsing.annotator import BUILTIN, find
from albeit.parsing.layers import closure
from albeit.parsing.needs import Side, layers_of

__all__ = [
    "Texts",
    "hashed",
    "identities",
    "identity",
    "ingredients",
    "libraries",
    "own_digest",
    "part_digest",
    "set_digest",
    "signature_of",
    "strangers",
]

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
        _update(digest, lines)
    return digest.hexdigest()


def _update(digest: hashlib._Hash, lines: Sequence[str]) -> None:
    digest.update(np.fromiter(map(len, lines), dtype="<i8").tobytes())
    digest.update("".join(lines).encode("utf-8", "surrogatepass"))


class Texts:
    """The texts of a set by their digests, each made once."""

    def __init__(self, evalset: EvalSet) -> None:
        self._set = evalset

    def of(self, metric: Metric, system: str) -> str:
        """What of the set a metric's statistics of a system depend on.

        By the contract of :class:`Metric` that is what it needs: the lines of the system, those
        of references and source where it looks at them, documents where it scores or reads them.
        A metric that looks at the whole set beforehand depends on its source, references and
        documents too, but never on other systems or on names.
        """
        evalset = self._set
        whole = metric.whole_set
        by_document = whole or metric.by_document
        source = whole or metric.sees(Side.SOURCE)
        content = [
            self._systems[system],
            self._references if whole or metric.sees(Side.REFERENCE) else None,
            [self._source, evalset.source_lang] if source else None,
            [[d.start, d.stop] for d in evalset.documents] if by_document else None,
            evalset.has_documents if by_document else None,
            [evalset.target_lang, evalset.resegmented],
        ]
        return hashed(json.dumps(content))

    @cached_property
    def _systems(self) -> dict[str, str]:
        return {name: _lines_digest(lines) for name, lines in self._set.systems.items()}

    @cached_property
    def _references(self) -> list[str]:
        return [_lines_digest(lines) for lines in self._set.references.values()]

    @cached_property
    def _source(self) -> str | None:
        return None if self._set.source is None else _lines_digest(self._set.source)


def _lines_digest(lines: Sequence[str]) -> str:
    digest = hashlib.sha256()
    _update(digest, lines)
    return digest.hexdigest()


def part_digest(run_key: str, evalset: EvalSet) -> str:
    """By what a part of a kept run is named: the run, and the texts of its batch."""
    return hashed(run_key + set_digest(evalset))[:16]


def identity(
    texts: Sequence[str], metric: Metric, annotations: str | None, annotators: Sequence[str] = ()
) -> list[str] | None:
    """The names of a metric's statistics, one for each of some texts (:meth:`Texts.of`).

    ``None`` where its program is not a file. ``annotations`` is the digest of those that a user
    supplied, ``annotators`` are those of other packages, with their versions.
    """
    *others, sources = ingredients(metric)
    if None in sources:
        return None
    content = [
        *others,
        annotations,
        *annotators,
        own_digest(),
        sources,
        libraries(extras=True),
    ]
    return [hashed(json.dumps([of_text, *content]))[:32] for of_text in texts]


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
def libraries(*, extras: bool) -> tuple[str, ...]:
    """The libraries that albeit always needs, or every one that it names, with their versions."""
    found = []
    for requirement in requires("albeit") or ():
        if "extra ==" in requirement and not extras:
            continue
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} -")
    return tuple(sorted(found))


def identities(
    evalset: EvalSet, texts: Texts, metric: Metric, annotations: str | None
) -> list[str] | None:
    """The names under which a metric's statistics of each system are kept, where they can be."""
    return identity(
        [texts.of(metric, system) for system in evalset.systems],
        metric,
        annotations if layers_of(metric.needs, *TARGET) else None,
        strangers(evalset, metric, annotations),
    )


def signature_of(
    evalset: EvalSet,
    metric: Metric,
    context: Context,
    annotations: str | None = None,
    left_out: Sequence[Document] = (),
) -> Signature:
    """The metric's signature, with references, annotations, how texts were cut, what is left out.

    The model is named only if it had a part.
    """
    found = metric.signature(context)
    if others := strangers(evalset, metric, annotations):
        found = found.without("annotator").with_("annotator", "+".join(others))
    if annotations is not None and layers_of(metric.needs, *TARGET):
        if not annotations.endswith("+model"):
            found = found.without("annotator")
        found = found.with_("annotations", annotations)
    if evalset.resegmented:
        found = found.with_("resegment", evalset.resegmented)
    if metric.sees(Side.SOURCE) and not metric.reads(Side.SOURCE):
        found = found.with_("source", "no" if evalset.source is None else "yes")
    if metric.sees(Side.REFERENCE):
        found = found.with_("refs", str(len(evalset.references)))
    return found.with_("left-out", str(sum(map(len, left_out)))) if left_out else found


def strangers(evalset: EvalSet, metric: Metric, annotations: str | None) -> list[str]:
    """The annotators that a metric relies on and does not name itself, as it does those of English:
    other packages', and that of other languages. Rules of its own go by albeit's version."""
    if isinstance(metric, Composite):
        return sorted({n for part in metric.parts for n in strangers(evalset, part, annotations)})
    alone = annotations is not None and not annotations.endswith("+model")
    found: set[str] = set()
    for sides, lang in ((TARGET, evalset.target_lang), ((Side.SOURCE,), evalset.source_lang)):
        for unit in Unit:
            layers = layers_of(metric.needs, *sides, unit=unit)
            if layers and lang and not (alone and sides is TARGET and unit is Unit.SEGMENT):
                one = find(layers, lang, unit)
                named = one.name in BUILTIN and (lang == "en" or one.rules)
                found |= set() if named else {one.identity(lang)}
    return sorted(found)
