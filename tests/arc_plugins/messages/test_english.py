"""Failures in English."""

import re

import pytest

from arc_core import AgentErrorCode
from arc_plugins.messages.english import EnglishErrorMessageResolver


@pytest.mark.parametrize("code", AgentErrorCode)
def test_every_code_has_a_sentence(code: AgentErrorCode) -> None:
    """A sentence for people: no code, no class name, no status."""
    sentence = EnglishErrorMessageResolver().resolve(code)

    assert re.fullmatch(r"[A-Z][A-Za-z,' .]+\.", sentence)
    assert code.value not in sentence
    assert "Error" not in sentence


def test_no_two_codes_share_a_sentence() -> None:
    """People can tell failures apart."""
    sentences = {EnglishErrorMessageResolver().resolve(code) for code in AgentErrorCode}

    assert len(sentences) == len(AgentErrorCode)
