from __future__ import annotations

import pytest

from albeit.combine.groups import group, groups
from albeit.errors import MetricError


def test_sizes_are_the_papers() -> None:
    sizes = {name: len(g.members) for name, g in groups().items()}
    assert sizes == {
        "asiya-lex": 5,
        "asiya-syn": 4,
        "asiya-srl": 3,
        "asiya-sem": 2,
        "asiya-0809": 12,
        "asiya-all": 19,
    }


def test_what_is_present_and_what_is_not() -> None:
    lex = group("Asiya-LEX")
    known = {"bleu", "nist", "terp-a", "rouge-w"}
    assert lex.present(known) == ("bleu", "nist", "rouge-w", "terp-a")
    assert lex.absent(known) == ("meteor-ex",)
    assert lex.title == "Asiya-LEX"
    with pytest.raises(MetricError, match="unknown group"):
        group("asiya-x")
