from __future__ import annotations

import math
from pathlib import Path

import pytest

from albeit.data.evalset import EvalSet
from albeit.errors import InputError
from albeit.metrics.connectives.act import Act, Assessment
from albeit.metrics.connectives.assess import Case
from albeit.metrics.connectives.sheet import (
    agreement,
    instances,
    kappa,
    merge,
    read_sheet,
    write_tsv,
)
from albeit.report.act import assess


@pytest.fixture
def assessed(evalset: EvalSet) -> Assessment:
    dull = EvalSet(
        {"ref": ("Es regnet.", "Nichts.", "Er wartet.", "Es regnet, wir bleiben.")},
        evalset.systems,
        evalset.source,
        source_lang="en",
        target_lang="de",
    )
    return assess(dull, Act(alignment="no"))


def answered(text: str, answers: list[str]) -> str:
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("id\t")) + 1
    for n, answer in enumerate(answers):
        lines[first + n] += answer
    return "\n".join(lines) + "\n"


def test_sheets_list_cases_5_and_6(assessed: Assessment) -> None:
    chosen = instances(assessed)
    assert {i.case for i in chosen} == {5, 6}
    assert len(chosen) == 8
    assert "[[Although]]" in chosen[0].source
    assert chosen[0].id == "good:1:1"
    assert instances(assessed, [Case.ONLY_REFERENCE]) == []


def test_merge_gives_act_m_bounds_and_kappa(assessed: Assessment, tmp_path: Path) -> None:
    text = write_tsv(assessed, instances(assessed))
    paths = [tmp_path / "anna.tsv", tmp_path / "ben.tsv"]
    paths[0].write_text(answered(text, ["correct", "correct", "wrong", "correct", "wrong"]))
    paths[1].write_text(answered(text, ["correct", "wrong", "wrong", "correct"]))
    sheets = [read_sheet(path) for path in paths]
    good, bad = merge(sheets)
    assert (good.system, good.judged, good.open) == ("good", 3, 1)  # one draw stays open
    assert (good.act_a, good.act_m, good.low, good.high) == (0, 0.5, 0.5, 0.75)
    assert (bad.judged, bad.open, bad.low, bad.high) == (1, 3, 0, 0.75)
    (pair,) = agreement(sheets)
    assert pair.shared == 4
    assert pair.observed == 0.75
    assert pair.kappa == pytest.approx(0.5)


def test_kappa() -> None:
    assert kappa([True, False], [True, False]) == 1
    assert kappa([True, True], [True, True]) == 1
    assert kappa([True, False], [False, True]) == -1
    assert math.isnan(kappa([], []))


def test_the_same_answers_are_not_taken_twice(assessed: Assessment, tmp_path: Path) -> None:
    text = write_tsv(assessed, instances(assessed))
    anna, link, ben = (tmp_path / name for name in ("anna.tsv", "link.tsv", "ben.tsv"))
    anna.write_text("#: rater=Anna\n" + text)
    link.symlink_to(anna)
    ben.write_text("#: rater=anna\n" + text)
    for other, told in ((anna, "is given twice"), (link, "is given twice"), (ben, "as .* does")):
        with pytest.raises(InputError, match=told):
            merge([read_sheet(anna), read_sheet(other)])
    ben.write_text("#: rater=Ben\n" + text)
    (pair,) = agreement([read_sheet(anna), read_sheet(ben)])
    assert (pair.first, pair.second) == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("id\tsystem", "key\tsystem"), "columns id and verdict"),
        (("#:", "#"), "is not a sheet"),
        (("total=4", "total=four"), "cannot read the counts"),
    ],
)
def test_bad_sheets(
    assessed: Assessment, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(write_tsv(assessed, instances(assessed)).replace(*change))
    with pytest.raises(InputError, match=message):
        read_sheet(path)


def test_a_strange_verdict_and_a_strange_sheet(assessed: Assessment, tmp_path: Path) -> None:
    text = write_tsv(assessed, instances(assessed))
    path = tmp_path / "s.tsv"
    path.write_text(answered(text, ["maybe"]))
    with pytest.raises(InputError, match=r"s.tsv:5: 'maybe' is not a verdict"):
        read_sheet(path)
    path.write_text(text)
    other = tmp_path / "o.tsv"
    other.write_text(text.replace("total=4", "total=5"))
    with pytest.raises(InputError, match="other systems or scores"):
        merge([read_sheet(path), read_sheet(other)])
