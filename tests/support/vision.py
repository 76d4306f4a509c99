"""Colours as eyes see them: contrast, distance, and three colour-vision deficiencies.

Contrast is WCAG 2's; distance is CIE 1976 ΔE in L*a*b* (D65), where about 2.3 is just noticeable;
the deficiencies are the full-severity matrices of Machado, Oliveira and Fernandes (2009).
"""

import numpy as np

__all__ = ["DEFICIENCIES", "contrast", "distance", "linear", "seen_by"]

DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
_WHITE = _TO_XYZ @ np.ones(3)


def linear(colour):
    """Light intensities (red, green, blue) of "#rrggbb"."""
    channel = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """WCAG's ratio of the lighter to the darker luminance, from 1 to 21."""
    weights = [0.2126, 0.7152, 0.0722]
    light, dark = sorted((float(linear(c) @ weights) for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def seen_by(light, deficiency):
    """The light that looks the same to an eye with this deficiency (None: to any eye)."""
    matrix = np.eye(3) if deficiency is None else np.array(DEFICIENCIES[deficiency])
    return np.clip(matrix @ light, 0, 1)


def _lab(light):
    ratio = _TO_XYZ @ light / _WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(a, b, deficiency=None):
    """ΔE between two colours "#rrggbb" as this eye sees them."""
    one, other = (_lab(seen_by(linear(c), deficiency)) for c in (a, b))
    return float(np.linalg.norm(one - other))
