"""Norm, shift and composition tests are not enough: what each check sees of each mistake."""

from functools import partial

import numpy as np
import pytest

from lesson_utils.rotary import apply_rotary
from lesson_utils.scores import rotary_score
from support import reference
from support.mutants import EDITS, SWITCHES, by_edit, by_formula
from support.rotary_checks import CHECKS, LAWS, VALUES, K, Q, close, failing, hits_golden_scores

BOTH_VALUES = {check.__name__ for check in VALUES}

# Which checks fail. The laws let five mistakes of six pass; a single pair lets three pass.
EXPECTED: dict[str, set[str]] = {
    "half-split pairing": BOTH_VALUES,
    "flipped sign": BOTH_VALUES | {"hits_golden_pair"},
    "another base": BOTH_VALUES,
    "exponent i/d": BOTH_VALUES,
    "pairs counted from 1": BOTH_VALUES | {"hits_golden_pair"},
    # Every score stays right: only the vectors show it, and two of the laws.
    "positions counted from 1": {
        "hits_golden_vectors",
        "hits_golden_pair",
        "composes",
        "stays_at_zero",
    },
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_real_one_passes(check) -> None:
    check(apply_rotary)


def test_the_unedited_copies_pass() -> None:
    assert failing(by_formula) == set()
    assert failing(by_edit(None).apply_rotary) == set()


@pytest.mark.parametrize("mistake", EXPECTED)
def test_what_the_checks_see(mistake: str) -> None:
    assert failing(partial(by_formula, **SWITCHES[mistake])) == EXPECTED[mistake]


@pytest.mark.parametrize("mistake", EXPECTED)
def test_what_the_checks_see_in_our_source(mistake: str) -> None:
    assert failing(by_edit(mistake).apply_rotary) == EXPECTED[mistake]


@pytest.mark.parametrize("mistake", EXPECTED)
def test_the_edit_makes_the_mistake_it_names(mistake: str) -> None:
    expected = by_formula(Q, 3, **SWITCHES[mistake])
    close(by_edit(mistake).apply_rotary(Q, 3), expected)
    with pytest.raises(AssertionError, match="off by"):
        close(apply_rotary(Q, 3), expected)


def test_every_mistake_is_made_in_both_ways_and_caught_by_a_value() -> None:
    assert set(EXPECTED) == set(SWITCHES) == set(EDITS)
    assert all(failed & BOTH_VALUES for failed in EXPECTED.values())


def test_every_check_can_fail() -> None:
    assert failing(lambda x, position: x * (position + 2)) >= {check.__name__ for check in LAWS}
    assert set().union(*EXPECTED.values()) >= BOTH_VALUES | {"hits_golden_pair"}
    assert failing(lambda x, position: np.full(len(x), np.nan)) == {c.__name__ for c in CHECKS}
    with pytest.raises(AssertionError):
        close([1.0], [1.0, 1.0])


def test_a_score_at_one_position_or_of_one_vector_sees_less() -> None:
    """With m = n no mistake shows; with q = k the sign does not: hence q ≠ k and m ≠ n above."""
    for mistake, switch in SWITCHES.items():
        wrong = partial(by_formula, **switch)
        close(wrong(Q, 5) @ wrong(K, 5), reference.dot(Q, K))
        if mistake != "positions counted from 1":
            with pytest.raises(AssertionError):
                hits_golden_scores(wrong)
    flipped = partial(by_formula, sign=-1)
    close(flipped(Q, 2) @ flipped(Q, 9), rotary_score(Q, Q, 2, 9))
