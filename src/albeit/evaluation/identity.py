"""Everything that a score depends on: signatures, keys of stored statistics, and the environment.

The key of a metric's statistics of a system is a digest of everything that affects them:

- the texts, document boundaries, files, and supplied annotations that the metric reads
- the metric with its parameters and versions
- albeit's source, other packages' metrics, and the versions of all libraries

It doesn't depend on names of systems or on other systems.

The environment is what could change the last bit of a score: the processor and the programs.
Results of several machines are only combined if their environments are equal or the user allows it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from albeit._version import __version__
from albeit.metrics import TARGET, AlbeitError, Composite, Context, Document, EvalSet, Metric, Unit
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable
from albeit.parsing.needs import AnyLayer, Side, closure, layers_of

Environment = dict[str, Any]
"""What a score's last bit may depend on, as in JSON: processor, Python, albeit, and libraries."""
RUN_FORMAT = "albeit-run/4"
_UNRELATED = ("cli", "diagnose", "metaeval", "report", "reproduce", "rerank", "serve")
"""Packages of albeit that no score depends on."""


class Run(NamedTuple):
    """What is scored; all values are those of JSON."""

    name: str
    languages: list[str | None]
    systems: list[str]
    has_documents: bool
    metrics: list[str]
    signatures: list[Any]
    batch: int
    """The minimum number of segments of a partition."""
    environment: dict[str, Any]
    """The environment that began the run."""
    key: str
    """A digest of everything that the statistics depend on, except the texts."""

    def table(self, documents: Sequence[Document], columns: dict[str, Column]) -> ScoreTable:
        """Return a table of its results."""
        source, target = self.languages
        languages = (source, target or "en")
        systems, has_documents = tuple(self.systems), self.has_documents
        return ScoreTable(systems, documents, columns, self.name, languages, has_documents)

    def to_json(self, **more: Any) -> bytes:
        """Return the content of ``run.json``, or of the manifest with ``more`` values."""
        content = {"format": RUN_FORMAT, "albeit": __version__, **self._asdict(), **more}
        content["digest"] = hash_json(content)
        return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


class MixedError(AlbeitError):
    """Workers, or parts of a run, whose scores could differ."""


def set_digest(evalset: EvalSet) -> str:
    """Return a digest of all texts of a set, with documents and languages, but not its name."""
    spans = [[d.id, d.start, d.stop] for d in evalset.documents]
    languages = [evalset.source_lang, evalset.target_lang]
    about = [list(evalset.references), evalset.has_documents, *languages, evalset.resegmented]
    return hash_json([*_text_digests(evalset), spans, *about])


def _text_digests(evalset: EvalSet) -> tuple[list[str], str | None, dict[str, str]]:
    """Return digests of references, source, and systems; the lengths of lines count too."""

    def digest(lines: Sequence[str]) -> str:
        lengths = np.fromiter(map(len, lines), dtype="<i8").tobytes()
        return _digest(lengths + "".join(lines).encode("utf-8", "surrogatepass"))

    return (
        list(map(digest, evalset.references.values())),
        None if evalset.source is None else digest(evalset.source),
        {name: digest(lines) for name, lines in evalset.systems.items()},
    )


def hash_json(content: Any) -> str:
    """Return a digest of plain values."""
    return _digest(json.dumps(content).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def statistics_keys(
    evalset: EvalSet, metric: Metric, supplied: str | None = None
) -> dict[str, str]:
    """Return the key of a metric's statistics per system; none if its code isn't a file.

    A metric that prepares on the whole set depends on its source, references, and documents.
    ``supplied`` is the digest of supplied annotations.
    """
    *rest, sources = describe_metric(metric)
    if None in sources:
        return {}
    whole = metric.whole_set
    by_document = whole or metric.by_document
    references, source, systems = evalset.draw("digests", lambda: _text_digests(evalset))
    content = [
        references if whole or metric.sees(Side.REFERENCE) else None,
        [source, evalset.source_lang] if whole or metric.sees(Side.SOURCE) else None,
        [[d.start, d.stop] for d in evalset.documents] if by_document else None,
        [by_document and evalset.has_documents, evalset.target_lang, evalset.resegmented],
        *rest,
        supplied if layers_of(metric.needs, *TARGET) else None,
        *other_annotators(evalset, metric, supplied),
        own_digest(),
        sources,
        libraries(extras=True),
    ]
    return {name: hash_json([own, *content])[:32] for name, own in systems.items()}


def describe_metric(metric: Metric) -> list[Any]:
    """Return what a metric itself adds to its scores: name, signature, files, and foreign code."""
    return [
        str(metric),
        metric.signature().to_json(),
        [_digest(Path(path).read_bytes()) for path in metric.files],
        [_module_digest(module) for module in sorted(_modules(metric))],
    ]


def _modules(metric: Metric) -> set[str]:
    """Return the modules outside albeit that define a metric, its layers, and its parts."""
    layers = closure(frozenset(need.layer for need in metric.needs))
    defining = (type(metric), *map(type, layers))
    names = {cls.__module__ for each in defining for cls in each.__mro__ if cls is not object}
    if isinstance(metric, Composite):
        names = names.union(*map(_modules, metric.parts))
    standard = {*sys.stdlib_module_names, "albeit"} - {"__main__"}
    return {name for name in names if name.partition(".")[0] not in standard}


def _module_digest(name: str) -> str | None:
    path = getattr(sys.modules.get(name), "__file__", None)
    return _digest(Path(path).read_bytes()) if path and Path(path).is_file() else None


@cache
def own_digest() -> str:
    """Return a digest of albeit's source and of the sizes of its tables."""
    root = Path(str(files("albeit")))
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if inside[0] in _UNRELATED or "__pycache__" in inside or not path.is_file():
            continue
        digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
        if path.suffix == ".py":
            digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def libraries(*, extras: bool) -> tuple[str, ...]:
    """Return the libraries that albeit requires, or with ``extras`` all, with versions."""
    versions = []
    for requirement in metadata.requires("albeit") or ():
        if "extra ==" in requirement and not extras:
            continue
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name} -")
    return tuple(sorted(versions))


