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
from typing import Any

import numpy as np

__all__ = ["Packer"]


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

    def add(self, values: np.ndarray, grid: tuple[int, ...]) -> dict[str, Any]:
        """Pack ``values`` of shape ``grid + shape``; returns the entry the front end looks up.

        Numeric input is stored as float32, string input as a table of distinct strings.
        """
        shape = values.shape[len(grid) :]
        numeric = values.dtype.kind != "U"
        if numeric:
            values = values.astype(np.float32)
        values, axes = _drop_constant_axes(values, len(grid))
        frames = values.reshape(-1, *shape).reshape(int(np.prod(values.shape[: len(axes)])), -1)
        entry: dict[str, Any] = {"axes": axes, "shape": list(shape)}
        if not numeric:
            table, index = np.unique(frames, return_inverse=True)
            entry["table"] = table.tolist()
            entry["index"] = self._store_index(index.reshape(-1), len(table))
            return entry
        rows, index = np.unique(frames, axis=0, return_inverse=True)
        index_bytes = len(frames) * (1 if len(rows) <= 256 else 2)
        if len(rows) <= 65536 and rows.nbytes + index_bytes < frames.nbytes:
            entry["index"] = self._store_index(index.reshape(-1), len(rows))
            frames = rows
        entry["rows"] = self._store(frames.astype("<f4"))
        return entry

    def _store_index(self, index: np.ndarray, count: int) -> dict[str, int]:
        if count > 65536:
            raise ValueError(f"{count} distinct values are too many to index; use at most 65536.")
        size = 1 if count <= 256 else 2
        return {"blob": self._store(index.astype(f"<u{size}")), "bytes": size}

    def _store(self, array: np.ndarray) -> int:
        text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        if text not in self._known:
            self._known[text] = len(self.blobs)
            self.blobs.append(text)
        return self._known[text]


def _drop_constant_axes(values: np.ndarray, count: int) -> tuple[np.ndarray, list[int]]:
    """Drop each of the first ``count`` axes along which nothing changes; return what is left."""
    kept: list[int] = []
    for axis in range(count):
        here = len(kept)
        first = np.take(values, [0], axis=here)
        same = (values == first) if values.dtype.kind == "U" else _equal(values, first)
        if bool(np.all(same)):
            values = np.take(values, 0, axis=here)
        else:
            kept.append(axis)
    return values, kept


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # A gap (NaN) in a curve equals the same gap.
    return (a == b) | (np.isnan(a) & np.isnan(b))
