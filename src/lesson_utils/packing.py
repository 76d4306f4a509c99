"""Pack what an explorer shows at every slider position into as few bytes as it needs.

Each datum (a trace's ``y``, a readout, the sentence) is computed on the whole grid of slider
positions. Three facts keep the result small:

* a datum that does not change along a slider does not need that slider's axis;
* rows that repeat are stored once, with an index of one or two bytes a position;
* equal buffers are stored once for the whole explorer.

Numbers become float32 (a screen shows far less), written as base64 because the page carries JSON.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packer"]

_MOST = 65536  # an index has two bytes at most


class Packer:
    """Collects packed data and the buffers they share.

    >>> packer = Packer()
    >>> entry = packer.add(np.zeros((100, 3, 5)), grid=(100, 3))  # constant: no axis is needed
    >>> entry["axes"], entry["shape"]
    ([], [5])
    """

    def __init__(self) -> None:
        self.blobs: list[str] = []
        self._known: dict[str, int] = {}

    def add(self, values: NDArray[Any], grid: tuple[int, ...]) -> dict[str, Any]:
        """Pack ``values`` of shape ``grid + shape``; returns the entry the front end looks up.

        Numbers are stored as float32; strings and truth values as a table of the distinct ones.
        """
        shape = values.shape[len(grid) :]
        numeric = values.dtype.kind in "fiu"
        if numeric:
            # Adding zero turns -0.0 into 0.0, which looks the same and would be stored twice.
            values = values.astype(np.float32) + np.float32(0)
            values[np.isnan(values)] = np.nan  # likewise the many NaNs
        values, axes = _drop_constant_axes(values, len(grid))
        count = math.prod(values.shape[: len(axes)])
        frames = values.reshape(count, math.prod(shape))
        entry: dict[str, Any] = {"axes": axes, "shape": list(shape)}
        if not numeric:
            table, index = np.unique(frames, return_inverse=True)
            entry["table"] = table.tolist()
            entry["index"] = self._store_index(index.reshape(-1), len(table))
            return entry
        rows, index = _distinct(frames)
        if len(rows) <= _MOST and rows.nbytes + len(index) * _width(len(rows)) < frames.nbytes:
            entry["index"] = self._store_index(index, len(rows))
            frames = rows
        entry["rows"] = self._store(frames.astype("<f4"))
        return entry

    def _store_index(self, index: NDArray[np.intp], count: int) -> dict[str, int]:
        if count > _MOST:
            raise ValueError(f"{count} distinct values are too many to index; use at most {_MOST}.")
        size = _width(count)
        return {"blob": self._store(index.astype(f"<u{size}")), "bytes": size}

    def _store(self, array: NDArray[Any]) -> int:
        text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        if text not in self._known:
            self._known[text] = len(self.blobs)
            self.blobs.append(text)
        return self._known[text]


def _width(count: int) -> int:
    """Bytes of an index into ``count`` values."""
    return 1 if count <= 256 else 2


def _distinct(frames: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the distinct rows in order of appearance, and each row's place among them.

    Compared by their bytes: ``np.unique`` holds two rows with a gap (NaN) to be different.
    """
    seen: dict[bytes, int] = {}
    index = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in frames], dtype=np.intp)
    _, first = np.unique(index, return_index=True)
    return frames[first], index


def _drop_constant_axes(values: NDArray[Any], count: int) -> tuple[NDArray[Any], list[int]]:
    """Drop each of the first ``count`` axes along which nothing changes; return what is left."""
    kept: list[int] = []
    for axis in range(count):
        here = len(kept)
        first = np.take(values, [0], axis=here)
        same = _equal(values, first) if values.dtype.kind == "f" else (values == first)
        if bool(np.all(same)):
            values = np.take(values, 0, axis=here)
        else:
            kept.append(axis)
    return values, kept


def _equal(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    # A gap (NaN) in a curve equals the same gap.
    same: NDArray[np.bool_] = (a == b) | (np.isnan(a) & np.isnan(b))
    return same
