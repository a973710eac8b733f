"""Links by eflomal, both directions joined."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from albeit.errors import MissingExtraError
from albeit.parsing.alignment.eflomal import eflomal_align


def test_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[eflomal\]'"):
        eflomal_align([["a"]], [["b"]])


def test_both_directions_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
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
