"""ACT as a metric: from English, into English, and without references."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from albeit.data import read
from albeit.data.evalset import Document, EvalSet
from albeit.errors import InputError, LanguageError, MetricError
from albeit.evaluation import explain, score
from albeit.metrics.base import Batch
from albeit.metrics.connectives.act import Act, ActFree
from albeit.metrics.connectives.assess import Case
from albeit.metrics.connectives.scores import CaseCounts
from albeit.metrics.registry import metric
from albeit.parsing.alignment import Aligner
from albeit.report.act import assess


def test_statistics_and_scores(evalset: EvalSet) -> None:
    column = score(evalset, [Act(alignment="no")]).columns["act(alignment=no)"]
    assert column.statistics is not None
    assert column.statistics[0].sum(axis=0).tolist() == [1, 3, 0, 0, 0, 0, 4, 4]
    assert column.statistics[1].sum(axis=0).tolist() == [0, 0, 1, 3, 0, 0, 0, 4]
    assert column.system.tolist() == [1, 0]
    assert column.segment is not None
    assert math.isnan(column.segment[0, 1])  # a line without connectives has no score


def test_variants_and_several_references(evalset: EvalSet) -> None:
    two = EvalSet(
        {"a": ("", *evalset.references["ref"][1:]), "b": evalset.references["ref"]},
        evalset.systems,
        evalset.source,
        source_lang="en",
        target_lang="de",
    )
    table = score(two, [metric("act(alignment=no,variant=a56)"), metric("act(alignment=no)")])
    assert table.columns["act(alignment=no)"].system.tolist() == [1, 0]
    verdicts = assess(two, Act(alignment="no")).verdicts["good"]
    assert [v.reference for v in verdicts] == [1, 0, 0, 0]


def test_alignment_trains_on_the_set(evalset: EvalSet) -> None:
    table = score(evalset, [Act()], workers=1)
    column = table.columns["act"]
    assert column.system[0] >= 0.75
    assert "|aligner:" in str(column.signature)
    assert "lexicon-version:en-de" in str(column.signature)
    assert "aligner:source+refs." in str(column.signature)
    assert pickle.loads(pickle.dumps(Act().prepare(evalset))).alignments.own == ()


def test_a_saved_aligner(evalset: EvalSet, tmp_path: Path) -> None:
    words = [line.lower().split() for line in evalset.source or ()]
    target = [line.lower().split() for line in evalset.references["ref"]]
    path = tmp_path / "aligner.npz"
    Aligner.fit(words, target).save(path)
    assert score(evalset, [Act(alignment=str(path))]).columns
    with pytest.raises(InputError, match="not a saved aligner"):
        score(evalset, [Act(alignment=str(tmp_path / "none.npz"))])


def test_what_act_cannot_score(evalset: EvalSet) -> None:
    with pytest.raises(LanguageError, match="no connective lexicon for en-ja"):
        Act().check(replace(evalset, target_lang="ja", documents=()))
    with pytest.raises(LanguageError, match="needs to know the source language"):
        Act().check(replace(evalset, source_lang=None, documents=()))
    with pytest.raises(MetricError, match="needs the source text"):
        Act().check(replace(evalset, source=None, documents=()))
    plain = replace(evalset, source=("Rain.",) * 4, documents=())
    with pytest.raises(MetricError, match="finds none of its connectives in the source"):
        Act().check(plain)
    with pytest.raises(MetricError, match="sense takes"):
        metric("act(sense=lax)")


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
    """The matcher without alignment; with it see docs/results/reproductions.md."""
    folder = shared_data / "wmt13" / pair
    golden = Path(__file__).parents[2] / "golden" / f"act-labels-{pair}.tsv"
    rows = [r.split("\t") for r in golden.read_text().splitlines() if not r.startswith("#")]
    lines = sorted({int(line) - 1 for _, line, _, _ in rows})

    def read(path: Path) -> tuple[str, ...]:
        text = path.read_text(encoding="utf-8-sig").split("\n")
        return tuple(text[line] for line in lines)

    systems = {name: read(folder / "systems" / f"{name}.txt") for name in {r[0] for r in rows}}
    evalset = EvalSet(
        {"ref": read(folder / "ref.txt")},
        systems,
        read(folder / "src.txt"),
        source_lang="en",
        target_lang=pair[3:],
    )
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


def into_english() -> EvalSet:
    return EvalSet(
        {"ref": ENGLISH}, {"good": SAME, "bad": OTHER}, GERMAN, (Document("d", 0, 3),), "de", "en"
    )


@pytest.mark.parametrize("reading", ["lexicon", "model"])
def test_into_english_by_hand(reading: str) -> None:
    # obwohl: although; though is a synonym, since no translation of it. weil: missing in "bad"
    chosen = metric(f"act(connectives=all,target_sense={reading})")
    column = score(into_english(), [chosen])[chosen]
    assert column.system.tolist() == [1, 0]
    _, view = explain(into_english(), chosen, segments=[1])
    assert view.score == 0
    assert view.losses[0].label.startswith("obwohl: nothing found here")
    _, view = explain(into_english(), chosen, segments=[2])
    assert view.losses[0].label == "weil: nothing found here, because in the reference"
    because = assess(into_english(), chosen).verdicts["good"][1].in_candidate  # type: ignore[arg-type]
    assert because.senses == (("Contingency.Cause",) if reading == "model" else ())


def test_what_is_no_connective_there_does_not_count() -> None:
    # "since 1990" has a source word of the lexicon on one side, and no connective on the other
    lines = ("We have lived here since 1990.",)
    texts = EvalSet({"ref": lines}, {"s": lines}, ("Wir wohnen hier seit 1990.",), (), "de", "en")
    by_form, by_model = (
        score(texts, [metric(f"act(connectives=all,target_sense={way})")])
        for way in ("lexicon", "model")
    )
    (form,), (model,) = by_form.columns.values(), by_model.columns.values()
    assert form.system.tolist() == [1]
    assert model.statistics is not None
    assert model.statistics[0, 0].tolist() == [0, 0, 0, 0, 0, 1, 0, 0]  # neither; nothing counts


def test_one_number_under_one_signature() -> None:
    """``albeit act score`` and the metric count the same verdicts, and say which variant it is."""
    folder = Path(__file__).resolve().parents[3] / "examples" / "demo"
    evalset = read(folder, source_lang="de", target_lang="en")
    every = [Act(target_sense="model", variant=variant) for variant in ("auto", "a", "a56")]
    found = score(evalset, every)
    for one, used in zip(every, ("a56", "a", "a56"), strict=True):
        assert f"|variant:{used}|" in str(found[one].signature)
        assessed = assess(evalset, one)
        assert assessed.signature == found[one].signature
        for n, verdicts in enumerate(assessed.verdicts.values()):
            counts = CaseCounts.of(verdicts)
            rows = found[one].statistics
            assert rows is not None
            assert [*counts.cases, counts.credit] == rows[n].sum(axis=0)[:7].tolist()
            said = counts.act_a if used == "a" else counts.act_a56
            assert found[one].system[n] == pytest.approx(said, nan_ok=True)
    assert found[every[0]].system.tolist() == found[every[2]].system.tolist()
    assert found[every[0]].system.tolist() != found[every[1]].system.tolist()


def test_by_the_source_alone(evalset: EvalSet) -> None:
    bare = replace(evalset, references={}, documents=())
    metric = ActFree(source_sense="any", alignment="no")
    column = score(bare, [metric])[metric]
    assert column.system.tolist() == [1.0, 0.25]  # "seit" can be a translation of "since"
    assert column.statistics is not None
    assert column.statistics[1].sum(axis=0).tolist() == [1, 0, 3]
