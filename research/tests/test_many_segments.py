"""Judged sets out of English: levels of their segments."""

from __future__ import annotations

from pathlib import Path

from training.many.segments import esa


def test_esa_scores_become_levels_like_mqm(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    texts = {"src.txt": "a", "ref.txt": "b", "docids.txt": "d", "systems/x.txt": "c"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    rows = "segment\tsystem\tesa\n1\tx\t90\n1\tx\t80\n1\tnobody\t10\n"
    (tmp_path / "judgments.tsv").write_text(rows)
    (segment,) = esa(tmp_path)
    assert segment.levels == {"x": -1.5}
