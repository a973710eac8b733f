"""The demonstration set (``examples/demo``) as the request that ``albeit serve`` offers to try.

python -m tests.serve.demonstration       writes src/albeit/serve/assets/demonstration.json
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "demo"
MADE = ROOT / "src" / "albeit" / "serve" / "assets" / "demonstration.json"


def request() -> dict[str, object]:
    """Four systems, two references, four documents, from German."""
    return {
        "title": "The demonstration",
        "lang": "en",
        "source_lang": "de",
        "systems": [_named(path) for path in sorted((DEMO / "systems").glob("*.txt"))],
        "references": [_named(path) for path in sorted(DEMO.glob("ref.*.txt"))],
        "source": (DEMO / "src.txt").read_text(encoding="utf-8"),
        "documents": (DEMO / "docids.txt").read_text(encoding="utf-8"),
        "metrics": ["judge", "chrf", "dr-lex", "cohesion"],
    }


def _named(path: Path) -> dict[str, str]:
    return {"name": path.name.removesuffix(".txt"), "text": path.read_text(encoding="utf-8")}


if __name__ == "__main__":
    MADE.write_text(json.dumps(request(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
