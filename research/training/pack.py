"""Cut a file into parts for a transfer with a size limit, or join them again.

python -m training.pack split model.safetensors PREFIX    python -m training.pack join model.safetensors PREFIX
"""

from __future__ import annotations

import sys
from pathlib import Path

PART = 15 << 20


def main() -> None:
    """Split or join."""
    action, name, prefix = sys.argv[1:]
    path = Path(name)
    if action == "split":
        data = path.read_bytes()
        for number, start in enumerate(range(0, len(data), PART)):
            Path(f"{prefix}.{number}").write_bytes(data[start : start + PART])
    else:
        folder = Path(prefix).parent
        parts = sorted(folder.glob(f"{Path(prefix).name}.[0-9]*"), key=lambda p: int(p.suffix[1:]))
        path.write_bytes(b"".join(part.read_bytes() for part in parts))


if __name__ == "__main__":
    main()
