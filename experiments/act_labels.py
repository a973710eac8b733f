"""How far ACT's agreement with its paper hangs on single labels of the lexicon.

    python experiments/act_labels.py [--pair en-de] [-f text|json|markdown]

A label is a sense that the lexicon gives a form. One at a time is changed, for the whole lexicon:
a sense taken away from a form (which then has none, if it had no other), or, for the two senses
that overlap most, contrast given to a form that has concession only, and the other way round.
The forms found do not depend on labels, so every change is scored from one assessment, by
position. Beside it stand labels that were not made by us: contrast and concession of each form
as the connective lexicons of each language have them (DiMLex for German, LEXCONN for French,
from ``rst-multilingual.tar.xz``; they are not shipped, and no label of ours was changed after
them), and a test without the reference's labels: the translation must be able to express the
sense that the model reads from the *source* connective.
"""

from __future__ import annotations

import argparse
import tarfile
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from hajlaoui2013 import ROOT, agreement, load

from albeit.annotate import annotate
from albeit.annotate.layers import CONNECTIVES, TOKENS
from albeit.lexicons import inventory, lexicon
from albeit.lexicons.dimlex import read_dimlex
from albeit.lexicons.lexicon import Form
from albeit.metrics.connectives.act import Act
from albeit.metrics.connectives.assessment import Assessment
from albeit.metrics.connectives.match import Decision
from albeit.metrics.connectives.source_sense import senses_of
from albeit.report import Heading, Table, render
from albeit.report.act import assess

CONTRAST, CONCESSION = "Comparison.Contrast", "Comparison.Concession"
BOTH = frozenset({CONTRAST, CONCESSION})
BAR = {"en-de": 0.95, "en-fr": 0.93}
"""The agreement that was asked for."""
LEXICONS = {"en-de": ("dimlex", "DiMLex"), "en-fr": ("lexconn_d", "LEXCONN")}
_ARCHIVED = "rst-multilingual/connective-lexicons/connective-lex-dimlex/{}.xml"
_SDRT = {"contrast": CONTRAST, "violation": CONCESSION, "concession": CONCESSION}
"""LEXCONN's relations: an expectation that is violated is PDTB's concession."""
Senses = Callable[[str, str], frozenset[str]]
"""The senses of a form as a translation of a connective."""


@dataclass(frozen=True)
class Instances:
    """Every connective of every system: what translates it in reference and candidate."""

    found: tuple[tuple[tuple[str, str | None, str | None], ...], ...]
    """By system: source connective, form in the reference, form in the candidate."""
    meant: tuple[frozenset[str], ...]
    """What each source connective means, as the model reads it."""

    @classmethod
    def of(cls, assessed: Assessment) -> Instances:
        """Read off the verdicts."""
        found = tuple(
            tuple(
                (
                    verdict.connective.name,
                    _form(verdict.in_reference),
                    _form(verdict.in_candidate),
                )
                for verdict in verdicts
            )
            for verdicts in assessed.verdicts.values()
        )
        return cls(found, _meant(assessed))

    @cached_property
    def forms(self) -> dict[tuple[str, str], int]:
        """(connective, form) of every translation found, with how often."""
        counts: dict[tuple[str, str], int] = {}
        for name, *forms in (each for system in self.found for each in system):
            for form in forms:
                if form is not None:
                    counts[name, form] = counts.get((name, form), 0) + 1
        return counts

    def scores(self, senses: Senses) -> list[float]:
        """ACTa of every system: the same form, or one that covers the reference's senses."""

        def right(name: str, reference: str | None, candidate: str | None) -> bool:
            if reference is None or candidate is None or reference == candidate:
                return reference is not None and reference == candidate
            one, two = senses(name, reference), senses(name, candidate)
            return bool(one) and one <= two

        return [float(np.mean([right(*each) for each in system])) for system in self.found]

    def scores_by_source(self, senses: Senses) -> list[float]:
        """The share of connectives whose translation has the sense that the source has."""
        return [
            float(
                np.mean(
                    [
                        form is not None and bool(meant & senses(name, form))
                        for (name, _, form), meant in zip(system, self.meant, strict=True)
                    ]
                )
            )
            for system in self.found
        ]


def _form(decision: Decision) -> str | None:
    return None if decision.hit is None else str(decision.hit.form)


def _meant(assessed: Assessment) -> tuple[frozenset[str], ...]:
    assessor, source = assessed.context.assessor, assessed.evalset.source or ()
    lines = [(line, found) for line in source if (found := assessor.connectives(line))]
    analyses = annotate([line for line, _ in lines], frozenset({TOKENS, CONNECTIVES}), "en")
    return tuple(
        frozenset(senses)
        for line, found in lines
        for senses in senses_of(found, line, analyses[line], inventory("en"))
    )


def ours(pair: str) -> Senses:
    """The labels that ship."""
    used = lexicon(*pair.split("-"))
    known = {
        (name, str(each.form)): frozenset(used.senses(name, each.form))
        for name, listed in used.entries.items()
        for each in listed
    }
    return lambda name, form: known[name, form]


def changed(senses: Senses, of: str, change: Callable[[frozenset[str]], frozenset[str]]) -> Senses:
    """The same labels but for one form."""
    return lambda name, form: change(senses(name, form)) if form == of else senses(name, form)


