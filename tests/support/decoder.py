"""A second reader of an explorer's packed data, written from the format's description alone.

It uses ``struct`` and plain lists, so that no mistake in numpy's reshaping can cancel out.
"""

import base64
import itertools
import math
import struct

__all__ = ["at_position", "every_position", "float32", "same", "shown_sentence"]


def every_position(spec):
    """Every position as (indices, values by name), the last parameter changing fastest."""
    names = [p["name"] for p in spec["params"]]
    choices = [list(enumerate(p["values"])) for p in spec["params"]]
    for chosen in itertools.product(*choices):
        indices = [i for i, _ in chosen]
        yield indices, dict(zip(names, (v for _, v in chosen), strict=True))


def at_position(spec, indices):
    """What the page looks up at these slider indices: {target as tuple: value}."""
    return {tuple(e["target"]): _value(spec, e, indices) for e in spec["data"]}


def _value(spec, entry, indices):
    frame = 0
    for axis in entry["axes"]:
        frame = frame * len(spec["params"][axis]["values"]) + indices[axis]
    length = math.prod(entry["shape"])
    if "table" in entry:
        flat = [
            entry["table"][_index(spec, entry["index"], frame * length + i)] for i in range(length)
        ]
    else:
        row = _index(spec, entry["index"], frame) if "index" in entry else frame
        flat = list(struct.unpack_from(f"<{length}f", _blob(spec, entry["rows"]), 4 * row * length))
    return _nested(flat, entry["shape"])


def _blob(spec, number):
    return base64.b64decode(spec["blobs"][number], validate=True)


def _index(spec, index, at):
    kind = {1: "B", 2: "H"}[index["bytes"]]
    return struct.unpack_from(f"<{kind}", _blob(spec, index["blob"]), index["bytes"] * at)[0]


def _nested(flat, shape):
    if not shape:
        return flat[0]
    step = math.prod(shape[1:])
    return [_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def float32(number):
    """The float32 nearest to a number; a number too large becomes infinite."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def same(found, given):
    """Tell whether a looked-up value is ``given``, as float32 has it; a gap equals a gap."""
    if isinstance(found, list):
        given = list(given)
        return len(found) == len(given) and all(map(same, found, given))
    if isinstance(found, (str, bool)):
        return type(given).__name__.rstrip("_") in {"str", "bool"} and found == given
    wanted = float32(float(given))
    return found == wanted or (math.isnan(found) and math.isnan(wanted))


def shown_sentence(spec, indices, texts):
    """The sentence as the page fills it in."""
    sentence = at_position(spec, indices)["sentence",]
    for name, text in texts.items():
        sentence = sentence.replace("{" + name + "}", text)
    return sentence
