"""What the reference check finds in made sets, what it leaves alone, and its error rates."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import albeit
from albeit.diagnose import references
from albeit.diagnose.references import LEVEL, ReferenceCheck, check_references
from albeit.stats import holm

WORDS = ["".join(random.Random(n).choices("abcdefghiklmnoprstuvwz", k=6)) for n in range(300)]
RUSSIAN = "Наши соседи уже давно уехали из этого города насовсем."
UNRELATED = [f"We had hoped for {n}0 hours of good weather." for n in range(1, 6)]
Change = Callable[..., object]


def sentences(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(8, 16))) + "." for _ in range(count)]


def translated(lines: Sequence[str], seed: int, share: float = 0.18) -> list[str]:
    """Other words for a share of the words."""
    draw = random.Random(seed)
    swap = {word: draw.choice(WORDS) for word in WORDS}
    return [
        " ".join(swap.get(w, w) if draw.random() < share else w for w in line[:-1].split()) + "."
        for line in lines
    ]


def keep(*texts: list[str]) -> None:
    """Change nothing."""


def made_set(
    systems: int = 4, lines: int = 200, reference: Change = keep, own: Change = keep
) -> albeit.EvalSet:
    """A set whose reference, and first system, were changed."""
    truth = sentences(lines, 1)
    texts = {f"s{n}": translated(truth, n) for n in range(systems)}
    ref, source = translated(truth, 99), translated(truth, 98, 1.0)
    reference(ref)
    own(ref, texts["s0"])
    systems_ = {name: tuple(text) for name, text in texts.items()}
    return albeit.EvalSet({"ref": tuple(ref)}, systems_, tuple(source))


def copy(share: float, change: Callable[[str], str] = str) -> Change:
    """A change that copies this share of the reference into a system."""

    def apply(ref: list[str], own: list[str]) -> None:
        for n in range(0, len(ref), round(1 / share)):
            own[n] = change(ref[n])

    return apply


@pytest.mark.parametrize("systems", [1, 2, 3, 8])
def test_healthy_references_are_quiet(systems: int) -> None:
    assert check_references(made_set(systems)) == []


@pytest.mark.parametrize("systems", [3, 8])
@pytest.mark.parametrize(
    ("share", "change"),
    [(0.2, str), (0.2, str.upper), (1.0, lambda line: line.replace(".", " ..."))],
)
def test_system_that_had_the_reference(
    systems: int, share: float, change: Callable[[str], str]
) -> None:
    """It is named with its evidence, even if no line is identical."""
    (found,) = check_references(made_set(systems, own=copy(share, change)))
    (system,) = found.systems
    assert (system.system, system.lines, found.lines) == ("s0", 200, {})
    assert (system.identical >= 40) if share < 1 else (system.identical == 0)
    assert system.other_identical <= 3
    assert system.p < LEVEL
    (message,) = found.messages()
    for part in ("'s0'", f"{system.identical} identical lines", "of 200", "another reference"):
        assert part in message


def put(line: int, text: Callable[[list[str]], str]) -> Change:
    """A change that puts a text at a line (from 1) of the reference."""

    def apply(ref: list[str]) -> None:
        ref[line - 1] = text(ref)

    return apply


def moved(ref: list[str]) -> None:
    ref[60:65] = ref[61:66]


@pytest.mark.parametrize(
    ("change", "kind", "lines"),
    [
        (put(7, lambda ref: " "), "empty", [7]),
        (put(7, lambda ref: ref[6][: len(ref[6]) // 2]), "truncated", [7]),
        (put(7, lambda ref: ref[6][: len(ref[6]) // 2] + "."), "", []),
        (put(7, lambda ref: RUSSIAN), "language", [7]),
        (put(7, lambda ref: ref[7]), "misplaced", [7]),
        (put(7, lambda ref: ref[70]), "misplaced", [7]),
        (moved, "misplaced", [61, 62, 63, 64, 65]),
        (put(7, lambda ref: UNRELATED[0]), "", []),
        (lambda ref: ref.__setitem__(slice(4, 9), UNRELATED), "unrelated", [5, 6, 7, 8, 9]),
    ],
)
def test_lines_that_look_wrong(change: Change, kind: str, lines: list[int]) -> None:
    found = check_references(made_set(reference=change))
    assert [check.lines for check in found] == ([{kind: lines}] if kind else [])
    messages = [message for check in found for message in check.messages()]
    assert len(messages) == (kind not in ("", "empty"))
    for message in messages:
        assert f"{len(lines)} " in message
        assert str(lines[0]) in message
        assert "'ref'" in message


def test_line_that_equals_the_source() -> None:
    evalset = made_set()
    ref = [*evalset.references["ref"]]
    ref[6] = (evalset.source or ())[6]
    changed = albeit.EvalSet({"ref": tuple(ref)}, evalset.systems, evalset.source)
    (found,) = check_references(changed)
    assert found.lines == {"source": [7]}


def test_scores_that_exist_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings are the same, and the cost is linear in the number of systems, up to a limit."""
    compared: list[int] = []
    plain = references._Reference._chrf

    def counted(self: references._Reference, *indices: np.ndarray) -> np.ndarray:
        scores: np.ndarray = plain(self, *indices)
        compared[-1] += scores.size
        return scores

    monkeypatch.setattr(references._Reference, "_chrf", counted)
    evalset = made_set(6, reference=moved, own=copy(0.2))
    results: list[list[ReferenceCheck]] = []
    for table in (None, albeit.score(evalset, ["chrf"])):
        compared.append(0)
        results.append(check_references(evalset, table))
    assert results[0] == results[1] != []
    assert compared[1] < 400 < compared[0] < 2500
    compared.append(0)
    monkeypatch.setattr(references, "MOST_PAIRS", 120)
    monkeypatch.setattr(references, "MOST_LINES", 50)
    assert [each.system for check in check_references(evalset) for each in check.systems] == ["s0"]
    assert compared[2] < 400


@pytest.mark.parametrize("systems", [3, 6, 15])
@pytest.mark.parametrize("clustering", [100.0, 0.5])
def test_error_rate_of_identical_lines(systems: int, clustering: float) -> None:
    """All have a rate, one of them twice: it is named in at most 1% of 1,000 sets."""
    rng, units, names = np.random.default_rng(7), np.repeat(np.arange(40), 20), 0
    rates = np.full((systems, 1), 0.03) * (1 + (np.arange(systems) == 0))[:, None]
    for _ in range(1000):
        factors = rng.gamma(clustering, 1 / clustering, (systems, 40))[:, units]
        equal = rng.random((systems, 800)) < rates * factors
        p_values = [references._too_many(n, equal, units) for n in range(systems)]
        names += min(holm(p_values)) < LEVEL
    assert names <= 10 + 3 * np.sqrt(10)


def test_error_rate_of_chrf() -> None:
    """One system has exactly as many more points as quality can explain."""
    rng, units, names = np.random.default_rng(7), np.repeat(np.arange(40), 5), 0
    for _ in range(1000):
        scores = rng.normal(50, 8, (5, 200)) + rng.normal(0, 3, 200)
        others = np.median([np.bincount(units, own) / 5 for own in scores[1:]], axis=0)
        scores[0] += (others + references.POINTS)[units] - scores[0] + rng.normal(0, 8, 200)
        excess = references._excess(scores, units)
        names += references._more_than_half(excess > references.POINTS).min() < LEVEL
    assert names <= 10 + 3 * np.sqrt(10)
