"""`calculate`, as a model calls it."""

import pytest

from arc_core import ToolArgumentsError, ToolContext
from arc_plugins.tools.calculate.tool import calculate

CONTEXT = ToolContext(run_id="run", call_id="call", user_id="anonymous")


async def test_it_gives_plain_digits() -> None:
    """The result of the first example is 310, not 310.00000000000006."""
    arguments = calculate.parse_arguments('{"expression": "12.5% of 2480"}')

    assert await calculate.call(arguments, CONTEXT) == "310"


@pytest.mark.parametrize(
    ("expression", "problem"),
    [("1/0", "cannot calculate '1/0': division by zero"), ("{x}", "'{' is not arithmetic")],
)
def test_an_impossible_calculation_is_an_invalid_argument(expression: str, problem: str) -> None:
    """The model reads what is wrong, instead of the text of a failed tool."""
    with pytest.raises(ToolArgumentsError) as error:
        calculate.parse_arguments(f'{{"expression": "{expression}"}}')

    assert error.value.problems[0].startswith("expression: ")
    assert problem in error.value.problems[0]


def test_a_model_is_told_what_it_can_write() -> None:
    """The schema describes the expression; the checks behind it stay out of the schema."""
    expression = calculate.parameters["properties"]["expression"]

    assert expression["type"] == "string"
    assert "12.5% of 2480" in expression["description"]
