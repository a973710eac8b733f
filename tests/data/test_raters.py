from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from albeit.data.judgments import (
    Ratings,
    agreement,
    read_errors,
    read_judgments,
    read_mqm,
    read_ratings,
    standardised,
)
from albeit.data.judgments.raters import penalty
from albeit.errors import InputError

GOOGLE = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\tnews\td\t1\tr1\tEins zwei.\tOne <v>too</v>.\tAccuracy/Mistranslation\tMajor
A\tnews\td\t1\tr1\tEins zwei.\tOne too<v>.</v>\tFluency/Punctuation\tMinor
A\tnews\td\t1\tr2\tEins <v>zwei</v>.\tOne too.\tAccuracy/Omission\tminor
B\tnews\td\t1\tr1\tEins zwei.\tOne two.\tNo-error\tno-error
B\tnews\td\t1\tr2\tEins zwei.\tOne two.\tNo-error\tNo-error
B\tnews\td\t2\tr2\tDrei.\t<v>xyz</v>\tNon-translation!\tMajor
"""


@pytest.fixture
def google(tmp_path: Path) -> Path:
    path = tmp_path / "mqm.tsv"
    path.write_text(GOOGLE, encoding="utf-8")
    return path


def test_googles_mqm_is_read_with_its_spans(google: Path) -> None:
    ratings, errors = read_mqm(google)
    assert ratings.raters == ("r1", "r2")
    assert ratings.score.tolist() == [-5.1, -1.0, 0.0, 0.0, -25.0]
    assert ratings.matrix(2)[0, 0] == pytest.approx(-3.05)
    assert [(e.span, e.start, e.side, e.segment) for e in errors] == [
        ("too", 4, "translation", 0),
        (".", 7, "translation", 0),
        ("zwei", 5, "source", 0),
        ("xyz", 0, "translation", 1),
    ]
    found = read_judgments(google)
    assert isinstance(found, Ratings)
    assert found.score.tolist() == ratings.score.tolist(), "by the front door too"


def test_an_unknown_severity_is_an_error(google: Path) -> None:
    google.write_text(GOOGLE.replace("\tMajor", "\tawful", 1))
    with pytest.raises(InputError, match=r"mqm\.tsv:2: there is no severity 'awful'"):
        read_mqm(google)
    assert penalty("Fluency/Punctuation", "Major") == 5


def rated(*rows: tuple[str, int, str, float], tmp_path: Path) -> Ratings:
    path = tmp_path / "r.tsv"
    lines = ["system\tsegment\trater\tmqm", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return read_ratings(path)


def test_z_takes_strictness_out(tmp_path: Path) -> None:
    rows = [("A", 1, "mild", -1.0), ("B", 1, "mild", -3.0)]
    rows += [("A", 1, "strict", -20.0), ("B", 1, "strict", -60.0), ("A", 2, "even", -5.0)]
    found = standardised(rated(*rows, tmp_path=tmp_path))
    assert found.score.tolist() == [1, -1, 1, -1, 0]
    assert found.kind == "z"
    with pytest.raises(InputError, match="needs a column 'rater'"):
        standardised(Ratings(("A",), np.array([0]), np.array([0]), np.array([1.0])))


def test_agreement_of_raters(tmp_path: Path) -> None:
    same = [(s, 1, r, score) for r in "xyz" for s, score in (("A", -1.0), ("B", -9.0))]
    found = agreement(rated(*same, tmp_path=tmp_path))
    assert found is not None
    assert (found.tau, found.pairs, found.by_rater) == (1.0, 3, (1.0, 1.0, 1.0))
    against = [("A", 1, "x", -1.0), ("B", 1, "x", -9.0), ("A", 1, "y", -9.0), ("B", 1, "y", -1.0)]
    found = agreement(rated(*against, tmp_path=tmp_path))
    assert found is not None
    assert found.tau == -1
    assert str(found).startswith("2 raters; one against the mean of the others: τ -1.000 over 2")
    alone = [("A", 1, "x", -1.0), ("B", 2, "y", -1.0)]
    assert agreement(rated(*alone, tmp_path=tmp_path)) is None


@pytest.fixture(scope="session")
def newstest20(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = shared_data / "judgments.tar.xz"
    if not archive.is_file():
        pytest.skip(f"needs {archive} (see CONTRIBUTING.md)")
    folder = tmp_path_factory.mktemp("judgments")
    wanted = {f"judgments/newstest20-mqm/zh-en/{n}.tsv" for n in ("ratings", "errors", "judgments")}
    with tarfile.open(archive) as file:
        for member in file:
            if member.name in wanted:
                file.extract(member, folder, filter="data")
                wanted.remove(member.name)
            if not wanted:
                break
    return folder / "judgments" / "newstest20-mqm" / "zh-en"


@pytest.mark.shared
def test_newstest20(newstest20: Path) -> None:
    """Errors add up to ratings, ratings average to judgments, raters agree as measured elsewhere."""
    ratings = read_ratings(newstest20 / "ratings.tsv")
    assert (len(ratings), len(ratings.raters)) == (60_000, 6)
    sums: Counter[tuple[str, int, str]] = Counter()
    errors = read_errors(newstest20 / "errors.tsv")
    assert len(errors) == 108_351
    for error in errors:
        sums[error.system, error.segment, error.rater] -= penalty(error.category, error.severity)  # type: ignore[operator, assignment]
    assert ratings.rater is not None
    for system, segment, rater, score in zip(
        ratings.system, ratings.segment, ratings.rater, ratings.score, strict=True
    ):
        key = ratings.systems[system], int(segment), ratings.raters[rater]
        assert sums[key] == pytest.approx(score, abs=1e-6)
    means = read_ratings(newstest20 / "judgments.tsv").align(ratings.systems, 2000)
    np.testing.assert_allclose(ratings.matrix(2000), means.matrix(2000), atol=1e-5)
    machines = [name for name in ratings.systems if not name.startswith("ref")]
    people = set(ratings.systems) - set(machines)
    found = agreement(ratings.align(machines, 2000, people), margin=1)
    assert found is not None
    assert found.tau == pytest.approx(0.297, abs=5e-4)
