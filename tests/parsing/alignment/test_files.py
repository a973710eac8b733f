from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from albeit.errors import InputError, MissingExtraError
from albeit.parsing.alignment import check_links, eflomal_align, read_alignment, read_pharaoh

GIZA = """# Sentence pair (1) source length 2 target length 3 alignment score : 0.1
das haus da
NULL ({ 3 }) the ({ 1 }) house ({ 2 })
# Sentence pair (2) source length 1 target length 1 alignment score : 0.5
ja
NULL ({ }) yes ({ 1 })
"""


def test_pharaoh(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0-0 1-2\n\n")
    assert read_pharaoh(path) == [[(0, 0), (1, 2)], []]
    assert read_alignment(path) == read_pharaoh(path)


def test_giza(tmp_path: Path) -> None:
    path = tmp_path / "a.A3.final"
    path.write_text(GIZA, encoding="utf-8")
    assert read_alignment(path) == [[(0, 0), (1, 1)], [(0, 0)]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0 1\n", r"a:1: '1' is not an alignment point"),
        ("0-0\n-1-0\n", r"a:2: '-1-0' is not an alignment point"),
        (GIZA + "# Sentence pair\n", r"three per sentence pair"),
        (GIZA.replace("# Sentence pair (2)", "x"), r"a:4: expected a line '# Sentence pair"),
        (GIZA.replace("NULL ({ 3 }) ", ""), r"a:3: .*NULL first"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_alignment(path)


def test_links_are_checked_against_the_texts() -> None:
    check_links([[(0, 1)]], [1], [2])
    with pytest.raises(InputError, match="1 alignments for 2 sentence pairs"):
        check_links([[]], [1, 1], [1, 1])
    with pytest.raises(InputError, match=r"f:2: the point 0-1 is outside.*target 1"):
        check_links([[], [(0, 1)]], [1, 1], [1, 1], path="f")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_alignment(tmp_path / "none")


def test_eflomal_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[eflomal\]'"):
        eflomal_align([["a"]], [["b"]])


def test_both_directions_of_eflomal_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fake:
        def align(
            self,
            source: list[str],
            target: list[str],
            *,
            links_filename_fwd: str,
            links_filename_rev: str,
            quiet: bool,
        ) -> None:
            assert (source, target) == (["a b\n"], ["c d\n"])
            Path(links_filename_fwd).write_text("0-0 1-1\n")
            Path(links_filename_rev).write_text("0-0\n")

    module = types.ModuleType("eflomal")
    module.Aligner = Fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "eflomal", module)
    assert eflomal_align([["a", "b"]], [["c", "d"]]) == [[(0, 0), (1, 1)]]
