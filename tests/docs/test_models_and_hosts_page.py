"""The tables of what models and hosts can do are what the chat models say today."""

import pytest

from tests.docs.capabilities import PAGE, find_tables, write_tables


@pytest.mark.slow
async def test_the_tables_are_what_the_models_do() -> None:
    """`python -m tests.docs.capabilities` writes them anew."""
    assert find_tables(PAGE.read_text("utf-8")) == await write_tables()
