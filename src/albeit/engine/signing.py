"""Under which names results go: the signature of a score, the name of kept statistics."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.annotators import BUILTIN, find
from albeit.annotate.needs import Side, layers_of
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.identity import identity, set_digest
from albeit.engine.plan import TARGET
from albeit.metrics.base import Context, Metric
from albeit.metrics.composite import Composite
from albeit.metrics.signature import Signature

__all__ = ["identities", "signature_of", "strangers"]


def identities(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: str | None
) -> dict[Metric, str]:
    """The name under which each metric's statistics are kept, where they can be."""
    digest = set_digest(evalset)
    found = {
        metric: identity(
            digest,
            metric,
            annotations if layers_of(metric.needs, *TARGET) else None,
            strangers(evalset, metric, annotations),
        )
        for metric in metrics
    }
    return {metric: name for metric, name in found.items() if name is not None}


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
