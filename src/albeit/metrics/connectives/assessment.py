"""A whole test set assessed: every verdict of every system, and how it was reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from albeit.annotate import annotate
from albeit.annotate.alignment import Aligner
from albeit.annotate.layers import Analysis
from albeit.annotate.needs import Side, layers_of
from albeit.corpus.evalset import EvalSet
from albeit.metrics.base import Batch
from albeit.metrics.connectives.act import Act, ActContext
from albeit.metrics.connectives.assess import Verdict

__all__ = ["Assessment", "assess"]


@dataclass(frozen=True)
class Assessment:
    """The verdicts on each system, in the order of the source's connectives."""

    evalset: EvalSet
    metric: Act
    context: ActContext
    verdicts: Mapping[str, tuple[Verdict, ...]]

    @property
    def signature(self) -> str:
        """The signature of the metric as it was used."""
        found = self.metric.signature(self.context)
        cut = self.evalset.resegmented
        return str(found.with_("resegment", cut) if cut else found)


def assess(
    evalset: EvalSet,
    metric: Act,
    alignments: Mapping[str, str | Path] | None = None,
    aligner: Aligner | None = None,
) -> Assessment:
    """Assess all systems of a set.

    ``alignments`` maps references and systems, by name, to alignment files; either all
    texts have one or none has. ``aligner`` is one trained already, such as on a bitext.
    """
    metric.check(evalset)
    context = metric.prepared_by(evalset, alignments, aligner)
    analyses = _analyses(evalset, metric)
    verdicts = {}
    for place, (name, lines) in enumerate(evalset.systems.items()):
        batch = Batch(
            lines,
            tuple(evalset.references.values()),
            evalset.source,
            evalset.documents,
            evalset.target_lang,
            evalset.source_lang,
            analyses,
            system=place,
        )
        found = metric.verdicts(batch, context)
        verdicts[name] = tuple(verdict for line in found for verdict in line)
    return Assessment(evalset, metric, context, verdicts)


def _analyses(evalset: EvalSet, metric: Act) -> Mapping[str, Analysis]:
    """What the metric reads of translations and references beside their words."""
    layers = layers_of(metric.needs, Side.HYPOTHESIS)
    texts = [*evalset.references.values(), *evalset.systems.values()]
    lines = [line for text in texts for line in text]
    return annotate(lines, layers, evalset.target_lang) if layers else {}
