import json

import pytest

from albeit.diagnose.finding import Finding
from albeit.errors import AlbeitError


def test_a_finding_as_json_says_everything() -> None:
    finding = Finding("numbers", 3, 10, 12, "the source has 17", 0.9, "17", (("source", "17 Uhr"),))
    assert json.loads(json.dumps(finding.to_json())) == {
        "kind": "numbers",
        "line": 3,
        "start": 10,
        "end": 12,
        "message": "the source has 17",
        "probability": 0.9,
        "suggestion": "17",
        "evidence": [{"name": "source", "words": "17 Uhr"}],
    }


def test_findings_sort_by_their_place() -> None:
    later = Finding("names", 2, 0, 4, "later", 0.6)
    earlier = Finding("terms", 1, 7, 7, "earlier", 0.9)
    assert sorted([later, earlier], key=lambda finding: finding.place) == [earlier, later]


@pytest.mark.parametrize(
    ("line", "start", "end", "probability"),
    [(0, 0, 1, 0.5), (1, 2, 1, 0.5), (1, -1, 1, 0.5), (1, 0, 1, 1.5), (1, 0, 1, -0.1)],
)
def test_a_finding_that_is_nowhere_or_beyond_certain_raises(
    line: int, start: int, end: int, probability: float
) -> None:
    with pytest.raises(AlbeitError, match="finding of kind 'names'"):
        Finding("names", line, start, end, "wrong", probability)
