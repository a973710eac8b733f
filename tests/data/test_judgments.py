from __future__ import annotations

import gzip
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data.evalset import Document, documents_from_ids
from albeit.data.judgment_files import read_judgments
from albeit.data.judgments import Pairs, Ratings, is_human_reference
from albeit.errors import InputError

HEADER = "srcIndex,judgeId," + ",".join(f"system{k}Id" for k in range(1, 6))
HEADER += "," + ",".join(f"system{k}rank" for k in range(1, 6))


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_pairs(path: Path) -> Pairs:
    found = read_judgments(path)
    assert isinstance(found, Pairs)
    return found


def read_ratings(path: Path, **options: Any) -> Ratings:
    found = read_judgments(path, **options)
    assert isinstance(found, Ratings)
    return found


def test_a_ranking_becomes_all_its_pairs(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", HEADER, "3,j1,A,B,C,D,_ref,1,2,2,-1,1")
    pairs = read_pairs(path)
    rows = zip(pairs.left, pairs.right, pairs.preference, strict=True)
    named = {f"{pairs.systems[a]} {pairs.systems[b]}": int(p) for a, b, p in rows}
    expected = {"A B": 1, "A C": 1, "A _ref": 0, "B C": 0, "B _ref": -1, "C _ref": -1}
    assert named == expected
    assert set(pairs.segment) == {2}
    assert len(pairs.decided()) == 4
    aligned = pairs.align(["C", "B", "A", "D", "E"], 3)
    assert len(aligned) == 3
    assert aligned.judged_systems() == ("C", "B", "A")


def test_pairwise_keeps_repeats_and_contradictions(tmp_path: Path) -> None:
    lines = ["segment\tbetter\tworse", "1\tA\tB", "1\tA\tB", "1\tB\tA", "2\tC\tA"]
    pairs = read_pairs(write(tmp_path, "p.tsv", *lines))
    assert len(pairs) == 4
    assert pairs.system_scores() == pytest.approx([0.5, 1 / 3, 1.0])
    shares = pairs.ratings(2).matrix(2)
    assert shares[0] == pytest.approx([2 / 3, 0.0])
    assert np.isnan(shares[1, 1])


def test_ratings_raw_z_and_mqm(tmp_path: Path) -> None:
    rows = ["A\t0\t80\t.5", "A\t0\t60\t.1", "B\t1\t70\t-.2"]
    path = write(tmp_path, "da.tsv", "system\tline0\traw\tz", *rows)
    z = read_ratings(path)
    assert z.kind == "z"
    assert z.matrix(2) == pytest.approx(np.array([[0.3, np.nan], [np.nan, -0.2]]), nan_ok=True)
    assert read_ratings(path, column="raw").system_scores() == pytest.approx([70, 70])
    mqm = write(tmp_path, "mqm.tsv", "system\tsegment\tmqm", "A\t1\t5", "B\t1\t0")
    assert read_ratings(mqm, penalties=True).pairs().preference.tolist() == [-1]


def test_ratings_become_pairs_with_a_margin(tmp_path: Path) -> None:
    path = write(tmp_path, "da.tsv", "system\tsegment\traw", "A\t1\t80", "B\t1\t60", "C\t1\t50")
    ratings = read_ratings(path)
    assert ratings.pairs().preference.tolist() == [1, 1, 1]
    assert ratings.pairs(margin=25).preference.tolist() == [0, 1, 0]
    assert ratings.pairs(margin=30).preference.tolist() == [0, 1, 0]  # WMT keeps 30 and more
    assert ratings.pairs(margin=30.5).preference.tolist() == [0, 0, 0]


def test_document_scores_weigh_segments_by_length() -> None:
    index = np.array([0, 0, 0])
    ratings = Ratings(("A", "B"), index, np.array([0, 1, 2]), np.array([1.0, 4.0, 7.0]))
    documents = (Document("x", 0, 2), Document("y", 2, 4))
    found = ratings.document_scores(documents, [10, 20, 5, 9])
    assert found[0] == pytest.approx([3.0, 7.0])
    assert np.isnan(found[1]).all()
    with pytest.raises(InputError, match="2 segment lengths"):
        ratings.document_scores(documents, [1, 2])


def test_seg_score_with_gaps_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "en-de.mqm.seg.score.gz"
    path.write_bytes(gzip.compress(b"A\t-1\nA\tNone\nB\t0\nB\t-2\n"))
    found = read_ratings(path)
    assert found.kind == "mqm"
    assert found.matrix(2) == pytest.approx(np.array([[-1, np.nan], [0, -2]]), nan_ok=True)


@pytest.mark.parametrize(
    ("name", "lines", "says"),
    [
        ("x.tsv", ["a\tb"], "known format of judgments"),
        ("x.tsv", ["segment\tbetter\tworse", "1\tA\tA"], r":2: 'A' is compared with itself"),
        ("x.tsv", ["system\tscore", "A\t1"], "no column line0 or segment"),
        ("x.csv", [HEADER, "1,j,A,B,C,D,E,1,2,3,4,x"], r":2: rank 'x' is neither"),
        ("x.csv", [HEADER], "no rankings"),
        ("x.seg.score", ["A\tNone"], "holds no ratings"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, lines: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_judgments(write(tmp_path, name, *lines))


def test_names_of_human_references() -> None:
    for name in ("_ref", "ref-A", "refB", "ref", "HUMAN", "Human-A.0"):
        assert is_human_reference(name)
    for name in ("refactored-mt", "online-A", "humanoid"):
        assert not is_human_reference(name)


def test_documents_of_equal_ratings_tie() -> None:
    """Weighted sums in floats would put them a bit apart."""
    documents = documents_from_ids(["a"] * 6)
    system = np.repeat([0, 1], [6, 3])
    segment = np.array([0, 1, 2, 3, 4, 5, 0, 2, 4])
    found = Ratings(("x", "y"), system, segment, np.full(9, 0.57702055868475))
    scores = found.document_scores(documents, [7, 11, 13, 3, 29, 17])
    assert scores.tolist() == [[0.57702055868475], [0.57702055868475]]
    assert found.system_scores().tolist() == [0.57702055868475] * 2


GOOGLE = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\tnews\td\t1\tr1\tEins zwei.\tOne <v>too</v>.\tAccuracy/Mistranslation\tMajor
A\tnews\td\t1\tr1\tEins zwei.\tOne too<v>.</v>\tFluency/Punctuation\tMinor
A\tnews\td\t1\tr2\tEins <v>zwei</v>.\tOne too.\tAccuracy/Omission\tminor
B\tnews\td\t1\tr1\tEins zwei.\tOne two.\tNo-error\tno-error
B\tnews\td\t1\tr2\tEins zwei.\tOne two.\tNo-error\tNo-error
B\tnews\td\t2\tr2\tDrei.\t<v>xyz</v>\tNon-translation!\tMajor
"""


def test_googles_mqm(tmp_path: Path) -> None:
    ratings = read_ratings(write(tmp_path, "mqm.tsv", GOOGLE.rstrip()))
    assert ratings.raters == ("r1", "r2")
    assert ratings.score.tolist() == [-5.1, -1.0, 0.0, 0.0, -25.0]
    assert ratings.matrix(2)[0, 0] == pytest.approx(-3.05)


def rated(*rows: tuple[str, int, str, float], tmp_path: Path) -> Ratings:
    lines = ["system\tsegment\trater\tmqm", *("\t".join(map(str, row)) for row in rows)]
    return read_ratings(write(tmp_path, "r.tsv", *lines))


def test_z_takes_strictness_out(tmp_path: Path) -> None:
    rows = [("A", 1, "mild", -1.0), ("B", 1, "mild", -3.0)]
    rows += [("A", 1, "strict", -20.0), ("B", 1, "strict", -60.0), ("A", 2, "even", -5.0)]
    found = rated(*rows, tmp_path=tmp_path).standardize_by_rater()
    assert found.score.tolist() == [1, -1, 1, -1, 0]
    assert found.kind == "z"
    alone = Ratings(("A",), np.array([0]), np.array([0]), np.array([1.0]))
    with pytest.raises(InputError, match="needs a column 'rater'"):
        alone.standardize_by_rater()


def test_agreement_of_raters(tmp_path: Path) -> None:
    same = [(s, 1, r, score) for r in "xyz" for s, score in (("A", -1.0), ("B", -9.0))]
    assert rated(*same, tmp_path=tmp_path).describe_agreement() == (
        "3 raters; one against the mean of the others: τ 1.000 over 3 pairs, r 1.000."
    )
    against = [("A", 1, "x", -1.0), ("B", 1, "x", -9.0), ("A", 1, "y", -9.0), ("B", 1, "y", -1.0)]
    found = rated(*against, tmp_path=tmp_path).describe_agreement()
    assert found is not None
    assert "τ -1.000 over 2 pairs" in found
    alone = [("A", 1, "x", -1.0), ("B", 2, "y", -1.0)]
    assert rated(*alone, tmp_path=tmp_path).describe_agreement() is None


@pytest.mark.shared
def test_newstest20(shared_data: Path, tmp_path: Path) -> None:
    """Ratings average to judgments, and raters agree as published."""
    name = "judgments/newstest20-mqm/zh-en"
    with tarfile.open(shared_data / "judgments.tar.xz") as archive:
        wanted = [member for member in archive if member.name.startswith(f"{name}/")]
        archive.extractall(tmp_path, wanted, filter="data")
    newstest20 = tmp_path / name
    ratings = read_ratings(newstest20 / "ratings.tsv")
    assert (len(ratings), len(ratings.raters)) == (60_000, 6)
    means = read_ratings(newstest20 / "judgments.tsv").align(ratings.systems, 2000)
    np.testing.assert_allclose(ratings.matrix(2000), means.matrix(2000), atol=1e-5)
    machines = [name for name in ratings.systems if not name.startswith("ref")]
    people = set(ratings.systems) - set(machines)
    found = ratings.align(machines, 2000, people).describe_agreement(margin=1)
    assert found is not None
    assert "τ 0.297" in found


def test_line0_of_a_ranking_counts_not_the_index_of_another_file(tmp_path: Path) -> None:
    header = "srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank,line0"
    (tmp_path / "j.csv").write_text(f"{header}\n1200,j,a,b,1,2,0\n7,j,a,b,2,1,2\n")
    assert read_pairs(tmp_path / "j.csv").segment.tolist() == [0, 2]
