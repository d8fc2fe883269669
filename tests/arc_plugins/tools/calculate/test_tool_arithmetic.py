"""Expressions have the value that people expect, or an error that says why they have none."""

from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.tools.calculate.tool import MAX_CHARS, CalculationError, evaluate, number_text


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("10 - 4 - 3", "3"),
        ("-2 ** 2", "-4"),
        ("2 ** 3 ** 2", "512"),
        ("2 ^ -1", "0.5"),
        ("7 × 8 ÷ 2 − 1", "27"),
        ("-7 // 3", "-3"),
        ("-7 % 3", "2"),
        ("7 % (-3)", "-2"),
        ("--3", "3"),
        (".5 + 1.", "1.5"),
        ("1e3", "1000"),
        ("2,480 + 20", "2500"),
        ("007 +\n1", "8"),
        ("5 % 1e310", "5"),
    ],
)
def test_operators(expression: str, value: str) -> None:
    """Operators bind and associate as in Python, in several spellings."""
    assert evaluate(expression) == Decimal(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("12.5% of 2480", "310"),
        ("8% * 50", "4"),
        ("50%", "0.5"),
        ("200 + 10%", "200.1"),
        ("10% of 50% of 400", "20"),
        ("10 % 4", "2"),
        ("10 % (4)", "2"),
        ("(5 + 5)% of 30", "3"),
    ],
)
def test_percent(expression: str, value: str) -> None:
    """A percent sign is a hundredth, and the remainder between two operands."""
    assert evaluate(expression) == Decimal(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(16) + abs(-3)", "7"),
        ("max(1,234)", "234"),
        ("max(3) + min(3)", "6"),
        ("min(3, 1, 2)", "1"),
        ("round(2.345, 2)", "2.35"),
        ("round(-2.5)", "-3"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("log10(1000)", "3"),
        ("ln(e)", "1"),
        ("exp(0)", "1"),
        ("floor(pi)", "3"),
    ],
)
def test_functions_and_constants(expression: str, value: str) -> None:
    """Functions take their arguments, separated by commas."""
    assert evaluate(expression) == Decimal(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("1 / 3", "0.333333333333333"),
        ("1 / 3 * 3", "1"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("2 ** 0.5", "1.41421356237310"),
    ],
)
def test_results_are_exact_or_rounded(expression: str, value: str) -> None:
    """What forty digits can hold is exact, anything else has fifteen digits."""
    assert evaluate(expression) == Decimal(value)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("(1", "closing parenthesis is missing"),
        ("1)", "is misplaced"),
        ("2 2", "is misplaced"),
        ("sqrt + 1", "is misplaced"),
        ("max(*(1))", "is misplaced"),
        ("max(**pi)", "is misplaced"),
        ("(1, 2)", "is misplaced"),
        ("2pi", "is misplaced"),
        ("pi(2)", "is misplaced"),
        ("n2 + 1", "unexpected 'n2'"),
        ("lambda", "unexpected 'lambda'"),
        ("1 / 0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("0 ** -1", "no finite value"),
        ("ln(0)", "no finite value"),
        ("1 / ln(0)", "no finite value"),
        ("sqrt(-1)", "no real value"),
        ("9 ** 9 ** 9", "too large"),
        ("1e9999 * 10", "too large"),
        ("exp(1e9)", "too large"),
        ("round(1, 0.5)", "cannot round"),
        ("sqrt(1, 2)", "does not take 2"),
        ("max(2,480", "closing parenthesis"),
        ("tan(1)", "known functions are abs"),
        ("__import__('os')", "'_' is not arithmetic"),
        ("1 if x else 2", "unexpected 'if'"),
        ("(" * 60, "closing parenthesis is missing"),
        ("(" * 249 + "1" + ")" * 249, "is misplaced"),
        ("sqrt(" * 60 + "1" + ")" * 60, "nested more than 50 deep"),
        ("1" + "%" * 60, "nested more than 50 deep"),
        ("-" * 60 + "1", "nested more than 50 deep"),
        ("1" * (MAX_CHARS + 1), "longer than 500"),
    ],
)
def test_an_expression_without_a_value(expression: str, problem: str) -> None:
    """The error says why, in words that a model can act on."""
    with pytest.raises(CalculationError, match=problem):
        evaluate(expression)


@given(st.integers(-(10**15), 10**15), st.integers(-(10**15), 10**15))
def test_whole_numbers_are_exact(left: int, right: int) -> None:
    """Sums, differences and products of whole numbers are those of Python."""
    values = (evaluate(f"{left} {sign} {right}") for sign in "+-*")

    assert list(map(int, values)) == [left + right, left - right, left * right]


@given(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6).filter(bool))
def test_division_and_remainder_belong_together(left: int, right: int) -> None:
    """Quotient and remainder are those of Python, for all signs."""
    pair = int(evaluate(f"({left}) // ({right})")), int(evaluate(f"({left}) % ({right})"))

    assert pair == divmod(left, right)


@given(st.text(alphabet="0123456789.+-*/%^() ofsqrtexpln,e", max_size=MAX_CHARS))
def test_no_text_breaks_it(expression: str) -> None:
    """Whatever is written has a finite value or a `CalculationError`."""
    try:
        value = evaluate(expression)
    except CalculationError:
        return

    assert value.is_finite()


def test_a_sum_may_be_long() -> None:
    """Only what is nested is bounded, not how many numbers stand in a row."""
    assert evaluate("+".join("1" * 250)) == 250


def test_commas_group_thousands_outside_of_functions() -> None:
    """`2,480` is a number where nothing takes two arguments."""
    assert evaluate("2,480 + 1") == 2481


def test_commas_separate_the_arguments_of_a_function() -> None:
    """`max(1,234)` has two arguments."""
    assert evaluate("max(1,234)") == 234


@pytest.mark.parametrize("character", ["$", "_", "'", "의", "=", ".", "\u3000"])
def test_what_is_not_arithmetic_is_named(character: str) -> None:
    """The error shows the character that stands in the way."""
    with pytest.raises(CalculationError, match="is not arithmetic") as error:
        evaluate(f"1 {character}")

    assert repr(character) in str(error.value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("310.00", "310"),
        ("1E+3", "1000"),
        ("0.10", "0.1"),
        ("-0", "0"),
        ("1E-15", "0.000000000000001"),
        ("1E-16", "1E-16"),
        ("1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"),
        ("1E+40", "1E+40"),
    ],
)
def test_number_text(number: str, text: str) -> None:
    """Plain digits without needless zeros, an exponent only if digits would be endless."""
    assert number_text(Decimal(number)) == text


def test_the_surrounding_context_does_not_matter() -> None:
    """An application that works with few digits gets all of a result's."""
    with localcontext() as context:
        context.prec = 3

        assert number_text(Decimal("123456")) == "123456"
