"""Layers as values: found by name, packed and joined, added by other packages."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

import albeit.parsing.layers as registry
from albeit.errors import AlbeitError
from albeit.parsing import layers
from albeit.parsing.formats import from_object, to_object, write_pretty
from tests.parsing.formats.strategies import analyses
from tests.plugin.plugin.annotator import SHOUTS


def test_layers_are_found_by_name_after_what_they_rest_on() -> None:
    assert [layers.layer(each.name) for each in layers.BUILTIN] == list(layers.BUILTIN)
    with pytest.raises(AlbeitError, match="no layer 'moods'; there are text, tokens"):
        layers.layer("moods")
    assert layers.closure(frozenset({layers.RST})) == {layers.RST, layers.EDUS, layers.TOKENS}
    known = list(layers.layers().values())
    for each in known:
        assert all(known.index(low) < known.index(each) for low in each.rests_on)


@settings(max_examples=50, deadline=None)
@given(analyses(spaced=True))
def test_values_survive_packing_and_pickling(one: layers.Analysis) -> None:
    for each in one:
        assert each.unpack(each.pack(one[each])) == one[each]
    back = pickle.loads(pickle.dumps(one))
    assert back == one
    assert set(back) == set(one)


def test_an_analysis_of_no_words_has_every_layer() -> None:
    none = layers.blank(" ")
    assert none[layers.TEXT] == " "
    assert all(none[each] == each.empty() for each in layers.of_lines())
    assert set(none) == {each for each in layers.of_lines() if not each.derived}


@pytest.mark.usefixtures("stranger")
def test_a_strangers_layer_is_written_read_and_drawn() -> None:
    assert layers.layer("shouts") is SHOUTS
    tokens = layers.Tokens(("so", "BIG"), ((0, 2), (3, 6)))
    one = layers.Analysis("so BIG", {layers.TOKENS: tokens, SHOUTS: (1,)})
    assert to_object(one)["shouts"] == [1]
    assert from_object(to_object(one)) == one
    assert list(write_pretty([one], [SHOUTS])) == ["1  so BIG\n   [1]\n\n"]
    assert pickle.loads(pickle.dumps(one))[SHOUTS] == (1,)
    assert layers.blank("")[SHOUTS] == ()


def test_an_annotator_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "plugins", lambda group: {"shouts": "nowhere:SHOUTS"})
    registry.layers.cache_clear()
    with pytest.raises(AlbeitError, match="annotator 'shouts' cannot be loaded from nowhere"):
        layers.layers()
    monkeypatch.undo()
    registry.layers.cache_clear()
