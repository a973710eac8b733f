"""The map from GUM's coarse relations to RST-DT's classes, counted in UMUC.

UMUC gives the same trees in both label sets. Each GUM class (split by whether the node has two
nuclei) goes to the RST-DT class that it is most often paired with.

    python -m training.corpora.labelmap --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import re
import tarfile
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from training.corpora.dis import coarse

_KEY = re.compile(r"UNSC_.*?_spch\d+")


def _relations(text: bytes) -> dict[str, tuple[str, bool]]:
    """Node id → (relation, multinuclear) of one `.rs3` file; plain spans left out."""
    root = ElementTree.fromstring(text)
    kinds = {(rel.get("name"), rel.get("type")) for rel in root.iter("rel")}
    parents = {n.get("id"): n.get("type") for n in root.iter("group")}
    found = {}
    for node in [*root.iter("segment"), *root.iter("group")]:
        name, parent = node.get("relname"), node.get("parent")
        if name and name != "span" and parent:
            multi = parents.get(parent) == "multinuc" and (name, "multinuc") in kinds
            found[str(node.get("id"))] = (name, multi)
    return found


def count(archive: Path) -> dict[str, Counter[str]]:
    """`NN-joint` or `NS-causal` → how often each RST-DT class stands in its place."""
    files: dict[str, dict[str, bytes]] = {"RST_GUM-relations": {}, "RST_RSTDT-relations": {}}
    with tarfile.open(archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            match = _KEY.search(path.name)
            if path.suffix == ".rs3" and path.parent.name in files and match:
                handle = tar.extractfile(member)
                if handle is not None:
                    files[path.parent.name][match.group()] = handle.read()
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    theirs = files["RST_RSTDT-relations"]
    for key, text in files["RST_GUM-relations"].items():
        other = _relations(theirs[key])
        for node, (name, multi) in _relations(text).items():
            if node in other:
                pairs[f"{'NN' if multi else 'NS'}-{coarse(name)}"][other[node][0]] += 1
    return pairs


def main() -> None:
    """Print the counts and the map."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    pairs = count(args.data / "umuc.tar.xz")
    for name, counts in sorted(pairs.items()):
        print(name, dict(counts.most_common()))
    print(
        json.dumps(
            {name: counts.most_common(1)[0][0] for name, counts in sorted(pairs.items())}, indent=1
        )
    )


if __name__ == "__main__":
    main()
