from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.metrics.connectives.test_build import PAIRS, TEXT, bitext


def write(folder: Path, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    names = str(folder / "a.txt"), str(folder / "b.txt")
    for side, name in enumerate(names):
        Path(name).write_text("".join(p[side] + "\n" for p in pairs), encoding="utf-8")
    return names


def test_check_the_shipped_ones(albeit: Run) -> None:
    done = albeit("lexicon", "check")
    assert done.status == 0
    assert "en-de.tsv" in done.out


def test_check_finds_errors(albeit: Run, tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    path.write_text("#: source=en target=de version=1\nyet\tMood\tdoch\n")
    done = albeit("lexicon", "check", str(path))
    assert done.status == 1
    assert f"{path}:2: error: unknown sense 'Mood'" in done.out


def test_count(albeit: Run, tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    path.write_text(TEXT, encoding="utf-8")
    done = albeit("lexicon", "count", str(path), "--bitext", *write(tmp_path, PAIRS))
    assert "obwohl (8) | als (1?)" in done.out


def test_induce(albeit: Run, tmp_path: Path) -> None:
    done = albeit("lexicon", "induce", "--bitext", *write(tmp_path, bitext()), "--lang", "es")
    assert done.status == 0
    assert "although\tComparison.Concession\taunque" in done.out


def test_unequal_bitext(albeit: Run, tmp_path: Path) -> None:
    one, two = write(tmp_path, PAIRS)
    Path(two).write_text("nur eine\n", encoding="utf-8")
    done = albeit("lexicon", "induce", "--bitext", one, two, "--lang", "de")
    assert done.status == 2
    assert f"{two}:2: has 1 line, but {one} has 24" in done.err
