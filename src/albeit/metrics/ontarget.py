"""``on-target``: the share of a system's lines that are in the target language."""

from __future__ import annotations

from dataclasses import dataclass

from albeit.data.plausible import is_off_target
from albeit.metrics import FloatArray, Side, read
from albeit.metrics.base import Batch, Context, MeanMetric, mean_statistics
from albeit.metrics.view import Loss, Place, View, compare_lines
from albeit.parsing.layers import TEXT


@dataclass(frozen=True)
class OnTarget(MeanMetric):
    """The share of lines that aren't clearly in another language, by script and function words.

    Lines that can't be judged, such as names and short lines, count as in the target language.
    """

    name = "on-target"
    summary = "share of lines in the target language, by script and function words"
    needs = read(TEXT, side=Side.HYPOTHESIS)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (1 or 0, 1) per segment."""
        lines = batch.hypotheses
        return mean_statistics([1.0 - is_off_target(line, batch.target_lang) for line in lines])

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show a line in another language as one loss."""
        text = compare_lines(Side.HYPOTHESIS, batch.hypotheses, batch.target_lang)[0]
        losses = []
        if missing := self.scale - float(self.segment_score(row)):
            places = (Place(0, tuple(range(len(text.tokens)))),)
            losses.append(Loss(f"not in {batch.target_lang!r}", missing, places))
        return self.view(row, [text], losses=losses)
