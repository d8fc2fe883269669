"""Rules of every `Guard` that the engine relies on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arc_core.interfaces.guards.guard import Guard, GuardRequest
from arc_core.messages.content import Attachment
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.guards.any_guard import ORDINARY_TEXTS, AnyGuardConformance

_PROMPTS = ("Hello.", "How is the weather in Seoul?", *ORDINARY_TEXTS, "word " * 2_000)


class GuardConformance(AnyGuardConformance[Guard]):
    """Inherit from it and say in `make_guard` how your guard is made.

    Attributes:
        prompts: Prompts on which the guard decides differently, beside those of the suite.
    """

    prompts: Sequence[str] = ()
    _texts, _own_texts_in = _PROMPTS, "prompts"

    async def test_it_is_a_guard(self) -> None:
        """It has an order and can be asked."""
        self._check_kind(Guard, members="order or check")

    async def test_it_decides_on_a_file_as_on_the_same_words(self) -> None:
        """The text of attached files is in the request's; that it was attached excuses nothing."""
        for number, text in enumerate([*_PROMPTS, *self.prompts]):
            user_id = f"reader-{number}"
            typed = self._make_request(text, user_id=f"{user_id}-typed")
            file = Attachment("text/plain", text.encode(), name="notes.txt")
            attached = replace(typed, user_id=f"{user_id}-attached", attachments=(file,))
            async with running(self.make_guard()) as guard:
                decisions = [await guard.check(each) for each in (typed, attached)]

            by_words, by_file = map(self._strip_words, decisions)
            assert by_words == by_file, f"the guard lets a file say {text[:50]!r}"

    def _make_request_of(self, shared: Mapping[str, Any]) -> GuardRequest:
        return GuardRequest(**shared)
