"""The tool `calculate`: exact arithmetic for a model that would guess."""

import ast
import decimal
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from arc_core import tool

MAX_CHARS = 500
_MAX_DEPTH = 50
_DIGITS = 40
_ROUNDED_DIGITS = 15
_TRAPS = [decimal.DivisionByZero, decimal.InvalidOperation, decimal.Overflow]
_MISPLACED = "a number, an operator or a parenthesis is misplaced"


class CalculationError(ValueError):
    """An expression has no value; the text says why, for the author of the expression."""


def evaluate(expression: str) -> Decimal:
    """The value of an arithmetic expression, exact up to 40 digits, else rounded to 15.

    It knows + - * / // % ** ^ ( ), percentages (`12.5% of 2480`, `8% * 50`), constants and
    functions. Percent is a hundredth, so `200 + 10%` is 200.1; between operands `%` is the
    remainder, with the sign of the divisor, as in Python.

    Raises:
        CalculationError: It cannot be read, has no value, or is too large.
    """
    if len(expression) > MAX_CHARS:
        raise CalculationError(f"the expression is longer than {MAX_CHARS} characters")
    with decimal.localcontext(_context()) as context:
        try:
            value = _get_value(*_parse(expression))
        except decimal.Overflow:
            raise CalculationError("the result is too large") from None
        except decimal.DecimalException:
            raise CalculationError("it has no real value, or its numbers are too large") from None
        rounded = decimal.Context(prec=_ROUNDED_DIGITS).plus(value)
        return rounded if context.flags[decimal.Inexact] else value


def number_text(value: Decimal) -> str:
    """A number as people write it: 310 and 0.1, never 310.00 or 1E-1; 1E+60 if it is vast."""
    plain = value.normalize(_context()) if value else Decimal(0)
    return f"{plain:f}" if -_ROUNDED_DIGITS <= plain.adjusted() < _DIGITS else f"{plain:E}"


def _context() -> decimal.Context:
    return decimal.Context(prec=_DIGITS, Emax=9_999, Emin=-9_999, traps=_TRAPS)


