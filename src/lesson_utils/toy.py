"""The six toy tokens of chapters 1 and 2: small enough to check by hand.

They are constructed, not measured. Each token is a point in four coordinates, and three topics
hold two tokens each: t0 and t3, t1 and t4, t2 and t5. The two members of a topic point in almost
the same direction (cosine above 0.99), members of different topics less so (cosine below 0.78).
The numbers were then rounded to two decimals and chosen so that the attention tables printed in
chapters 1 and 2 come out exactly. What they show is how attention treats positions; how large
an effect is in a trained model depends on that model's own embeddings.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAMES", "TOPICS", "X"]

NAMES: Final[tuple[str, ...]] = ("t0", "t1", "t2", "t3", "t4", "t5")

# Indices of the two tokens that share a topic.
TOPICS: Final[tuple[tuple[int, int], ...]] = ((0, 3), (1, 4), (2, 5))

# Shape (6, 4): one row a token, one column a coordinate.
X: Final[NDArray[np.float64]] = np.array(
    [
        [2.56, 0.58, 1.88, -1.68],
        [2.81, 0.84, 0.09, 0.14],
        [1.99, 0.81, -1.25, -1.75],
        [2.48, 0.72, 1.82, -1.50],
        [2.86, 0.75, 0.11, -0.10],
        [2.03, 0.97, -1.22, -1.73],
    ]
)
X.setflags(write=False)  # shared by every cell that imports it: a change in place would leak
