"""The documentation site: every page in its menu, and nothing loaded from elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

ELSEWHERE = re.compile(
    r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^\"']+"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("properdocs", reason="needs properdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "properdocs", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    # a page without a place in the menu is an error, too
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert ELSEWHERE.findall(page.read_text(encoding="utf-8")) == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", style.read_text("utf-8")), style


def test_pages_stand_in_a_menu_at_the_side(site: Path) -> None:
    text = (site / "report.html").read_text(encoding="utf-8")
    menu = text[text.index('aria-label="pages"') : text.index('role="main"')]
    for name in ("cli", "serve", "metrics/judge", "results/annotation"):
        assert f'href="{name}.html"' in menu
    assert 'aria-current="page">Reports' in menu
    bar = text[text.index("navbar-brand") : text.index('aria-label="pages"')]
    assert "cli.html" not in bar


@pytest.mark.parametrize(
    ("page", "terms"),
    [
        ("install.html", ["install"]),
        ("metrics/judge.html", ["held-out", "uncertainty", "hallucination", "calibration"]),
        ("index.html", ["quality estimation", "cite"]),
        ("scale.html", ["memory"]),
        ("metaeval.html", ["MQM"]),
        ("comet.html", ["COMET"]),
    ],
)
def test_the_search_finds_standard_terms(site: Path, page: str, terms: list[str]) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    docs = [each for each in index["docs"] if each["location"].partition("#")[0] == page]
    text = "\n".join(each["text"] for each in docs).lower()
    assert [term for term in terms if term.lower() not in text] == []
