"""Layers as values: found by name, packed and joined, added by other packages."""

from __future__ import annotations

import pickle
from types import ModuleType

import pytest
from hypothesis import given, settings

import albeit.parsing.layers as registry
from albeit.data.evalset import Unit
from albeit.errors import AlbeitError
from albeit.parsing.formats import from_object, to_object, write_pretty
from albeit.parsing.layers import (
    BUILTIN,
    DEPENDENCIES,
    EDUS,
    ROLES,
    RST,
    TEXT,
    TOKENS,
    Analysis,
    Part,
    Tokens,
    blank,
    closure,
    layer,
    layers,
    of_lines,
)
from albeit.parsing.needs import Need, Side, compared, read
from tests.parsing.formats.strategies import analyses


def test_layers_are_found_by_name_after_what_they_rest_on() -> None:
    assert [layer(each.name) for each in BUILTIN] == list(BUILTIN)
    with pytest.raises(AlbeitError, match="no layer 'moods'; there are text, tokens"):
        layer("moods")
    assert closure(frozenset({RST})) == {RST, EDUS, TOKENS}
    known = list(layers().values())
    for each in known:
        assert all(known.index(low) < known.index(each) for low in each.rests_on)


@settings(max_examples=50, deadline=None)
@given(analyses(spaced=True))
def test_values_survive_packing_and_pickling(one: Analysis) -> None:
    for each in one:
        assert each.unpack(each.pack(one[each])) == one[each]
    back = pickle.loads(pickle.dumps(one))
    assert back == one
    assert set(back) == set(one)


def test_an_analysis_of_no_words_has_every_layer() -> None:
    none = blank(" ")
    assert none[TEXT] == " "
    assert all(none[each] == each.empty() for each in of_lines())
    assert set(none) == {each for each in of_lines() if not each.derived}


def test_sentences_are_joined() -> None:
    parts = [Part([7, 8, 0, 1, 5, 6], 2, 0), Part([9, 0, 4], 1, 2)]
    assert DEPENDENCIES.join(parts) == [7, 8, 9, 0, 1, 0, 5, 6, 4]
    assert ROLES.join([Part([0, 1, 3, 1, 2], 2, 5)]) == [5, 1, 3, 6, 7]


def test_memoized_values_are_computed_once() -> None:
    one = Analysis("a", {})
    assert one.memoize("key", lambda analysis: [analysis.text]) is one.memoize("key", lambda _: [])


def test_a_strangers_layer_is_written_read_and_drawn(stranger: ModuleType) -> None:
    shouts = stranger.SHOUTS
    assert layer("shouts") is shouts
    one = Analysis("so BIG", {TOKENS: Tokens(("so", "BIG"), ((0, 2), (3, 6))), shouts: (1,)})
    assert to_object(one)["shouts"] == [1]
    assert from_object(to_object(one)) == one
    assert list(write_pretty([one], [shouts])) == ["1  so BIG\n   [1]\n\n"]
    assert pickle.loads(pickle.dumps(one))[shouts] == (1,)
    assert blank("")[shouts] == ()


def test_an_annotator_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "plugins", lambda group: {"shouts": "nowhere:SHOUTS"})
    registry.layers.cache_clear()
    with pytest.raises(AlbeitError, match="annotator 'shouts' cannot be loaded from nowhere"):
        layers()
    monkeypatch.undo()
    registry.layers.cache_clear()


def test_needs_are_values() -> None:
    assert Need(RST, Side.SOURCE) == Need(RST, Side.SOURCE, Unit.SEGMENT)
    assert Need(TEXT, Side.SOURCE, Unit.DOCUMENT) != Need(TEXT, Side.SOURCE)
    assert compared(RST) == read(RST, side=Side.HYPOTHESIS) | read(RST, side=Side.REFERENCE)
    assert read(RST, side=Side.SOURCE) == {Need(RST, Side.SOURCE)}
    assert str(Need(RST, Side.SOURCE)) == "rst of the source"
