"""Rules of every `ResponseFilter` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Coroutine
from copy import deepcopy
from typing import Any

import pytest

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.errors import InvalidResponseError
from arc_core.interfaces.guards.response_filter import ResponseFilter, ResponseFilterContext
from arc_core.testing.conformance.components import call_together, check_names, running
from arc_core.testing.conformance.guards.any_guard import TextConformance
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_AT_ONCE = 50
_ANSWERS = HOSTILE_TEXTS | {
    "sentence": "It is 21 degrees in Seoul.",
    "paragraphs": "It rains.\n\n- Take an umbrella.\n- Or stay in.\n",
    "code": "```python\nprint('{}' % 1)\n```",
    "korean": "서울은 지금 21도입니다.",
    "json": '{"city": "Seoul", "degrees": [21, 22.5, null]}',
    "yaml": "city: Seoul\ndegrees:\n  - 21\n  - 22.5\n",
}


class ResponseFilterConformance(TextConformance):
    """Inherit from it and say how your filter is made."""

    @abstractmethod
    def make_filter(self) -> ResponseFilter:
        """A new filter, not started."""

    async def test_it_is_a_filter(self) -> None:
        """It has an order and can be asked."""
        response_filter = self.make_filter()

        name = type(response_filter).__name__
        assert isinstance(response_filter, ResponseFilter), f"{name} lacks order or filter"
        assert type(response_filter.order) is int, "order is a whole number"

    @pytest.mark.parametrize("response_format", ResponseFormat)
    @pytest.mark.parametrize("text", _ANSWERS.values(), ids=_ANSWERS)
    async def test_a_second_pass_filters_nothing_more(
        self, text: str, response_format: ResponseFormat
    ) -> None:
        """A kept answer passes the filters again: what has been filtered stays as it is."""
        context = _context(response_format)

        async with running(self.make_filter()) as response_filter:
            once = await _filter(response_filter, text, context)
            if once is None:
                return
            twice = await _filter(response_filter, once, context)

        check_names(response_filter, ResponseFilter)
        assert twice == once, "the filter is not idempotent"

    async def test_it_leaves_the_command_alone(self) -> None:
        """The metadata belongs to the command, and hooks see it, too."""
        metadata = {"plan": "free", "tags": ["a"]}
        command = AgentCommand(user_prompt="Hello", metadata=deepcopy(metadata))

        async with running(self.make_filter()) as response_filter:
            await response_filter.filter("Hi.", ResponseFilterContext(command=command))

        assert command.metadata == metadata, "the filter has changed the command's metadata"

    async def test_answers_do_not_mix(self) -> None:
        """Runs share their filters: many at once get what each gets alone."""
        answers = [f"Answer number {number}." for number in range(_AT_ONCE)]
        context = _context(ResponseFormat.TEXT)

        async with running(self.make_filter()) as response_filter:
            alone = [await _filter(response_filter, answer, context) for answer in answers]
            together = await call_together(
                _filter(response_filter, answer, context) for answer in answers
            )

        assert together == alone, "answers of different runs mix"

    def _make(self) -> ResponseFilter:
        return self.make_filter()

    def _pass(self, component: ResponseFilter, text: str) -> Coroutine[Any, Any, object]:
        return _filter(component, text, _context(ResponseFormat.TEXT))


async def _filter(
    response_filter: ResponseFilter, text: str, context: ResponseFilterContext
) -> str | None:
    """The text after the filter; None if the filter refuses it."""
    try:
        filtered: object = await response_filter.filter(text, context)
    except InvalidResponseError:
        return None
    assert isinstance(filtered, str), f"filter returned {filtered!r}"
    return filtered


def _context(response_format: ResponseFormat) -> ResponseFilterContext:
    command = AgentCommand(user_prompt="How is the weather?", response_format=response_format)
    return ResponseFilterContext(command=command, tools_used=("get_weather",), duration_ms=12.5)