def others(senses: Senses, theirs: Mapping[str, frozenset[str]], only: str | None = None) -> Senses:
    """Contrast and concession as another lexicon has them, for the forms (or the one) it lists."""

    def taken(name: str, form: str) -> frozenset[str]:
        own, other = senses(name, form), theirs.get(form, frozenset()) & BOTH
        if not (own & BOTH and other) or only not in (None, form):
            return own
        return (own - BOTH) | other

    return taken


def their_labels(data: Path, pair: str) -> dict[str, frozenset[str]]:
    """Contrast and concession as the language's own lexicon of connectives has them, by form."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(data / "rst-multilingual.tar.xz") as archive,
    ):
        name = _ARCHIVED.format(LEXICONS[pair][0])
        archive.extract(name, folder, filter="data")
        listed = read_dimlex(Path(folder) / name, pair[3:]).connectives
        found = {str(each.form): frozenset(each.senses) for each in listed.values()}
        for entry in ElementTree.parse(Path(folder) / name).iter("entry"):
            relations = {each.get("sense", "") for each in entry.iter("sdrt_relation")}
            senses = frozenset(_SDRT[each] for each in relations & set(_SDRT))
            for part in entry.iter("part"):
                form = str(Form.parse(part.text or "", pair[3:]))
                found[form] = found.get(form, frozenset()) | senses
    return found


def _without(sense: str) -> Callable[[frozenset[str]], frozenset[str]]:
    return lambda had: had - {sense}


def single_labels(instances: Instances, senses: Senses) -> list[tuple[str, Senses]]:
    """Every change of one label, with its name."""
    found: dict[str, frozenset[str]] = {}
    for name, form in instances.forms:
        found[form] = found.get(form, frozenset()) | senses(name, form)
    made = []
    for form, listed in sorted(found.items()):
        for sense in sorted(listed):
            gone = changed(senses, form, _without(sense))
            made.append((f"{form} without {sense}", gone))
        if len(listed & BOTH) == 1:
            more = changed(senses, form, lambda had: had | BOTH if had & BOTH else had)
            (missing,) = BOTH - listed
            made.append((f"{form} with {missing}", more))
    return made


def _without_each(scores: list[float], paper: Mapping[str, float]) -> list[tuple[float, str]]:
    """Pearson's r without each system, with its name."""
    printed = list(paper.values())
    return [
        (agreement(np.delete(scores, n).tolist(), np.delete(printed, n).tolist())[1], name)
        for n, name in enumerate(paper)
    ]


def tables(data: Path, pair: str, paper: Mapping[str, float], worst: int) -> list[Table]:
    """Single labels, and labels of others."""
    evalset = load(data / "wmt13" / pair, pair).select(list(paper))
    instances = Instances.of(assess(evalset, Act("classic", "covering", "no")))
    senses, printed = ours(pair), list(paper.values())
    figures = ("mean ACTa", "mean abs. difference", "Pearson r", "Spearman", "Kendall")

    def row(label: str, scores: list[float]) -> tuple[str | float, ...]:
        return label, float(np.mean(scores)), *agreement(scores, printed)

    heads = ["variant", *(Heading(figure, decimals=4) for figure in figures)]
    as_shipped = row("as shipped", instances.scores(senses))
    rows = [
        row(label, instances.scores(change)) for label, change in single_labels(instances, senses)
    ]
    rows.sort(key=lambda each: each[3])
    r = np.array([each[3] for each in rows], dtype=float)
    share = (r >= BAR[pair]).mean()
    left_out = sorted(_without_each(instances.scores(senses), paper))
    notes = [
        f"{len(rows)} labels, of the forms that occur: r at least {BAR[pair]} with {share:.0%} of the"
        f" changes; median {np.median(r):.4f}, lowest tenth {np.quantile(r, 0.1):.4f}",
        f"shown: the {worst} changes with the lowest r",
        "as shipped, with one system left out, r is "
        + " to ".join(
            f"{value:.4f} (without {name})" for value, name in left_out[:: len(left_out) - 1]
        ),
    ]
    first = Table.of(
        heads, [as_shipped, *rows[:worst]], notes=notes, caption=f"One label changed, {pair}"
    )
    theirs, name = their_labels(data, pair), LEXICONS[pair][1]
    differing = sorted(
        {
            form
            for connective, form in instances.forms
            if others(senses, theirs)(connective, form) != senses(connective, form)
        }
    )
    second = [
        as_shipped,
        row(
            f"contrast and concession as {name} has them", instances.scores(others(senses, theirs))
        ),
        *(
            row(f"… of {form} alone", instances.scores(others(senses, theirs, form)))
            for form in differing
        ),
        row("can express what the source means", instances.scores_by_source(senses)),
        row(f"… with {name}'s labels", instances.scores_by_source(others(senses, theirs))),
    ]
    known = sum(n for (_, form), n in instances.forms.items() if theirs.get(form))
    notes = [f"{name} lists {known / sum(instances.forms.values()):.0%} of the translations found"]
    return [first, Table.of(heads, second, notes=notes, caption=f"Labels of others, {pair}")]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--pair", choices=tuple(BAR), help="one pair only")
    parser.add_argument("--worst", type=int, default=8, help="how many changes to show")
    parser.add_argument("-f", "--format", default="text", choices=["text", "json", "markdown"])
    options = parser.parse_args()
    printed = tomllib.loads((ROOT / "experiments" / "hajlaoui2013.toml").read_text("utf-8"))
    shown = [
        table
        for pair in ([options.pair] if options.pair else BAR)
        for table in tables(options.data, pair, printed[pair], options.worst)
    ]
    print(render(shown, options.format), end="")


if __name__ == "__main__":
    main()
