"""Rotary encoding against three libraries, fifty digits, and the laws it must obey."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotary
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_rotary

from lesson_utils.rotary import apply_rotary, turns
from support import reference
from support.bad_input import BAD_BASES, BAD_POSITIONS
from support.rotary_checks import close
from support.strategies import anywhere, bases, dims, pairings, positions, quick, vectors

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
# The other libraries compute in float32, which is good to about 1e-5 at positions up to 100.
FLOAT32 = 5e-5


def sample(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape)


@given(st.data(), dims, bases, pairings, anywhere)
@quick
def test_matches_fifty_digits(data, dim, base, pairing, position) -> None:
    x = data.draw(vectors(dim))
    expected = reference.rotary(x, position, base, pairing)
    close(apply_rotary(x, position, base, pairing), expected, 2e-9)


@pytest.mark.parametrize(
    ("pairing", "golden"),
    [
        ("interleaved", [-1.272233, -1.838865, 2.878668, 4.088187]),
        ("half", [-1.413353, 1.879118, -2.828857, 4.058191]),
    ],
)
def test_golden_values(pairing, golden) -> None:
    close(apply_rotary(np.arange(1.0, 5.0), 3, pairing=pairing), golden, 5e-7)


@pytest.mark.parametrize(("dim", "base"), [(4, 10000), (64, 10000), (32, 500000)])
class TestOtherLibraries:
    def test_rotary_embedding_torch(self, dim, base) -> None:
        x = torch.tensor(sample(2, 3, 50, dim), dtype=torch.float32)
        theirs = RotaryEmbedding(dim, theta=base).rotate_queries_or_keys(x, offset=7)
        ours = apply_rotary(x, np.arange(7, 57), base)
        assert ours.dtype == torch.float32
        close(ours, theirs.detach(), FLOAT32)

    def test_x_transformers(self, dim, base) -> None:
        x = torch.tensor(sample(2, 3, 50, dim), dtype=torch.float32)
        where = torch.tensor([[3, 1, 90] + [10] * 47, list(range(50))])
        theirs = x_rotary(x, *XRotaryEmbedding(dim, base=base)(where))
        close(apply_rotary(x, where[:, None, :], base), theirs, FLOAT32)

    def test_llama_of_transformers_pairs_halves(self, dim, base) -> None:
        x = torch.tensor(sample(2, 3, 50, dim), dtype=torch.float32)
        config = LlamaConfig(
            hidden_size=2 * dim,
            num_attention_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": float(base)},
        )
        waves = LlamaRotaryEmbedding(config)(x, torch.arange(50)[None])
        theirs, _ = llama_rotary(x, x, *waves)
        close(apply_rotary(x, np.arange(50), base, "half"), theirs, FLOAT32)
        with pytest.raises(AssertionError, match="off by"):
            close(apply_rotary(x, np.arange(50), base), theirs, FLOAT32)


@given(st.data(), dims, bases, pairings, positions, positions)
@quick
def test_laws(data, dim, base, pairing, a, b) -> None:
    x, y = data.draw(vectors(dim)), data.draw(vectors(dim))

    def turn(vector, position):
        return apply_rotary(vector, position, base, pairing)

    close(np.linalg.norm(turn(x, a)), np.linalg.norm(x))
    close(turn(turn(x, b), a), turn(x, a + b))
    close(turn(turn(x, a), -a), x)
    close(turn(x, a) @ turn(y, b), x @ turn(y, b - a))
    close(turn(2 * x - y, a), 2 * turn(x, a) - turn(y, a))
    assert np.array_equal(turn(x, 0), x)


@given(st.data(), dims, positions)
@quick
def test_a_permutation_relates_the_pairings(data, dim, position) -> None:
    x = data.draw(vectors(dim))
    apart = np.r_[0:dim:2, 1:dim:2]  # neighbours to halves
    half = apply_rotary(x[apart], position, pairing="half")
    close(half, apply_rotary(x, position)[apart])


@given(st.data(), dims, bases, pairings)
@quick
def test_torch_equals_numpy(data, dim, base, pairing) -> None:
    x, where = data.draw(vectors(dim)), data.draw(anywhere)
    ours = apply_rotary(torch.tensor(x), where, base, pairing)
    assert isinstance(ours, torch.Tensor)
    close(ours, apply_rotary(x, where, base, pairing), 1e-12)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_leading_axes_equal_one_vector_at_a_time(pairing) -> None:
    x, where = sample(2, 3, 5, 6), sample(2, 1, 5) * 100
    turned = apply_rotary(x, where, pairing=pairing)
    for b, h, i in itertools.product(range(2), range(3), range(5)):
        expected = reference.rotary(x[b, h, i], where[b, 0, i], pairing=pairing)
        close(turned[b, h, i], expected)


@pytest.mark.parametrize(
    ("shape", "where"),
    [
        ((6,), ()),
        ((5, 6), (5,)),
        ((5, 6), (1,)),
        ((5, 6), ()),
        ((2, 3, 5, 6), (5,)),
        ((2, 3, 5, 6), (3, 1)),
        ((2, 3, 5, 6), (2, 3, 5)),
        ((0, 6), (0,)),
        ((2, 0, 6), (1,)),
    ],
)
@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor])
def test_shapes_that_fit(shape, where, wrap) -> None:
    turned = apply_rotary(wrap(sample(*shape)), wrap(np.full(where, 3)))
    assert turned.shape == shape
    close(turned, apply_rotary(sample(*shape), np.full(shape[:-1], 3)))


@pytest.mark.parametrize(
    ("shape", "where"),
    [((6,), (1,)), ((5, 6), (4,)), ((5, 6), (5, 1)), ((5, 6), (1, 5)), ((2, 3, 5, 6), (2, 5))],
)
def test_shapes_that_do_not_fit(shape, where) -> None:
    with pytest.raises(ValueError, match="positions: expected a shape that broadcasts") as caught:
        apply_rotary(sample(*shape), np.zeros(where))
    assert f"leading axes {shape[:-1]}, got shape {where}" in str(caught.value)
    assert "positions[:, None, :]" in str(caught.value)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_torch_dtypes_are_cast_to_once(dtype, pairing) -> None:
    x, where = torch.tensor(sample(4, 50, 16)).to(dtype), np.arange(50) * 1000
    turned = apply_rotary(x, where, pairing=pairing)
    assert turned.dtype == dtype
    exact = apply_rotary(x.double(), where, pairing=pairing)
    assert torch.equal(turned, exact.to(dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numpy_dtypes_are_cast_to_once(dtype) -> None:
    x, where = sample(4, 50, 16).astype(dtype), np.arange(50, dtype=np.float32) * 1000
    turned = apply_rotary(x, where)
    assert turned.dtype == dtype
    assert np.array_equal(turned, apply_rotary(x.astype(np.float64), where).astype(dtype))


def test_integers_become_float64() -> None:
    assert apply_rotary([1, 2, 3, 4], 3).dtype == np.float64
    assert apply_rotary(np.arange(4, dtype=np.int8), 3).dtype == np.float64
    assert apply_rotary(torch.arange(4), 3).dtype == torch.float64
    close(apply_rotary([1, 2, 3, 4], 3), apply_rotary([1.0, 2.0, 3.0, 4.0], 3))


def test_positions_of_small_types_are_read_exactly() -> None:
    """257 does not exist in bfloat16; 256 does, and must not lose anything on the way."""
    x = sample(6)
    close(apply_rotary(x, torch.tensor(256, dtype=torch.bfloat16)), apply_rotary(x, 256))
    close(apply_rotary(x, np.float16(2048)), apply_rotary(x, 2048))
    close(apply_rotary(torch.tensor(x), torch.tensor(7)), apply_rotary(x, 7))


def test_angles_are_float64_even_for_small_types() -> None:
    x = np.array([1.0, 0.0] * 32, dtype=np.float32)
    turned = apply_rotary(x, 1_000_000)
    exact = reference.rotary(x, 1_000_000)
    close(turned, exact, 1e-7)
    in_float32 = np.float32(1_000_000) * np.float32(10000) ** (
        -np.arange(32, dtype=np.float32) / 32
    )
    with pytest.raises(AssertionError, match="off by"):
        close(np.cos(in_float32), exact[0::2], 1e-3)


def test_device_is_kept() -> None:
    turned = apply_rotary(torch.ones(3, 4, device="meta"), [1, 2, 3])
    assert turned.device.type == "meta"
    assert turned.shape == (3, 4)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_gradient_passes(pairing) -> None:
    x = torch.tensor(sample(2, 5, 6), requires_grad=True)
    where = np.arange(5)
    assert torch.autograd.gradcheck(lambda t: apply_rotary(t, where, pairing=pairing), x)
    weight = torch.tensor(sample(5, 6))
    (apply_rotary(x, where, pairing=pairing) * weight).sum().backward()
    # The gradient of a turn is the turn back.
    back = apply_rotary(weight, -where, pairing=pairing).expand(2, 5, 6)
    close(x.grad, back)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gradient_keeps_dtype(dtype) -> None:
    x = torch.nn.Parameter(torch.ones(5, 6, dtype=dtype))
    apply_rotary(x, np.arange(5)).sum().backward()
    assert x.grad.dtype == dtype
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_input_is_unchanged_and_not_shared(pairing) -> None:
    for x in (sample(5, 6), torch.tensor(sample(5, 6))):
        where = np.zeros(5)
        turned = apply_rotary(x, where, pairing=pairing)
        turned += 1
        close(x, sample(5, 6), 0.0)
        close(where, np.zeros(5), 0.0)


def test_layout_in_memory_does_not_matter() -> None:
    x = sample(6, 5)
    close(apply_rotary(x.T, np.arange(5)), apply_rotary(x.T.copy(), np.arange(5)), 0.0)
    t = torch.tensor(x)
    close(apply_rotary(t.T, np.arange(5)), apply_rotary(x.T, np.arange(5)), 1e-12)
    frozen = np.broadcast_to(sample(6), (5, 6))
    close(apply_rotary(frozen, np.arange(5)), apply_rotary(frozen.copy(), np.arange(5)), 0.0)


def test_every_argument_matters_and_nothing_is_remembered() -> None:
    x = sample(5, 6)
    standard = apply_rotary(x, np.arange(5))
    changed = [
        apply_rotary(x + 1, np.arange(5)),
        apply_rotary(x, np.arange(5) + 1),
        apply_rotary(x, np.arange(5), base=500.0),
        apply_rotary(x, np.arange(5), pairing="half"),
    ]
    for other in changed:
        assert np.abs(other - standard).max() > 0.1
    assert np.array_equal(apply_rotary(x, np.arange(5)), standard)


def test_turns() -> None:
    close(turns(100, 4), [100 / (2 * np.pi), 1 / (2 * np.pi)])
    assert turns(np.arange(6).reshape(2, 3), 8).shape == (2, 3, 4)
    close(turns(-3, 8), -turns(3, 8))
    assert not np.allclose(turns(3, 8), turns(3, 8, base=500.0))
    # A turn is a turn: whole ones bring a pair back.
    close(apply_rotary([1.0, 0.0], 1 / turns(1, 2)[0]), [1.0, 0.0])


@pytest.mark.parametrize(
    ("dim", "base", "counts"),
    [
        (64, 10000, {1: 32, 10: 30, 50: 24, 100: 22, 512: 16, 1000: 14, 4096: 9}),
        (128, 10000, {1: 64, 10: 60, 100: 44, 1000: 28, 4096: 18}),
        (128, 500000, {1: 64, 10: 61, 100: 50, 1000: 39, 4096: 32}),
    ],
)
def test_pairs_in_their_first_turn(dim, base, counts) -> None:
    measured = {gap: int((turns(gap, dim, base) < 1).sum()) for gap in counts}
    assert measured == counts


@pytest.mark.parametrize(("bad", "message"), BAD_POSITIONS)
@pytest.mark.parametrize(
    "call", [lambda bad: apply_rotary(np.ones((2, 4)), bad), lambda bad: turns(bad, 4)]
)
def test_bad_positions(call, bad, message) -> None:
    with pytest.raises(ValueError, match=message):
        call(bad)


@pytest.mark.parametrize(("base", "message"), BAD_BASES)
def test_bad_bases(base, message) -> None:
    with pytest.raises(ValueError, match=message):
        apply_rotary(np.ones(4), 1, base)
    with pytest.raises(ValueError, match=message):
        turns(1, 4, base)


@pytest.mark.parametrize("pairing", ["neox", "", None, 1, ["half"]])
def test_bad_pairings(pairing) -> None:
    with pytest.raises(ValueError, match=r"pairing: expected 'interleaved' or 'half', got .*Ch"):
        apply_rotary(np.ones(4), 1, pairing=pairing)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones((2, 3)), r"x.shape\[-1\] \(dim\): expected a positive even integer, got 3"),
        (np.ones((2, 0)), r"x.shape\[-1\] \(dim\): expected a positive even integer, got 0"),
        (1.0, r"x: expected shape \(..., L, dim\), got 1.0"),
        (torch.tensor(1.0), r"x: expected shape \(..., L, dim\)"),
        (np.ones(4, dtype=bool), "x: expected real numbers, got bool array"),
        (np.ones(4, dtype=complex), "x: expected real numbers, got complex128 array"),
        (["a", "b"], "x: expected real numbers, got <U1 array"),
        ([[1.0], [1.0, 2.0]], "x: expected a rectangular array"),
        (torch.ones(4, dtype=torch.bool), r"x: expected real numbers, got torch.bool array of"),
        (torch.ones(4, dtype=torch.complex64), r"x: expected real .*Convert it with x.to"),
    ],
)
def test_bad_vectors(x, message) -> None:
    with pytest.raises(ValueError, match=message):
        apply_rotary(x, 1)
