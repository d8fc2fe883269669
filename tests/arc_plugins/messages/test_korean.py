"""Failures in Korean."""

import re

import pytest

from arc_core import AgentErrorCode
from arc_plugins.messages.korean import KoreanErrorMessageResolver


@pytest.mark.parametrize("code", AgentErrorCode)
def test_every_code_has_a_sentence(code: AgentErrorCode) -> None:
    """A polite Korean sentence without foreign words but API."""
    sentence = KoreanErrorMessageResolver().resolve(code)

    assert re.fullmatch(r"[가-힣 ,.]+(니다|세요)\.", sentence.replace("API", ""))


def test_no_two_codes_share_a_sentence() -> None:
    """People can tell failures apart."""
    sentences = {KoreanErrorMessageResolver().resolve(code) for code in AgentErrorCode}

    assert len(sentences) == len(AgentErrorCode)
