"""What hypothesis draws: small vectors, positions that text really has, and some it has not."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Derandomised: the same run everywhere, so that a red build can be repeated.
quick = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

dims = st.integers(1, 8).map(lambda half: 2 * half)
bases = st.sampled_from([2.0, 100.0, 10000.0, 500000.0])
pairings = st.sampled_from(["interleaved", "half"])
positions = st.integers(-5000, 5000)
anywhere = st.one_of(positions, st.floats(-1e6, 1e6), st.just(1_000_000))


def vectors(dim: int) -> st.SearchStrategy[np.ndarray]:
    """Vectors of one dim with entries between −1 and 1."""
    return hnp.arrays(np.float64, dim, elements=st.floats(-1, 1, width=32))
