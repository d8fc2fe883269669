"""The tool `calculate`: exact arithmetic for a model that would guess."""

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from arc_core import tool
from arc_plugins.tools.calculate.arithmetic import CalculationError, evaluate, number_text


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
