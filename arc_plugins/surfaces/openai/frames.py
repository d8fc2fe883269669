"""JSON as both APIs answer with it.

Pieces of text are cut from JSON that is written once: of thousands only a text and a number differ.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from starlette.responses import Response

from arc_core import AgentResult, Request, TokenUsage

PIECE = "the piece"
"""Stands in the place of the text in what is written once."""

_RUN_ID, _STATE = "run_id", "state"

TellWaiting = Callable[[str, Sequence[Request]], str]
"""`ServedApplication.tell_waiting`."""

write_json = json.JSONEncoder(separators=(",", ":")).encode


class Template:
    """JSON with gaps, in the order of marks that stand in it once: texts and numbers."""

    def __init__(self, written: bytes, *marks: str | int) -> None:
        form = written.decode().replace("%", "%%")
        for mark in marks:
            before, found, after = form.partition(write_json(mark))
            assert found, "every mark stands in what was written"
            form = f"{before}{'%s' if isinstance(mark, str) else '%d'}{after}"
        self._form = form

    def fill(self, *values: str | int) -> bytes:
        """The text with these values in its gaps, in their order."""
        told = tuple([write_json(each) if isinstance(each, str) else each for each in values])
        return (self._form % told).encode()


def make_answer(body: Mapping[str, object], *, run_id: str) -> Response:
    """Return a response of JSON in ASCII, since models write halves of surrogate pairs, too."""
    headers = {"x-run-id": run_id}
    return Response(write_json(body), headers=headers, media_type="application/json")


def make_metadata(result: AgentResult) -> dict[str, str]:
    """Texts of the run's metadata, its id, and whether it waits."""
    told = {name: value for name, value in result.metadata.items() if isinstance(value, str)}
    told[_RUN_ID] = result.run_id
    return told | {_STATE: "waiting"} if result.waiting else told


def make_usage(usage: TokenUsage, *, read: str, written: str) -> dict[str, object]:
    """Return the tokens that were read and written, in the words of an API for both."""
    cached = {"cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens}
    return {
        f"{read}_tokens": usage.prompt_tokens,
        f"{read}_tokens_details": cached,
        f"{written}_tokens": usage.completion_tokens,
        f"{written}_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }
