"""English messages do what every resolver must do."""

from arc_core import ErrorMessageResolver
from arc_core.testing.conformance.error_message_resolver import ErrorMessageResolverConformance
from arc_plugins.messages.english import EnglishErrorMessageResolver


class TestConformance(ErrorMessageResolverConformance):
    """A sentence for every code."""

    def make_resolver(self) -> ErrorMessageResolver:
        return EnglishErrorMessageResolver()
