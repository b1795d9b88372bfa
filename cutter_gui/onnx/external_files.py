"""The files beside a model that hold its external data (ONNX's docs/ExternalData.md).

``location`` is relative to the model's folder and may not leave it. A model names the same file for hundreds of
tensors, so each location is looked at once, for as long as one piece of work lasts: keep no `ExternalFiles` longer,
since files come and go.
"""

from __future__ import annotations

from pathlib import Path

from onnx import TensorProto

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.real_path import real_path
from cutter_gui.onnx.weights import External, element_bytes
from cutter_gui.onnx.wire import ByteRange


class ExternalFiles:
    """Finds the bytes of external tensors of one model."""

    def __init__(self, folder: Path) -> None:
        """Takes the model's folder."""
        self._folder = folder
        self._seen: dict[str, tuple[Path, int]] = {}

    def find(self, tensor: TensorProto, entry: External) -> ByteRange:
        """Finds the bytes of an external tensor.

        Args:
            tensor: The tensor.
            entry: Its external data entry.

        Raises:
            CutterError: The location leaves the folder, the file is missing or too short, or the entry has another
                length than the tensor.
        """
        found = self._seen.get(entry.location)
        if found is None:
            found = self._seen[entry.location] = self._look_at(tensor, entry.location)
        path, size = found
        needed = element_bytes(tensor.data_type, tensor.dims) if dtype_of(tensor.data_type).bits else None
        length = entry.length
        if length is None:
            length = size - entry.offset if needed is None else needed
        if needed is not None and length != needed:
            raise CutterError(
                f"the external data in {one_line(entry.location, 120)} has {length} bytes where type and shape need "
                f"{needed}",
                _named(tensor),
                "export it again",
            )
        if entry.offset + length > size:
            raise CutterError(
                f"the external data file {one_line(entry.location, 120)} ends before the tensor does",
                _named(tensor),
                "copy the file again; it is cut short",
            )
        return ByteRange(path, entry.offset, length)

    def _look_at(self, tensor: TensorProto, location: str) -> tuple[Path, int]:
        """Returns the file at a location, and its size in bytes."""
        where, shown = _named(tensor), one_line(location, 120)
        candidate = Path(location)
        if candidate.is_absolute() or ".." in candidate.parts:
            raise CutterError(
                f"external data at {shown} is outside the model's folder", where, "move it beside the model"
            )
        path = self._folder / candidate
        try:
            if not real_path(path).is_relative_to(real_path(self._folder)) or path.is_symlink():
                raise CutterError(
                    f"external data at {shown} is behind a link", where, "put the file itself beside the model"
                )
            size = path.stat().st_size
        except OSError:  # a name that no file can have is one that is missing, too
            raise CutterError(
                f"the external data file {shown} is missing", where, f"put it into {self._folder}"
            ) from None
        if not path.is_file():
            raise CutterError(f"external data at {shown} is no file", where, "put the data file beside the model")
        return path, size


def _named(tensor: TensorProto) -> str:
    return f"tensor {one_line(tensor.name, 80)}"
