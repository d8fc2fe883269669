"""The messages of one run: its text and its reasoning."""

import json

from ag_ui import core

from arc_core import ReasoningDelta, TextDelta

write_json = json.JSONEncoder(separators=(",", ":")).encode


def encode(event: core.BaseEvent) -> str:
    """The frame of an event.

    The protocol's own encoder refuses half a surrogate pair, which models do write; this escapes
    it, and says the same of everything else.
    """
    return f"data: {write_json(event.model_dump(by_alias=True))}\n\n"


class MessageWriter:
    """The messages of one run."""

    def __init__(self, prefix: str, *, tag: str | None = None) -> None:
        self._prefix, self.tag = prefix, tag
        self.has_spoken = False
        self.message_ids: list[str] = []
        self._saying: type | None = None
        self._message_id = ""
        self._before, self._behind = "", ""
        self._of_calls: str | None = None
        self._is_calling = False
        self._of_turn: list[str] = []

    def say(self, piece: TextDelta | ReasoningDelta) -> str:
        """The frame of a piece, after those that open its message."""
        if self._saying is type(piece):
            return f"{self._before}{write_json(piece.text)}{self._behind}"
        said = self.pause() + self._open(type(piece))
        return f"{said}{self._before}{write_json(piece.text)}{self._behind}"

    def say_all(self, text: str) -> str:
        """A whole message."""
        return self.say(TextDelta(text)) + self.pause()

    def pause(self) -> str:
        """Close the message that is open, if one is."""
        saying, self._saying = self._saying, None
        if saying is None:
            return ""
        if saying is TextDelta:
            end = core.TextMessageEndEvent(message_id=self._message_id, subagent_run_id=self.tag)
            return encode(end)
        message_end = core.ReasoningMessageEndEvent(
            message_id=self._message_id, subagent_run_id=self.tag
        )
        end_of_all = core.ReasoningEndEvent(message_id=self._message_id, subagent_run_id=self.tag)
        return encode(message_end) + encode(end_of_all)

    def message_of_calls(self) -> str:
        """The message to which the calls of this turn belong."""
        self._is_calling = True
        if self._of_calls is None:
            self._of_calls = self.make_id()
        return self._of_calls

    def note_call(self) -> None:
        """A call goes on that was told before."""
        self._is_calling = True

    def drop_turn(self) -> list[str]:
        """The messages of the turn so far, which do not count."""
        dropped, self._of_turn = self._of_turn, []
        self._of_calls, self._is_calling = None, False
        return dropped

    def _open(self, kind: type) -> str:
        if self._is_calling:  # the model speaks again: the calls of its last turn have ended
            self.drop_turn()
        self._saying, self._message_id = kind, self.make_id()
        tag = "" if self.tag is None else f',"subagentRunId":{write_json(self.tag)}'
        self._behind = f"{tag}}}\n\n"
        start = f'"messageId":{write_json(self._message_id)},"delta":'
        if kind is TextDelta:
            self.has_spoken, self._of_calls = True, self._message_id
            self._before = f'data: {{"type":"TEXT_MESSAGE_CONTENT",{start}'
            return encode(
                core.TextMessageStartEvent(
                    message_id=self._message_id, role="assistant", subagent_run_id=self.tag
                )
            )
        self._before = f'data: {{"type":"REASONING_MESSAGE_CONTENT",{start}'
        span = core.ReasoningStartEvent(message_id=self._message_id, subagent_run_id=self.tag)
        message = core.ReasoningMessageStartEvent(
            message_id=self._message_id, role="reasoning", subagent_run_id=self.tag
        )
        return encode(span) + encode(message)

    def make_id(self) -> str:
        """The id of a further message."""
        message_id = f"{self._prefix}{len(self.message_ids) + 1}"
        self.message_ids.append(message_id)
        self._of_turn.append(message_id)
        return message_id
