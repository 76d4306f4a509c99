"""Load one of the scripts in tools/, which are no package, as a module."""

import importlib.util
import sys
from types import ModuleType

from support.notebooks import ROOT


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    # As when the script is run: its own folder is where it imports its neighbours from.
    if str(ROOT / "tools") not in sys.path:
        sys.path.append(str(ROOT / "tools"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up here
    spec.loader.exec_module(module)
    return module
