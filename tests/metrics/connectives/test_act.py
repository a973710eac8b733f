"""ACT as a metric: from English, into English, and without references."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from albeit import Batch, EvalSet, explain, metric, score
from albeit.errors import InputError, LanguageError, MetricError
from albeit.metrics.connectives.act import Act, ActFree
from albeit.metrics.connectives.assess import Case
from albeit.metrics.table import Column
from albeit.parsing.alignment import Aligner
from albeit.report.act import assess


def sums(column: Column) -> Any:
    """The sums of rows of every system."""
    assert column.statistics is not None
    return column.statistics.sum(axis=1).tolist()


def test_statistics_and_scores(evalset: EvalSet) -> None:
    column = score(evalset, ["act(alignment=no)"])["act(alignment=no)"]
    assert sums(column) == [[1, 3, 0, 0, 0, 0, 4, 4], [0, 0, 1, 3, 0, 0, 0, 4]]
    assert column.system.tolist() == [1, 0]
    assert math.isnan(column.at("segment")[0, 1])  # a line without connectives has no score
    shorter = ("", *evalset.references["ref"][1:])
    two = replace(evalset, references={"a": shorter, **evalset.references}, documents=())
    assert score(two, ["act(alignment=no)"])["act(alignment=no)"].system.tolist() == [1, 0]
    verdicts = assess(two, Act(alignment="no")).verdicts["good"]
    assert [v.reference for v in verdicts] == [1, 0, 0, 0]
    bare = replace(evalset, references={}, documents=())
    free = ActFree(source_sense="any", alignment="no")
    column = score(bare, [free])[free]
    assert column.system.tolist() == [1.0, 0.25]  # "seit" can be a translation of "since"
    assert sums(column)[1] == [1, 0, 3]


def test_an_aligner_is_trained_on_the_set_or_saved(evalset: EvalSet, tmp_path: Path) -> None:
    column = score(evalset, [Act()])["act"]
    assert column.system[0] >= 0.75
    for part in ("|aligner:", "lexicon-version:en-de", "aligner:source+refs."):
        assert part in str(column.signature)
    assert pickle.loads(pickle.dumps(Act().prepare(evalset))).alignments.own == ()
    texts = evalset.source or (), evalset.references["ref"]
    path = tmp_path / "aligner.npz"
    Aligner.fit(*([line.lower().split() for line in lines] for lines in texts)).save(path)
    assert score(evalset, [Act(alignment=str(path))]).columns
    with pytest.raises(InputError, match="not a saved aligner"):
        score(evalset, [Act(alignment=str(tmp_path / "none.npz"))])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"target_lang": "ja"}, LanguageError, "no connective lexicon for en-ja"),
        ({"source_lang": None}, LanguageError, "needs to know the source language"),
        ({"source": ("Rain.",) * 4}, MetricError, "finds none of its connectives in the source"),
    ],
)
def test_what_act_cannot_score(
    evalset: EvalSet, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Act().check(replace(evalset, **changes, documents=()))


def test_alignment_files(evalset: EvalSet, tmp_path: Path) -> None:
    one = evalset.select(["good"])
    files = {}
    for name, text in (("ref", "0-0\n\n3-3 5-2\n0-0\n"), ("good", "0-0\n\n3-2 5-5\n0-0\n")):
        files[name] = tmp_path / name
        files[name].write_text(text)
    verdicts = assess(one, Act(), files).verdicts["good"]
    assert [v.in_candidate.name for v in verdicts] == ["auch wenn", "seit", "aber", "weil"]
    assert [v.case for v in verdicts] == [Case.SYNONYM, Case.SAME, Case.SYNONYM, Case.SYNONYM]
    files["good"].write_text("0-0\n\n4-99\n0-0\n")
    with pytest.raises(InputError, match="good:3: the point 4-99 is outside"):
        assess(one, Act(), files)
    files["good"].write_text("0-0\n")
    with pytest.raises(InputError, match="1 alignments for 4 sentence pairs"):
        assess(one, Act(), files)
    with pytest.raises(InputError, match="one file for every reference and system"):
        assess(one, Act(), {"ref": files["ref"]})
    files["good"].write_text("\n" * 4)
    batch = Batch(("neu",) * 4, [one.references["ref"]], one.source, one.documents)
    with pytest.raises(MetricError, match="prepared for other translations"):
        Act().statistics(batch, Act().prepare(one, files))


@pytest.mark.shared
@pytest.mark.parametrize(("pair", "least"), [("en-de", 85), ("en-fr", 88)])
def test_labels_read_by_hand(shared_data: Path, pair: str, least: int) -> None:
    """The matcher without alignment."""
    folder = shared_data / "wmt13" / pair
    golden = Path(__file__).parents[2] / "golden" / f"act-labels-{pair}.tsv"
    rows = [r.split("\t") for r in golden.read_text().splitlines() if not r.startswith("#")]
    lines = sorted({int(line) - 1 for _, line, _, _ in rows})

    def read(path: Path) -> tuple[str, ...]:
        text = path.read_text(encoding="utf-8-sig").split("\n")
        return tuple(text[line] for line in lines)

    systems = {name: read(folder / "systems" / f"{name}.txt") for name in {r[0] for r in rows}}
    references, source = {"ref": read(folder / "ref.txt")}, read(folder / "src.txt")
    evalset = EvalSet(references, systems, source, source_lang="en", target_lang=pair[3:])
    verdicts = assess(evalset, Act(alignment="no")).verdicts
    right = 0
    for system, line, number, case in rows:
        of_line = [v for v in verdicts[system] if lines[v.line] == int(line) - 1]
        right += of_line[int(number) - 1].case == int(case)
    assert right >= least


GERMAN = ("Obwohl es regnet, gehen wir aus.", "Wir bleiben, weil es regnet.", "Nichts.")
ENGLISH = ("Although it rains, we go out.", "We stay because it rains.", "Nothing.")
SAME = ("Though it rains, we go out.", "We stay because it rains.", "Nothing.")
OTHER = ("Since it rains, we go out.", "We stay, it rains.", "Nothing.")


INTO_ENGLISH = EvalSet({"ref": ENGLISH}, {"good": SAME, "bad": OTHER}, GERMAN, (), "de", "en")


@pytest.mark.parametrize("reading", ["lexicon", "model"])
def test_into_english_by_hand(reading: str) -> None:
    # obwohl: although; though is a synonym, since no translation of it. weil: missing in "bad"
    chosen = metric(f"act(connectives=all,target_sense={reading})")
    column = score(INTO_ENGLISH, [chosen])[chosen]
    assert column.system.tolist() == [1, 0]
    _, view = explain(INTO_ENGLISH, chosen, segments=[1])
    assert view.score == 0
    assert view.losses[0].label.startswith("obwohl: nothing found here")
    _, view = explain(INTO_ENGLISH, chosen, segments=[2])
    assert view.losses[0].label == "weil: nothing found here, because in the reference"
    because = assess(INTO_ENGLISH, chosen).verdicts["good"][1].in_candidate  # type: ignore[arg-type]
    assert because.senses == (("Contingency.Cause",) if reading == "model" else ())


def test_what_is_no_connective_there_does_not_count() -> None:
    # "since 1990" has a source word of the lexicon on one side, and no connective on the other
    lines = ("We have lived here since 1990.",)
    texts = EvalSet({"ref": lines}, {"s": lines}, ("Wir wohnen hier seit 1990.",), (), "de", "en")
    ways = [f"act(connectives=all,target_sense={way})" for way in ("lexicon", "model")]
    form, model = score(texts, ways).columns.values()
    assert form.system.tolist() == [1]
    assert sums(model) == [[0, 0, 0, 0, 0, 1, 0, 0]]  # neither; nothing counts
