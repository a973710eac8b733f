from __future__ import annotations

from pathlib import Path

from training.evaluate import vectors


def test_five_way_rankings_become_untied_pairs(tmp_path: Path) -> None:
    names = [f"system{k}Id" for k in range(1, 6)] + [f"system{k}rank" for k in range(1, 6)]
    values = ["a", "b", "c", "d", "e", "1", "2", "2", "-1", "-1"]
    lines = [",".join(["srcIndex", *names]), ",".join(["7", *values])]
    (tmp_path / "judgments.csv").write_text("\n".join(lines) + "\n")
    assert vectors.wmt12_pairs(tmp_path) == [(6, "a", "b"), (6, "a", "c")]