def signature_of(
    evalset: EvalSet,
    metric: Metric,
    context: Context,
    annotations: str | None = None,
    skipped: Sequence[Document] = (),
) -> Signature:
    """Return the metric's signature with references, annotations, and skipped documents.

    The model is named only if it was used.
    """
    signature = metric.signature(context)
    if others := other_annotators(evalset, metric, annotations):
        signature = signature.without("annotator").with_("annotator", "+".join(others))
    if annotations is not None and layers_of(metric.needs, *TARGET):
        if not annotations.endswith("+model"):
            signature = signature.without("annotator")
        signature = signature.with_("annotations", annotations)
    if evalset.resegmented:
        signature = signature.with_("resegment", evalset.resegmented)
    if metric.sees(Side.SOURCE) and not metric.reads(Side.SOURCE):
        signature = signature.with_("source", "no" if evalset.source is None else "yes")
    if metric.sees(Side.REFERENCE):
        signature = signature.with_("refs", str(len(evalset.references)))
    return signature.with_("left-out", str(sum(map(len, skipped)))) if skipped else signature


def other_annotators(evalset: EvalSet, metric: Metric, annotations: str | None) -> list[str]:
    """Return the annotators that a metric uses and doesn't name itself, as it does the English one.

    These are annotators of other packages and languages, but not rules in albeit's source.
    """
    if isinstance(metric, Composite):
        parts = (other_annotators(evalset, part, annotations) for part in metric.parts)
        return sorted({name for names in parts for name in names})
    complete = annotations is not None and not annotations.endswith("+model")
    names: set[str] = set()
    for layers, lang, unit, suppliable in layers_read(evalset, metric):
        if lang and not (complete and suppliable):
            from albeit.parsing.annotator import BUILTIN, find

            annotator = find(layers, lang, unit)
            if annotator.name not in BUILTIN or not (lang == "en" or annotator.rules):
                names.add(annotator.identity(lang))
    return sorted(names)


def layers_read(
    evalset: EvalSet, metric: Metric
) -> Iterator[tuple[frozenset[AnyLayer], str | None, Unit, bool]]:
    """Yield layers that a metric reads, their language and unit, and if a user can supply them."""
    for sides, lang in ((TARGET, evalset.target_lang), ((Side.SOURCE,), evalset.source_lang)):
        for unit in Unit:
            if layers := layers_of(metric.needs, *sides, unit=unit):
                yield layers, lang, unit, sides is TARGET and unit is Unit.SEGMENT


@cache
def environment() -> Environment:
    """Return the environment of this process."""
    return {
        "processor": _processor(),
        "python": platform.python_version(),
        "albeit": f"{__version__} ({own_digest()[:8]})",
        "libraries": list(libraries(extras=False)),
    }


def require_one(named: Iterable[tuple[str, Environment]], *, allow_mixed: bool) -> None:
    """Raise unless all environments equal the first."""
    (first, expected), *others = named
    for name, other in others:
        if other != expected and not allow_mixed:
            raise MixedError(
                f"{name} differs from {first}: {_differences(expected, other)}. Scores could"
                " differ in their last digits; use identical workers, or pass --allow-mixed."
            )


def _differences(*environments: Environment) -> str:
    """Name what differs between two environments."""
    one, two = (
        {key: value for key, value in each.items() if key != "libraries"}
        | dict(library.split(" ", 1) for library in each["libraries"])
        for each in environments
    )
    return ", ".join(
        f"{name} {one.get(name, '-')} and {two.get(name, '-')}"
        for name in sorted(one | two)
        if one.get(name) != two.get(name)
    )


def _processor() -> str:
    """Return architecture, vendor, and the widest vectors, which choose NumPy's loops."""
    levels = ("X86_V4", "X86_V3", "X86_V2", "AVX512_SKX", "AVX2", "SVE", "ASIMD")
    umath = getattr(np, "_core", None) or sys.modules["numpy.core"]
    features: dict[str, bool] = getattr(umath._multiarray_umath, "__cpu_features__", {})
    widest = next((level for level in levels if features.get(level)), "")
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        match = re.search(r"^(?:vendor_id|CPU implementer)\s*:\s*(\S+)", text, re.MULTILINE)
        vendor = match[1] if match else ""
    except OSError:
        vendor = platform.processor()
    return " ".join(filter(None, (platform.machine(), vendor, widest)))
