"""The documentation site: references, search, and nothing loaded from elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import albeit
from albeit.cli import list_parsers
from tests.conftest import ROOT

ELSEWHERE = re.compile(
    r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^\"']+"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="needs zensical")
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "tools/site", "zensical.toml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in ("src", "tests"):
        (folder / name).symlink_to(ROOT / name)
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"


def read_page(site: Path, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


def test_every_page_has_a_place_in_the_menu() -> None:
    text = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}
    sections = tomllib.loads(text)["project"]["nav"]
    listed = [page for s in sections for part in s.values() for e in part for page in e.values()]
    assert sorted(pages) == sorted(listed)


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert ELSEWHERE.findall(page.read_text(encoding="utf-8")) == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", style.read_text("utf-8")), style


def test_every_picture_exists_and_is_shown(site: Path) -> None:
    shown = set()
    for page in site.rglob("*.html"):
        for address in re.findall(r'<img [^>]*src="([^"]+)"', page.read_text(encoding="utf-8")):
            assert (page.parent / address).is_file(), f"{page.name}: {address}"
            shown.add(Path(address).name)
    assert {path.name for path in (ROOT / "docs/images").iterdir()} == shown


def test_a_broken_link_fails(site: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A\n\n[b](b.md)\n")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "a"\n')
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "page does not exist" in done.stdout + done.stderr


def test_the_reference_has_every_public_name(site: Path) -> None:
    text = read_page(site, "reference.html")
    parts = re.split(r'<h3 id="albeit\.(\w+)"', text)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(sections) == set(albeit.__all__)
    for name in ("score", "compare", "EvalSet", "check"):
        assert "Parameters:" in sections[name]
        assert "language-pycon" in sections[name]
    assert ":func:" not in text
    assert ":class:" not in text


def test_the_reference_has_every_option(site: Path) -> None:
    text = read_page(site, "commands.html")
    for parser in list_parsers():
        name = parser.prog.replace(" ", "-")
        section = text.partition(f'<h2 id="{name}"')[2].partition("<h2 id=")[0]
        options = [option for action in parser._actions for option in action.option_strings]
        assert [option for option in options if option not in section] == [], name


FIRST = {
    "install": "install.html",
    "held-out": "metrics/judge.html",
    "uncertainty": "metrics/judge.html",
    "quality estimation": "index.html",
    "calibration": "metrics/judge.html",
    "hallucination": "metrics/judge.html",
    "cite": "index.html",
    "memory": "scale.html",
    "MQM": "metaeval.html",
    "COMET": "comet.html",
}
"""Searches, and the page that each must find first."""


def test_the_search_finds_the_right_page_first(site: Path) -> None:
    driver = pytest.importorskip("playwright._impl._driver", reason="needs Playwright's node")
    (worker,) = site.glob("assets/javascripts/workers/search*.js")
    words = [driver.compute_driver_executable()[0], ROOT / "tests" / "search.js", worker]
    done = subprocess.run(
        [*words, site / "search.json", *FIRST], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert {query: pages[0].partition("#")[0] for query, pages in found.items()} == FIRST
