"""Put a stranger's package where Python finds it, as ``pip install`` would, without a network."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def install(folder: Path, without: str = "") -> str:
    """Copy the package into a folder, its entry points beside it; the folder, for PYTHONPATH.

    One group of entry points may be left out.
    """
    folder.mkdir()
    shutil.copytree(HERE / "stranger", folder / "stranger")
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    metadata = folder / f"{project['name']}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines: list[str] = []
    for group, points in project["entry-points"].items():
        if group != without:
            lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return str(folder)
