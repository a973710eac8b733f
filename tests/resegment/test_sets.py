from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from albeit.data import Document, EvalSet
from albeit.data.resegment import LooseSet, LooseText, read_offsets, resegment, write_offsets
from albeit.errors import AlbeitWarning, InputError
from albeit.report.segments import match_cut

A = ("The cat sat on the mat.", "A dog barked at it.", "Then it rained.")
B = ("A cat was sitting there.", "The hound made noise.", "Rain fell after that.")


TEXT = " ".join(A)


def loose(text: str = TEXT, references: dict[str, tuple[str, ...]] | None = None) -> LooseSet:
    base = EvalSet(references or {"A": A}, {})
    return LooseSet(base, {"sys": (LooseText(Document("all", 0, 3), text),)})


def test_each_text_is_cut_by_the_reference_it_is_nearest_to() -> None:
    made = resegment(loose(" ".join(B), {"A": A, "B": B}))
    assert made.systems["sys"][0].reference == "B"
    assert made.evalset.systems["sys"] == B
    assert set(made.evalset.references) == {"A", "B"}


def test_added_and_lost_sentences_are_told_of() -> None:
    made = resegment(
        loose(
            f"{A[0]} Buy our soap today, friends. {A[2]}",
            {"A": (f"{A[0]} {A[1]}", A[2], "Now it ends.")},
        )
    )
    added, lost = match_cut(made, made.systems["sys"][0])
    text = made.systems["sys"][0].text
    assert "Buy our soap today, friends." in [text[a:b] for _, (a, b) in added] or lost


def test_a_stranger_is_warned_of_with_the_number() -> None:
    with pytest.warns(AlbeitWarning, match=r"shares 0% of its words"):
        made = resegment(loose("Vier ganz fremde Wörter."))
    assert len(made.evalset.systems["sys"]) == 3


def test_offsets_come_back(tmp_path: Path) -> None:
    made = resegment(loose())
    write_offsets(made, tmp_path / "cuts.tsv")
    again = read_offsets(tmp_path / "cuts.tsv", loose())
    assert again.systems == made.systems
    assert again.evalset.systems == made.evalset.systems


def test_tables_of_version_0_2_have_one_more_column(tmp_path: Path) -> None:
    made, path = resegment(loose()), tmp_path / "cuts.tsv"
    write_offsets(made, path)
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{header}\tway", *(f"{row}\tmeaning" for row in rows)]) + "\n")
    assert read_offsets(path, loose()).systems == made.systems


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.replace("segment", "part"), "no table of offsets"),
        (lambda t: t.replace("\t0\t", "\tzero\t", 1), "cuts.tsv:2: is not a line"),
        (lambda t: t.replace("\t0\t", "\t7\t"), "leave out text"),
        (lambda t: "\n".join(t.split("\n")[:3]) + "\n", "no offsets of segment 3"),
        (lambda t: t + t.split("\n")[1] + "\n", "is on line 2 already"),
        (lambda t: t.replace("\tA\n", "\tC\n"), "no reference 'C'"),
    ],
)
def test_offsets_of_another_text_are_refused(
    tmp_path: Path, change: Callable[[str], str], says: str
) -> None:
    path = tmp_path / "cuts.tsv"
    write_offsets(resegment(loose()), path)
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=says):
        read_offsets(path, loose())


def test_offsets_must_cover_the_text(tmp_path: Path) -> None:
    write_offsets(resegment(loose()), tmp_path / "cuts.tsv")
    with pytest.raises(InputError, match="follows offset 59"):
        read_offsets(tmp_path / "cuts.tsv", loose(" ".join(A) + " And more."))
