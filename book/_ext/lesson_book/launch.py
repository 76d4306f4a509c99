"""Buttons that open a chapter elsewhere, and the address the book is published at.

Both follow from the repository's URL and branch, which stand in ``_config.yml`` alone. Until they
are set, a button would lead nowhere, so there is none, and the build says how to set them.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

logger = logging.getLogger(__name__)

PLACEHOLDER_OWNER = "OWNER"
HOW_TO_SET = (
    "No launch or repository button is shown, because _config.yml still holds the placeholder URL. "
    "To show them, run:  make repository URL=https://github.com/YOU/YOUR-FORK"
)
_BUTTONS = ("use_repository_button", "use_issues_button", "use_edit_page_button")


def setup(app: Sphinx) -> None:
    # Before the theme and the 404 page read what is changed here.
    app.connect("config-inited", _configure, priority=100)


def owner_and_name(url: str) -> tuple[str, str]:
    """Split a repository's URL: ``https://github.com/ada/book`` gives ``("ada", "book")``."""
    parts = urlsplit(url).path.strip("/").split("/")
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def is_placeholder(url: str) -> bool:
    return owner_and_name(url)[0] in ("", PLACEHOLDER_OWNER)


def pages_address(url: str) -> str:
    """Where GitHub Pages publishes a repository; a repository ``ada.github.io`` is a whole site."""
    owner, name = owner_and_name(url)
    site = f"{owner.lower()}.github.io"
    return f"https://{site}/" if name.lower() == site else f"https://{site}/{name}/"


def _configure(app: Sphinx, config: Config) -> None:
    options: dict[str, Any] = config.html_theme_options
    if is_placeholder(options.get("repository_url", "")):
        for name in ("launch_buttons", "repository_url", "repository_branch"):
            options.pop(name, None)
        options.update(dict.fromkeys(_BUTTONS, False))
        app.connect("build-finished", _say_how)
    elif not config.html_baseurl:
        config.html_baseurl = pages_address(options["repository_url"])
    if config.html_baseurl:
        # The 404 page is shown at any depth, so its links start with the site's own path.
        config.notfound_urls_prefix = urlsplit(config.html_baseurl).path.rstrip("/") + "/"


def _say_how(_app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
        logger.info("\n%s", HOW_TO_SET)
