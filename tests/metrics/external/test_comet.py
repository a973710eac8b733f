"""COMET's checkpoints as metrics: tiny ones, made here of COMET's own classes, never downloaded."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import albeit
from albeit import EvalSet, metric
from albeit.errors import AlbeitError, MissingExtraError
from albeit.evaluation import open_store
from albeit.metrics.external import comet

HERE = importlib.util.find_spec("comet") is not None
needs_comet = pytest.mark.skipif(
    not HERE, reason="needs unbabel-comet, which is not installed (make test-comet)"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's and Lightning's own

WORDS = (
    *("der", "hund", "bellte", "wir", "gehen", "the", "dog"),
    *("barked", "loudly", "we", "go", "home", "now"),
)
SOURCE = ("der hund bellte", "wir gehen", "")
REFERENCES = {"a": ("the dog barked", "we go", "now"), "b": ("dog barked loudly", "go home", "")}
SYSTEMS = {"x": ("the dog barked", "home", "now"), "y": ("loudly now we go home", "we go", "")}
SET = EvalSet(REFERENCES, SYSTEMS, SOURCE, source_lang="de")
SIZES: dict[str, Any] = {
    "encoder_model": "BERT",
    "hidden_sizes": [8],
    "layer": "mix",
    "dropout": 0.0,
    "nr_frozen_epochs": 0,
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may reach for a hub."""
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One checkpoint of each of COMET's kinds, with random weights."""
    import torch
    from comet.models import str2model
    from transformers import BertConfig, BertModel

    whole = tmp_path_factory.mktemp("comet")
    encoder = whole / "encoder"
    encoder.mkdir()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (encoder / "vocab.txt").write_text("\n".join([*special, *WORDS]) + "\n")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(special) + len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    config.save_pretrained(encoder)
    BertModel(config).save_pretrained(encoder)
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "regression": ("regression_metric", {}),
        "referenceless": ("referenceless_regression_metric", {}),
        "unified": ("unified_metric", {"input_segments": ["mt", "src"]}),
        "xcomet": ("xcomet_metric", {"word_layer": 2, "cross_entropy_weights": [1.0] * 4}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (kind, more) in kinds.items():
            arguments = {**SIZES, **more, "pretrained_model": str(encoder)}
            if kind in ("unified_metric", "xcomet_metric"):
                arguments["sent_layer"] = arguments.pop("layer")
            model = str2model[kind](**arguments)
            if kind == "xcomet_metric":  # so that words are marked, and others not
                model.hidden2tag.weight.data.normal_(std=3)
                model.hidden2tag.bias.data[0] = 6
            _save(whole / name, kind, model, more)
    return whole


def _save(folder: Path, kind: str, model: Any, more: dict[str, Any]) -> None:
    import pytorch_lightning
    import torch
    import yaml

    (folder / "checkpoints").mkdir(parents=True)
    content = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": pytorch_lightning.__version__,
    }
    torch.save(content, folder / "checkpoints" / "model.ckpt")
    (folder / "hparams.yaml").write_text(yaml.safe_dump({"class_identifier": kind, **more}))


def by_comet(folder: Path, samples: list[dict[str, str]]) -> list[float]:
    """The same by COMET's own ``predict``."""
    from comet import load_from_checkpoint

    path = folder / "checkpoints" / "model.ckpt"
    model = load_from_checkpoint(str(path), local_files_only=True)
    return list(model.predict(samples, gpus=0, progress_bar=False, num_workers=0)["scores"])


@needs_comet
@pytest.mark.parametrize(
    ("metric_name", "kind"),
    [
        *(("comet", kind) for kind in ("regression", "xcomet")),
        *(("comet-qe", kind) for kind in ("referenceless", "unified", "xcomet")),
    ],
)
def test_the_scores_are_comets_own(folder: Path, metric_name: str, kind: str) -> None:
    references = REFERENCES if metric_name == "comet" else {}
    name = f"{metric_name}(model={folder / kind},batch_size=2)"
    column = albeit.score(EvalSet(references, SYSTEMS, SOURCE, source_lang="de"), [name])[name]
    for number, lines in enumerate(SYSTEMS.values()):
        texts = [{"src": s, "mt": t} for s, t in zip(SOURCE, lines, strict=True)]
        samples = [
            [{**text, "ref": line} for text, line in zip(texts, reference, strict=True)]
            for reference in references.values()
        ]
        best = np.max([by_comet(folder / kind, each) for each in samples or [texts]], axis=0)
        assert column.at("segment")[number] == pytest.approx(best, abs=1e-5)
    assert column.system == pytest.approx(column.at("segment").mean(axis=1))


@needs_comet
def test_xcomets_spans_are_losses_that_add_up(folder: Path) -> None:
    seen = 0
    for name in ("comet({}/xcomet)", "comet-qe({}/xcomet)", "comet({}/regression)"):
        name = name.format(folder)
        scores = albeit.score(SET, [name])[name].at("segment")
        views = albeit.explain(SET, name, segments=[1, 2, 3])
        for view in views:
            assert isinstance(view.place, int)
            own = scores[list(SYSTEMS).index(view.system), view.place - 1]
            assert view.score == pytest.approx(own, abs=1e-5)
            assert sum(loss.amount for loss in view.losses) == pytest.approx(1 - view.score)
            marked = [loss for loss in view.losses if "severity" in loss.details]
            seen += sum(bool(loss.places) for loss in marked)
            assert all(loss.amount > 0 for loss in marked)
            if "regression" in name:
                assert view.notes == ("this checkpoint marks no spans",)
    assert seen, "the tiny XCOMET marks something"


@needs_comet
def test_the_signature_has_the_checkpoints_digest_and_statistics_are_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))
    name = f"comet(model={folder / 'regression'})"
    first = albeit.score(SET, [name], store=open_store())
    signature = str(first[name].signature)
    assert "checkpoint:" in signature
    assert "unbabel-comet:" in signature
    assert signature != str(metric(f"comet(model={folder / 'xcomet'})").signature())

    def never(*_: object) -> None:
        raise AssertionError("it was scored again")

    monkeypatch.setattr(comet, "_load", never)
    second = albeit.score(SET, [name], store=open_store())
    assert (first[name].system == second[name].system).all()


@needs_comet
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("comet-qe(model={folder}/regression)", r"takes a reference. Use comet\."),
        ("comet(model={folder}/unified)", r"takes no reference. Use comet-qe\."),
        ("comet(Unbabel/no-such-model)", "is not on this machine, and albeit downloads nothing"),
        ("comet({folder}/bare)", "is missing, without which COMET cannot load"),
        ("comet({folder}/broken)", "cannot be loaded"),
    ],
)
def test_what_does_not_fit_is_a_clear_error(folder: Path, spec: str, message: str) -> None:
    for name in ("bare", "broken"):
        (folder / name / "checkpoints").mkdir(parents=True, exist_ok=True)
        (folder / name / "checkpoints" / "model.ckpt").write_bytes(b"nothing")
    (folder / "broken" / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    with pytest.raises(AlbeitError, match=message):
        albeit.score(SET, [spec.format(folder=folder)])


@pytest.mark.skipif(HERE, reason="unbabel-comet is installed")
def test_without_the_package_the_error_names_the_command() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[comet\]'"):
        albeit.score(SET, ["comet"])
