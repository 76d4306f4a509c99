"""Inside the fence, with the submission: load it, call it, say what came back.

This text is sent to a fresh Python (``-I -S -c``). Everything it needs is taken before the
submission is loaded, so that a submission which replaces ``math``, ``len`` or ``print`` changes its
own answers only. No expected value and no verdict ever lives here. An answer is one line of JSON
with the request's number and its nonce; only exact ints and floats count as numbers, and no method
of a foreign object is called to describe it.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False  # importing typing would cost every child milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

_type, _len, _str, _ord, _next = type, len, str, ord, next
_int, _float, _bool, _complex, _list, _tuple = int, float, bool, complex, list, tuple
_issubclass, _enumerate, _eval, _exec = issubclass, enumerate, eval, exec
_compile, _Exception = compile, BaseException
_float_repr, _int_repr, _complex_repr = float.__repr__, int.__repr__, complex.__repr__
_bit_length, _type_name = int.bit_length, type.__dict__["__name__"].__get__
_list_iter, _tuple_iter = list.__iter__, tuple.__iter__
_read, _write, _exit, _getpid = os.read, os.write, os._exit, os.getpid
_join, _printable, _split, _decode = str.join, str.isprintable, str.splitlines, bytes.decode
_encode_text, _format, _strip = str.encode, str.format, str.strip
_SyntaxError = SyntaxError

MOST_ITEMS, MOST_DEPTH, MOST_TEXT = 5000, 4, 240


def quote(text: str) -> str:
    """JSON string of the first characters of a text, control characters as blanks."""
    out = []
    for c in text[:MOST_TEXT]:
        if c in '"\\':
            out.append("\\" + c)
        elif " " <= c <= "~":
            out.append(c)
        elif _printable(c) and _ord(c) < 0x10000:
            out.append(_format("\\u{:04x}", _ord(c)))
        else:
            out.append(" ")
    return '"' + _join("", out) + '"'


def other(kind: type, text: str = "") -> str:
    """JSON for what is not a plain number or list."""
    try:
        name = _type_name(kind)
    except _Exception:
        name = "strange type"
    return '{"type": ' + quote(name) + ', "text": ' + quote(text) + "}"


def encode(value: Any, room: list[int], depth: int = 0) -> str:
    """JSON for a value: exact numbers, lists and tuples; anything else by its type's name."""
    kind = _type(value)
    room[0] -= 1
    if kind is _float:
        finite = value - value == 0.0
        return _float_repr(value) if finite else other(kind, _float_repr(value))
    if kind is _int:
        bits = _bit_length(value)
        return _int_repr(value) if bits < 256 else other(kind, f"an integer of {bits} bits")
    if _issubclass(kind, _list) or _issubclass(kind, _tuple):
        if depth == MOST_DEPTH or room[0] < 0:
            return other(kind, "too long or too deep a list")
        items = _list_iter(value) if _issubclass(kind, _list) else _tuple_iter(value)
        out = []
        for item in items:
            if room[0] < 0:
                return other(kind, "too long a list")
            out.append(encode(item, room, depth + 1))
        return "[" + _join(", ", out) + "]"
    if value is None or kind is _bool:
        return other(kind, "None" if value is None else "True" if value else "False")
    if kind is _complex:
        return other(kind, _complex_repr(value))
    return other(kind, "the string '" + value[:60] + "'" if kind is _str else "")


def told(error: BaseException, lines: list[str]) -> str:
    """JSON for an exception: type, message, and where in rope.py it came from."""
    try:
        text = _str(error)
        text = text if _type(text) is _str else ""
    except _Exception:
        text = ""
    number = 0
    try:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "rope.py":
                number = trace.tb_lineno
            trace = trace.tb_next
        if not number and _issubclass(_type(error), _SyntaxError):
            number = getattr(error, "lineno", 0)
        number = number if _type(number) is _int else 0
    except _Exception:
        number = 0
    source = _strip(lines[number - 1]) if 0 < number <= _len(lines) else ""
    name = other(_type(error), text)
    return _format('{}, "line": {}, "source": {}}}', name[:-1], number, quote(source))


def load(source: bytes) -> dict[str, Any]:
    """Run rope.py as a module of its own. Returns its names."""
    module = ModuleType("rope")
    sys.modules["rope"] = module
    module.__file__ = "rope.py"
    code = _compile(source, "rope.py", "exec", dont_inherit=True)
    _exec(code, module.__dict__)
    return module.__dict__


def respond(
    names: dict[str, Any], function: str, arguments: Sequence[Any], named: Any, lines: list[str]
) -> tuple[str, ...]:
    """Call a function of the submission: the word of the answer, and its parts as JSON."""
    if function not in names:
        return ("missing",)
    try:
        value = names[function](*arguments, **named)
    except _Exception as error:
        return "error", told(error, lines)
    same = [i for i, a in _enumerate(arguments) if a is value and _type(a) is _list]
    after = encode([*arguments, [named[key] for key in named]], [MOST_ITEMS])
    return "value", encode(value, [MOST_ITEMS]), after, "1" if same else "0"


def limit(config: dict[str, Any]) -> None:
    """Limits of the system on memory, processor time, files and processes, where it has them."""
    try:
        import resource
    except ImportError:
        return
    wanted = {
        "RLIMIT_AS": config["memory"],
        "RLIMIT_CPU": config["seconds"],
        "RLIMIT_FSIZE": 1 << 20,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_NPROC": 16,
        "RLIMIT_CORE": 0,
    }
    for name, value in wanted.items():
        try:
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        except (AttributeError, OSError, ValueError):
            pass


def request_lines(fd: int) -> Iterator[bytes]:
    """The lines that come through a pipe, one by one."""
    rest = b""
    while True:
        line, newline, tail = rest.partition(b"\n")
        if newline:
            rest = tail
            yield line
            continue
        chunk = _read(fd, 1 << 16)
        if not chunk:
            _exit(0)
        rest += chunk


def main(enter: Callable[[dict[str, Any], Sequence[int]], str]) -> None:
    """Shut ourselves in, load the submission, then answer one request after another."""
    inlet, outlet, null = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    requests = request_lines(inlet)
    config = _eval(_next(requests))
    level = enter(config, (0, 1, 2, inlet, outlet))
    home = _getpid()

    def say(number: int, nonce: str, word: str, *parts: str) -> None:
        if _getpid() != home:
            _exit(0)  # a copy that the submission forked: it has no business here
        head = _format('[{}, "{}", "{}"', number, nonce, word)
        data = _encode_text(_join(", ", [head, *parts]) + "]\n")
        while data:
            data = data[_write(outlet, data) :]

    open("rope.py", "wb").close()  # if this fails, the grader tries a weaker fence
    say(0, config["nonce"], level)
    number, nonce, source = _eval(_next(requests))
    lines = _split(_decode(source, "utf-8", "replace"))
    with open("rope.py", "wb") as file:
        file.write(source)
    limit(config)
    sys.setswitchinterval(0.0005)  # a thread left spinning must not starve the answers
    nothing: dict[str, Any] = {"__builtins__": {}}
    config = None
    try:
        names = load(source)
    except _Exception as error:
        say(number, nonce, "error", told(error, lines))
        _exit(0)
    say(number, nonce, "loaded")
    while True:
        number, nonce, function, arguments, named = _eval(_next(requests), nothing)
        say(number, nonce, *respond(names, function, arguments, named, lines))
