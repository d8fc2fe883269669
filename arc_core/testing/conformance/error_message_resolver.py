"""Rules of every `ErrorMessageResolver` that the engine relies on."""

from abc import ABC, abstractmethod

import pytest

from arc_core.errors import AgentErrorCode
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.testing.conformance.components import check_interface


class ErrorMessageResolverConformance(ABC):
    """Inherit from it and say how your resolver is made."""

    @abstractmethod
    def make_resolver(self) -> ErrorMessageResolver:
        """A new resolver."""

    def test_it_is_a_resolver(self) -> None:
        """It can be asked."""
        check_interface(self.make_resolver(), ErrorMessageResolver)

    @pytest.mark.parametrize("code", AgentErrorCode)
    def test_every_code_has_a_sentence(self, code: AgentErrorCode) -> None:
        """One line for the person who asked, the same every time."""
        resolver = self.make_resolver()

        message: object = resolver.resolve(code)

        assert isinstance(message, str), f"resolve({code}) gave {message!r}"
        assert message.strip(), f"{code} has no message"
        assert len(message.splitlines()) == 1, f"the message of {code} has several lines"
        assert resolver.resolve(code) == message
