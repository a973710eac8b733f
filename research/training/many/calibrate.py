"""What raw scores of the judge of many languages mean, by development documents: written into its
`meta.json`.

    python -m training many.calibrate --discourse D --judgments J [--base gemma.gguf]

As for the English judge (`training.judge.calibrate`): 100 less four times the MQM points that
experts would be expected to take off. Fitted to experts' penalties for translations out of English
of development documents, at most `MOST` of a set, half of them beside source and reference, half
beside the reference alone; to references themselves (nothing off), and to other sentences and
sources left as they are (25 off). Raw scores beside a source alone are brought to the same scale
by a line. Prints how it fits.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.network import Calibration
from albeit.metrics.judge.sequence import Texts, load_sequences
from training.judge.calibrate import deciles, fit, sure
from training.judge.coverage import WITHIN, Floats
from training.judge.segments import DEEPEST, Pairs, read_languages
from training.many.prepare import others
from training.many.store import Entry
from training.options import DATA

MOST = 160
"""Translations of a set."""


class Known(NamedTuple):
    """A translation, what is beside it, and what experts took off; `real`: that they did."""

    texts: Texts
    lost: float
    real: bool


def judged(entry: Entry) -> Iterator[Known]:
    """What experts said of the translations of a segment."""
    group = entry.group
    for text, level in zip(group.texts, group.levels, strict=True):
        if level is not None and text.strip():
            yield Known(Texts(text, group.reference, entry.source), min(DEEPEST, -level), True)


def ends(entries: list[Entry]) -> Iterator[Known]:
    """The reference itself, another sentence, and the source, beside each reference."""
    for entry, other in zip(entries, [*entries[1:], entries[0]], strict=True):
        own = entry.group.reference
        texts = ((own, 0.0), (other.group.reference, DEEPEST), (entry.source, DEEPEST))
        for text, lost in texts:
            if lost == 0.0 or text != own:
                yield Known(Texts(text, own, entry.source), lost, False)


def development(segments: Pairs) -> list[Known]:
    """Translations out of English of development documents, and both ends."""
    rng = random.Random(1)
    sets: dict[str, list[Entry]] = {}
    for entry in others(segments):
        usual = entry.group.kind == "judged" and entry.subset.split("/")[1].startswith("en-")
        if usual and entry.first and entry.group.dev:
            sets.setdefault(entry.subset, []).append(entry)
    found: list[Known] = []
    for own in sets.values():
        known = [one for entry in own for one in judged(entry)]
        found += rng.sample(known, min(MOST, len(known)))
        found += ends(rng.sample(own, min(MOST // 20, len(own))))
    return found


def line(raw: Floats, lost: Floats, calibration: Calibration) -> tuple[float, float]:
    """The slope and the offset of raw scores with which the curve fits these."""
    wanted = 1 - lost / DEEPEST
    found = least_squares(
        lambda x: calibration.share(x[0] * raw + x[1])[0] - wanted,
        (1.0, 0.0),
        bounds=((0.05, -20), (20, 20)),
    )
    return round(float(found.x[0]), 4), round(float(found.x[1]), 4)


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    judgments: Path,
    weights: Path = WEIGHTS / "many",
    base: str = "installed",
) -> None:
    """Score, fit, write, print; `base` is Gemma's file, if it isn't installed."""
    meta = weights / "meta.json"
    about = json.loads(meta.read_text()) | {"alone": [1.0, 0.0]}
    meta.write_text(json.dumps(about, indent=1) + "\n")
    network = load_sequences(weights, base)
    known = development(read_languages(data, discourse, judgments))
    lost = np.array([one.lost for one in known])
    real = np.array([one.real for one in known])
    texts = [one.texts for one in known]
    texts[::2] = [one._replace(source=None) for one in texts[::2]]
    reading = network.read(texts)
    assert reading.spreads is not None
    curve = fit(reading.scores, lost, real, float(reading.scores[real].std()))
    apart = sure(reading.scores, reading.spreads, lost, curve)[real]
    curve = curve._replace(spread=round(float(np.quantile(apart, WITHIN)), 4))
    # without a reference nobody knows that a translation is the reference, so that end says nothing
    alone = real | (lost > 0)
    sources = [one.texts._replace(reference=None) for one in known]
    without = network.read([text for text, use in zip(sources, alone, strict=True) if use])
    about |= {"calibration": curve._asdict(), "alone": line(without.scores, lost[alone], curve)}
    meta.write_text(json.dumps(about, indent=1) + "\n")
    share = 100 * curve.share(reading.scores)[0]
    slope, offset = about["alone"]
    share_alone = 100 * curve.share(slope * without.scores + offset)[0]
    report = {
        "calibration": about["calibration"],
        "alone": about["alone"],
        "pairs": int(real.sum()),
        "fit": deciles(share[real], 100 - 100 / DEEPEST * lost[real]),
        "fit alone": deciles(share_alone[real[alone]], 100 - 100 / DEEPEST * lost[real]),
        "within one standard error": round(float((apart <= curve.spread).mean()), 3),
        "references themselves": np.quantile(share[~real & (lost == 0)], (0, 0.1, 0.5)).tolist(),
        "no translation": np.quantile(share[~real & (lost > 0)], (0.5, 0.9, 1)).tolist(),
        "no translation, alone": np.quantile(share_alone[~real[alone]], (0.5, 0.9, 1)).tolist(),
    }
    print(json.dumps(report, indent=1))
