"""Start the lab: as ``python -m lesson_utils.lab``, ``python -m lab`` or ``python path/to/lab``."""

from __future__ import annotations

import os
import sys


def _without_the_learners_folder() -> None:
    """Forget the folder Python put first on ``sys.path``.

    A learner may keep a ``random.py`` or ``json.py`` beside ``rope.py``; the grader must never
    import it. Our own modules are found through the package's path, which needs no ``sys.path``.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    unwanted = {"", os.path.realpath(os.getcwd()), os.path.realpath(here)}
    if sys.path and (sys.path[0] == "" or os.path.realpath(sys.path[0]) in unwanted):
        del sys.path[0]


def _load_as_package() -> str:
    """Give a folder started by its path a package name, whatever the folder is called."""
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "lesson_lab", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["lesson_lab"] = package
    spec.loader.exec_module(package)
    return "lesson_lab"


if __name__ == "__main__":
    _without_the_learners_folder()
    import importlib.util

    name = __package__ or _load_as_package()
    sys.exit(importlib.import_module(f"{name}.cli").main())
