"""A browser for the tests of the built book."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import launch


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with launch() as running:
        yield running


@pytest.fixture(params=["served", "file"])
def base(request: pytest.FixtureRequest, built_book: Path) -> str:
    """Where the pages are: behind a server, and opened from the disk."""
    if request.param == "served":
        return str(request.getfixturevalue("served"))
    return built_book.as_uri() + "/"
