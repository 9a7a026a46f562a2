"""A fitted model as a file: JSON and plain arrays in a zip, nothing of which is ever run."""

from __future__ import annotations

import json
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import cattrs
import numpy as np
from cattrs.strategies import configure_union_passthrough
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_model import Hinge
from warplens.server.files.output_file import MODEL, write_output
from warplens.server.files.regular_file import read_inside, read_regular
from warplens.server.measure.counters.model_check import contradictions

FORMAT = "warplens counters"
VERSION = 2
_MODEL = "model.json"
_MOST_BYTES = 128 << 20
_MOST_UNPACKED = 512 << 20
_MOST_JSON = 32 << 20
"""Some hundred thousand runs; as values it takes some twenty times as much memory."""
_NO_MODEL = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
"""What bytes that are no model do to the readers of zip files, JSON and arrays."""


class ModelFileError(Exception):
    """Why a file is no model that can be used, with its path, for the user."""


def save_model(path: Path, kernels: tuple[StudiedKernel, ...]) -> None:
    """Replaces the file in one step. Raises OSError, and ModelFileError for more than a model can hold."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    content = {"format": FORMAT, "version": VERSION, "kernels": _writer(arrays).unstructure(kernels)}
    text = json.dumps(content, allow_nan=False)
    if len(text) > _MOST_JSON:
        message = f"{path}: these are more runs than one model can hold: fit fewer kernels at once (--kernel)"
        raise ModelFileError(message)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        archive.writestr(_MODEL, text)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    write_output(path, packed.getvalue(), MODEL)


def load_model(path: Path, inside: Path | None = None) -> tuple[StudiedKernel, ...]:
    """Raises ModelFileError: no such file, not a model, of another version, or one that contradicts itself.

    With `inside` also for a link that leads out of that folder.
    """
    try:
        return _read(read_regular(path, _MOST_BYTES) if inside is None else read_inside(path, inside, _MOST_BYTES))
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise ModelFileError(message) from error
    except _NO_MODEL as error:
        message = f"{path}: not a model of counters, or only a part of one ({error})"
        raise ModelFileError(message) from error
    except (cattrs.BaseValidationError, RecursionError) as error:
        message = f"{path}: this model is damaged: fit it again with `warplens counters fit`"
        raise ModelFileError(message) from error
    except _WrongVersionError as error:
        message = f"{path}: {error}"
        raise ModelFileError(message) from error


class _WrongVersionError(Exception):
    pass


def _read(content: bytes) -> tuple[StudiedKernel, ...]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > _MOST_UNPACKED or archive.getinfo(_MODEL).file_size > _MOST_JSON:
            message = "it unpacks to more than a model may"
            raise ValueError(message)
        written = json.loads(archive.read(_MODEL))
        if not isinstance(written, dict) or written.get("format") != FORMAT:
            message = "it does not say that it is one"
            raise ValueError(message)
        if written.get("version") != VERSION:
            message = (
                f"it was written by another version of Warplens (format {written.get('version')}, this one reads "
                f"{VERSION}): fit it again with `warplens counters fit`"
            )
            raise _WrongVersionError(message)
        kernels = _reader(archive).structure(written["kernels"], tuple[StudiedKernel, ...])
    for why in (why for kernel in kernels for why in contradictions(kernel)):
        raise ValueError(why)
    return kernels


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    configure_union_passthrough(str | int | float | None, converter)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(Hinge, lambda raw, _: _hinge(raw))
    converter.register_unstructure_hook(Hinge, lambda hinge: [hinge.column, hinge.knot, hinge.is_right])
    return converter


def _number(raw: object, _: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not np.isfinite(raw):
        message = f"{raw!r} is no number"
        raise ValueError(message)
    return float(raw)


def _hinge(raw: Any) -> Hinge:
    column, knot, is_right = raw
    return Hinge(int(column), None if knot is None else _number(knot, None), bool(is_right))


def _writer(arrays: dict[str, np.ndarray[Any, Any]]) -> cattrs.Converter:
    converter = _converter()

    def keep(array: np.ndarray[Any, Any]) -> str:
        name = f"a{len(arrays)}"
        arrays[name] = array
        return name

    converter.register_unstructure_hook_func(_is_array, keep)
    return converter


def _reader(archive: zipfile.ZipFile) -> cattrs.Converter:
    converter = _converter()

    def read(name: object, _: object) -> np.ndarray[Any, Any]:
        with archive.open(f"{name}.npy") as entry:
            return _array(entry)

    converter.register_structure_hook_func(_is_array, read)
    return converter


def _array(entry: IO[bytes]) -> np.ndarray[Any, Any]:
    """By its header, which is read without believing it: what it promises is not allocated before it is there."""
    np.lib.format.read_magic(entry)
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(entry)
    if kind.kind not in "if":
        message = "an array does not hold numbers"
        raise ValueError(message)
    return np.frombuffer(entry.read(), kind).reshape(shape, order="F" if by_columns else "C")


def _is_array(kind: Any) -> bool:
    return kind is np.ndarray or getattr(kind, "__origin__", None) is np.ndarray
