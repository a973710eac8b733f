from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from albeit.data.evalset import Document, documents_from_ids
from albeit.data.judgments import (
    Pairs,
    Ratings,
    is_human_reference,
    read_judgments,
    read_pairwise,
    read_rankings,
    read_ratings,
)
from albeit.errors import InputError

HEADER = "srcIndex,judgeId," + ",".join(f"system{k}Id" for k in range(1, 6))
HEADER += "," + ",".join(f"system{k}rank" for k in range(1, 6))


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_ranking_becomes_all_its_pairs(tmp_path: Path) -> None:
    path = write(tmp_path, "r.csv", HEADER, "3,j1,A,B,C,D,_ref,1,2,2,-1,1")
    rankings = read_rankings(path)
    assert rankings.counts() == {"systems": 5, "ranks": 1, "sents": 1, "judges": 1}
    pairs = rankings.pairs()
    named = {
        (pairs.systems[a], pairs.systems[b]): int(p)
        for a, b, p in zip(pairs.left, pairs.right, pairs.preference, strict=True)
    }
    assert named == {
        ("A", "B"): 1,
        ("A", "C"): 1,
        ("A", "_ref"): 0,
        ("B", "C"): 0,
        ("B", "_ref"): -1,
        ("C", "_ref"): -1,
    }
    assert set(pairs.segment) == {2}
    assert len(pairs.decided()) == 4
    aligned = pairs.align(["C", "B", "A", "D", "E"], 3)
    assert len(aligned) == 3
    assert aligned.judged_systems() == ("C", "B", "A")


def test_pairwise_keeps_repeats_and_contradictions(tmp_path: Path) -> None:
    lines = ["segment\tbetter\tworse", "1\tA\tB", "1\tA\tB", "1\tB\tA", "2\tC\tA"]
    pairs = read_pairwise(write(tmp_path, "p.tsv", *lines))
    assert len(pairs) == 4
    wins, losses = pairs.wins_and_losses()
    assert list(wins) == [2, 1, 1]
    assert list(losses) == [2, 2, 0]
    assert pairs.system_scores() == pytest.approx([0.5, 1 / 3, 1.0])
    shares = pairs.ratings(2).matrix(2)
    assert shares[0] == pytest.approx([2 / 3, 0.0])
    assert np.isnan(shares[1, 1])


def test_ratings_raw_z_and_mqm(tmp_path: Path) -> None:
    path = write(
        tmp_path, "da.tsv", "system\tline0\traw\tz", "A\t0\t80\t.5", "A\t0\t60\t.1", "B\t1\t70\t-.2"
    )
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
    found = read_judgments(path)
    assert isinstance(found, Ratings)
    assert found.kind == "mqm"
    assert found.matrix(2) == pytest.approx(np.array([[-1, np.nan], [0, -2]]), nan_ok=True)


def test_the_header_says_what_a_file_is(tmp_path: Path) -> None:
    ranking = write(tmp_path, "r.csv", HEADER, "1,j,A,B,C,D,E,1,2,3,4,5")
    assert isinstance(read_judgments(ranking), Pairs)
    assert len(read_judgments(ranking)) == 10
    pair = write(tmp_path, "p.tsv", "segment\tbetter\tworse", "1\tA\tB")
    assert isinstance(read_judgments(pair), Pairs)
    rating = write(tmp_path, "d.tsv", "system\tsegment\tscore", "A\t1\t2")
    assert isinstance(read_judgments(rating), Ratings)


@pytest.mark.parametrize(
    ("name", "lines", "says"),
    [
        ("x.tsv", ["a\tb"], "no judgments file"),
        ("x.tsv", ["segment\tbetter\tworse"], "no judgments"),
        ("x.tsv", ["segment\tbetter\tworse", "0\tA\tB"], r":2: '0' is not a segment"),
        ("x.tsv", ["segment\tbetter\tworse", "1\tA\tA"], r":2: 'A' is compared with itself"),
        ("x.tsv", ["segment\tbetter\tworse", "1\tA"], r":2: has 2 fields"),
        ("x.tsv", ["system\tsegment\tscore", "A\t1\tgood"], r":2: 'good' is not a finite"),
        ("x.tsv", ["system\tsegment\tother", "A\t1\t2"], "no column z or"),
        ("x.tsv", ["system\tscore", "A\t1"], "no column segment"),
        ("x.csv", [HEADER, "1,j,A,B,C,D,E,1,2,3,4,x"], r":2: system5rank is 'x'"),
        ("x.csv", [HEADER, "1,j,A,B,C,D,E,1,2,3,4,0"], r":2: a rank is neither"),
        ("x.csv", [HEADER, "0,j,A,B,C,D,E,1,2,3,4,5"], r":2: srcIndex 0"),
        ("x.csv", [HEADER, "1,j,A"], r":2: has not the 12 fields"),
        ("x.csv", [HEADER], "no rankings"),
        ("x.seg.score", ["A\t1", "A\t2", "B\t1"], "'B' has 1 segments"),
        ("x.seg.score", ["A\tNone"], "only None"),
        ("x.tsv", [""], "is empty"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, lines: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_judgments(write(tmp_path, name, *lines))


def test_what_fits_no_translation_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "p.tsv", "segment\tbetter\tworse", "1\tA\tB", "9\tB\tA")
    with pytest.raises(InputError, match=r"p\.tsv:3: a judgment of segment 9"):
        read_pairwise(path).align(["A", "B"], 3)
    with pytest.raises(InputError, match="judgments of 'B'"):
        read_pairwise(path).align(["A"], 9)
    with pytest.raises(InputError, match="cannot be read"):
        read_judgments(tmp_path / "none.tsv")
    latin = tmp_path / "latin.tsv"
    latin.write_bytes(b"segment\tbetter\tworse\n1\t\xe9\tB\n")
    with pytest.raises(InputError, match=r"latin\.tsv:2: .* is not UTF-8"):
        read_judgments(latin)
    positive = write(tmp_path, "mqm.tsv", "system\tsegment\tmqm", "A\t1\t-5")
    with pytest.raises(InputError, match="not penalties"):
        read_ratings(positive, penalties=True)


def test_names_of_human_references() -> None:
    for name in ("_ref", "ref-A", "refB", "ref", "HUMAN", "Human-A.0"):
        assert is_human_reference(name)
    for name in ("refactored-mt", "online-A", "humanoid"):
        assert not is_human_reference(name)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("pair", "counts"),
    [
        ("cs-en", (6, 1294, 951, 45)),
        ("de-en", (16, 1427, 975, 47)),
        ("es-en", (12, 1141, 923, 45)),
        ("fr-en", (15, 1395, 949, 44)),
    ],
)
def test_wmt12_counts_are_the_papers_table_1(
    shared_data: Path, pair: str, counts: tuple[int, ...]
) -> None:
    rankings = read_rankings(shared_data / "wmt12" / pair / "judgments.csv")
    assert tuple(rankings.counts().values()) == counts


def test_documents_of_equal_ratings_tie() -> None:
    """Weighted sums in floats would put them a bit apart."""
    documents = documents_from_ids(["a"] * 6)
    system = np.repeat([0, 1], [6, 3])
    segment = np.array([0, 1, 2, 3, 4, 5, 0, 2, 4])
    found = Ratings(("x", "y"), system, segment, np.full(9, 0.57702055868475))
    scores = found.document_scores(documents, [7, 11, 13, 3, 29, 17])
    assert scores.tolist() == [[0.57702055868475], [0.57702055868475]]
    assert found.system_scores().tolist() == [0.57702055868475] * 2
