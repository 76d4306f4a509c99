"""A claim prints what it checked, or stops the chapter: it can not pass by accident."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lesson_utils.claims import ClaimError, claim
from support.strategies import quick


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((26.8193, 26.82, 5e-3), "measured 26.819 (stated 26.82 ± 0.005)"),
        ((-12.63841, -12.638, 5e-4), "measured -12.6384 (stated -12.638 ± 0.0005)"),
        ((16640, 16_640, 0), "measured 16640 (stated 16640 ± 0)"),
        ((1_234_567, 1_234_567, 0.5), "measured 1234567 (stated 1234567 ± 0.5)"),
        ((458.39123, 458.39, 5e-3), "measured 458.391 (stated 458.39 ± 0.005)"),
        ((1.61e-13, 1.6e-13, 5e-15), "measured 1.61e-13 (stated 1.6e-13 ± 5e-15)"),
        ((-1.2722331, -1.272233, 5e-7), "measured -1.2722331 (stated -1.272233 ± 5e-07)"),
        ((0.123456789, 0.123456789, 0), "measured 0.123456789 (stated 0.123456789 ± 0)"),
        ((0, 0, 0), "measured 0 (stated 0 ± 0)"),
        (([1.001, 2.0], [1, 2], 5e-3), "measured 1.001, 2 (stated 1, 2 ± 0.005)"),
        (([0.5] * 9, 0.5, 0), "measured 9 values from 0.5 to 0.5 (stated 0.5 ± 0)"),
    ],
)
def test_a_stated_value(arguments, line, capsys) -> None:
    assert claim("the width", *arguments) is None
    assert capsys.readouterr().out == f"✓ the width: {line}\n"


@pytest.mark.parametrize(
    ("measured", "bounds", "line"),
    [
        (1.81234567e-13, {"at_most": 1e-12}, "measured 1.812e-13 (at most 1e-12)"),
        (123456, {"at_most": 123457}, "measured 123456 (at most 123457)"),
        (3, {"at_least": 3, "at_most": 3}, "measured 3 (at least 3, at most 3)"),
        ([1, 2], {"at_least": [1, 2]}, "measured 1, 2 (at least 1, 2)"),
        (
            3.14,
            {"stated": 3.1, "tol": 5e-2, "at_most": 4},
            "measured 3.14 (stated 3.1 ± 0.05, at most 4)",
        ),
        (torch.tensor([5.0]), {"at_least": 4}, "measured 5 (at least 4)"),
        (np.arange(20), {"at_least": 0}, "measured 20 values from 0 to 19 (at least 0)"),
    ],
)
def test_bounds(measured, bounds, line, capsys) -> None:
    claim("the spread", measured, **bounds)
    assert capsys.readouterr().out == f"✓ the spread: {line}\n"


@pytest.mark.parametrize(
    ("measured", "keywords"),
    [
        (3.15, {"stated": 3.14, "tol": 5e-3}),
        (-3.14, {"stated": 3.14, "tol": 5e-3}),
        (17, {"stated": 16, "tol": 0}),
        ([1, 2, 3.2], {"stated": [1, 2, 3], "tol": 0.1}),
        ([[1, 2], [3, 9]], {"stated": [[1, 2], [3, 4]], "tol": 0.1}),
        (1.1, {"at_most": 1}),
        (0.9, {"at_least": 1}),
        ([0.9, 5], {"at_least": 1, "at_most": 5}),
        (3.14, {"stated": 3.14, "tol": 5e-3, "at_most": 3}),
        (np.nan, {"stated": 3, "tol": 100}),
        (np.nan, {"at_most": 3}),
        (np.nan, {"at_least": 3}),
        ([1, np.nan], {"stated": [1, 1], "tol": 1}),
        (np.inf, {"at_least": 3}),
        (-np.inf, {"at_most": 3}),
    ],
)
def test_false_sentences_stop_the_chapter(measured, keywords, capsys) -> None:
    with pytest.raises(ClaimError) as caught:
        claim("the width", measured, **keywords)
    assert isinstance(caught.value, AssertionError)
    assert caught.value.text == "the width"
    assert caught.value.measured is measured
    bounds = (keywords.get("at_least"), keywords.get("at_most"))
    assert caught.value.stated == keywords.get("stated", bounds)
    assert capsys.readouterr().out == ""


def test_the_message_says_what_and_where_and_what_to_do() -> None:
    with pytest.raises(ClaimError) as caught:
        claim("the widths", [1.0, 2.5], [1.0, 2.0], 0.1)
    assert str(caught.value) == (
        "this sentence would be false: 'the widths' (stated 1, 2 ± 0.1), but 2.5 was measured at "
        "index 1. Find out what changed and correct the sentence or the code; do not widen the "
        "tolerance."
    )
    with pytest.raises(ClaimError, match=r"\(at most 1\), but 1.000000001 was measured\. Find"):
        claim("the spread", 1.000000001, at_most=1)
    with pytest.raises(ClaimError, match=r"9 was measured at index \(1, 0\)\."):
        claim("a table", [[1, 2], [9, 4]], [[1, 2], [3, 4]], 0)
    with pytest.raises(ClaimError, match="but nan was measured"):
        claim("a hole", float("nan"), at_most=1)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 10))
@quick
def test_true_means_within_the_tolerance(measured, stated, tol) -> None:
    if abs(measured - stated) <= tol:
        claim("x", measured, stated, tol)
    else:
        with pytest.raises(ClaimError):
            claim("x", measured, stated, tol)


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (("", 1, 1, 0), {}, "text: expected a sentence, got ''"),
        (("  \n", 1, 1, 0), {}, "text: expected a sentence"),
        ((3.1, 3.1, 3.1, 0), {}, "text: expected a sentence, got 3.1"),
        (("x", 1), {}, "stated: expected a stated value or a bound, got None.*Pass stated and tol"),
        (("x", 1, 1), {}, "tol: expected a tolerance for the stated value, got None.*Half a unit"),
        (("x", 1, 1, -0.1), {}, "tol: expected a tolerance of zero or more, got -0.1"),
        (("x", 1, 1, np.nan), {}, "tol: expected a finite number, got nan"),
        (("x", 1, 1, np.inf), {}, "tol: expected a finite number, got inf"),
        (("x", 1, 1, "0.1"), {}, "tol: expected a finite number, got '0.1'"),
        (("x", 1, 1, True), {}, "tol: expected a finite number, got True"),
        (("x", 1), {"tol": 0.1, "at_most": 2}, "tol: expected a stated value beside it"),
        (("x", [], [], 0), {}, "measured: expected at least one number"),
        (("x", [], 1, 0), {}, "measured: expected at least one number"),
        (("x", True, 1, 0), {}, "measured: expected real numbers, got True"),
        (("x", "1", 1, 0), {}, "measured: expected real numbers, got '1'"),
        (("x", None, 1, 0), {}, "measured: expected real numbers, got None"),
        (("x", 1j, 1, 0), {}, "measured: expected real numbers, got 1j"),
        (("x", 1, np.nan, 0), {}, "stated: expected finite numbers, got nan"),
        (("x", 1), {"at_most": np.inf}, "at_most: expected finite numbers, got inf"),
        (("x", 1), {"at_least": -np.inf}, "at_least: expected finite numbers, got -inf"),
        (("x", [1, 2], [1, 2, 3], 0), {}, r"stated: expected one number or the shape \(2,\)"),
        (("x", 1, [1, 1], 0), {}, r"stated: expected one number or the shape \(\) of measured"),
        (("x", [1, 2], [[1, 2]], 0), {}, "stated: expected one number or the shape"),
        (("x", [1, 2]), {"at_most": [3]}, "at_most: expected one number or the shape"),
        (("x", torch.ones(1, requires_grad=True), 1, 0), {}, r"pass measured.detach\(\)"),
    ],
)
def test_malformed_claims(arguments, keywords, message, capsys) -> None:
    with pytest.raises(ValueError, match=message):
        claim(*arguments, **keywords)
    assert capsys.readouterr().out == ""
