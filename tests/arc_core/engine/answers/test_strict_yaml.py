"""YAML as far as it says what JSON can; hostile documents cost nothing."""

import json
import math
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from arc_core.engine.answers.schema_checks import MalformedTextError
from arc_core.engine.answers.strict_yaml import parse_yaml

# PyYAML writes these as words, for they are in YAML 1.1; in 1.2, which is read here, they are not.
NUMBERS_OF_YAML_1_2 = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)[eE][-+]?\d+|0o[0-7]+", re.ASCII)
NO_CHARACTERS = "\ufffe\uffff"  # JSON takes these noncharacters, and YAML does not
CHARACTERS = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters=NO_CHARACTERS
)
PRINTABLE = st.text(CHARACTERS).filter(lambda text: not NUMBERS_OF_YAML_1_2.fullmatch(text))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False).filter(lambda value: not math.isinf(value))
    | PRINTABLE
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(PRINTABLE, inner), max_leaves=20
)
DOCUMENTS = st.lists(VALUES) | st.dictionaries(PRINTABLE, VALUES)


def bomb(levels: int) -> str:
    """A document of a few lines that stands for ten to the power of `levels` words."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.slow
@given(DOCUMENTS)
def test_every_json_document_is_read(value: Any) -> None:
    """JSON is YAML: what JSON can carry is read from it as it was written."""
    assert parse_yaml(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.slow
@given(DOCUMENTS)
def test_what_yaml_writes_is_read(value: Any) -> None:
    """Block style, quotes and escapes mean what they mean to every other reader."""
    assert parse_yaml(yaml.safe_dump(value, allow_unicode=True)) == value


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("no", "no"),
        ("Yes", "Yes"),
        ("012", "012"),
        ("1_000", "1_000"),
        ("12:30:00", "12:30:00"),
        ("2026-11-21", "2026-11-21"),
        ("0x1F", "0x1F"),
        ("null", None),
        ("~", None),
        ("", None),
        ("True", True),
        ("FALSE", False),
        ("-12", -12),
        ("+1.5e3", 1500.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("! 12", "12"),
    ],
)
def test_plain_words_are_what_json_reads_in_them(plain: str, value: object) -> None:
    """Only JSON's words and numbers are more than text; countries, codes and dates stay text."""
    assert parse_yaml(f"value: {plain}") == {"value": value}


def test_keys_are_text_as_written() -> None:
    """JSON knows no other keys."""
    assert parse_yaml("1: a\ntrue: b\n~: c") == {"1": "a", "true": "b", "~": "c"}


def test_aliases_stand_for_what_they_name() -> None:
    """A modest use of aliases is allowed."""
    assert parse_yaml("a: &x {b: [1]}\nc: *x") == {"a": {"b": [1]}, "c": {"b": [1]}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "must be a mapping or a list"),
        ("# nothing", "must be a mapping or a list"),
        ("It rains.", "must be a mapping or a list"),
        ("42", "must be a mapping or a list"),
        ("a: [1", "did not find expected"),
        ("a: 1\nb:\n\t- 2", "line 3 column 1"),
        ("It rains: or: not", "line 1 column 13"),
        ("a: 1\n---\nb: 2", "more than one YAML document"),
        ("a: 1\nb: 2\na: 3", 'The key "a" is there more than once'),
        ("? [a, b]\n: 1", "key of a YAML mapping"),
        ("a: .inf", ".inf is not a number"),
        ("a: .NaN", ".NaN is not a number"),
        ("a: 1e999", "1e999 is too large"),
        ("a: " + "9" * 5000, "a number is too long"),
        ("a: !!binary eA==", "tag 'tag:yaml.org,2002:binary' is not allowed"),
        ("!!python/object/apply:os.getcwd []", "is not allowed"),
        ("a: !custom {}", "tag '!custom' is not allowed"),
        ("a: *b", "*b refers to nothing before it"),
        ("a: &b [*b]", "*b refers to nothing before it"),
        ("a: \x00", "a character is not allowed"),
        ("a: \ud800", "a character is not allowed"),
    ],
)
def test_what_is_no_such_yaml_is_refused(text: str, problem: str) -> None:
    """The problem says what is wrong, so that a model can correct it."""
    with pytest.raises(MalformedTextError) as caught:
        parse_yaml(text)

    assert problem in str(caught.value)


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (bomb(9), "too large by its aliases"),
        ("a: &a " + "x" * 10_000 + "\nb: [" + "*a, " * 10_000 + "]", "too large by its aliases"),
        ("a: &a {" + "x" * 900 + ": 1}\nb: [" + "*a, " * 10_000 + "]", "too large by its aliases"),
        ("[" * 1_000_000, "nested too deeply"),
        ("- " * 1_000_000 + "x", "nested too deeply"),
        ("{a: " * 1_000_000, "nested too deeply"),
    ],
)
def test_bombs_are_refused_before_they_explode(text: str, problem: str) -> None:
    """A document that is larger or deeper than it looks costs what its first lines cost."""
    with pytest.raises(MalformedTextError, match=problem):
        parse_yaml(text)


@pytest.mark.slow
def test_length_alone_is_not_a_bomb() -> None:
    """A long document without aliases is read, however long."""
    assert len(parse_yaml("- word\n" * 300_000)) == 300_000
