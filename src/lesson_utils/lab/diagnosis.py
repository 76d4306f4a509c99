"""What is probably wrong: the well-known mistake that explains everything seen in a stage.

A mistake fits when it predicts every answer of the submission within the tolerance, the right ones
too, and at least one wrong one among them. Where the mistake itself has no value (a division by
zero, an index beyond the end) the answer may be anything. If no single mistake fits, two together
are tried.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations
from typing import Any, Optional

from .calls import Answer, Call
from .challenges import challenges
from .mistakes_drift import MEASURING
from .mistakes_general import base_candidates, base_estimated, fixed_candidates
from .mistakes_kept import memories
from .mistakes_scores import SCORING
from .mistakes_speeds import Mistake
from .mistakes_turning import TURNING
from .tolerance import difference, tolerance

NO_VALUE = object()
Seen = Sequence[tuple[Call, Answer, bool]]  # call, answer, whether the answer is right
Prediction = tuple[Any, Any]  # value (or NO_VALUE) and tolerance


class Model:
    """A mistake asked the calls of a stage, one after another, each only once."""

    def __init__(self, mistake: Mistake, calls: Sequence[Call]) -> None:
        self.key, self.text = mistake.key, mistake.text
        self._answers = self._predict(mistake, calls)
        self._known: list[Prediction] = []
        self._lock = threading.Lock()  # `grade` shares the models of a seed between its threads

    @staticmethod
    def _predict(mistake: Mistake, calls: Sequence[Call]) -> Iterator[Prediction]:
        for call in calls:
            try:
                value = mistake.predict(call)
                yield value, tolerance(mistake, call, value)
            except Exception:  # the mistake leads to no value here
                yield NO_VALUE, None

    def __getitem__(self, number: int) -> Prediction:
        with self._lock:
            while len(self._known) <= number:
                self._known.append(next(self._answers))
        return self._known[number]

    def fits(self, seen: Seen) -> bool:
        """Whether it explains all answers, and a wrong one among them."""
        explained = False
        for number, (_, answer, right) in enumerate(seen):
            value, tol = self[number]
            if value is NO_VALUE:
                continue
            if answer.error or difference(value, answer.value, tol):
                return False
            explained = explained or not right
        return explained


@lru_cache(maxsize=16)
def _singles(stage: int, seed: int) -> list[Model]:
    calls = challenges(stage, seed)
    own = [*TURNING, *SCORING, *MEASURING] if stage < 4 else [*SCORING, *MEASURING, *TURNING]
    plain: list[Mistake] = [mistake() for mistake in own]
    numbered = [kind() for kinds in (base_candidates(), fixed_candidates()) for kind in kinds]
    kept = [m for function in sorted({c.function for c in calls}) for m in memories(function)]
    return [Model(mistake, calls) for mistake in [*plain, *numbered, *kept]]


@lru_cache(maxsize=16)
def _doubles(stage: int, seed: int) -> list[Model]:
    """Two mistakes at once, if they replace different parts and both show in this stage."""
    calls = challenges(stage, seed)
    pairs = combinations(_showing(calls), 2)
    return [Model(_both(a, b)(), calls) for a, b in pairs if _apart(a, b)]


def _showing(calls: Sequence[Call]) -> list[type[Mistake]]:
    right = Mistake()
    some = [*calls[:3], *calls[-3:]]
    kinds = [*TURNING, *SCORING, *MEASURING, *list(base_candidates())[:9]]
    return [kind for kind in kinds if any(_shows(kind(), right, call) for call in some)]


def _shows(mistake: Mistake, right: Mistake, call: Call) -> bool:
    try:
        return bool(mistake.predict(call) != right.predict(call))
    except Exception:
        return False


def _apart(a: type[Mistake], b: type[Mistake]) -> bool:
    own = {"key", "text", "__doc__", "__module__"}
    return not (set(vars(a)) - own) & (set(vars(b)) - own)


def _both(a: type[Mistake], b: type[Mistake]) -> type[Mistake]:
    parts = {**vars(a), **vars(b), "key": f"{a.key} + {b.key}"}
    parts["text"] = f"two things at once: {a.text}; and {b.text}"
    return type("Both", (Mistake,), parts)


def diagnose(stage: int, seed: int, seen: Seen, before: Iterable[str] = ()) -> Optional[Model]:
    """The mistake that fits; one found in an earlier stage (``before``, by key) goes first."""
    fitting = [model for model in [*_estimated(seen), *_singles(stage, seed)] if model.fits(seen)]
    again = [model for model in fitting if model.key in set(before)]
    if fitting:
        return (again or fitting)[0]
    return next((model for model in _doubles(stage, seed) if model.fits(seen)), None)


def _estimated(seen: Seen) -> list[Model]:
    """Another base, read off the second speed of an answer of stage 1."""
    bases = []
    for call, answer, right in seen:
        value = answer.value
        if call.function != "pair_speeds" or right or not isinstance(value, list):
            continue
        if len(value) > 1 and isinstance(value[1], float) and 0 < value[1] < 1:
            with suppress(OverflowError):
                bases.append(base_estimated(value[1], call.args[0]))
    calls = [call for call, _, _ in seen]
    return [Model(kind(), calls) for kind in base_candidates(bases[:1])][: 3 if bases else 0]
