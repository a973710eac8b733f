"""The package states the licenses of everything in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.licenses import canonicalize_license_expression

ROOT = Path(__file__).parents[2]


def test_the_license_expression_is_valid_and_complete() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expression = project["license"]
    assert canonicalize_license_expression(expression) == expression
    listed = {"Apache-2.0", "MIT", "LicenseRef-WordNet", "LicenseRef-Gemma"}
    assert set(expression.split(" AND ")) == listed


def test_the_notice_names_what_ships() -> None:
    notice = (ROOT / "src/albeit/resources/data/NOTICE").read_text(encoding="utf-8")
    sections = [" ".join(section.split()) for section in notice.split("\n\n")]
    for name, license_name in {
        "all-MiniLM-L6-v2": "Apache-2.0",
        "all-mpnet-base-v2": "Apache-2.0",
        "Gemma": "ai.google.dev/gemma/terms",
        "WordNet 3.0": "LICENSE.wordnet",
    }.items():
        assert any(name in section and license_name in section for section in sections), name
