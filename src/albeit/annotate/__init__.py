"""What a text means: the layers of an analysis, the annotators that make them, the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from albeit.annotate.layers import TOKENS, Analysis, AnyLayer, blank, closure
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise

if TYPE_CHECKING:
    from albeit.annotate.analyses import Analyses
    from albeit.annotate.encoder import Backend

__all__ = ["annotate", "check_language", "lacking", "version", "wordy"]

_BLOCK = 8192
"""How many texts are looked up in and written to the cache together."""
TOKENIZER_VERSION = "1"
"""Goes up whenever words or sentences are cut differently: cached layers count words."""


def annotate(
    texts: Sequence[str],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    given: Mapping[str, Analysis] | None = None,
    model: Backend | None = None,
) -> Analyses:
    """Analyse each distinct text once, with at least the layers asked for.

    The result maps a text to its analysis; analyses are unpacked when they are first looked
    at. ``given`` holds analyses of some texts from elsewhere (``read_annotations``), used in
    place of ours. What was analysed before, by whichever process, comes from the cache.
    """
    from albeit.annotate.analyses import MODEL_LAYERS, Analyses

    ready = {} if given is None else _given(texts, layers, given)
    rest = [text for text in dict.fromkeys(texts) if text not in ready]
    if rest:
        check_language(layers, lang)
    wanted = closure(layers)
    made = [layer for layer in MODEL_LAYERS if layer in wanted]
    if not made or not rest:
        return Analyses(dict.fromkeys(rest, ()), (), {}, ready)
    if model is None:
        from albeit.annotate.model import load_model

        model = load_model()
    packed: dict[str, Sequence[bytes]] = {}
    for start in range(0, len(rest), _BLOCK):
        packed.update(_packed(rest[start : start + _BLOCK], made, model))
    return Analyses(packed, made, model.labels, ready)


def version(lang: str = "en") -> str:
    """Which annotator and model analyse this language, for signatures and caches."""
    check_language(frozenset(), lang)
    from albeit.annotate.model import model_version

    return f"{model_version()}-t{TOKENIZER_VERSION}"


def _packed(
    texts: Sequence[str], layers: Sequence[AnyLayer], model: Backend
) -> dict[str, Sequence[bytes]]:
    """Records of all layers, from the cache where it has them."""
    from albeit.annotate.cache import cache_folder, open_cache
    from albeit.annotate.pipeline import analyse

    folder = cache_folder()
    if folder is None:
        fresh = analyse(texts, layers, model)
        return {text: [found[layer] for layer in layers] for text, found in fresh}
    with closing(open_cache(folder, f"{model.version}-t{TOKENIZER_VERSION}")) as cache:
        known = cache.get(texts, layers)
        # texts that lack the same layers are analysed together, for those layers only
        lacking: dict[tuple[AnyLayer, ...], list[str]] = {}
        for text, found in known.items():
            missing = tuple(layer for layer in layers if layer not in found)
            if missing:
                lacking.setdefault(missing, []).append(text)
        for missing, some in lacking.items():
            made = dict(analyse(some, missing, model))
            for text, found in made.items():
                known[text].update(found)
            cache.put(made.items())
    return {text: [known[text][layer] for layer in layers] for text in texts}


def lacking(
    texts: Sequence[str], layers: frozenset[AnyLayer], given: Mapping[str, Analysis]
) -> None:
    """Raise if a given analysis of one of these texts lacks a layer."""
    for text in texts:
        analysis = given.get(text)
        if analysis is None or not wordy(analysis):
            continue
        for layer in sorted(layers):
            if layer not in analysis and not layer.derived:
                raise InputError(
                    f"the annotations brought for {text[:40]!r} have no {layer}.",
                    hint="Bring annotations with all layers that the metrics need.",
                )


def _given(
    texts: Sequence[str], layers: frozenset[AnyLayer], given: Mapping[str, Analysis]
) -> dict[str, Analysis]:
    """The user's own analyses of these texts; what is empty in any language needs none."""
    lacking(texts, layers, given)
    own = {text: given[text] for text in texts if text in given and wordy(given[text])}
    return {text: blank(text) for text in texts if not text.strip() or text in given} | own


def wordy(analysis: Analysis) -> bool:
    """Whether an analysis has words at all."""
    return bool(analysis.get(TOKENS))


def check_language(layers: frozenset[AnyLayer], lang: str) -> None:
    """Raise unless these layers can be made for this language."""
    if normalise(lang) != "en":
        names = ", ".join(map(str, sorted(layers))) or "annotation"
        raise LanguageError(
            f"no {names} for {lang!r}: albeit's tokeniser and model know English only. "
            "Leave out the metrics that need it, or bring annotations of your own"
            " (--annotations FILE)."
        )
