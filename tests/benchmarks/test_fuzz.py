"""A little of ``benchmarks/faults.py``: each reader gives a value or an AlbeitError."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from _fuzz import Reader, fuzz
from _readers import readers

READERS = {reader.name: reader for reader in readers()}


@pytest.mark.parametrize("name", READERS)
def test_a_value_or_an_error(name: str) -> None:
    found = fuzz(READERS[name], 150, 600, seed=2)
    assert found.inputs == 150
    assert [(fault.error, fault.input) for fault in found.faults.values()] == []


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Damage says something only where what was damaged was good."""
    reader = READERS[name]
    path = tmp_path_factory.mktemp("good") / reader.file
    path.parent.mkdir(parents=True, exist_ok=True)
    for good in reader.good:
        path.write_bytes(good)
        if name in ("metric grammar", "lexicon", "connectives"):
            continue  # unknown parameters, and only the beginning of a file
        reader.call(path)


def test_a_fault_is_a_fault() -> None:
    def broken(path: object) -> None:
        raise ZeroDivisionError("oops")

    found = fuzz(Reader("broken", broken, [b"x"]), 10, 60, seed=1)
    (fault,) = found.faults.values()
    assert fault.error == "ZeroDivisionError: oops"
