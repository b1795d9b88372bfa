"""Inputs to verify a model with, read from an ``.npz`` file of numpy.

A tensor is an array under the input's name. A sequence is either one array, whose first axis counts its elements, or an
array for each element: ``name[0]``, ``name[1]``, ... A map is its keys and values, ``name[keys]`` and ``name[values]``,
of one axis each. An optional is what it holds; left out, it is absent. Left out of this notation: sequences of maps.
"""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import TensorProto, TypeProto, ValueInfoProto, helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.onnx.infer import type_of
from cutter_gui.onnx.runtime_values import Array, InputValue, Map

# What numpy and zipfile raise on files that are damaged, encrypted, or claim more than there is. The header of an array
# is Python text, so reading it fails in all the ways of Python text.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    EOFError,
    SyntaxError,
    tokenize.TokenError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npz(path: Path, values: Sequence[ValueInfoProto]) -> dict[str, InputValue]:
    """Reads inputs from an ``.npz`` file, checked against the model.

    Raises:
        CutterError: The file cannot be read, lacks an input, has one too many, or one of another type or rank.
    """
    entries = _Entries(path, _arrays(path), tuple(value.name for value in values))
    found = {value.name: entries.take(value.name, value.type) for value in values}
    entries.refuse_left_over()
    return found


def _arrays(path: Path) -> dict[str, Array]:
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ValueError("it is no regular file")  # a pipe would be waited for
        # numpy leaves a file open that it opened itself and finds damaged.
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is no .npz archive")
            file.seek(0)
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("it holds a single array, without a name")
            with archive:
                return {name: np.asarray(archive[name]) for name in archive.files}
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise CutterError(
            f"the inputs cannot be read: {one_line(reason)}", str(path), "give an .npz written by numpy.savez"
        ) from None


class _Entries:
    """The arrays of a file, taken out one by one."""

    def __init__(self, path: Path, arrays: dict[str, Array], inputs: tuple[str, ...]) -> None:
        self._path = path
        self._arrays = arrays
        self._inputs = inputs

    def take(self, name: str, kind: TypeProto) -> InputValue:
        """Returns the value of an input, whose arrays are no longer there afterwards."""
        which = kind.WhichOneof("value")
        if which == "optional_type":
            inner = kind.optional_type.elem_type
            held = (name, f"{name}[0]", f"{name}[keys]", f"{name}[values]")
            return self.take(name, inner) if any(entry in self._arrays for entry in held) else None
        if which == "sequence_type":
            return self._sequence(name, kind.sequence_type.elem_type)
        if which == "map_type":
            return self._map(name, kind)
        return self._checked(name, self._pop(name, "its name"), kind)

    def refuse_left_over(self) -> None:
        """Refuses a file with more than the inputs: a name in it may be misspelt."""
        for name in self._arrays:
            raise self._error(f"have an entry that is no input: {one_line(name, 80)}")

    def _sequence(self, name: str, kind: TypeProto) -> InputValue:
        if kind.WhichOneof("value") != "tensor_type":
            raise CutterError(
                "a sequence of other values than tensors cannot be read from an .npz",
                f"input {one_line(name, 80)}",
                "leave --inputs out, and they are made",
            )
        if name in self._arrays:
            stacked = self._arrays.pop(name)
            if not stacked.ndim:
                raise self._misfit(name, stacked, kind, "a sequence of ")
            return [self._checked(name, np.asarray(element), kind) for element in stacked]
        elements = [self._pop(f"{name}[0]", f"{name} or {name}[0]", name)]
        while f"{name}[{len(elements)}]" in self._arrays:
            elements.append(self._arrays.pop(f"{name}[{len(elements)}]"))
        return [self._checked(f"{name}[{at}]", element, kind) for at, element in enumerate(elements)]

    def _map(self, name: str, kind: TypeProto) -> Map:
        keys, values = (
            self._pop(f"{name}[{part}]", f"{name}[keys] and {name}[values]", name) for part in ("keys", "values")
        )
        where = f"input {one_line(name, 80)}"
        if keys.ndim != 1 or keys.shape != values.shape:
            raise CutterError("a map has as many keys as values, along one axis", where, f"mend {self._path}")
        texts = kind.map_type.key_type == TensorProto.STRING
        if keys.dtype.kind not in ("U" if texts else "iu"):
            wanted = "texts" if texts else "integers"
            raise CutterError(f"a map has keys of type {keys.dtype}", where, f"the model takes {wanted}")
        dtype = type_of(kind.map_type.value_type)[0]
        if (values.dtype.kind == "U") != (dtype == TensorProto.STRING):
            raise CutterError(
                f"a map has values of type {values.dtype}", where, f"the model takes {dtype_of(dtype).name}"
            )
        return dict(zip(keys.tolist(), values.tolist(), strict=True))

    def _pop(self, entry: str, wanted: str, name: str | None = None) -> Array:
        if entry not in self._arrays:
            raise self._error(f"lack the input {one_line(name or entry, 80)}", f"give {one_line(wanted, 120)}; ")
        return self._arrays.pop(entry)

    def _error(self, what: str, remedy: str = "") -> CutterError:
        return CutterError(f"the inputs {what}", str(self._path), f"{remedy}inputs are {', '.join(self._inputs)}"[:300])

    def _checked(self, name: str, array: Array, kind: TypeProto) -> Array:
        dtype, shape = type_of(kind)
        numpy_type = np.dtype(helper.tensor_dtype_to_np_dtype(dtype)) if dtype > 0 else None
        if array.dtype.kind == "V" and numpy_type is not None and array.dtype.itemsize == numpy_type.itemsize:
            # Types that are not numpy's own, such as bfloat16, are saved as bytes without a name.
            array = array.view(numpy_type)
        same_type = dtype == TensorProto.STRING or numpy_type is None or array.dtype == numpy_type
        if not same_type or (shape is not None and array.ndim != len(shape)):
            raise self._misfit(name, array, kind)
        return array.astype(object) if dtype == TensorProto.STRING else array

    def _misfit(self, name: str, array: Array, kind: TypeProto, of: str = "") -> CutterError:
        dtype, shape = type_of(kind)
        return CutterError(
            f"input {one_line(name, 80)} is {array.dtype} of rank {array.ndim}, not what the model takes",
            str(self._path),
            f"the model takes {of}{dtype_of(dtype).name}{list(shape) if shape is not None else ''}",
        )
