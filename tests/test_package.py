"""The package as a whole: what an import loads, what is public, and whether the examples run."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import lesson_utils

SOURCE = Path(lesson_utils.__file__).parent
NUMERICS = ["attention", "claims", "positions", "rotary", "scores"]
HEAVY = ["torch", "plotly", "matplotlib", "anywidget", "ipywidgets", "IPython"]


def loaded_by(code: str) -> set[str]:
    """Which top-level modules a fresh interpreter has after running code."""
    listing = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    command = [sys.executable, "-c", f"{code}\n{listing}"]
    environment = {"PYTHONPATH": str(SOURCE.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_the_standard_library_alone() -> None:
    beyond = loaded_by("import lesson_utils") - loaded_by("pass")
    assert beyond == {"lesson_utils"}


def test_the_listing_of_loaded_modules_sees_what_is_loaded() -> None:
    assert "numpy" in loaded_by("import numpy")
    assert "numpy" not in loaded_by("pass")


@pytest.mark.parametrize("name", NUMERICS)
def test_numerics_need_numpy_alone(name: str) -> None:
    loaded = loaded_by(f"import lesson_utils.{name}")
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_rotating_arrays_does_not_load_torch() -> None:
    code = "from lesson_utils.rotary import apply_rotary\napply_rotary([[1.0, 2.0]], [3])"
    assert loaded_by(code).isdisjoint(HEAVY)


def test_package_file_is_valid_on_python_3_9() -> None:
    text = (SOURCE / "__init__.py").read_text(encoding="utf-8")
    compile(text, "__init__.py", "exec", dont_inherit=True)
    tree = ast.parse(text, feature_version=(3, 9))
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds == ["Expr", "Assign"]
    assert lesson_utils.__version__ == "0.1.0"
    assert (SOURCE / "py.typed").exists()


def public(name: str) -> list[tuple[str, object]]:
    module = importlib.import_module(f"lesson_utils.{name}")
    return [(public_name, getattr(module, public_name)) for public_name in module.__all__]


@pytest.mark.parametrize("name", NUMERICS)
def test_public_names(name: str) -> None:
    module = importlib.import_module(f"lesson_utils.{name}")
    assert module.__doc__
    defined_here = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == module.__name__
        if inspect.isfunction(value) or inspect.isclass(value)
    }
    assert set(module.__all__) == defined_here
    assert module.__all__ == sorted(module.__all__)


@pytest.mark.parametrize("name", NUMERICS)
def test_every_public_docstring_has_an_example_that_runs(name: str) -> None:
    module = importlib.import_module(f"lesson_utils.{name}")
    for public_name, value in public(name):
        assert ">>> " in (inspect.getdoc(value) or ""), f"{public_name} has no example"
    results = doctest.testmod(module)
    assert results.attempted >= len(module.__all__)
    assert results.failed == 0


@pytest.mark.parametrize("name", NUMERICS)
def test_public_functions_state_types_shapes_and_errors(name: str) -> None:
    for public_name, value in public(name):
        if inspect.isfunction(value):
            assert "Shapes" in value.__doc__, f"{public_name} names no shapes"
            assert "Raises ValueError" in value.__doc__ or "errors: those of" in value.__doc__
            hints = inspect.signature(value)
            assert hints.return_annotation is not inspect.Signature.empty
            assert all(p.annotation is not p.empty for p in hints.parameters.values())


@pytest.mark.parametrize("name", [*NUMERICS, "_checks"])
def test_modules_and_functions_stay_small(name: str) -> None:
    text = (SOURCE / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            documented = len((ast.get_docstring(node) or "").splitlines())
            assert node.end_lineno - node.lineno + 1 - documented <= 30, node.name


def test_fixed_signatures() -> None:
    from lesson_utils import attention, claims, positions, rotary, scores

    expected = {
        positions.frequencies: "dim base=10000.0",
        positions.sinusoidal: "positions dim base=10000.0",
        positions.shift_matrix: "k dim base=10000.0",
        attention.softmax: "x axis=-1",
        attention.attention_weights: "q k scale=None",
        rotary.apply_rotary: "x positions base=10000.0 pairing='interleaved'",
        rotary.turns: "gap dim base=10000.0",
        scores.additive_terms: "q k m n base=10000.0",
        scores.rotary_score: "q k m n base=10000.0",
        claims.claim: "text measured stated=None tol=None at_most=None at_least=None",
    }
    for function, signature in expected.items():
        words = [
            p.name if p.default is p.empty else f"{p.name}={p.default!r}"
            for p in inspect.signature(function).parameters.values()
        ]
        assert " ".join(words) == signature