def _round(value: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    if places != int(places) or abs(places) > _DIGITS:
        raise CalculationError(f"round() cannot round to {number_text(places)} places")
    return value.quantize(Decimal(1).scaleb(-int(places)), rounding=decimal.ROUND_HALF_UP)


def _remainder(left: Decimal, right: Decimal) -> Decimal:
    remainder = left % right
    return remainder + right if remainder and (remainder < 0) != (right < 0) else remainder


_floor = partial(Decimal.to_integral_value, rounding=decimal.ROUND_FLOOR)
_CONSTANTS = {
    "pi": Decimal("3.141592653589793238462643383279502884197"),
    "e": Decimal("2.718281828459045235360287471352662497757"),
}
_FUNCTIONS: dict[str, tuple[Callable[..., Decimal], int]] = {  # with the most arguments
    "abs": (Decimal.copy_abs, 1),
    "ceil": (partial(Decimal.to_integral_value, rounding=decimal.ROUND_CEILING), 1),
    "exp": (Decimal.exp, 1),
    "floor": (_floor, 1),
    "ln": (Decimal.ln, 1),
    "log10": (Decimal.log10, 1),
    "max": (lambda *values: max(values), 100),
    "min": (lambda *values: min(values), 100),
    "round": (_round, 2),
    "sqrt": (Decimal.sqrt, 1),
}
_OPERATORS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: _floor(left / right),
    ast.Mod: _remainder,
    ast.Pow: operator.pow,
}
_SPELLINGS = {"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "of": "*"}
_CALL = re.compile(rf"\b(?:{'|'.join(_FUNCTIONS)})\s*\(")
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_GROUPED = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
_OTHERS = (
    r"(?P<name>[A-Za-z]\w*)|(?P<percent>%(?!\s*+(?!of\b)[\w.(]))"
    r"|\*\*|//|[-+*/%^(),×·÷−]|(?P<space>\s+)|(?P<stranger>.)"
)
_TOKEN = re.compile(rf"(?P<number>{_NUMBER})|{_OTHERS}", re.ASCII)
_TOKEN_OR_GROUPS = re.compile(rf"(?P<number>{_GROUPED}|{_NUMBER})|{_OTHERS}", re.ASCII)


def _parse(expression: str) -> tuple[ast.expr, Mapping[str, Decimal]]:
    """The expression as Python reads it, and its numbers, which have names in it."""
    # In the call of a function, a comma separates arguments; elsewhere it groups thousands.
    pattern = _TOKEN if _CALL.search(expression) else _TOKEN_OR_GROUPS
    values = dict(_CONSTANTS)
    tokens = (token for token in pattern.finditer(expression) if not token["space"])
    text = " ".join(_python_text(token, values) for token in tokens)
    try:
        return ast.parse(text, mode="eval").body, values
    except (SyntaxError, MemoryError, RecursionError):
        if text.count("(") > text.count(")"):
            raise CalculationError("a closing parenthesis is missing") from None
        is_cut = text[-1:] in "+-*/%"
        raise CalculationError("the expression ends too early" if is_cut else _MISPLACED) from None


def _python_text(token: re.Match[str], values: dict[str, Decimal]) -> str:
    """A token as Python writes it; a percent sign is an attribute, which binds as tightly."""
    text = token[0]
    match token.lastgroup:
        case "number":
            name = f"n{len(values)}"  # a float would lose digits
            values[name] = decimal.getcontext().create_decimal(text.replace(",", ""))
            return name
        case "percent":
            return ".percent"
        case "stranger":
            raise CalculationError(f"{text!r} is not arithmetic")
        case "name" if text not in {*_CONSTANTS, *_FUNCTIONS, *_SPELLINGS}:
            raise CalculationError(
                f"unexpected {text!r}; known functions are {', '.join(_FUNCTIONS)}"
            )
    return _SPELLINGS.get(text, text)


def _get_value(node: ast.expr, values: Mapping[str, Decimal], depth: int = 0) -> Decimal:
    if depth > _MAX_DEPTH:
        raise CalculationError(f"it is nested more than {_MAX_DEPTH} deep")
    match node:
        case ast.Name(name) if name in values:
            value = values[name]
        case ast.Attribute(operand):
            value = _get_value(operand, values, depth + 1) / 100
        case ast.UnaryOp(sign, operand):
            value = _get_value(operand, values, depth + 1)
            value = -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left, sign, right):
            first = _get_value(left, values, depth)  # a long sum is nested on its left
            second = _get_value(right, values, depth + 1)
            if not second and isinstance(sign, ast.Div | ast.FloorDiv | ast.Mod):
                raise CalculationError("division by zero")
            value = _OPERATORS[type(sign)](first, second)
        case ast.Call(ast.Name(name), operands, []) if name in _FUNCTIONS:
            function, most = _FUNCTIONS[name]
            if not 0 < len(operands) <= most:
                raise CalculationError(f"{name}() does not take {len(operands)} arguments")
            value = function(*(_get_value(operand, values, depth + 1) for operand in operands))
        case _:
            raise CalculationError(_MISPLACED)
    if not value.is_finite():
        raise CalculationError("it has no finite value")
    return value


def _with_value(expression: str) -> str:
    """Refuse an expression without a value while arguments are checked, so the model is told."""
    try:
        evaluate(expression)
    except CalculationError as error:
        facts = {"expression": expression[:80], "problem": str(error)}
        message = "cannot calculate '{expression}': {problem}"
        raise PydanticCustomError("calculation", message, facts) from error
    return expression


@tool(category="math")
def calculate(expression: Annotated[str, AfterValidator(_with_value)]) -> str:
    """Calculate the exact value of an arithmetic expression.

    Args:
        expression: Numbers with + - * / // % ** and parentheses, percentages such as
            "12.5% of 2480", and abs, ceil, exp, floor, ln, log10, max, min, round, sqrt, pi, e.
    """
    return number_text(evaluate(expression))
