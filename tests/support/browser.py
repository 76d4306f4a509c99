"""Chromium for the tests: one way to start it, and pages that may talk to this machine alone.

    with launch() as browser:
        page, away, errors = open_page(browser, viewport={"width": 360, "height": 800})
        page.goto("file:///…/index.html")
        assert away == [] and errors == []

``away`` fills with the address of every request that wanted to leave the machine (it is stopped),
``errors`` with everything the page's console calls an error.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

__all__ = ["chromium_path", "frames", "launch", "open_page", "stays_here"]

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_FLAGS = (
    "--no-sandbox",  # containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Even what no page asks for (prefetch, spelling, updates) finds nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)
_running: dict[str, Any] = {}  # Playwright's synchronous side may be started once a process


def chromium_path() -> str:
    """Return Chromium's path; without one the test is skipped, or fails where ``CI=true``."""
    asked = os.environ.get("CHROMIUM")
    for name in (asked,) if asked else _NAMES:
        found = shutil.which(name)
        if found:
            return found
    say = f"Chromium is not installed (looked for {asked or ', '.join(_NAMES)}); set CHROMIUM=path"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{say}. In CI every browser test must run.", pytrace=False)
    pytest.skip(say)


@contextmanager
def launch() -> Iterator[Any]:
    """Start headless Chromium and yield Playwright's ``Browser``; nested use shares one process."""
    path = chromium_path()
    from playwright.sync_api import sync_playwright

    if not _running:
        playwright = sync_playwright().start()
        try:
            browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        except BaseException:
            playwright.stop()
            raise
        _running.update(playwright=playwright, browser=browser, users=0)
    _running["users"] += 1
    try:
        yield _running["browser"]
    finally:
        _running["users"] -= 1
        if not _running["users"]:
            ended = dict(_running)
            _running.clear()
            try:
                ended["browser"].close()
            finally:
                ended["playwright"].stop()


def stays_here(url: str) -> bool:
    """Tell whether an address is on this machine or inside the page."""
    parts = urlsplit(url)
    if parts.scheme in {"file", "data", "blob", "about", "chrome-extension", "chrome-error"}:
        return True
    return parts.hostname in {"localhost", "127.0.0.1", "::1"}


def open_page(browser: Any, **context_options: Any) -> tuple[Any, list[str], list[str]]:
    """Open a page in a context of its own; returns ``(page, away, errors)``.

    ``context_options`` go to ``Browser.new_context`` (``viewport``, ``color_scheme``,
    ``has_touch``, ``java_script_enabled`` …). Close it with ``page.context.close()``.
    """
    away: list[str] = []
    errors: list[str] = []
    # A service worker's requests would pass the route below unseen.
    context = browser.new_context(**{"service_workers": "block", **context_options})
    context.set_default_timeout(30_000)

    def leaving(url: Any) -> bool:
        return not stays_here(str(url))

    def stop(route: Any) -> None:
        away.append(route.request.url)
        route.abort()

    context.route(leaving, stop)

    def watch(page: Any) -> None:
        page.on("websocket", lambda ws: leaving(ws.url) and away.append(ws.url))
        page.on("pageerror", lambda error: errors.append(f"uncaught: {error.stack or error}"))
        page.on("console", lambda line: line.type == "error" and errors.append(line.text))

    context.on("page", watch)
    return context.new_page(), away, errors


def frames(page: Any, count: int = 4) -> None:
    """Let the page draw that many frames, however long they take on this machine."""
    page.evaluate(
        """async (count) => {
             for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame) }""",
        count,
    )
