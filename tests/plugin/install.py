"""Put a package where Python finds it, as ``pip install`` would, without a network."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent


def write_metadata(folder: Path, name: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Write what ``pip`` would of a package: its name, its version, and its entry points."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines: list[str] = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{key} = {target}" for key, target in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install(folder: Path) -> str:
    """Copy the package into a folder, with its entry points; return the folder, for PYTHONPATH."""
    shutil.copytree(HERE / "plugin", folder / "plugin")
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    write_metadata(folder, project["name"], project["entry-points"])
    return str(folder)
