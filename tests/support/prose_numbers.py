"""Which numbers does a notebook's prose state, and does its code contain them?

A number of three or more written digits in a markdown cell must be a numeric literal of the same
notebook: the stated value of a claim, an assignment, a default. Values are compared exactly, as
decimals, so 16,640 is 16_640 and 32.00 is 32; the sign counts; 87.3% is 87.3 or 0.873.

Exempt by rule: URLs and link targets; code in spans and in fences that name a language (a span
that is nothing but a number counts); digits that belong to a name (float32, t10); version numbers;
markers of ordered lists; references such as "section 3.5.1"; paper identifiers after "arXiv" or in
link text; years in link text, after a link or "et al.", alone in parentheses after a name, at the
end of parentheses after a comma, or in a phrase such as "in 2017,".
"""

import ast
import html
import re
import sys
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from nbformat import NotebookNode

from support.notebooks import sources

DIGITS = 3

YEAR = r"(?:19[5-9]\d|20[0-3]\d)"
PAPER = r"\d{4}\.\d{4,5}(?:v\d+)?"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

# Thousands: a comma, an underscore, LaTeX's {,} or \, and the narrow spaces of typesetters.
_GROUP = r"(?:,|_|\{,\}|\\,|[\u2009\u202f])"
_PLAIN = rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_TIMES = r"\s*[·×*]\s*(?:\\,)?\s*"
_POWER = r"10(?:\^|\*\*)\{?(?P<power>[+\-−]?\d+)\}?"
# Digits that follow a letter, a digit or name_ belong to a name, those after t3. to its decimals.
_START = r"(?<![^\W_])(?<![^\W_]_)(?<![^\W_]\.)"
# A minus sign binds to its number; after an operand it is a difference, or a range.
_SIGN = r"(?P<sign>(?<![\w)}\]])[-−])?"
_BARE_POWER = r"10(?:\^|\*\*)\{?[+\-−]?\d+\}?"
NUMBER = re.compile(
    rf"{_START}{_SIGN}(?:{_BARE_POWER}"
    rf"|(?P<number>{_PLAIN})(?:[eE](?P<exponent>[+\-−]?\d+)|{_TIMES}{_POWER})?)"
    r"(?P<percent>\s?\\?%)?"
)
_TAG = r"""</?[a-zA-Z][a-zA-Z0-9]*(?:\s+[\w:-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s*/?>"""
# A link with its target, and the year that may follow it in a citation.
LINK = re.compile(rf"!?\[([^\]]*)\]\([^)\s]*\)(?:,?\s+(?:in\s+)?\(?{YEAR}\b(?!,?\d)\)?)?")


class Number(NamedTuple):
    """A number as written, and the literals that would back it."""

    text: str
    values: tuple[Decimal, ...]


def prose_numbers(markdown: str, packages: Iterable[str] = ()) -> list[Number]:
    """Collect the numbers of three or more digits that a markdown text states."""
    found = []
    for match in NUMBER.finditer(_without_exempt(markdown, packages)):
        digits = re.sub(r"\D", "", match["number"] or "").lstrip("0")
        if len(digits) < DIGITS:
            continue
        value = Decimal(re.sub(_GROUP, "", match["number"]))
        exponent = (match["exponent"] or match["power"] or "0").replace("−", "-")
        value = value.scaleb(int(exponent)) * (-1 if match["sign"] else 1)
        values = (value, value / 100) if match["percent"] else (value,)
        found.append(Number(match[0].strip(), values))
    return found


def code_numbers(source: str) -> set[Decimal]:
    """Collect the numeric literals of a code cell, with their signs."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a cell with IPython magics or shell lines
        tree = ast.parse(re.sub(r"^([ \t]*)[%!].*", r"\1pass", source, flags=re.MULTILINE))
    literals = _Literals()
    literals.visit(tree)
    return literals.found


def unbacked(notebook: NotebookNode) -> list[str]:
    """Say which numbers of the prose no literal of the code backs, and where they stand."""
    code = [text for _, text in sources(notebook, "code")]
    literals = set().union(*map(code_numbers, code))
    imported = re.findall(r"^\s*(?:import|from)\s+(\w+)", "\n".join(code), re.MULTILINE)
    packages = set(imported) - sys.stdlib_module_names
    return [
        f"{number.text} in markdown cell {cell}"
        for cell, text in sources(notebook, "markdown")
        for number in prose_numbers(text, packages)
        if literals.isdisjoint(number.values)
    ]


class _Literals(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: set[Decimal] = set()

    def visit_Constant(self, node: ast.Constant, sign: int = 1) -> None:
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            # repr gives the shortest decimal that is this float: the one that was written.
            self.found.add(sign * Decimal(repr(node.value)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            self.visit_Constant(node.operand, sign=-1)
        else:
            self.generic_visit(node)


def _without_exempt(text: str, packages: Iterable[str]) -> str:
    """Blank everything that an exemption covers, and spell operators and signs in one way."""
    text = re.sub(r"^(\s*)(```+|~~~+)[ \t]*\w.*?^\1\2", " ", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`+([^`\n]+)`+", lambda span: f" {_number_in(span[1])} ", text)
    text = LINK.sub(lambda link: f" {_link(link[1])} ", text)
    text = re.sub(r"<?\bhttps?://[^\s>)]+>?", " ", text)
    text = html.unescape(re.sub(rf"{_TAG}|<!--.*?-->", " ", text, flags=re.DOTALL))
    text = re.sub(r"\\(?:cdot|times)(?![a-zA-Z])", "·", text)
    text = re.sub(r"\\[a-zA-Z]+", " ", text)
    text = re.sub(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: f"^{{{m[0].translate(SUPERSCRIPTS)}}}", text)
    names = "|".join(["version", "release", "python", "pytorch", *map(re.escape, packages)])
    for pattern in (
        rf"(?i)\barxiv:?\s*{PAPER}",
        r"(?i)\bv?\d+(?:\.\d+){2,}\b",
        rf"(?i)\b(?:{names})\s+v?\d+\.\d+",
        r"(?i)\b(?:chapter|section|equation|exercise|appendix|page)s?\s+\d+(?:\.\d+)*",
        # A figure is also a number, so only a whole one is a reference.
        r"(?i)\bfig(?:ures?|\.)\s+\d+(?![\d,]*\.?\d)",
        rf"\bet al\.,?\s*\(?{YEAR}\b",
        rf"\b[A-Z][\w-]*\s\({YEAR}\)",
        rf"(?<=[A-Za-z.],\s){YEAR}(?=\))",
        rf"\b(?:[Ii]n|[Ss]ince)\s{YEAR}(?=[,.;:)]|\s+[A-Z]|\Z)",
        r"(?:\A|(?<=\n\n))[ ]{0,3}\d{1,9}[.)](?=\s)",
    ):
        text = re.sub(pattern, " ", text)
    return text


def _number_in(span: str) -> str:
    """Keep a code span that is nothing but a number."""
    return span if NUMBER.fullmatch(span.strip()) else ""


def _link(text: str) -> str:
    return re.sub(rf"\b(?:{YEAR}|{PAPER})\b(?!\.\d)", " ", text)
